"""Made threads in the markup of the sites we read.

``FORMS`` renders a made thread as each site shows one; navigation, signatures, quotations and related questions are
around it, as they are there.
"""

import json
from collections.abc import Callable
from html import escape
from typing import Any

from tests.crawlers.forum_forms import discourse, phpbb, vbulletin3, vbulletin4, vbulletin5, xenforo1, xenforo2
from tests.crawlers.made import AUTHORS, Made, MadeAnswer, made, page
from tests.crawlers.yahoo_forms import best_first, question_id, yahoo_2009, yahoo_2013, yahoo_2018
from tests.tiers import tier


def _formula(html: str) -> str:
    """algebra.com shows what stands between triple braces as an image of its own."""
    return html.replace("= 9", '= <IMG ALIGN=MIDDLE SRC="/cgi-bin/plot-formula.mpl?expression=9&x=0003" ALT="9" >')


def algebra_question(thread: Made) -> str:
    """A question page with its tutors' answers."""
    names = ", ".join(f'<A HREF="/tutors/aboutme.mpl?userid={one.author}">{one.author}</A>' for one in thread.answers)
    found = f"<BR>\n(Found {len(thread.answers)} solutions by {names}:)<BR>\n" if len(thread.answers) > 1 else "<BR>\n"
    answers = "".join(
        f'<HR><B>Answer by <A HREF="/tutors/aboutme.mpl?userid={one.author}">{one.author}({one.score + 7})</A></B> '
        f'<IMG SRC="/images/icons/person.gif"> <A HREF="/tutors/aboutme.mpl?userid={one.author}">About Me</A> &nbsp;'
        f'(<A HREF="/cgi-bin/show-question-source.mpl?solution={one.id}">Show Source</A>):<BR>\n'
        f'You can <A HREF="/cgi-bin/embed-solution.mpl?solution={one.id}">put this solution on YOUR website</A>!<BR>\n'
        f"{_formula(one.html)}\n<BR>"
        for one in thread.answers
    )
    related = (
        "<TABLE class=related><TR><TD>RELATED QUESTIONS</TD></TR><TR><TD><A HREF="
        f'"/algebra/homework/word/age/Age.faq.question.{thread.number}9.html">Two pipes fill...</A> (answered by x)</TD></TR></TABLE>'
    )
    body = (
        f'<h1>SOLUTION: {thread.title}</h1>\n<A HREF="/">Algebra</A> -&gt; <A HREF="/word/">Word Problems</A> -&gt; '
        f"<B>SOLUTION: {thread.title}</B><BR>\n<TABLE><TR><TD>\n<B>Question {thread.number + 1}</B>: {thread.html}"
        f"{found}{answers}</TD></TR></TABLE>\n{related}"
    )
    return page(thread.title, "", body)


def algebra_embedded(thread: Made) -> str:
    """The script of ``embed-solution.mpl``: the question and its first answer, a call a line."""
    one = thread.answers[0]
    lines = [
        f"Question {thread.number + 1}: {thread.html}<BR>\n",
        f"Algebra.Com's Answer #{one.id} by {one.author}(17)<BR>\n",
        "You can put this solution on YOUR website!<BR>\n",
        *(line + "\n" for line in one.html.split("\n")),
    ]
    return "".join(f'document.write( {json.dumps(line)[:-1]}" );\n'.replace("'", "\\'") for line in lines)


def algebra_source(thread: Made) -> str:
    """The source view: what the tutor typed, its tags shown as characters."""
    typed = escape(thread.answers[0].html, quote=False)
    return f"<HTML><BODY><B>Question {thread.number + 1}</B><BR>\n<PRE>{typed}</PRE></BODY></HTML>"


