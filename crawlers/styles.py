"""What the look of an element says about its text: raised, lowered, over a bar, hidden, in a pictograph font."""

import re

from crawlers.markup import Element, classes

RAISED, LOWERED, OVER, UNDER = "sup", "sub", "over", "under"

_HIDDEN = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden", re.I)
_SHIFT = re.compile(r"vertical-align\s{0,9}:\s{0,9}(super|sub)\b", re.I)
_FACE = re.compile(r"font-family\s{0,9}:\s{0,9}[\"']?\s{0,9}(symbol|wingdings|webdings)\b", re.I)
_INLINE = frozenset(("span", "font", "i", "em", "b", "strong", "small", "var", "a"))
_RAISED = frozenset(("sup", "superscript", "exponent"))
_LOWERED = frozenset(("sub", "subscript"))
_OVER = frozenset(("num", "numer", "numerator", "frac-num", "fraction-top", "frac-top", "top"))
_UNDER = frozenset(("den", "denom", "denominator", "frac-den", "fraction-bottom", "frac-bottom", "bottom"))
_BARS = frozenset(("/", "⁄"))

# Adobe's Symbol encoding, as typed in a Latin font: "x ³ 5" there means x ≥ 5. Pieces of tall brackets are spaces.
_SYMBOLS = (
    dict(zip("abgdepmqstwDSWPF", "αβγδεπμθστωΔΣΩΠΦ", strict=True))
    | {"£": "≤", "³": "≥", "¹": "≠", "´": "×", "¸": "÷", "Ö": "√", "Þ": "⇒", "®": "→", "\\": "∴", "±": "±"}
    | {"°": "°", "»": "≈", "@": "≅", "·": "·", "×": "⋅", "º": "≡", "¥": "∞", "Ð": "∠", "-": "−", "¢": "′"}
    | dict.fromkeys("æçèéêëìíîïñòóôõö÷øùúûüýþ", " ")
)
_SYMBOL_FONT = str.maketrans(_SYMBOLS)
_PICTURE_FONTS = frozenset(("wingdings", "webdings"))


def is_hidden(element: Element) -> bool:
    """Whether the element's own style or attribute keeps it from being shown."""
    style = element.get("style")
    return element.get("hidden") is not None or (style is not None and _HIDDEN.search(style) is not None)


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
    return "" if face in _PICTURE_FONTS else text.translate(_SYMBOL_FONT)


def place_of(element: Element) -> str | None:
    """RAISED or LOWERED, OVER or UNDER the bar of a fraction built of boxes, or None for text on the line."""
    if element.tag in (RAISED, LOWERED):
        return str(element.tag)
    style, named = element.get("style"), element.get("class")
    inline = element.tag in _INLINE
    if inline and style is not None and (found := _SHIFT.search(style)):
        return RAISED if found[1].lower() == "super" else LOWERED
    if not named:
        return None
    names = classes(element)
    if inline and names & (_RAISED | _LOWERED):
        return RAISED if names & _RAISED else LOWERED
    return _in_fraction(element, names)


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
