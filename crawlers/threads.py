"""What every page parser does once it knows what is what: addresses, ids, licenses, and personal data taken out."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from corpus.reasons import Reason
from crawlers.addresses import MAX_LINE
from crawlers.dates import told_stamp
from crawlers.html_reading.charsets import is_spoiled
from crawlers.html_reading.html_tree import Element, link_to
from crawlers.posts import (
    NOTHING,
    ParsedAnswer,
    ParsedThread,
    Removed,
    attribution_of,
    join_title,
    private,
    private_markup,
    site_of,
)
from extractors.extraction_errors import ExtractionError

MAX_ANSWERS = 500
_MAX_ID = 150
_INTEGER = re.compile(r"[+−-]?\d{1,9}|[+−-]?\d{1,3}(?:,\d{3}){1,2}")
_COMMONS = re.compile(r"creativecommons\.org/licenses/([a-z-]{2,8})/(\d\.\d)", re.I)
_COMMONS_ZERO = re.compile(r"creativecommons\.org/publicdomain/zero/(\d\.\d)", re.I)
_FURTHER = re.compile(r"[?&]page=(?!1\b)\d")
_REASONS = (Reason.NO_TEXT, Reason.TOO_LARGE, Reason.TRUNCATED, Reason.LOST_CHARACTERS)
_UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f]+")
_SITE_NAMES = re.compile(r"\b(?:logo|site|brand)", re.I)
_AMP = frozenset(("amp", "\u26a1", "\u26a1\ufe0f"))
_AMP_RUNTIME = re.compile(r"\A(?:https?:)?//cdn\.ampproject\.org/(?:rtv/\d{1,20}/)?v0\.m?js\Z")
_TRACKING = frozenset(
    ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "utm_id", "fbclid", "gclid")
)


@dataclass(frozen=True)
class ThreadDraft:
    """A thread as its page shows it, personal data still in it; ``names`` are those of its authors.

    ``posted_at`` is the time as the page writes it; one that is not in ISO 8601 counts as untold.
    """

    native_id: str
    url: str
    title: str
    body: str
    body_html: str | None
    answers: tuple[ParsedAnswer, ...]
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    license: str | None = None
    posted_at: str = ""


def reason_of(error: ExtractionError) -> Reason:
    """Why an error leaves a record without a post."""
    return Reason(error.code) if error.code in _REASONS else Reason.MALFORMED_LINE


def is_further_page(url: str) -> bool:
    """Whether an address asks for a later page of a thread, whose answers would stand for the whole of it.

    >>> is_further_page("https://forum.example/q/7?page=2"), is_further_page("https://forum.example/q/7?page=1#top")
    (True, False)
    """
    return bool(_FURTHER.search(url))


def finished(draft: ThreadDraft) -> ParsedThread:
    """The thread without personal data.

    Raises ExtractionError for a thread without text, with more than MAX_ANSWERS answers or two answers of one id, and
    for one in which a character beside a number is lost.
    """
    where = f"{draft.url}: thread {draft.native_id}"
    if any(is_spoiled(text) for text in (draft.title, draft.body, *(answer.text for answer in draft.answers))):
        raise ExtractionError(
            f"{where} has a number with a lost character beside it (U+FFFD), so that it may be another",
            code=Reason.LOST_CHARACTERS,
        )
    question, removed = private(join_title(draft.title, draft.body), draft.names)
    if not question.strip():
        raise ExtractionError(f"{where} has neither title nor question", code=Reason.NO_TEXT)
    if len(draft.answers) > MAX_ANSWERS:
        raise ExtractionError(
            f"{where} has {len(draft.answers)} answers; at most {MAX_ANSWERS} are read", code=Reason.TOO_LARGE
        )
    if len({answer.answer_id for answer in draft.answers}) < len(draft.answers):
        raise ExtractionError(f"{where} has two answers with one id; the markup of the page has changed")
    answers, removed_there = _private_answers(draft.answers, draft.names)
    return ParsedThread(
        native_id=draft.native_id,
        url=draft.url,
        license=draft.license,
        attribution=_attribution(draft),
        question=question,
        question_html=private_markup(draft.body_html, draft.names, looked=removed is not NOTHING),
        answers=answers,
        tags=draft.tags,
        removed=removed + removed_there,
        title=private(draft.title, draft.names)[0] or None,
        posted_at=told_stamp(draft.posted_at),
    )


def _attribution(draft: ThreadDraft) -> str | None:
    """Credit for the thread where a license asks for it; answers of another license than the question's are named.

    >>> one, other = (ParsedAnswer(str(number), "9", license=f"CC BY-SA {number}.0") for number in (3, 4))
    >>> _attribution(ThreadDraft("7", "https://forum.example/q/7", "", "?", None, (one, other), license="CC BY-SA 3.0"))
    'forum.example contributors, https://forum.example/q/7; CC BY-SA 4.0: 4'
    """
    others: dict[str, list[str]] = {}
    for answer in draft.answers:
        if answer.license and answer.license != draft.license:
            others.setdefault(answer.license, []).append(answer.answer_id)
    if not draft.license and not others:
        return None
    named = "".join(f"; {name}: {', '.join(ids)}" for name, ids in sorted(others.items()))
    return f"{attribution_of(draft.url)}{named}"


def _private_answers(answers: Sequence[ParsedAnswer], names: Sequence[str]) -> tuple[tuple[ParsedAnswer, ...], Removed]:
    kept, removed = [], Removed()
    for answer in answers:
        text, there = private(answer.text, names)
        kept.append(replace(answer, text=text))
        removed += there
    return tuple(kept), removed


def address_of(root: Element, url: str) -> str:
    """The page's canonical address if it can be its own (``own_address``), else ``url``.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> page = parse_document('<link rel="canonical" href="/q/7">')
    >>> address_of(page, "https://forum.example/q/7?page=1")
    'https://forum.example/q/7'
    """
    return url if is_amp(root) else own_address(link_to(root, "canonical"), url)


def is_amp(root: Element) -> bool:
    """Whether a page is an AMP copy, often short of what the full page holds; it is kept under its own address.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> [is_amp(parse_document(f"<html {mark}><p>9")) for mark in ("amp", "\u26a1", "lang=en")]
    [True, True, False]
    """
    page = next(root.iter("html"), root)
    if any(name.lower() in _AMP for name in page.attrib):
        return True
    return any(_AMP_RUNTIME.search(script.get("src") or "") for script in root.iter("script"))


def is_site_name(heading: Element) -> bool:
    """Whether a heading names the site and not the page."""
    marks = (f"{one.get('class') or ''} {one.get('id') or ''}" for one in (heading, *heading.iterancestors("header")))
    return any(_SITE_NAMES.search(mark) for mark in marks)


def own_address(named: str | None, url: str) -> str:
    """The address that the page at ``url`` gives itself, if it is one of the same site, else ``url``.

    No page speaks for another site; and a site whose every page names its home page has more threads than one.

    >>> [own_address(named, "https://forum.example/q/7?p=1") for named in ("/q/7", "https://other.example/q/7", "/#q")]
    ['https://forum.example/q/7', 'https://forum.example/q/7?p=1', 'https://forum.example/q/7?p=1']
    """
    whole = same_site(named, url)
    return url if whole is None or (_is_home(whole) and not _is_home(url)) else whole


def _is_home(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def same_site(address: str | None, url: str) -> str | None:
    """``address`` made absolute, if it is one of the site of ``url`` and of at most MAX_LINE characters; else None.

    >>> same_site("https://other.example/q/7", "https://forum.example/")
    >>> same_site("/q/" + "7" * MAX_LINE, "https://forum.example/")
    """
    if not address or len(address) > MAX_LINE:
        return None
    try:
        whole = urljoin(url, address)
        parts = urlsplit(whole)
    except ValueError:
        return None
    usable = parts.scheme in ("http", "https") and parts.netloc and site_of(whole) == site_of(url)
    return whole if usable else None


def path_id(url: str) -> str:
    """An id for a thread of a site that shows none: path and query of its address, shortened if it is long.

    >>> path_id("https://forum.example/t/two-trains/17/?utm_source=x&p=2")
    't/two-trains/17?p=2'
    """
    parts = urlsplit(url)
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0] not in _TRACKING])
    path = _UNUSABLE.sub("_", parts.path.strip("/") + (f"?{query}" if query else "")) or "index"
    if len(path) <= _MAX_ID:
        return path
    return f"{path[: _MAX_ID - 17]}-{hashlib.sha256(path.encode()).hexdigest()[:16]}"


def license_name(address: str | None) -> str | None:
    """A license by its short name where it is one of Creative Commons, else as the page names it.

    >>> license_name("https://creativecommons.org/licenses/by-sa/4.0/")
    'CC BY-SA 4.0'
    """
    if not address:
        return None
    if found := _COMMONS.search(address):
        return f"CC {found[1].upper()} {found[2]}"
    found = _COMMONS_ZERO.search(address)
    return f"CC0 {found[1]}" if found else address[:200]


def score_of(shown: object) -> int | None:
    """A vote count as a whole number; None where the page rounds it (``1.2k``) or shows none.

    >>> [score_of(shown) for shown in ("1,204", "−3", 7, "1.2k", True, None)]
    [1204, -3, 7, None, None, None]
    """
    if isinstance(shown, bool):
        return None
    if isinstance(shown, int):
        return shown if abs(shown) < 10**9 else None
    text = shown.strip() if isinstance(shown, str) else ""
    return int(text.replace("−", "-").replace(",", "")) if _INTEGER.fullmatch(text) else None


def numbered(answers: Sequence[ParsedAnswer]) -> tuple[ParsedAnswer, ...]:
    """The answers with ids: those they have if all differ, else their place on the page, from 1."""
    ids = [answer.answer_id for answer in answers]
    if all(ids) and len(set(ids)) == len(ids):
        return tuple(answers)
    return tuple(replace(answer, answer_id=str(place)) for place, answer in enumerate(answers, 1))


def text_at(record: Mapping[str, object], name: str) -> str:
    """A field of plain data as text, empty where it is missing or something else."""
    value = record.get(name)
    return value.strip() if isinstance(value, str) else ""
