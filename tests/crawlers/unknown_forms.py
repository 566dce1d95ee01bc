"""Pages of sites whose software nobody knows, written by us: threads in twenty layouts, and pages that only look like one.

Each page is mostly furniture, as such pages are: menus, banners, related questions, newsletters, terms.
"""

from collections.abc import Callable
from typing import NamedTuple

from tests.crawlers.made import Made, MadeAnswer, page

_RELATED = "".join(
    f'<li class="question-item"><a class="related-link" href="/q/{number}"><span class="question-text">How far is station {number}?</span></a>'
    f" <span>{number} answers</span></li>"
    for number in range(3, 9)
)
BEFORE = (
    '<div class="cookie-banner"><p>We use 12 cookies.</p><button>Accept</button></div><div class="topbar"><ul><li><a href="/login">Log in</a></li>'
    '<li><a href="/ask">Ask a question</a></li></ul><form action="/search"><input type="text" name="q"><button>Search 4,512 answers</button></form>'
    '</div><nav class="breadcrumbs"><a href="/">Home</a> / <a href="/math">Math</a> / <a href="/math/algebra">Algebra</a></nav>'
    '<div class="ad-slot"><p>Learn algebra in 30 days!</p></div>'
)
AFTER = (
    f'<div class="related-questions"><h3>Related questions</h3><ul>{_RELATED}</ul></div><aside class="sidebar"><h4>Top tutors</h4><ol><li>ann 1,204</li>'
    '</ol><div class="question-of-the-day"><p>What is 7 x 8?</p></div></aside><div class="newsletter"><form><input type="email"><button>Get answers by mail</button>'
    "</form></div><p>Terms of use. 24 people are online. Answers are given without warranty.</p>"
)


def _whole(thread: Made, body: str, heading: str = "h1") -> str:
    return page(
        thread.title,
        "",
        f"{BEFORE}<{heading}>{thread.title}</{heading}>{body}{AFTER}" if heading else BEFORE + body + AFTER,
    )


def _each(thread: Made, write: Callable[[MadeAnswer], str]) -> str:
    return "".join(map(write, thread.answers))


def bem(thread: Made) -> str:
    """Blocks, elements and modifiers."""
    answers = _each(thread, lambda one: (
        f'<article class="answer{" answer--accepted" if one.best else ""}" id="answer-{one.id}"><div class="answer__votes">{one.score}</div>'
        f'<div class="answer__body">{one.html}</div><footer><a class="answer__author" href="/users/5">{one.author}</a></footer></article>'
    ))  # fmt: skip
    return _whole(thread, (
        f'<section class="question-page"><div class="question"><h1 class="question__title">{thread.title}</h1><div class="question__body">'
        f'{thread.html}</div></div><div class="answers-list">{answers}</div></section>'
    ), "")  # fmt: skip


def hashed(thread: Made) -> str:
    """Class names that a build made."""
    answers = _each(thread, lambda one: (
        f'<li class="Answer_item__x9Y1z" data-answer-id="{one.id}"><a href="/profile/{one.author}" class="User_name__Zz91b">{one.author}</a>'
        f'<div class="Answer_content__Qq2Rt">{one.html}</div><span class="Vote_count__1aB2c">{one.score}</span>'
        f'{"<i class=Best_badge__9Xy8w></i>" if one.best else ""}</li>'
    ))  # fmt: skip
    return _whole(thread, (
        f'<div class="Question_container__a1B2c"><div class="Question_text__Kk3Ll">{thread.html}</div></div><ul class="Answers_list__Mm4Nn">{answers}</ul>'
    ))  # fmt: skip


