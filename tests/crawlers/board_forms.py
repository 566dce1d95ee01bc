"""Made threads in the markup of question-and-answer software and of further forum software.

Class names and nesting are those of the software's own templates; the posts are ours.
"""

from collections.abc import Callable

from tests.crawlers.forum_forms import posts_of
from tests.crawlers.made import AUTHORS, Made, page


def question2answer(thread: Made) -> str:
    """Question2Answer: comments below the question and each answer, a minus that is a dash."""
    comments = '<div class="qa-a-item-c-list"><div class="qa-c-list-item" id="c7"><div class="qa-c-item-content">thx 99</div></div></div>'
    answers = "".join(
        f'<div class="qa-a-list-item {" qa-a-list-item-selected" if one.best else ""}" id="a{one.id}"><div class="qa-voting">'
        f'<span class="qa-netvote-count"><span class="qa-netvote-count-data">{_dashed(one.score)}</span> votes</span></div>'
        f'<div class="qa-a-item-main"><div class="qa-a-item-content">{one.html}</div><span class="qa-a-item-who">by '
        f'<a href="./user/x" class="qa-user-link">{one.author}</a></span>{comments}</div></div>'
        for one in thread.answers
    )
    body = (
        f'<div class="qa-main"><h1><a href="./{thread.number}">{thread.title}</a></h1><div class="qa-part-q-view"><div class="qa-q-view" '
        f'id="q{thread.number}"><span class="qa-netvote-count-data">+5</span><div class="qa-q-view-main"><div class="qa-q-view-content">'
        f'{thread.html}</div><a class="qa-user-link" href="./user/y">{AUTHORS[0]}</a></div></div></div><div class="qa-part-a-list">'
        f'<h2>{len(thread.answers)} Answers</h2><div class="qa-a-list" id="a_list">{answers}</div></div>'
        '<div class="qa-part-q-list"><h2>Related questions</h2><div class="qa-q-list-item" id="q3"><div class="qa-q-item-title">One</div></div></div></div>'
    )
    return page(thread.title, "", body)


def _dashed(score: int) -> str:
    return f"+{score}" if score > 0 else str(score).replace("-", "–")


def dw_question_answer(thread: Made) -> str:
    """DW Question & Answer, a WordPress plugin."""
    answers = "".join(
        f'<div class="post-{one.id} dwqa-answer type-dwqa-answer status-publish dwqa-answer-item{" dwqa-best-answer" if one.best else ""}">'
        f'<div class="dwqa-answer-vote"><span class="dwqa-vote-count">{one.score}</span></div><div class="dwqa-answer-meta">'
        f'<a class="author" href="/u">{one.author}</a> answered 3 years ago</div><div class="dwqa-answer-content">{one.html}</div>'
        '<div class="dwqa-comments"><div class="dwqa-comment">thx 99</div></div></div>'
        for one in thread.answers
    )
    body = (
        f'<h1 class="entry-title">{thread.title}</h1><div class="dwqa-container"><div class="dwqa-single-question"><div class="dwqa-question-item">'
        f'<div class="dwqa-question-vote"><span class="dwqa-vote-count">3</span></div><div class="dwqa-question-content">{thread.html}</div></div>'
        f'<div class="dwqa-answers"><div class="dwqa-answers-title">{len(thread.answers)} Answers</div><div class="dwqa-answers-list">{answers}</div></div>'
        '</div></div><div id="sidebar"><ul class="dwqa-popular-questions"><li>Other 17</li></ul></div>'
    )
    return page(thread.title, "", body)


def askbot(thread: Made) -> str:
    """Askbot."""
    answers = "".join(
        f'<div id="post-id-{one.id}" class="post js-answer{" accepted-answer" if one.best else ""}" data-post-id="{one.id}"><div class="vote-buttons">'
        f'<div class="vote-number" data-post-id="{one.id}">{one.score}</div></div><div class="post-content"><div class="user-card">'
        f'{one.author}</div><div class="post-body">{one.html}</div><div class="comments"><div class="comment-body">thx 99</div></div></div></div>'
        for one in thread.answers
    )
    body = (
        f'<h1><a href="/question/{thread.number}/x/">{thread.title}</a></h1><div class="post js-question" data-post-id="{thread.number}">'
        f'<div class="vote-number">3</div><div class="post-content"><div class="post-body">{thread.html}</div></div></div>{answers}'
    )
    return page(thread.title, "", body)