def qapage_linked(thread: Made) -> str:
    """JSON-LD as homework sites write it: accepted apart from suggested, counts as numbers or strings."""
    records = [_linked(thread, one) for one in thread.answers]
    accepted = [record for record, one in zip(records, thread.answers, strict=True) if one.best]
    question: dict[str, Any] = {
        "@type": "Question", "name": thread.title, "text": thread.html, "answerCount": len(records), "upvoteCount": 3,
        "dateCreated": "2019-03-01T10:00:00Z", "author": {"@type": "Person", "name": AUTHORS[0]},
        "suggestedAnswer": [record for record, one in zip(records, thread.answers, strict=True) if not one.best],
    }  # fmt: skip
    if accepted:
        question["acceptedAnswer"] = accepted[0]
    data = {"@context": "https://schema.org", "@type": "QAPage", "mainEntity": question}
    crumbs = {"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": []}
    script = "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in (crumbs, data))
    shown = "".join(f"<div><p>{one.html}</p></div>" for one in thread.answers)
    return page(thread.title, script, f"<h1>{thread.title}</h1><div>{thread.html}</div>{shown}")


def _linked(thread: Made, one: MadeAnswer) -> dict[str, Any]:
    return {
        "@type": "Answer", "text": one.html, "upvoteCount": str(one.score) if one.score % 2 else one.score,
        "url": f"/question/{thread.number}#answer-{one.id}", "author": {"@type": "Person", "name": one.author},
    }  # fmt: skip


def qapage_marked(thread: Made) -> str:
    """Microdata in the visible page."""
    answers = "".join(
        f'<div itemprop="{"acceptedAnswer" if one.best else "suggestedAnswer"}" itemscope '
        f'itemtype="https://schema.org/Answer" id="answer-{one.id}"><meta itemprop="upvoteCount" content="{one.score}">'
        f'<div itemprop="text">{one.html}</div><span itemprop="author" itemscope itemtype="https://schema.org/Person">'
        f'<a itemprop="url" href="/u/1"><span itemprop="name">{one.author}</span></a></span>'
        '<div itemprop="comment" itemscope itemtype="https://schema.org/Comment"><p itemprop="text">nice 99</p></div></div>'
        for one in thread.answers
    )
    body = (
        '<main itemscope itemtype="https://schema.org/QAPage"><div itemprop="mainEntity" itemscope '
        f'itemtype="https://schema.org/Question"><h1 itemprop="name">{thread.title}</h1>'
        f'<span itemprop="upvoteCount">12</span><div itemprop="text">{thread.html}</div>'
        f'<span itemprop="answerCount">{len(thread.answers)}</span>{answers}</div></main>'
    )
    return page(thread.title, "", body)


def stack_exchange(thread: Made) -> str:
    """A question page of Stack Exchange."""
    answers = "".join(
        f'<div id="answer-{one.id}" class="answer js-answer{" accepted-answer js-accepted-answer" if one.best else ""}" '
        f'data-answerid="{one.id}" data-parentid="{thread.number + 1}" data-score="{one.score}"><div class="post-layout">'
        f'<div class="votecell"><div class="js-vote-count" data-value="{one.score}">{one.score}</div></div>'
        f'<div class="answercell"><div class="s-prose js-post-body" itemprop="text">{one.html}</div>'
        f'<a class="js-share-link" href="/a/{one.id}" data-se-share-sheet-license-name="CC BY-SA 4.0">Share</a>'
        f'<div class="user-info"><div class="user-details"><a href="/users/1/x">{one.author}</a></div></div></div></div></div>'
        for one in thread.answers
    )
    body = (
        f'<div id="content"><div id="question-header"><h1><a href="/questions/{thread.number + 1}/x" '
        f'class="question-hyperlink">{thread.title}</a></h1></div><div id="question" class="question js-question" '
        f'data-questionid="{thread.number + 1}" data-score="4"><div class="js-vote-count">4</div>'
        f'<div class="s-prose js-post-body" itemprop="text">{thread.html}<aside class="s-notice">Closed 3 years ago.</aside>'
        '</div><a href="/questions/tagged/algebra" class="post-tag" rel="tag">algebra</a>'
        '<a class="js-share-link" href="/q/1" data-se-share-sheet-license-name="CC BY-SA 3.0">Share</a></div>'
        f'<div id="answers"><h2 data-answercount="{len(thread.answers)}">{len(thread.answers)} Answers</h2>{answers}</div></div>'
    )
    return page(thread.title, f'<link rel="canonical" href="/questions/{thread.number + 1}/x">', body)


