"""Pages as they come in, read or refused: a connection or an archive may cut them, and mark nothing.

Every page goes through here before any parser sees it, so that no parser can take a part for the whole.
"""

import re
from collections import Counter

from corpus.reasons import Reason
from crawlers.charsets import page_text
from extractors.extraction_errors import ExtractionError

_DOCUMENT = re.compile(r"\ufeff?\s{0,1000}<(?:!doctype\s+html|html|head|body)\b", re.I)
_ENDED = re.compile(r"</(?:html|body)\s{0,20}>", re.I)
_NAMES = "div|section|article|main|span|ul|ol|dl|table|form|blockquote|pre|script|style|textarea|title|head"
_PIECE = re.compile(rf"<!--|-->|<(/?)({_NAMES})\b", re.I)
_RAW = frozenset(("script", "style", "textarea", "title"))


def whole_page(body: bytes, content_type: str) -> str:
    """The characters of a page that came with this ``Content-Type``.

    ExtractionError for a page that breaks off, or whose charset nobody can tell.
    """
    text = page_text(body, content_type)
    if breaks_off(text):
        raise ExtractionError("the page breaks off before its end; get it again", code=Reason.TRUNCATED)
    return text


def breaks_off(html: str) -> bool:
    """Whether a document ends before its end: inside a tag, a text or an element that has to be closed.

    A document that closes its body, and what is no document, is whole. HTML lets ``</body>`` and ``</p>`` be left out.

    >>> breaks_off("<html><body><div><p>6*21 = 1"), breaks_off("<html><body><div><p>6*21 = 126</div>")
    (True, False)
    >>> breaks_off("<p>6*21 = 1"), breaks_off("<!doctype html><p>6*21 = 126</p><div clas")
    (False, True)
    """
    if _DOCUMENT.match(html) is None or _ENDED.search(html) is not None:
        return False
    last = html.rfind(">")
    return html.rfind("<") > last or bool(html[last + 1 :].strip()) or _is_open(html)


def _is_open(html: str) -> bool:
    """Whether an element is open at the end, or a comment."""
    opened: Counter[str] = Counter()
    inside = ""
    for found in _PIECE.finditer(html):
        name = (found[2] or found[0]).lower()
        if inside:
            ends = name == "-->" if inside == "<!--" else found[1] and name == inside
            inside = "" if ends else inside
        elif name == "<!--" or (name in _RAW and not found[1]):
            inside = name
        elif found[2]:
            opened[name] += -1 if found[1] else 1
    return bool(inside) or any(count > 0 for count in opened.values())
