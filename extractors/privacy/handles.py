"""Names of accounts: ``my insta is gertie_99``, ``discord gertie#1234``, and links to profiles."""

import re
from collections.abc import Iterator
from typing import Final

from extractors.text.edits import Found
from extractors.text.wordlists import holds_any, phrases, read_list
from extractors.text.wordlists import words as word_list

_SERVICES: Final = "|".join(phrases(read_list("extractors/account_services")))
_KIND: Final = r"(?:id|handle|user ?name|name|account|acc|profile|page|tag|user|nick(?:name)?)"
_NAMED: Final = r"(?P<handle>@?(?:live:)?[A-Za-z0-9_][\w.#-]{1,40}+)"
_CUED: Final = re.compile(
    rf"\b(?P<own>(?:my|our) )?(?P<service>{_SERVICES}|user ?name|handle|screen ?name|gamer ?tag"
    rf"|nick ?name)\b(?: me)?(?P<kind> {_KIND})?"
    rf"(?P<link>(?:[ ]?(?::|,|=|-|is|at|@:|on|as|->)){{0,2}})[ \t]{{0,3}}{_NAMED}",
    re.I,
)
_ON: Final = re.compile(
    rf"(?P<handle>@[A-Za-z0-9_][\w.-]{{2,40}}+|(?<![\w@/.])(?=\w{{0,30}}[\d_.])[A-Za-z_][\w.-]{{2,40}}+)"
    rf" (?:on|at|in) (?:my )?(?:{_SERVICES})\b",
    re.I,
)
_DISCORD: Final = re.compile(r"(?<![\w/&#])(?P<handle>[A-Za-z][\w.]{1,30}#\d{4})(?!\d)")
_REDDIT: Final = re.compile(r"(?<![\w/])(?P<handle>/?u/[A-Za-z][\w-]{2,24})(?![\w/(])")
_LINK: Final = re.compile(
    r"(?P<handle>(?:https?://)?(?<![\w.@-])(?:[a-z]{1,3}\.)?(?:"
    r"(?:facebook|fb)\.(?:com|me)/(?!watch|groups|events|photo|share|sharer|login)(?:profile\.php\?id=\d{3,20}"
    r"|[\w.-]{2,60}+)"
    r"|(?:instagram|threads|pinterest|twitch|snapchat|ask|tumblr|vk|myspace|gitlab|ko-fi|patreon|venmo|paypal"
    r"|onlyfans)\.(?:com|net|tv|fm|me)/"
    r"(?!(?:p|explore|reel|pin|share|videos)/)(?:add/|@|u/)?[\w.-]{2,60}+"
    r"|(?:twitter|x|tiktok|medium)\.com/(?!(?:search|hashtag|home|intent|i|share|tag)\b)@?[\w.-]{2,60}+(?!/status)"
    r"|github\.com/[\w-]{2,40}+(?![\w/-])"
    r"|t\.me/\+?[\w]{3,60}+|wa\.me/\+?\d{6,16}|linktr\.ee/[\w.]{2,60}+|(?<![\w.])m\.me/[\w.]{2,60}+"
    r"|discord\.gg/[\w-]{3,30}+"
    r"|linkedin\.com/(?:in|pub)/[\w%-]{2,80}+|youtube\.com/(?:@|c/|user/|channel/)[\w.-]{2,60}+"
    r"|reddit\.com/(?:u|user)/[\w-]{2,40}+|steamcommunity\.com/(?:id|profiles)/[\w-]{2,40}+"
    r"|quora\.com/profile/[\w-]{2,60}+|bsky\.app/profile/[\w.-]{2,60}+|(?:mastodon"
    r"|mathstodon)\.[a-z]{2,8}/@[\w.]{2,40}+"
    r")(?:/(?=[\s.,)]|\Z))?(?:\?[\w=&%-]{1,60}+)?)",
    re.I,
)
_CHEAP: Final = phrases(read_list("extractors/handle_cues"))
"""Without one of these there is no handle; they are looked for with a blank before the text."""
_MIXED: Final = re.compile(r"(?=.*[A-Za-z])(?:.*[\d_#]|\w+\.\w|live:)")
_PLAIN_END: Final = re.compile(r"[ \t]*(?:[.,!;)\n]|\Z|(?:and|or|add|on|if|pls|please|thanks) ?)")
_WORDS: Final = frozenset(word_list(read_list("extractors/no_handles")))


def find_handles(text: str) -> Iterator[Found]:
    """Accounts that are named with their service, and addresses of profiles.

    >>> [text[a:b] for text in ("my insta is @gertie_99", "snap 5 pictures, u/v = 3") for a, b, _ in find_handles(text)]
    ['@gertie_99']
    """
    folded = f" {text.lower()}"
    if not holds_any(folded, _CHEAP):
        return
    links = [Found(*match.span("handle"), "handles") for match in _LINK.finditer(text)]
    yield from links
    for match in _CUED.finditer(text):
        if _is_handle(match):
            yield _without_stop(match)
    for match in _ON.finditer(text):
        if match["handle"].startswith("@") or _MIXED.match(match["handle"]):
            yield Found(*match.span("handle"), "handles")
    near = re.compile(r"\b(?:discord|add|dm|friend|account|user)\b", re.I)
    for match in _DISCORD.finditer(text):
        if near.search(text[max(0, match.start() - 60) : match.start()]):
            yield Found(*match.span("handle"), "handles")
    for match in _REDDIT.finditer(text):
        around = text[max(0, match.start() - 40) : match.end() + 20].lower()
        if "reddit" in around or "message" in around or " dm " in around:
            yield Found(*match.span("handle"), "handles")


def _is_handle(match: re.Match[str]) -> bool:
    handle = match["handle"].rstrip(".-#")
    bare = handle.lstrip("@")
    if len(bare) < 3 or bare.lower() in _WORDS or "://" in match.string[match.end() : match.end() + 3]:
        return False
    if not any(character.isalpha() for character in bare):
        return False
    if bare[0].isdigit() and not any(character in "_." for character in bare) and not match["own"]:
        return False
    if handle.startswith("@") or (_MIXED.match(bare) and not re.fullmatch(r"\d+[a-z]{1,2}", bare)):
        return True
    told = match["kind"] is not None or match["link"].strip() in {":", "@", "="} or bare != bare.lower()
    return (
        bool(match["own"] or match["link"].strip() == ":")
        and told
        and _PLAIN_END.match(match.string, match.end()) is not None
    )


def _without_stop(match: re.Match[str]) -> Found:
    start, end = match.span("handle")
    return Found(start, end - (len(match["handle"]) - len(match["handle"].rstrip(".-#"))), "handles")