def stack_exchange_api(thread: Made) -> str:
    """The API's answer for one question."""
    item = {
        "question_id": 500_000 + thread.number, "link": f"/questions/{500_000 + thread.number}/x", "title": thread.title, "body": thread.html, "score": 4,
        "answer_count": len(thread.answers), "content_license": "CC BY-SA 4.0", "tags": ["algebra"],
        "owner": {"display_name": AUTHORS[0]},
        "answers": [
            {"answer_id": int(one.id), "body": one.html, "score": one.score, "is_accepted": one.best,
             "content_license": "CC BY-SA 4.0", "owner": {"display_name": one.author}}
            for one in thread.answers
        ],
    }  # fmt: skip
    return json.dumps({"items": [item], "has_more": False, "quota_remaining": 297})


def plain_list(thread: Made) -> str:
    """A question and a list of answers of a site's own making."""
    answers = "".join(
        f'<li class="answer{" best-answer" if one.best else ""}" id="a{one.id}"><span class="vote-count">{one.score}</span>'
        f'<div class="answer-body">{one.html}</div><span class="author">{one.author}</span></li>'
        for one in thread.answers
    )
    body = (
        f'<h1>{thread.title}</h1><div class="question" id="q{thread.number}"><div class="question-body">{thread.html}</div>'
        f'</div><h2>{len(thread.answers)} answers</h2><ul class="answers">{answers}</ul>'
    )
    return page(thread.title, "", body)


FORMS: dict[str, Callable[[Made], str]] = {
    "qapage-linked": qapage_linked,
    "qapage-marked": qapage_marked,
    "stack-exchange": stack_exchange,
    "stack-exchange-api": stack_exchange_api,
    "phpbb": phpbb,
    "vbulletin3": vbulletin3,
    "vbulletin4": vbulletin4,
    "vbulletin5": vbulletin5,
    "xenforo2": xenforo2,
    "xenforo1": xenforo1,
    "discourse": discourse,
    "plain-list": plain_list,
    "yahoo-2009": yahoo_2009,
    "yahoo-2013": yahoo_2013,
    "yahoo-2018": yahoo_2018,
}
"""Every form that the ``pages`` source reads, by name."""

SCORED = frozenset(
    (
        "qapage-linked", "qapage-marked", "stack-exchange", "stack-exchange-api", "xenforo2", "plain-list", "yahoo-2009",
        "yahoo-2013", "yahoo-2018",
    )
)  # fmt: skip
MARKED_BEST = SCORED
"""Forms that show votes, and forms that show a best answer."""
BEST_FIRST = frozenset(("qapage-linked", "yahoo-2009", "yahoo-2013", "yahoo-2018"))
"""Forms that name the best answer apart, so that it comes first; everything else keeps the order of the page."""
WITHOUT_IDS = frozenset(("discourse", "yahoo-2018"))
"""Forms whose answers have no numbers of their own: they are numbered by their place."""


COUNT = tier(300, 60)
"""Threads of a form."""


def threads_of(form: str, count: int = COUNT) -> list[Made]:
    """A plain list without answers is nothing a parser could be sure of."""
    return [thread for thread in map(made, range(count)) if thread.answers or form != "plain-list"]


def wanted(thread: Made, form: str) -> tuple[object, ...]:
    """Title and question, and of each answer text, best flag and score, as far as the form shows them."""
    answers = [
        (one.text.strip("\n"), one.best and form in MARKED_BEST, one.score if form in SCORED else None)
        for one in ordered(thread, form)
    ]
    return f"{thread.title}\n{thread.text}", answers


def ordered(thread: Made, form: str) -> list[MadeAnswer]:
    """The answers in the order of the form."""
    return best_first(thread) if form in BEST_FIRST else list(thread.answers)


def native_id(thread: Made, form: str) -> str:
    """The id that the page gives the thread, else the path that the tests serve it at."""
    given = {
        "stack-exchange": str(thread.number + 1),
        "stack-exchange-api": str(500_000 + thread.number),
        "yahoo-2013": question_id(thread),
    }
    return given.get(form, f"{form}/{thread.number}")
