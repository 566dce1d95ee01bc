"""What MathJax drew in CHTML, put back into MathML: boxes named by what they are, and glyphs named by their code.

A page that was saved without its source holds nothing else. Version 3 and 4 write
``<mjx-mi><mjx-c class="mjx-c1D465">``, version 2 ``<span class="mjx-mi"><span class="mjx-char">x``; the names of the
boxes are the same.
"""

import re
from collections.abc import Iterator
from unicodedata import normalize

from lxml import etree

from crawlers.html_reading.html_tree import Element, classes
from extractors.text.wordlists import read_list, words

MAX_DEPTH = 100
_GLYPH = re.compile(r"mjx-c([0-9A-F]{1,6})")
_TOKENS = frozenset(("mi", "mn", "mo", "mtext", "ms"))
_ROWS = frozenset(words(read_list("crawlers/chtml_rows")))
_TABLES = frozenset(("mtable", "table", "itable"))
_EMPTY = frozenset(words(read_list("crawlers/chtml_empty")))
_WRAPPERS = frozenset(("frac", "dbox", "dtable", "row", "box", "stack", "itable", "table", "cell", "munder", "sqrt"))
_PIECES = dict(zip("⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎫⎬⎭", "((()))[[[]]]{{{}}}", strict=True))
"""What tall brackets are drawn of."""
_SCRIPTS = {"msup": ("sup",), "msub": ("sub",), "msubsup": ("sub", "sup"), "munder": ("sub",), "mover": ("sup",),
            "munderover": ("sub", "sup")}  # fmt: skip


class UndrawnError(ValueError):
    """A box or glyph that is not known: what it shows cannot be said."""


def decoded(element: Element) -> Element | None:
    """The MathML of the first drawing below an element; None where there is none or it holds what is not known.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> glyphs = '<mjx-c class="mjx-c34"></mjx-c><mjx-c class="mjx-c32 TEX-B"></mjx-c>'
    >>> math = decoded(parse_document(f"<mjx-math><mjx-mn>{glyphs}</mjx-mn></mjx-math>"))
    >>> [token.text for token in math.iter("mn")]
    ['42']
    """
    drawn = next((node for node in element.iter() if _kind(node) == "math"), None)
    if drawn is None:
        return None
    math = etree.Element("math")
    try:
        for child in drawn:
            _draw(child, math, 0)
    except UndrawnError:
        return None
    return math if any(token.text for token in math.iter(*_TOKENS)) else None


def _kind(node: Element) -> str:
    """The name of a box without its ``mjx-``; empty for any other element."""
    tag = node.tag if isinstance(node.tag, str) else ""
    if tag.startswith("mjx-"):
        return tag[4:]
    return next((name[4:] for name in sorted(classes(node)) if name.startswith("mjx-")), "")


def _draw(node: Element, into: Element, depth: int) -> None:
    """Put what a box shows at the end of ``into``."""
    kind = _kind(node)
    if depth > MAX_DEPTH or (not kind and (len(node) or (node.text or "").strip())):
        raise UndrawnError(kind)
    if kind in _EMPTY or not kind:
        return
    if kind in _TOKENS:
        etree.SubElement(into, kind).text = _characters(node)
    elif kind == "mspace":
        etree.SubElement(into, "mspace")
    elif kind in _ROWS or kind in _TABLES or kind in ("mtr", "mlabeledtr"):
        _draw_all(node, _box(into, kind), depth)
    elif kind in _SCRIPTS:
        _draw_scripts(node, into, kind, depth)
    elif kind == "mfrac":
        _draw_fraction(node, into, depth)
    elif kind in ("msqrt", "mroot"):
        _draw_root(node, into, kind, depth)
    else:
        raise UndrawnError(kind)


def _box(into: Element, kind: str) -> Element:
    """A new element for a box of boxes; a table's inner boxes are none of their own."""
    if kind in ("table", "itable"):
        return into
    named = {"mtable": "mtable", "mtr": "mtr", "mlabeledtr": "mtr", "mtd": "mtd"}
    return etree.SubElement(into, named.get(kind, "mrow"))


def _draw_all(node: Element, into: Element, depth: int) -> None:
    for child in node:
        _draw(child, into, depth + 1)


