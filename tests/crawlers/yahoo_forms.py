"""Made threads in the three markups that Yahoo! Answers had since 2009; the best answer stands first on each page."""

from tests.crawlers.made import AUTHORS, Made, MadeAnswer, page


def question_id(thread: Made) -> str:
    """The number that the site would give the question."""
    return f"20100301153400AA{thread.number:05d}"


def best_first(thread: Made) -> list[MadeAnswer]:
    """The answers as the site orders them."""
    return sorted(thread.answers, key=lambda one: not one.best)


def _votes(one: MadeAnswer) -> tuple[int, int]:
    """Votes for and against, which make the score."""
    return max(one.score, 0) + 1, max(-one.score, 0) + 1


def yahoo_2009(thread: Made) -> str:
    """``yan-question``: the best answer stands before the list of the others; names are shortened."""
    others = "".join(f"<li>{_answer_2009(one)}</li>" for one in thread.answers if not one.best)
    best = "".join(_answer_2009(one) for one in thread.answers if one.best)
    asker = AUTHORS[thread.number % 4]
    body = (
        '<div id="yan"><ol id="yan-breadcrumbs"><li><a href="/">Home</a> &gt;</li><li><a href="/dir/index?sid=1">Mathematics</a></li></ol>'
        f'<div id="yan-main"><div id="yan-question"><div class="profile vcard"><span class="user">{_person_2009(asker)}</span></div>'
        f'<div class="qa-container"><div class="hd"><h2>Resolved Question</h2></div><h1 class="subject">{thread.title}</h1>'
        f'<div class="content">{thread.html}</div><ul class="meta"><li><abbr title="2010-03-01 15:34:00 +0000">3 years ago</abbr></li></ul></div></div>'
        f'{best}<div id="yan-answers" class="mod"><div class="hd"><h3><strong>Other Answers</strong> ({len(thread.answers)})</h3></div>'
        f'<div class="bd"><ul class="shown">{others}</ul></div></div></div><div id="yan-related"><ul><li>Chemistry 17</li></ul></div></div>'
    )
    return page(thread.title, f'<meta name="title" content="{thread.title}">', body)


def _person_2009(name: str) -> str:
    return f'<a class="url" href="/my/profile?show=A"><span class="fn" title="{name}">{name[:6]}...</span></a>'


def _answer_2009(one: MadeAnswer) -> str:
    up, down = _votes(one)
    return (
        f'<div id="{one.id}" class="answer{" best" if one.best else ""}"><div class="profile vcard"><span class="user">{_person_2009(one.author)}'
        f'</span></div><div class="qa-container"><div class="content">{one.html}</div><div class="reference"><h3>Source(s):</h3>page 61</div>'
        '<ul class="meta"><li><abbr title="2010-03-01 15:50:00 +0000">3 years ago</abbr></li></ul></div><div class="utils-container"><ul>'
        f'<li class="rate-up"><span class="seo-rated"><strong>{up}</strong> good</span></li>'
        f'<li class="rate-down"><span class="seo-rated">{down} bad</span></li></ul></div></div>'
    )


def yahoo_2013(thread: Made) -> str:
    """``ya-question-detail``: microdata marks the question's shortened text, the whole one stands beside it."""
    best = "".join(
        f'<div id="ya-best-answer"><div {_marks_2013(one)} itemprop="acceptedAnswer" itemscope itemtype="https://schema.org/Answer">'
        f"{_answer_2013(one, '')}</div></div>"
        for one in thread.answers
        if one.best
    )
    others = "".join(
        f'<li class="Cf Py-14 ya-other-answer Pend-14  Bdbx-f4 " {_marks_2013(one)}>{_answer_2013(one, "answer-detail ")}</li>'
        for one in thread.answers
        if not one.best
    )
    body = (
        '<div id="ya-center-rail"><div id="brdCrb"><a class="Clr-b" title="Mathematics">Mathematics</a></div>'
        f'<div data-ya-question-id="{question_id(thread)}" id="ya-question-detail" role="main" itemscope itemtype="https://schema.org/Question">'
        f'<div id="yq-question-detail-profile-img"><a href="#"><img alt="{AUTHORS[0]}" class="profileImage Wpx-45"></a></div>'
        f'<h1 itemprop="name" class="Fz-24 Fw-300 Mb-10">{thread.title}</h1><div class="Fz-13 Fw-n Mb-10"><span itemprop="text" class="ya-q-text">'
        f'{thread.title[:5]} ...</span><span class="D-n ya-q-full-text Ol-n" tabindex="-1">{thread.html}</span> <a href="#">show more</a></div>'
        f'<span itemprop="answerCount" class="D-n">{len(thread.answers)}</span></div>{best}<ul id="ya-qn-answers">{others}</ul></div>'
    )
    return page(thread.title, "", body)