def mybb(thread: Made) -> str:
    """MyBB: the title stands in a table's head only."""
    posts = "".join(
        f'<div class="post classic" id="post_{post_id}"><div class="post_author"><div class="author_information"><strong><span class="largetext">'
        f'<a href="user-1.html">{author}</a></span></strong></div></div><div class="post_content"><div class="post_head"><span class="post_date">'
        f'12-03-2010, 05:20 PM</span></div><div class="post_body scaleimages" id="pid_{post_id}">{quoted}{html}</div>'
        '<div class="signature scaleimages">Sig 2 + 2 = 5</div></div></div>'
        for post_id, author, quoted, html in posts_of(thread, "<blockquote><cite>x Wrote:</cite>{}</blockquote>")
    )
    return page(
        thread.title,
        "",
        f'<table><tr><td class="thead"><h1>{thread.title}</h1></td></tr></table><div id="posts">{posts}</div>',
    )


def simple_machines(thread: Made) -> str:
    """Simple Machines Forum 2.0: a post's number stands at its text."""
    posts = "".join(
        f'<div class="windowbg"><div class="post_wrapper"><div class="poster"><h4><a href="#">{author}</a></h4><ul><li>Posts: 12</li></ul></div>'
        f'<div class="postarea"><div class="keyinfo"><h5 id="subject_{post_id}"><a href="#">Re: x</a></h5></div><div class="post">'
        f'<div class="inner" id="msg_{post_id}">{quoted}{html}</div></div></div><div class="moderatorbar"><div class="signature">Sig 2 + 2 = 5</div>'
        "</div></div></div>"
        for post_id, author, quoted, html in posts_of(
            thread, '<div class="quoteheader">Quote from: x</div><blockquote class="bbc_standard_quote">{}</blockquote>'
        )
    )
    return page(thread.title, "", f'<h1 class="display_title">{thread.title}</h1><div id="forumposts">{posts}</div>')


def invision(thread: Made) -> str:
    """Invision Community 4."""
    posts = "".join(
        f'<article id="elComment_{post_id}" class="cPost ipsBox ipsComment"><aside><h3 class="cAuthorPane_author"><a href="#">{author}</a></h3></aside>'
        f'<div class="cPost_contentWrap"><div data-role="commentContent" class="ipsType_richText">{quoted}{html}</div>'
        '<div data-role="memberSignature">Sig 2 + 2 = 5</div></div></article>'
        for post_id, author, quoted, html in posts_of(thread, '<blockquote class="ipsQuote"><div>{}</div></blockquote>')
    )
    return page(
        thread.title,
        "",
        f'<h1 class="ipsType_pageTitle"><span>{thread.title}</span></h1><div id="elPostFeed">{posts}</div>',
    )


def bbpress(thread: Made) -> str:
    """bbPress: a post's number stands in a class name."""
    posts = "".join(
        f'<div id="post-{post_id}" class="bbp-reply-header"><span class="bbp-reply-post-date">May 3, 2012 at 9:15 pm</span></div>'
        f'<div class="odd post-{post_id} {kind} type-{kind} status-publish hentry"><div class="bbp-reply-author"><a class="bbp-author-link">'
        f'<span class="bbp-author-name">{author}</span></a></div><div class="bbp-{kind}-content">{quoted}{html}</div></div>'
        for (post_id, author, quoted, html), kind in zip(
            posts_of(thread, "<blockquote>{}</blockquote>"), ["topic", *["reply"] * len(thread.answers)], strict=True
        )
    )
    listed = f'<ul id="topic-{thread.number}-replies" class="forums bbp-replies"><li class="bbp-body">{posts}</li></ul>'
    return page(thread.title, "", f'<h1 class="entry-title">{thread.title}</h1><div id="bbpress-forums">{listed}</div>')


def vanilla(thread: Made) -> str:
    """Vanilla: the question is a discussion, the answers are comments."""
    (first_id, asker, _, asked), *others = posts_of(thread, '<blockquote class="Quote">{}</blockquote>')
    replies = "".join(
        f'<li class="Item Alt ItemComment" id="Comment_{post_id}"><div class="Comment"><a class="Username" href="#">{author}</a>'
        f'<div class="Message userContent">{quoted}{html}</div></div></li>'
        for post_id, author, quoted, html in others
    )
    first = (
        f'<div id="Discussion_{first_id}" class="Item ItemDiscussion"><div class="Discussion"><a class="Username" href="#">{asker}</a>'
        f'<div class="Message userContent">{asked}</div></div></div>'
    )
    return page(
        thread.title,
        "",
        f'<div class="PageTitle"><h1>{thread.title}</h1></div>{first}<ul class="MessageList">{replies}</ul>',
    )


BOARD_FORMS: dict[str, Callable[[Made], str]] = {
    "question2answer": question2answer,
    "dw-question-answer": dw_question_answer,
    "askbot": askbot,
    "mybb": mybb,
    "simple-machines": simple_machines,
    "invision": invision,
    "bbpress": bbpress,
    "vanilla": vanilla,
}
"""Every form of software that is read beside those of FORMS, by name."""
VOTED = frozenset(("question2answer", "dw-question-answer", "askbot"))
"""Those of them that show votes and a best answer; without answers their pages are nothing a parser could be sure of."""