def camel(thread: Made) -> str:
    """Names in camel case, ids for the posts."""
    answers = _each(thread, lambda one: (
        f'<div class="answerContainer" id="answer{one.id}"><div class="answerText">{one.html}</div><div class="userName">{one.author}</div>'
        f'<div class="voteCount">{one.score}</div>{"<div class=bestAnswer>Best answer</div>" if one.best else ""}</div>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<div class="questionContainer"><div class="questionText">{thread.html}</div></div><div id="allAnswers">{answers}</div>',
    )


def with_comments(thread: Made) -> str:
    """Comments below the question and every answer."""
    comments = '<div class="comments"><div class="comment"><span class="comment-text">why 42?</span> <time>2014</time></div></div>'
    answers = _each(thread, lambda one: (
        f'<div class="answer-item" data-id="{one.id}"><div class="answer-content">{one.html}</div><time datetime="2014-03-01">March 1</time>'
        f'<span class="author">{one.author}</span>{comments}</div>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<div class="question-block"><div class="question-content">{thread.html}</div>{comments}</div><section>{answers}</section>',
    )


def best_apart(thread: Made) -> str:
    """The best answer in a box of its own before the others."""

    def write(one: MadeAnswer) -> str:
        return (
            f'<div class="answer{" best" if one.best else ""}" data-answer-id="{one.id}"><a href="/user/7" class="username">{one.author}</a>'
            f'<div class="answer-text">{one.html}</div></div>'
        )

    best = "".join(write(one) for one in thread.answers if one.best)
    others = "".join(write(one) for one in thread.answers if not one.best)
    return _whole(
        thread,
        f'<div class="question"><div class="text">{thread.html}</div></div><div class="top">{best}</div><div class="rest">{others}</div>',
    )


def replies(thread: Made) -> str:
    """A topic and its replies."""
    answers = _each(thread, lambda one: (
        f'<li class="reply" id="reply-{one.id}"><cite class="author">{one.author}</cite><div class="reply-content">{one.html}</div></li>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<article class="question-post"><div class="entry-content">{thread.html}</div></article><ol class="replies">{answers}</ol>',
    )


def responses(thread: Made) -> str:
    """Responses of tutors, with a link to their profiles."""
    answers = _each(thread, lambda one: (
        f'<section class="response"><header><a href="/members/{one.id}">{one.author}</a></header><div class="response-body">{one.html}</div></section>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<div class="question-detail"><div class="question-description">{thread.html}</div></div><div class="responses">{answers}</div>',
    )


def tutor(thread: Made) -> str:
    """A tutoring site: one block of the question, answers of tutors."""
    answers = _each(thread, lambda one: (
        f'<div class="tutor-answer"><div class="answerer-name">{one.author}</div><div class="tutor-answer-text">{one.html}</div></div>'
    ))  # fmt: skip
    return _whole(thread, f'<div class="question-card"><p class="question-text">{thread.html}</p></div>{answers}')


def osqa(thread: Made) -> str:
    """An old board with tables and anchors between the answers."""
    answers = _each(thread, lambda one: (
        f'<span id="{one.id}"></span><div id="answer-container-{one.id}" class="answer{" accepted-answer" if one.best else ""}"><table><tr><td>'
        f'<div id="post-{one.id}-score" class="post-score">{one.score}</div></td><td><div class="answer-body">{one.html}</div>'
        f'<p class="user-info"><a href="/users/3/x">{one.author}</a></p></td></tr></table></div>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<div id="main"><table><tr><td><div class="question-body">{thread.html}</div></td></tr></table>{answers}</div>',
    )


def nested(thread: Made) -> str:
    """Wrappers within wrappers, all of them called alike."""
    answers = _each(thread, lambda one: (
        f'<div class="answer-wrapper"><div class="answer" id="a-{one.id}"><div class="answer-content"><div class="answer-text">{one.html}</div></div>'
        f'<div class="post-author">{one.author}</div></div></div>'
    ))  # fmt: skip
    return _whole(thread, (
        f'<div class="question-wrapper"><div class="question-container"><div class="question"><div class="question-body"><div class="text">{thread.html}'
        f'</div></div></div></div></div><div class="answers-wrapper">{answers}</div>'
    ))  # fmt: skip


def solutions(thread: Made) -> str:
    """Solutions that members posted."""
    answers = _each(thread, lambda one: (
        f'<div class="solution" data-solution-id="{one.id}"><p class="by"><a href="/profile/{one.author}">{one.author}</a></p>'
        f'<div class="solution-body">{one.html}</div></div>'
    ))  # fmt: skip
    return _whole(
        thread,
        f'<div id="question"><div class="description">{thread.html}</div></div><div id="solutions">{answers}</div>',
    )


def announced(thread: Made) -> str:
    """A heading says how many answers there are."""
    answers = _each(thread, lambda one: (
        f'<li class="answer" id="ans_{one.id}"><div class="message">{one.html}</div><span class="nickname">{one.author}</span></li>'
    ))  # fmt: skip
    return _whole(thread, (
        f'<div class="question" id="q{thread.number}"><div class="message">{thread.html}</div></div><h2>{len(thread.answers)} '
        f'answer{"" if len(thread.answers) == 1 else "s"}</h2><ul>{answers}</ul>'
    ))  # fmt: skip


def site_heading(thread: Made) -> str:
    """The first heading is the site's name."""
    answers = _each(thread, lambda one: (
        f'<div class="post-answer"><time>3 years ago</time><div class="post-content">{one.html}</div><b class="user-name">{one.author}</b></div>'
    ))  # fmt: skip
    return _whole(thread, (
        f'<div class="header"><h1 class="site-title">MathBoard 24</h1></div><div class="post-question"><h2 class="question-title">{thread.title}</h2>'
        f'<div class="post-content">{thread.html}</div></div>{answers}'
    ), "")  # fmt: skip


def unnamed_texts(thread: Made) -> str:
    """Texts without a name of their own: to be left alone."""
    answers = _each(
        thread,
        lambda one: f'<div class="answer" id="a{one.id}"><p>{one.html}</p><i class="author">{one.author}</i></div>',
    )
    return _whole(thread, f'<div class="question"><p>{thread.html}</p></div>{answers}')


def styled_only(thread: Made) -> str:
    """Names that say how things look: to be left alone."""
    answers = _each(
        thread,
        lambda one: (
            f'<div class="mt-4 rounded shadow"><div class="prose">{one.html}</div><a href="/u/1">{one.author}</a></div>'
        ),
    )
    return _whole(thread, f'<div class="bg-white p-4"><div class="prose">{thread.html}</div></div>{answers}')


def as_comments(thread: Made) -> str:
    """A blog's comments: to be left alone."""
    answers = _each(
        thread,
        lambda one: (
            f'<li class="comment" id="comment-{one.id}"><div class="comment-body">{one.html}</div><cite>{one.author}</cite></li>'
        ),
    )
    return _whole(
        thread,
        f'<article class="post"><div class="entry-content">{thread.html}</div></article><ol class="comment-list">{answers}</ol>',
    )


LAYOUTS: dict[str, Callable[[Made], str]] = {
    layout.__name__: layout
    for layout in (
        bem, hashed, camel, with_comments, best_apart, replies, responses, tutor, osqa, nested, solutions, announced,
        site_heading, unnamed_texts, styled_only, as_comments,
    )
}  # fmt: skip
"""Threads as unknown sites show them; the last three say too little of themselves."""
SILENT = frozenset(("unnamed_texts", "styled_only", "as_comments"))


class Other(NamedTuple):
    """A page that holds no thread of its own, by name."""

    name: str
    body: str


def _choices(kind: str, inner: str, count: int = 4) -> str:
    return "".join(
        f'<li class="{kind}" data-answer-id="{100 + number}">{inner.format(12 * number)}</li>'
        for number in range(1, count)
    )


_ASKED = '<div class="question" id="q5"><div class="question-text">A train goes 60 miles in 2 hours. How fast is it?</div></div>'
_MANY = "".join(
    f'<div class="question" id="q{number}"><div class="question-text">What is {number} x 7?</div></div><div class="answer" id="a{number}">'
    f'<div class="answer-text">{7 * number}</div><span class="author">ann</span></div>'
    for number in range(2, 7)
)
_PROFILE = "".join(
    f'<div class="answer" id="a{number}"><a class="question-title" href="/q/{number}">What is {number} x 7?</a><div class="answer-text">'
    f"{7 * number}</div><time>2014</time></div>"
    for number in range(2, 7)
)
OTHERS = (
    Other("quiz with buttons", f'{_ASKED}<ul>{_choices("answer", "<input type=radio> <span class=answer-text>{} mph</span>")}</ul>'),
    Other("quiz without buttons", f'{_ASKED}<ul>{_choices("answer", "<span class=answer-text>{} mph</span>")}</ul>'),
    Other("quiz by name", f'<div class="quiz">{_ASKED}<ul>{_choices("answer", "<p class=answer-text>{}</p><a href=/users/1>ann</a>")}</ul></div>'),
    Other("options", f'{_ASKED}<ul>{_choices("answer-option", "<span class=answer-text>{}</span>")}</ul>'),
    Other("test with boxes", f'{_ASKED}<ul>{_choices("answer", "<input type=checkbox><p class=answer-text>{}</p><i class=author>ann</i>")}</ul>'),
    Other("poll", f'{_ASKED}<ul>{_choices("answer", "<span class=answer-text>{}</span><span class=votes>17</span>")}</ul>'),
    Other("flash card", f'<div class="flashcard">{_ASKED}<div class="answer" id="a1"><div class="answer-text">30</div><time>2014</time></div></div>'),
    Other("FAQ", f'<div class="faq">{_ASKED}<div class="answer"><div class="answer-text">30</div></div></div>'),
    Other("FAQ of one question", f'{_ASKED}<div class="answer"><div class="answer-text">30 mph, says our staff.</div></div>'),
    Other("many questions", _MANY),
    Other("textbook", f'{_ASKED}<div class="solution" id="s1"><div class="solution-text">Step 1: 60/2 = 30.</div></div>'),
    Other("textbook in steps", f'{_ASKED}<ol>{_choices("solution", "<div class=solution-text>Step {}</div>")}</ol>'),
    Other("profile", f'<h1>Answers of ann</h1>{_PROFILE}'),
    Other("profile with a question of the day", f'<h1>Answers of ann</h1>{_ASKED}{_PROFILE}'),
    Other("list of questions", "".join(f'<div class="question-item"><div class="question-text">What is {n} x 7?</div><span class="votes">{n}</span><time>2014</time></div>' for n in range(9))),
    Other("search results", "".join(f'<li class="result"><div class="question">What is {n} x 7?</div><div class="answer">{7 * n}</div></li>' for n in range(9))),
    Other("article with comments", f'<article class="post"><div class="entry-content">How to solve rate problems</div></article>{_choices("comment", "<div class=comment-text>{} was wrong</div><cite class=author>ann</cite>")}'),
    Other("only the question", _ASKED),
    Other("only answers", f'<ul>{_choices("answer", "<div class=answer-text>{}</div><i class=author>ann</i>")}</ul>'),
    Other("two lists of answers", f'{_ASKED}<ul>{_choices("answer", "<div class=answer-text>{}</div><i class=author>ann</i>")}</ul><ol>{_choices("answer", "<div class=answer-text>{}</div><i class=author>bob</i>")}</ol>'),
    Other("more answers than announced", f'{_ASKED}<h2>1 answer</h2><ul>{_choices("answer", "<div class=answer-text>{}</div><i class=author>ann</i>")}</ul>'),
    Other("form for an answer", f'{_ASKED}<form class="answer" id="a1"><div class="answer-text"><textarea></textarea></div><a href="/users/1">you</a></form>'),
    Other("answer behind a wall", f'{_ASKED}<div class="answer"><div class="answer-locked">Log in to see the answer of <a href="/users/1">ann</a></div></div>'),
    Other("shortened answers", f'{_ASKED}<div class="answer" id="a1"><div class="answer-text">30 mph be... <a href="/a/1">Read more</a></div><i class="author">ann</i></div>'),
    Other("interview questions", "".join(f'<section class="question"><h2>What is {n} x 7?</h2><div class="answer"><div class="answer-body">{7 * n}</div></div></section>' for n in range(9))),
)  # fmt: skip
"""Pages that use the words of a thread and hold none."""


def other_page(other: Other) -> str:
    """One of them in the same furniture."""
    return page(other.name, "", f"{BEFORE}{other.body}{AFTER}")