def _marks_2013(one: MadeAnswer) -> str:
    return f'data-ya-type="answer" data-ya-answer-id="{one.id}"'


def _answer_2013(one: MadeAnswer, kind: str) -> str:
    up, down = _votes(one)
    label = '<span class="ya-ba-title Fw-b">Best Answer:</span>&nbsp;' if one.best else ""
    return (
        f'<a class="Clr-b"><img class="profileImage Wpx-45" alt="{one.author}"></a><div class="Mstart-75 Pos-r"><div class="{kind}Fw-n">{label}'
        f'<span itemprop="text" class="ya-q-full-text">{one.html}</span></div><div class="ya-ans-ref-text">Source(s): page 61</div>'
        f'<div class="Pt-15"><a href="#" class="uname Clr-b">{one.author}</a><span class="Clr-88"> · 3 days ago </span></div>'
        f'<div data-ya-type="thumbsUp"><div itemprop="upvoteCount" class="D-ib Mstart-23 count">{up}</div></div>'
        f'<div data-ya-type="thumbsDown"><div class="D-ib Mstart-23 count">{down}</div></div></div>'
    )


def yahoo_2018(thread: Made) -> str:
    """Class names with a hash; the list of answers holds an advertisement too, and answers have no ids."""
    items = [_answer_2018(one) for one in best_first(thread)]
    items.insert(len(items) // 2, '<li class="AnswersList__ad___1"><div>Buy 40 stamps</div></li>')
    body = (
        f'<div id="qnaContainer-1"><div class="Question__container___2Hui6"><span class="Question__userName___1N1yX">{AUTHORS[1]}</span>'
        '<div class="Question__subtitle___14CZz"><a href="/dir/index?sid=1">Mathematics</a></div>'
        f'<h1 class="Question__title___1Wgtn">{thread.title}</h1><div class="Question__contentWrapper___lkV5T">'
        f'<div class="ExpandableContent__content___2Iw4v ">{thread.html}</div></div></div><div class="AnswersList__listHeader___35PrW">'
        f'<h3>{len(thread.answers)} Answers</h3></div><ul class="AnswersList__answersList___2ikkB">{"".join(items)}</ul></div>'
    )
    data = '{"@context": "https://schema.org", "@type": "QAPage", "mainEntity": {"@type": "Question", "name": "x", "text": "y"}}'
    return page(thread.title, f'<script type="application/ld+json">{data}</script>', body)


def _answer_2018(one: MadeAnswer) -> str:
    up, down = _votes(one)
    badge = '<span class="Answer__bestAnswerBadge___2VxBh">Favorite Answer</span>' if one.best else ""
    return (
        '<li><div class="Answer__answer___FdhNY"><div class="UserProfile__userInfo___yViBh"><a class="UserProfile__userName___1d1RW" href="#">'
        f'{one.author}</a></div>{badge}<div class="ExpandableContent__content___2Iw4v ">{one.html}</div>'
        f'<button aria-label="Thumbs up for this answer."><svg></svg><span>{up}</span></button>'
        f'<button aria-label="Thumbs down for this answer."><span>{down}</span></button>'
        f'<div><a class="UserProfile__userName___1d1RW">{AUTHORS[2]}</a><p class="Comment__text___3G8FQ">thx 100</p></div></div></li>'
    )
