"""What the look of an element says about its text: raised, lowered, over a bar, hidden, in a pictograph font.

Also asterisks that a renderer took for emphasis: ``3*4*5`` came out as ``3<em>4</em>5``, whose characters read as 345.
"""

import re
from itertools import islice

from crawlers.html_reading.html_tree import Element, classes

RAISED, LOWERED, OVER, UNDER, OVERLINED = "sup", "sub", "over", "under", "overlined"

_HIDDEN = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|font-size\s{0,9}:\s{0,9}0(?![.\d])"
    r"|(?<![\w-])(?:left|text-indent)\s{0,9}:\s{0,9}-\d{4}",
    re.I,
)
_BLOCK = re.compile(r"display\s{0,9}:\s{0,9}(?:block|list-item|flex|grid|table(?:-row)?)(?![\w-])", re.I)
_SPACED = re.compile(r"white-space\s{0,9}:\s{0,9}(?:pre|break-spaces)", re.I)
_STRUCK = re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,40}line-through", re.I)
_LINE_ABOVE = re.compile(
    r"text-decoration(?:-line)?\s{0,9}:[^;]{0,40}overline|border-top\s{0,9}:[^;]{0,40}\bsolid", re.I
)
_RELATIVE = re.compile(r"position\s{0,9}:\s{0,9}relative", re.I)
_MOVED = re.compile(
    r"(?<![\w-])(top|bottom|vertical-align)\s{0,9}:\s{0,9}(-?)(\d{0,4}(?:\.\d{1,4})?)(px|pt|em|ex|rem)", re.I
)
_SHIFT = re.compile(r"vertical-align\s{0,9}:\s{0,9}(super|sub)\b", re.I)
_FACE = re.compile(r"font-family\s{0,9}:\s{0,9}[\"']?\s{0,9}(symbol|wingdings|webdings)\b", re.I)
_INLINE = frozenset(("span", "font", "i", "em", "b", "strong", "small", "var", "a"))
_RAISED = frozenset(("sup", "superscript", "exponent"))
_LOWERED = frozenset(("sub", "subscript"))
_OVER = frozenset(("num", "numer", "numerator", "frac-num", "fraction-top", "frac-top", "top"))
_UNDER = frozenset(("den", "denom", "denominator", "frac-den", "fraction-bottom", "frac-bottom", "bottom"))
_BARS = frozenset(("/", "⁄"))
_MAX_MOVED = 10

# Adobe's Symbol encoding, as typed in a Latin font: "x ³ 5" there means x ≥ 5. Pieces of tall brackets are spaces.
_SYMBOLS = (
    dict(zip("abgdepmqstwDSWPF", "αβγδεπμθστωΔΣΩΠΦ", strict=True))
    | {"£": "≤", "³": "≥", "¹": "≠", "´": "×", "¸": "÷", "Ö": "√", "Þ": "⇒", "®": "→", "\\": "∴", "±": "±"}
    | {"°": "°", "»": "≈", "@": "≅", "·": "·", "×": "⋅", "º": "≡", "¥": "∞", "Ð": "∠", "-": "−", "¢": "′"}
    | dict.fromkeys("æçèéêëìíîïñòóôõö÷øùúûüýþ", " ")
)
_SYMBOL_FONT = str.maketrans(_SYMBOLS)
_PICTURE_FONTS = frozenset(("wingdings", "webdings"))
# Word moves the characters of its Symbol font into the private area, where no other font has a sign.
_PRIVATE = {ord(typed) + 0xF000: shown for typed, shown in _SYMBOLS.items()}
_PRIVATE |= {0xF000 + code: chr(code) for code in (*range(0x28, 0x40), 0x5B, 0x5D, 0x7B, 0x7D)} | {
    0xF02D: "−",
    0xF0B7: "",
}
_SIGNS_ALONE = frozenset(range(0xF028, 0xF040)) | {0xF000 + ord(sign) for sign in "£³¹´¸ÖÞ®±°»"}
PRIVATE_SIGNS = {code: _PRIVATE[code] for code in _SIGNS_ALONE} | {0xF0B7: ""}
"""Signs of the private area that are Symbol's without doubt, also where no font is named."""
_FOR_READERS = frozenset(
    ("sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only", "screenreader-only")
)
_RADICANDS = frozenset(("radicand", "overline"))


def is_hidden(element: Element) -> bool:
    """Whether the element's own style, attribute or class keeps it from being shown; struck out text counts as hidden.

    What is there for screen readers alone says in words what is shown beside it.
    """
    style = element.get("style")
    if element.get("hidden") is not None or (style is not None and (_HIDDEN.search(style) or _STRUCK.search(style))):
        return True
    return not classes(element).isdisjoint(_FOR_READERS)


def is_block(element: Element) -> bool:
    """Whether the element's own style sets it on lines of its own."""
    style = element.get("style")
    return style is not None and "display" in style and _BLOCK.search(style) is not None


def keeps_spaces(element: Element) -> bool:
    """Whether the element's own style shows line ends and spaces as they were typed."""
    style = element.get("style")
    return style is not None and "white-space" in style and _SPACED.search(style) is not None


def face_of(element: Element) -> str | None:
    """The pictograph font an element sets for its text: ``symbol``, ``wingdings`` or ``webdings``."""
    if element.tag == "font":
        face = (element.get("face") or "").split(",")[0].strip(" '\"").lower()
        return face if face in ("symbol", *_PICTURE_FONTS) else None
    style = element.get("style")
    found = _FACE.search(style) if style is not None and "font" in style else None
    return found[1].lower() if found else None


