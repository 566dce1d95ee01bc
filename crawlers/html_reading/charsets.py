"""Which characters the bytes of a page or dump stand for: one decision for every source, whatever a file declares.

Servers and archivers declare what is not so. Bytes that are UTF-8 are UTF-8: a text in another charset is that by
chance only where it is a few characters long. What is no UTF-8 is in the charset that is declared, else in
Windows-1252, byte by byte. A text in neither is not read, as another number might stand in it.

A page that breaks off is not read either: a connection or an archive may cut it, and mark nothing. Every page goes
through ``whole_page`` before any parser sees it, so that no parser can take a part for the whole.
"""

import re
from collections import Counter

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

from corpus.reasons import Reason
from extractors.extraction_errors import ExtractionError

KEPT_BYTES = "surrogateescape"
"""How a decoder of UTF-8 treats other bytes, so that ``with_windows`` can tell them from characters."""
LOST = "\ufffd"
_HEAD, _STEP, _OVERLAP = 64 << 10, 4 << 10, 512
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_OTHER_SCRIPT = re.compile(rb"(?!(.)\1{3})[\x80-\xff]{4}")
"""Bytes as no text of a western language has them in a row, but for lines drawn of one sign."""
_LOST_BESIDE_DIGIT = re.compile(rf"{LOST}[ \t]?\d|\d[ \t]?{LOST}")
_BLANK_CONTROLS = re.compile("[\x0b\x0c]")
_CONTROLS = "[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]"
_CONTROL_BETWEEN_DIGITS = re.compile(f"(?<=[0-9]){_CONTROLS}+(?=[0-9])")
_CONTROL = re.compile(_CONTROLS)
_ESCAPED = re.compile("\udced[\udca0-\udcbf][\udc80-\udcbf]|[\udc80-\udcff]")
_FROM_WINDOWS = {code: bytes([code]).decode("cp1252", "replace") for code in range(0x80, 0xA0)}
"""Characters of no use, which a text holds that was read as Latin-1 and is Windows-1252."""


def page_text(body: bytes, content_type: str = "") -> str:
    """The characters of a page that came with this ``Content-Type``; ExtractionError where nobody can tell them.

    >>> page_text("3½ for £4".encode(), "text/html; charset=ISO-8859-1")
    '3½ for £4'
    >>> page_text("3½ for €4".encode("cp1252"), "text/html; charset=utf-8")
    '3½ for €4'
    """
    marked, mark = read_bom(body)
    if marked is not None and mark is not None:
        return body[len(mark) :].decode(marked, "replace")
    if wide := _wide(body):
        return body.decode(wide, "replace")
    declared = _declared(body, content_type)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return _legacy_text(body, [name for name in declared if not name.startswith(("utf-", "iso2022", "hz"))])
    escaped = next((name for name in declared if name.startswith(("iso2022", "hz"))), None)
    return text if escaped is None or not text.isascii() else body.decode(escaped, "replace")


def _declared(body: bytes, content_type: str) -> list[str]:
    """The charsets that the server and the page name, that of the server first; names that nobody knows left out."""
    heads = (body[at : at + _STEP + _OVERLAP] for at in range(0, min(len(body), _HEAD), _STEP))
    named = (http_content_type_encoding(content_type), *map(html_body_declared_encoding, heads))
    return list(dict.fromkeys(name for name in named if name))


def _wide(body: bytes) -> str | None:
    """UTF-16 without a mark is told from the zero bytes of its markup."""
    head = body[:200]
    if not head.count(0) > len(head) // 4 or not body.lstrip(b"\0").startswith(b"<"):
        return None
    return "utf-16-be" if head.startswith(b"\0") else "utf-16-le"


def _legacy_text(body: bytes, declared: list[str]) -> str:
    """A text that is not UTF-8 as a whole; the charset that is declared counts where most of the text is none."""
    rest, whole = _UTF8.subn(b" ", body)
    if whole <= len(_HIGH.findall(rest)):
        for name in declared:
            try:
                return body.decode(name, "replace" if _is_single_byte(name) else "strict")
            except UnicodeDecodeError:
                continue
        if declared or _OTHER_SCRIPT.search(rest):
            raise ExtractionError(
                f"its bytes are neither UTF-8 nor {declared[0] if declared else 'Windows-1252'}; save it as UTF-8",
                code=Reason.LOST_CHARACTERS,
            )
    return with_windows(body.decode("utf-8", KEPT_BYTES))[0]


def with_windows(text: str) -> tuple[str, int]:
    """A text decoded with KEPT_BYTES, those bytes being what they are in Windows-1252; and how many there were.

    >>> with_windows(b"caf\\xe9, 3\\xbd".decode("utf-8", KEPT_BYTES))
    ('café, 3½', 2)
    """
    return _ESCAPED.subn(_in_windows, text)


def _in_windows(found: re.Match[str]) -> str:
    return bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "replace") if len(found[0]) == 1 else LOST


def _is_single_byte(name: str) -> bool:
    return len(bytes(range(256)).decode(name, "replace")) == 256


def legible(text: str) -> str:
    """A text without characters that stand for nothing; between two digits one is lost, as it may have been a sign.

    >>> legible("2 hours \\x0eand 3\\x0e4\\x0c5 \\x96 4")
    '2 hours and 3�4 5 – 4'
    """
    text = _CONTROL_BETWEEN_DIGITS.sub(LOST, _BLANK_CONTROLS.sub(" ", text))
    text = _CONTROL.sub(lambda found: LOST if "\ud800" <= found[0] <= "\udfff" else "", text)
    return text if text.isascii() else text.translate(_FROM_WINDOWS)


def is_spoiled(text: str) -> bool:
    """Whether a character beside a number is lost, so that another number may have stood there.

    >>> [is_spoiled(text) for text in ("3\ufffd cups", "\ufffd12", "I don\ufffdt know")]
    [True, True, False]
    """
    return LOST in text and _LOST_BESIDE_DIGIT.search(text) is not None


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
