"""Accounts: their names (``my insta is gertie_99``, links to profiles), and numbers of cards, accounts and people.

Cards are told by Luhn, accounts by their check digits, people by the words before their numbers.
"""

import re
from collections.abc import Iterator
from typing import Final

from extractors.privacy.cues import cues_in
from extractors.privacy.guard import in_expression, is_round
from extractors.text.edits import Found
from extractors.text.wordlists import phrases, read_list
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
_MIXED: Final = re.compile(r"(?=.*[A-Za-z])(?:.*[\d_#]|\w+\.\w|live:)")
_PLAIN_END: Final = re.compile(r"[ \t]*(?:[.,!;)\n]|\Z|(?:and|or|add|on|if|pls|please|thanks) ?)")
_WORDS: Final = frozenset(word_list(read_list("extractors/no_handles")))


def find_handles(text: str) -> Iterator[Found]:
    """Accounts that are named with their service, and addresses of profiles.

    >>> [text[a:b] for text in ("my insta is @gertie_99", "snap 5 pictures, u/v = 3") for a, b, _ in find_handles(text)]
    ['@gertie_99']
    """
    if "handles" not in cues_in(text):
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


_CARD: Final = re.compile(r"(?<![\w.,$+*/^=-])\d(?>(?:[ -]?\d){12,18})(?![\w^]|[.,]\d)")
_GROUPED: Final = re.compile(r"\d{4}([ -])\d{4}\1\d{4}\1\d{4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5}")
_CARD_WORD: Final = re.compile(
    r"\b(?:card|visa|master ?card|amex|american express|debit|credit|discover|maestro|cc)\b", re.I
)
_ISSUERS: Final = (
    "4", "51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "34", "37", "60", "62", "64", "65",
    "35", "36", "38", "30", "50", "56", "57", "58", "63", "67",
)  # fmt: skip
_PERSON: Final = re.compile(
    r"\b(?:(?:my|his|her|the|your|our) )?(?:ssn|s\.s\.n\.?|social(?: security)?(?: (?:number|num|no|#))?"
    r"|soc(?:ial)?\.? sec(?:urity)?\.?(?: (?:number|no|#))?|ss(?= ?#)|ss number"
    r"|tax(?:payer)? id|tin|itin|aadhaa?r(?: (?:card|number|no))*|passport(?: (?:number|no))?"
    r"|driver['’]?s? licen[sc]e(?: (?:number|no))?"
    r"|national id(?: (?:number|no))?|id card(?: (?:number|no))?|ni(?:no| number)"
    r"|national insurance(?: (?:number|no))?|sin|cpf|pan(?: card)?(?: (?:number|no))?"
    r"|nhs number|medicare(?: number)?|(?:bank )?account (?:number|no)|acc(?:oun)?t\.? (?:number|no)"
    r"|routing number|sort code)\b\.?[ \t]?(?:#|is|=|:|-|are|was)?[ \t]?[:#]?[ \t]?"
    r"(?P<number>(?-i:[A-Z]{0,3} ?\d(?>(?:[ .-]?\d){4,18}) ?[A-Z]?\b|[A-Z]{5}\d{4}[A-Z]))(?![\w^*+=/])",
    re.I,
)
_LONG: Final = re.compile(r"\d(?:[ -]?\d){12}")
_HEAD: Final = re.compile(r"\d[ .-]?\d[ .-]?\d[ .-]?\d")
_LETTERED: Final = re.compile(r"[A-Z]{2} ?\d{2}")
_BRITISH: Final = re.compile(r"(?<![\w])[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D](?!\w)")
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")


def find_numbers_of_people(text: str) -> Iterator[Found]:
    """Card, account, social security and other personal numbers.

    >>> [text[a:b] for text in ("ssn: 078-05-1120", "what is 500-25-1250?") for a, b, _ in find_numbers_of_people(text)]
    ['078-05-1120']
    """
    if not _HEAD.search(text):
        return
    if _LONG.search(text):
        for match in _CARD.finditer(text):
            if _is_card(match):
                yield Found(*match.span(), "numbers")
    for match in _PERSON.finditer(text) if "numbers" in cues_in(text) else ():
        digits = sum(map(str.isdigit, match["number"]))
        if digits >= 4 and len(match["number"]) >= 6 and not in_expression(text, *match.span("number")):
            yield Found(*match.span("number"), "numbers")
    if not _LETTERED.search(text):
        return
    yield from (Found(*match.span(), "numbers") for match in _BRITISH.finditer(text))
    yield from (found for match in _IBAN.finditer(text) if (found := _iban(match)) is not None)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn, US patent 2950048).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_card(match: re.Match[str]) -> bool:
    digits = "".join(filter(str.isdigit, match[0]))
    if not digits.startswith(_ISSUERS) or not luhn(digits):
        return False
    grouped = _GROUPED.fullmatch(match[0]) is not None
    told = _CARD_WORD.search(match.string, max(0, match.start() - 50), match.start()) is not None
    if not (told or grouped) or in_expression(match.string, *match.span()):
        return False
    return told or not is_round(re.findall(r"\d+", match[0]))


def _iban(match: re.Match[str]) -> Found | None:
    """An account by ISO 13616: the number with its head moved to the end is 1 modulo 97."""
    raw = match[0]
    while raw:
        compact = raw.replace(" ", "")
        if 15 <= len(compact) <= 34:
            moved = compact[4:] + compact[:4]
            if int("".join(str(int(character, 36)) for character in moved)) % 97 == 1:
                return Found(match.start(), match.start() + len(raw), "numbers")
        raw = raw.rpartition(" ")[0]
    return None
