"""Threads of our own in the markup of the sites we read: numbered, so that what a page holds is known without parsing.

``FORMS`` renders a made thread as each site shows one; navigation, signatures, quotations and related questions are
around it, as they are there.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

# Markup and the text it has to give; {n} is the thread's number, {m} the answer's.
QUESTIONS = (
    ("A rope of {n} ft is cut so that x<sup>2</sup> = {n}.<br>\nHow long is each piece?",
     "A rope of {n} ft is cut so that x^2 = {n}.\nHow long is each piece?"),
    ("Ann is {n} years older than Bob.<br>Together they are 5{n} &amp; no more. Find both.",
     "Ann is {n} years older than Bob.\nTogether they are 5{n} & no more. Find both."),
    ("Solve x &minus; {n} &lt; 9 where x<sub>1</sub> is {n}", "Solve x − {n} < 9 where x_1 is {n}"),
)  # fmt: skip
ANSWERS = (
    ("Let x = {m}.<br>x + {n} = 9{m}<br>\nx = 9{m} &minus; {n}", "Let x = {m}.\nx + {n} = 9{m}\nx = 9{m} − {n}"),
    ("<b>x<sup>{m}</sup></b> = {n}, so x is <sup>1</sup>/<sub>{n}</sub>", "x^{m} = {n}, so x is 1/{n}"),
    ("<pre>  {n}y = 3{m}\n   y = 7</pre>", "  {n}y = 3{m}\n   y = 7"),
    ("no idea {m} lol", "no idea {m} lol"),
)
AUTHORS = ("math_fan22", "QED.lady", "late_bus_kid", "tutor_lenore7")


@dataclass(frozen=True)
class MadeAnswer:
    """One answer as it has to be found."""

    id: str
    html: str
    text: str
    best: bool
    score: int
    author: str


@dataclass(frozen=True)
class Made:
    """One thread as it has to be found."""

    number: int
    title: str
    html: str
    text: str
    answers: tuple[MadeAnswer, ...]


def made(number: int) -> Made:
    """Thread ``number``: 0 to 4 answers, every third thread with a best one, scores from -2 to 1,203."""
    html, text = QUESTIONS[number % len(QUESTIONS)]
    count = (number * 7) % 5
    best = number % count if count and number % 3 == 0 else -1
    answers = []
    for place in range(count):
        body, plain = ANSWERS[(number + place) % len(ANSWERS)]
        values = {"n": number + 2, "m": place + 2}
        score = 1203 if place == 3 else (number + 3 * place) % 9 - 2
        answers.append(
            MadeAnswer(
                id=str(100_000 + 10 * number + (count - place)),
                html=body.format(**values),
                text=plain.format(**values),
                best=place == best,
                score=score,
                author=AUTHORS[(number + place) % len(AUTHORS)],
            )
        )
    values = {"n": number + 2}
    return Made(number, f"Problem {number}", html.format(**values), text.format(**values), tuple(answers))


def _page(title: str, head: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - Board</title>{head}\n'
        "<style>.answer { color: red } h1 { margin: 12px }</style><script>var votes = [1, 2]; if (votes[0]<9) go();</script>"
        f'</head>\n<body>\n<header><nav><a href="/">Home</a> <a href="/users">1,204 users</a></nav></header>\n{body}\n'
        "<footer><p>Contact: board@forum.example, page 1 of 1</p></footer></body></html>\n"
    )


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
    return _page(thread.title, "", body)


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
    return _page(thread.title, script, f"<h1>{thread.title}</h1><div>{thread.html}</div>{shown}")


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
    return _page(thread.title, "", body)


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
    return _page(thread.title, f'<link rel="canonical" href="/questions/{thread.number + 1}/x">', body)


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


def phpbb(thread: Made) -> str:
    """phpBB 3, prosilver."""
    posts = "".join(
        f'<div id="p{post_id}" class="post has-profile bg2"><div class="inner"><dl class="postprofile"><dt>'
        f'<a class="username" href="#">{author}</a></dt></dl><div class="postbody"><div id="post_content{post_id}">'
        f'<h3><a href="#p{post_id}">Re: x</a></h3><p class="author">by <strong>{author}</strong> 12 Mar 2010, 17:20</p>'
        f'<div class="content">{quoted}{html}</div><div class="signature">Sig 2 + 2 = 5</div></div></div></div></div>'
        for post_id, author, quoted, html in _posts(
            thread, "<blockquote><div><cite>x wrote:</cite>{}</div></blockquote>"
        )
    )
    title = f'<h2 class="topic-title"><a href="./viewtopic.php?t={thread.number}">{thread.title}</a></h2>'
    return _page(thread.title, "", f'<div id="page-body">{title}{posts}</div>')


def _posts(thread: Made, quotation: str) -> list[tuple[str, str, str, str]]:
    """Id, author, quotation and markup of every post; replies from the second on quote the question."""
    posts = [(str(9_000_000 + thread.number), AUTHORS[thread.number % 4], "", thread.html)]
    for place, one in enumerate(thread.answers):
        posts.append((one.id, one.author, quotation.format(thread.html) if place else "", one.html))
    return posts


def vbulletin3(thread: Made) -> str:
    """vBulletin 3: a table a post."""
    quotation = '<div style="margin:20px"><div class="smallfont">Quote:</div><table><tr><td class="alt2">{}</td></tr></table></div>'
    posts = "".join(
        f'<table id="post{post_id}" class="tborder"><tr><td class="thead">12-03-2010, 05:20 PM #1</td></tr><tr><td>'
        f'<a class="bigusername" href="#">{author}</a></td></tr><tr><td><div id="post_message_{post_id}">{quoted}{html}</div>'
        "</td></tr></table>"
        for post_id, author, quoted, html in _posts(thread, quotation)
    )
    title = f'<table class="tborder"><tr><td><strong class="navbar-title">{thread.title}</strong></td></tr></table>'
    return _page(thread.title, "", title + posts)


def vbulletin4(thread: Made) -> str:
    """vBulletin 4: a list item a post."""
    quotation = '<div class="bbcode_container"><div class="bbcode_quote">{}</div></div>'
    posts = "".join(
        f'<li class="postbitlegacy postbit postcontainer old" id="post_{post_id}"><a class="username" href="#">'
        f'<strong>{author}</strong></a><div class="content"><div id="post_message_{post_id}"><blockquote class="postcontent '
        f'restore">{quoted}{html}</blockquote></div></div><div class="after_content">12</div></li>'
        for post_id, author, quoted, html in _posts(thread, quotation)
    )
    title = f'<h1><span class="threadtitle"><a href="#">{thread.title}</a></span></h1>'
    return _page(thread.title, "", f"{title}<ol id='posts' class='posts'>{posts}</ol>")


def vbulletin5(thread: Made) -> str:
    """vBulletin 5."""
    posts = "".join(
        f'<li class="b-post js-post" data-node-id="{post_id}"><div class="author"><a href="#"><strong>{author}</strong></a>'
        f'</div><div class="b-post__content"><div class="js-post__content-text" itemprop="text">{quoted}{html}</div></div></li>'
        for post_id, author, quoted, html in _posts(thread, '<div class="bbcode_quote">{}</div>')
    )
    return _page(
        thread.title, "", f'<h1 class="main-title">{thread.title}</h1><ul class="conversation-list">{posts}</ul>'
    )


def xenforo2(thread: Made) -> str:
    """XenForo 2, a question thread with votes."""
    marks = {one.id: (" message--solution" if one.best else "", f"{one.score:,}") for one in thread.answers}
    posts = "".join(
        f'<article class="message message--post js-post{marks.get(post_id, ("", ""))[0]}" data-author="{author}" '
        f'data-content="post-{post_id}" id="js-post-{post_id}"><div class="message-cell"><h4 class="message-name">'
        f'<a class="username" href="#">{author}</a></h4></div><span class="js-voteCount">{marks.get(post_id, ("", "0"))[1]}'
        f'</span><article class="message-body js-selectToQuote"><div itemprop="text"><div class="bbWrapper">{quoted}{html}'
        '</div></div></article><aside class="message-signature">7</aside></article>'
        for post_id, author, quoted, html in _posts(
            thread, '<blockquote class="bbCodeBlock bbCodeBlock--quote">{}</blockquote>'
        )
    )
    return _page(thread.title, "", f'<h1 class="p-title-value">{thread.title}</h1>{posts}')


def xenforo1(thread: Made) -> str:
    """XenForo 1."""
    posts = "".join(
        f'<li id="post-{post_id}" class="message" data-author="{author}"><div class="messageContent"><article>'
        f'<blockquote class="messageText SelectQuoteContainer ugc baseHtml">{quoted}{html}</blockquote></article></div></li>'
        for post_id, author, quoted, html in _posts(thread, '<div class="bbCodeBlock bbCodeQuote">{}</div>')
    )
    return _page(thread.title, "", f'<div class="titleBar"><h1>{thread.title}</h1></div><ol>{posts}</ol>')


def discourse(thread: Made) -> str:
    """Discourse, as shown to readers without scripts."""
    posts = "".join(
        f'<div id="post_{place}" itemprop="comment" itemscope itemtype="http://schema.org/Comment" '
        f'class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="#"><span>{author}'
        f'</span></a></span><time class="post-time">March 12, 2010</time></div><div class="post" itemprop="text">{quoted}{html}'
        "</div></div>"
        for place, (_, author, quoted, html) in enumerate(_posts(thread, '<aside class="quote"><p>{}</p></aside>'), 1)
    )
    title = (
        f'<div id="topic-title" class="topic-title"><h1><a href="/t/x/{thread.number}">{thread.title}</a></h1></div>'
    )
    return _page(
        thread.title, "", f'{title}<div itemscope itemtype="http://schema.org/DiscussionForumPosting">{posts}</div>'
    )


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
    return _page(thread.title, "", body)


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
}
"""Every form that the ``pages`` source reads, by name."""

SCORED = frozenset(("qapage-linked", "qapage-marked", "stack-exchange", "stack-exchange-api", "xenforo2", "plain-list"))
MARKED_BEST = SCORED
"""Forms that show votes, and forms that show a best answer."""


def threads_of(form: str, count: int = 300) -> list[Made]:
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
    """JSON-LD names the accepted answer apart, so it comes first; everything else keeps the order of the page."""
    if form != "qapage-linked":
        return list(thread.answers)
    return sorted(thread.answers, key=lambda one: not one.best)