def _characters(node: Element) -> str:
    """The characters of a token, by the codes of its glyphs, or as text where version 2 and 4 write them."""
    text = "".join(normalize("NFKC", sign) if _is_letter(sign) else sign for sign in "".join(_glyphs(node, 0)))
    whole = {_PIECES.get(sign, sign) for sign in text if sign != "⎪"}
    return whole.pop() if len(whole) == 1 and not _PIECES.keys().isdisjoint(text) else text


def _is_letter(sign: str) -> bool:
    """Whether a character is a letter or digit of a mathematical alphabet."""
    return 0x1D400 <= ord(sign) < 0x1D800 or 0x2100 <= ord(sign) < 0x2150


def _glyphs(node: Element, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise UndrawnError("glyphs")
    code = next((found[1] for name in sorted(classes(node)) if (found := _GLYPH.fullmatch(name))), None)
    if code is not None:
        number = int(code, 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise UndrawnError(code)
        yield chr(number)
        return
    kind = _kind(node)
    if kind == "c" or (depth and kind not in ("char", "utext", "charbox", "") and kind not in _EMPTY):
        raise UndrawnError(kind)
    if kind in ("char", "utext", "charbox"):
        yield "".join(node.itertext()).strip(" \n\t")
        return
    if (node.text or "").strip():
        raise UndrawnError("text")
    for child in node:
        yield from _glyphs(child, depth + 1)


def _draw_part(part: Element | None, into: Element, depth: int) -> None:
    """A part of a fraction, root or script as one element; UndrawnError where it is missing."""
    if part is None:
        raise UndrawnError("part")
    row = etree.SubElement(into, "mrow")
    if _kind(part) in _ROWS:
        _draw_all(part, row, depth)
    else:
        _draw(part, row, depth + 1)


def _draw_scripts(node: Element, into: Element, kind: str, depth: int) -> None:
    """A base with what stands above and below it: in named boxes, or as the children of one ``mjx-script``."""
    places = {name: _part(node, name) for name in ("base", "op", "sup", "sub", "over", "under")}
    script = next((child for child in node if _kind(child) == "script"), None)
    base = places["base"] if places["base"] is not None else places["op"]
    above = places["sup"] if places["sup"] is not None else places["over"]
    below = places["sub"] if places["sub"] is not None else places["under"]
    wanted = _SCRIPTS[kind]
    if script is not None:
        base = next(iter(node))
        inner = [child for child in script if _kind(child) not in _EMPTY]
        if len(inner) != len(wanted):
            raise UndrawnError(kind)
        above = inner[0] if "sup" in wanted else None  # the upper one is drawn first
        below = inner[-1] if "sub" in wanted else None
    named = kind
    if script is None and kind == "msubsup":  # version 2 has one name for the three
        named = "msub" if above is None else "msup" if below is None else kind
    elif script is None and kind == "munderover":
        named = "munder" if above is None else "mover" if below is None else kind
    made = etree.SubElement(into, named)
    _draw_part(base, made, depth)
    for place in _SCRIPTS[named]:
        _draw_part(above if place == "sup" else below, made, depth)


def _draw_fraction(node: Element, into: Element, depth: int) -> None:
    bevelled = _part(node, "bevelled")
    if bevelled is not None:
        _draw(bevelled, into, depth + 1)
        return
    fraction = etree.SubElement(into, "mfrac")
    if any(inner.get("atop") == "true" for inner in node):
        fraction.set("linethickness", "0")
    for names in (("num", "numerator"), ("den", "denominator")):
        found = (part for name in names if (part := _part(node, name)) is not None)
        _draw_part(next(found, None), fraction, depth)


def _draw_root(node: Element, into: Element, kind: str, depth: int) -> None:
    root = etree.SubElement(into, kind)
    surd = _part(node, "surd")
    _draw_part(surd.getnext() if surd is not None else None, root, depth)
    if kind == "mroot":
        _draw_part(_part(node, "root"), root, depth)


def _part(node: Element, kind: str) -> Element | None:
    """The box of a name in a box, past boxes that only set things in place."""
    waiting = list(reversed(node))
    while waiting:
        child = waiting.pop()
        own = _kind(child)
        if own == kind:
            return child
        if own in _WRAPPERS:
            waiting.extend(reversed(child))
    return None