def in_face(text: str, face: str) -> str:
    """The characters that a pictograph font shows for ``text``; pictures give nothing.

    >>> in_face("³", "symbol"), in_face("J", "wingdings")
    ('≥', '')
    """
    return "" if face in _PICTURE_FONTS else text.translate(_SYMBOL_FONT).translate(_PRIVATE)


def place_of(element: Element) -> str | None:
    """RAISED, LOWERED, OVERLINED, OVER or UNDER the bar of a fraction built of boxes; None for text on the line."""
    if element.tag in (RAISED, LOWERED):
        return str(element.tag)
    style, named = element.get("style"), element.get("class")
    inline = element.tag in _INLINE
    if inline and style is not None and (place := _placed_by(style, element)):
        return place
    if not named:
        return None
    names = classes(element)
    if inline and names & (_RAISED | _LOWERED):
        return RAISED if names & _RAISED else LOWERED
    if inline and names & _RADICANDS:
        return OVERLINED
    return _in_fraction(element, names)


def _placed_by(style: str, element: Element) -> str | None:
    """What a style says of the place of a piece of text; a moved box that holds more than text is no exponent."""
    if found := _SHIFT.search(style):
        return RAISED if found[1].lower() == "super" else LOWERED
    if _LINE_ABOVE.search(style):
        return OVERLINED
    moved = _MOVED.search(style)
    if moved is None or len(element) or len(element.text or "") > _MAX_MOVED or not _is_seen(moved, style):
        return None
    return RAISED if (moved[1].lower() == "top") == (moved[2] == "-") else LOWERED


def _is_seen(moved: re.Match[str], style: str) -> bool:
    """Whether text is moved by as much as an exponent is; a pixel or two only set a label straight."""
    placed = moved[1].lower() == "vertical-align" or _RELATIVE.search(style) is not None
    least = 2 if moved[4].lower() in ("px", "pt") else 0.2
    return placed and float(moved[3] or 0) >= least


def _in_fraction(element: Element, names: frozenset[str]) -> str | None:
    """Numerator and denominator count only as a pair of neighbours: ``top`` alone is a word of any layout."""
    if names & _OVER and (after := _neighbour(element, 1)) is not None and classes(after) & _UNDER:
        return OVER
    if names & _UNDER and (before := _neighbour(element, -1)) is not None and classes(before) & _OVER:
        return UNDER
    return None


def _neighbour(element: Element, step: int) -> Element | None:
    """The next element in a direction, past a bar that stands in an element of its own; None if text is between."""
    other = element.getnext() if step > 0 else element.getprevious()
    if other is not None and is_bar(other):
        other = other.getnext() if step > 0 else other.getprevious()
    return other


def is_bar(element: Element) -> bool:
    """Whether all an element shows is the bar of a fraction."""
    return len(element) == 0 and (element.text or "").strip() in _BARS


EMPHASIS = frozenset(("em", "i", "strong"))
_PIECES, _LONGEST = 50, 400
_NUMBER = re.compile(r"[0-9][0-9.,]*")
_FACTOR = re.compile(r"[\w(√]|\.[0-9]")


def eaten_signs(element: Element, before: str) -> tuple[str, str]:
    """What was lost where an emphasis begins and ends, if digits meet there; ``before`` is the character before it.

    Markdown makes ``<em>`` of asterisks: they are put back where operands meet at both ends, or where more than a
    number is emphasised. Else digits are only kept apart, since one digit of a number may be marked; in ``<i>`` and
    ``<strong>``, which people type, such a digit stays in its number.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> def show(page: str) -> tuple[str, str]:
    ...     return eaten_signs(next(parse_document(page).iter("em", "i")), "3")
    >>> show("3<em>4</em>5"), show("3<em>4 = 12</em>"), show("3<em>4</em> pens"), show("3<i>4</i>5"), show("3<i>4</i>")
    (('*', '*'), ('*', ''), (' ', ''), (' ', ' '), ('', ''))
    """
    inner = "".join(islice(element.itertext(with_tail=False), _PIECES))[:_LONGEST]
    after = _following(element)
    meets = _is_digit(before) and _is_digit(inner[:1]), _is_digit(inner[-1:]) and _is_digit(after[:1])
    if not any(meets):
        return "", ""
    begins, ends = before.isalnum() or before == ")", _FACTOR.match(after) is not None
    is_product = (begins and ends) or _NUMBER.fullmatch(inner) is None
    if element.tag == "em" and is_product:
        return "*" * begins, "*" * ends
    apart = element.tag == "em" or is_product
    return " " * (apart and meets[0]), " " * (apart and meets[1])


def _is_digit(character: str) -> bool:
    return character.isascii() and character.isdigit()


def _following(element: Element) -> str:
    """What stands behind an element, up to two characters of it."""
    outer: Element | None = element
    while outer is not None and not outer.tail and outer.getnext() is None:
        outer = outer.getparent()
        if outer is None or outer.tag not in _INLINE:
            return ""
    assert outer is not None
    if outer.tail:
        return outer.tail[:2]
    following = outer.getnext()
    return "" if following is None or following.tag in ("br", "p", "div") else (following.text or "")[:2]
