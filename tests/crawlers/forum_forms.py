"""Made threads in the markup of forum software: the first post asks, the others answer, later ones quote the question."""

from tests.crawlers.made import AUTHORS, Made, page


def phpbb(thread: Made) -> str:
    """phpBB 3, prosilver."""
    posts = "".join(
        f'<div id="p{post_id}" class="post has-profile bg2"><div class="inner"><dl class="postprofile"><dt>'
        f'<a class="username" href="#">{author}</a></dt></dl><div class="postbody"><div id="post_content{post_id}">'
        f'<h3><a href="#p{post_id}">Re: x</a></h3><p class="author">by <strong>{author}</strong> 12 Mar 2010, 17:20</p>'
        f'<div class="content">{quoted}{html}</div><div class="signature">Sig 2 + 2 = 5</div></div></div></div></div>'
        for post_id, author, quoted, html in posts_of(
            thread, "<blockquote><div><cite>x wrote:</cite>{}</div></blockquote>"
        )
    )
    title = f'<h2 class="topic-title"><a href="./viewtopic.php?t={thread.number}">{thread.title}</a></h2>'
    return page(thread.title, "", f'<div id="page-body">{title}{posts}</div>')


def posts_of(thread: Made, quotation: str) -> list[tuple[str, str, str, str]]:
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
        for post_id, author, quoted, html in posts_of(thread, quotation)
    )
    title = f'<table class="tborder"><tr><td><strong class="navbar-title">{thread.title}</strong></td></tr></table>'
    return page(thread.title, "", title + posts)


def vbulletin4(thread: Made) -> str:
    """vBulletin 4: a list item a post."""
    quotation = '<div class="bbcode_container"><div class="bbcode_quote">{}</div></div>'
    posts = "".join(
        f'<li class="postbitlegacy postbit postcontainer old" id="post_{post_id}"><a class="username" href="#">'
        f'<strong>{author}</strong></a><div class="content"><div id="post_message_{post_id}"><blockquote class="postcontent '
        f'restore">{quoted}{html}</blockquote></div></div><div class="after_content">12</div></li>'
        for post_id, author, quoted, html in posts_of(thread, quotation)
    )
    title = f'<h1><span class="threadtitle"><a href="#">{thread.title}</a></span></h1>'
    return page(thread.title, "", f"{title}<ol id='posts' class='posts'>{posts}</ol>")


def vbulletin5(thread: Made) -> str:
    """vBulletin 5."""
    posts = "".join(
        f'<li class="b-post js-post" data-node-id="{post_id}"><div class="author"><a href="#"><strong>{author}</strong></a>'
        f'</div><div class="b-post__content"><div class="js-post__content-text" itemprop="text">{quoted}{html}</div></div></li>'
        for post_id, author, quoted, html in posts_of(thread, '<div class="bbcode_quote">{}</div>')
    )
    return page(
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
        for post_id, author, quoted, html in posts_of(
            thread, '<blockquote class="bbCodeBlock bbCodeBlock--quote">{}</blockquote>'
        )
    )
    return page(thread.title, "", f'<h1 class="p-title-value">{thread.title}</h1>{posts}')


def xenforo1(thread: Made) -> str:
    """XenForo 1."""
    posts = "".join(
        f'<li id="post-{post_id}" class="message" data-author="{author}"><div class="messageContent"><article>'
        f'<blockquote class="messageText SelectQuoteContainer ugc baseHtml">{quoted}{html}</blockquote></article></div></li>'
        for post_id, author, quoted, html in posts_of(thread, '<div class="bbCodeBlock bbCodeQuote">{}</div>')
    )
    return page(thread.title, "", f'<div class="titleBar"><h1>{thread.title}</h1></div><ol>{posts}</ol>')


def discourse(thread: Made) -> str:
    """Discourse, as shown to readers without scripts."""
    posts = "".join(
        f'<div id="post_{place}" itemprop="comment" itemscope itemtype="http://schema.org/Comment" '
        f'class="topic-body crawler-post"><div class="crawler-post-meta"><span class="creator"><a href="#"><span>{author}'
        f'</span></a></span><time class="post-time">March 12, 2010</time></div><div class="post" itemprop="text">{quoted}{html}'
        "</div></div>"
        for place, (_, author, quoted, html) in enumerate(posts_of(thread, '<aside class="quote"><p>{}</p></aside>'), 1)
    )
    title = (
        f'<div id="topic-title" class="topic-title"><h1><a href="/t/x/{thread.number}">{thread.title}</a></h1></div>'
    )
    return page(
        thread.title, "", f'{title}<div itemscope itemtype="http://schema.org/DiscussionForumPosting">{posts}</div>'
    )
