"""Presentation MathML as plain ASCII-like maths: ``<mfrac>`` 1 over 2 becomes ``1/2`` and never ``12``."""

import re

from crawlers.html_reading.html_tree import Element
from extractors.extraction_errors import LimitError

MAX_DEPTH = 60
LOST = "[formula]"
"""A formula was here that cannot be given as text; its flattened characters would read as another one."""
_UNREADABLE = "\ufffc"
_NO_BASE = "\ufff9"
"""Stands before a script on nothing, until it is known whether what comes before it is its base."""
_PRESCRIPT = re.compile(f"(?:\\A|[^\\w)\\]}}|‖⌋⌉'′!%°]) ?{_NO_BASE}")
_ATOM = re.compile(r"\d+(?:[.,]\d+)*|\.\d+|[^\W\d_]|\([^()]*\)")
_FUNCTION = re.compile(r"(?:arc)?(?:sin|cos|tan|cot|sec|csc)h?|log|ln|lg|exp|max|min|gcd|lcm|det")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉", "⟨": "⟩"}
_CLOSING = frozenset(_BRACKETS.values())
_FENCES = frozenset("|‖")
"""Brackets whose end looks like their beginning."""
_NUMERATOR = re.compile(r"[\w.]+|\([^()]*\)")
_BARS = frozenset("¯‾ˉ_−―‐-")
_NO_LINE = re.compile(r"0(?![.\d])|0\.0*(?!\d)")
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)?|[A-Za-z](?![A-Za-z])|[-+*/=()<>,.^ ]){1,200}")
_INVISIBLE = {"\u2061": "", "\u2062": "*", "\u2063": ",", "\u2064": "+"}
_WRAPPERS = frozenset({"math", "mrow", "mstyle", "mpadded"})
_SKIPPED = frozenset({"annotation", "annotation-xml", "mphantom", "mprescripts", "none", "script", "style"})


def mathml_text(element: Element) -> str:
    """The formula as one line of text, or LOST; operators keep their characters, spaces are not invented.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> def show(body: str) -> str:
    ...     return mathml_text(next(parse_document(f"<math>{body}</math>").iter("math")))
    >>> show("<mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi><mo>=</mo><mn>9</mn>")
    '(1/2)x=9'
    >>> show("<mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>")
    '3 1/2'
    >>> show("<msup><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>")
    'x^(n+1)'
    >>> show("<mo>(</mo><mi>x</mi><mo>+</mo><mn>1</mn><msup><mo>)</mo><mn>2</mn></msup>")
    '(x+1)^2'
    """
    text = _render(element, 0).strip()
    if _UNREADABLE in text or _PRESCRIPT.search(text):
        return LOST
    return text.replace(_NO_BASE, "")


def tex_annotation(element: Element) -> str | None:
    """The TeX source that a formula carries along for all of it, or None.

    What a part of it carries, in ``<semantics>`` of its own, stands for that part alone.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> page = '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>'
    >>> tex_annotation(parse_document(page).find(".//math"))
    'x^2'
    """
    held: Element | None = element
    while held is not None and held.tag in _WRAPPERS and len(held) == 1:
        held = held[0]
    if held is None or held.tag != "semantics":
        return None
    for note in held.iterchildren("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text and note.text.strip():
            return note.text.strip()
    return tex_annotation(held[0]) if len(held) and held[0].tag in _WRAPPERS | {"semantics"} else None


def _render(element: Element, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise LimitError(f"formula nested more than {MAX_DEPTH} deep")
    tag = element.tag if isinstance(element.tag, str) else ""
    if tag in _SKIPPED:
        return ""
    if tag in ("mi", "mn", "mo", "mtext", "ms"):
        return _token(element, tag)
    if tag == "mspace":
        return " "
    if tag == "mmultiscripts":  # signs on all sides of a letter: a combination, an isotope
        return _UNREADABLE
    parts = [_render(child, depth + 1) for child in element if child.tag not in ("annotation", "annotation-xml")]
    if not any(parts) and (said := (element.get("alttext") or "").strip()):
        return _alternative(said)
    if tag in _LAYOUT:
        return _LAYOUT[tag](parts, element)
    return _row(element, parts) if len(element) else " ".join((element.text or "").split())


def _alternative(said: str) -> str:
    """What a formula that is empty otherwise says of itself, where that is plain mathematics."""
    return said if _PLAIN.fullmatch(said) else _UNREADABLE


def _token(element: Element, tag: str) -> str:
    text = "".join(element.itertext())
    if tag == "mtext":
        return re.sub(r"\s+", " ", text)
    text = " ".join(text.split())
    return _INVISIBLE.get(text, text)


def _row(element: Element, parts: list[str]) -> str:
    tags = [child.tag for child in element if child.tag not in ("annotation", "annotation-xml")]
    out, before = "", ("", "")
    for index, (tag, part) in enumerate(zip(tags, parts, strict=True)):
        if tag == "mfrac" and part:
            out += _fraction_in_row(part, (out, before[0]), parts[index + 1] if index + 1 < len(parts) else "")
        else:
            out += f" {part}" if _runs_on(out, part, before) else part
        if part:
            before = (str(tag), part)
    return out


def _runs_on(out: str, part: str, before: tuple[str, str]) -> bool:
    """Whether two numbers, an exponent or index and what follows it, or two names would read as one."""
    tag, shown = before
    if not (out[-1:].isalnum() and part[:1].isalnum()):
        return False
    if tag in ("msub", "msubsup", "munder", "munderover") or (part[0].isdigit() and out[-1].isdigit()):
        return True
    if tag == "msup" and _FUNCTION.match(shown):
        return True
    return out[-1].isalpha() and (tag == "msup" or (tag == "mi" and len(shown) > 1 and part[0].isalpha()))


def _fraction_in_row(part: str, before: tuple[str, str], after: str) -> str:
    """Bracket a fraction that touches an operand; a whole number before one of digits is a mixed number."""
    out, tag = before
    if out[-1:].isdigit() and tag == "mn" and re.fullmatch(r"\d+/\d+", part):
        return " " + part
    touches = (
        out[-1:].isalnum() or out[-1:] in (")", "]", "^", "/") or after[:1].isalnum() or after[:1] in ("(", "[", "√")
    )
    return f"({part})" if touches else part


def _group(text: str) -> str:
    return text if _ATOM.fullmatch(text) or _ends_what_it_opens(text, ("(",)) else f"({text})"


def _base(text: str) -> str:
    """The base of a power, bracketed unless it is one thing: an atom, what stands in brackets, or only their end.

    TeX raises the closing bracket alone: what it closes stands before it in the row.
    """
    alone = _FUNCTION.fullmatch(text) or _ends_what_it_opens(text, tuple(_BRACKETS)) or _is_end(text)
    return text if alone else _group(text)


def _ends_what_it_opens(text: str, openings: tuple[str, ...]) -> bool:
    """Whether a text stands between one pair of brackets, or of bars, from its first character to its last."""
    if len(text) < 3:
        return False
    if text[0] in _FENCES:
        return text[-1] == text[0] and text.count(text[0]) == 2
    return text[0] in openings and text[-1] == _BRACKETS[text[0]] and _falls_to(0, text) == len(text) - 1


def _is_end(text: str) -> bool:
    """Whether a bracket or bar ends here that was not opened here."""
    return _falls_to(-1, text) >= 0 or (text[-1:] in _FENCES and text.count(text[-1]) % 2 == 1)


def _falls_to(depth: int, text: str) -> int:
    """Where a bracket's end leaves ``depth`` open, -1 for one that was never opened; -1 if that is nowhere."""
    now = 0
    for place, character in enumerate(text):
        now += (character in _BRACKETS) - (character in _CLOSING)
        if now == depth and character in _CLOSING:
            return place
    return -1


def _at(parts: list[str], index: int) -> str:
    return parts[index] if index < len(parts) else ""


def _fraction(parts: list[str], element: Element) -> str:
    if _NO_LINE.match(element.get("linethickness") or ""):  # 5 above 2 without a line is a combination
        return _UNREADABLE
    over = _at(parts, 0)
    return f"{over if _NUMERATOR.fullmatch(over) else f'({over})'}/{_group(_at(parts, 1))}"


def _power(parts: list[str], element: Element) -> str:
    base, exponent = _at(parts, 0), _at(parts, 1)
    if not exponent:
        return base
    if exponent in ("°", "∘", "′", "'"):
        return base + exponent.replace("∘", "°").replace("′", "'")
    return f"{_base(base) if base else _NO_BASE}^{_group(exponent)}"


def _index(parts: list[str], element: Element) -> str:
    base, index = _at(parts, 0), _at(parts, 1)
    return f"{base or _NO_BASE}_{_group_index(index)}" if index else base


def _index_power(parts: list[str], element: Element) -> str:
    base, power = _index(parts, element), _at(parts, 2)
    return f"{base or _NO_BASE}^{_group(power)}" if power else base


def _group_index(text: str) -> str:
    return text if _NUMERATOR.fullmatch(text) else f"({text})"


def _root(parts: list[str], element: Element) -> str:
    return f"{_group(_at(parts, 0))}^(1/{_group(_at(parts, 1))})"


def _sqrt(parts: list[str], element: Element) -> str:
    return f"sqrt({_row(element, parts)})"


def _fenced(parts: list[str], element: Element) -> str:
    separators = element.get("separators")
    joined = (separators.strip()[:1] if separators is not None else ",").join(parts)
    return f"{element.get('open', '(')}{joined}{element.get('close', ')')}"


def _table(parts: list[str], element: Element) -> str:
    return "\n" + "\n".join(parts) + "\n"


def _table_row(parts: list[str], element: Element) -> str:
    """The cells of a row; pieces of one equation, set below those of another, are put together again."""
    row = ""
    for part in parts:
        apart = row[-1:].isalnum() or row[-1:] == ")"
        row += ("\t" if apart and (part[:1].isalnum() or part[:1] in ("(", "√")) else "") + part
    return row


def _first(parts: list[str], element: Element) -> str:
    return _at(parts, 0)


def _over(parts: list[str], element: Element) -> str:
    base, above = _at(parts, 0), _at(parts, 1)
    # 0.3 with a bar is 1/3; plain maths has no sign for it, and without the bar it is another number.
    return _UNREADABLE if above in _BARS and base.replace(".", "").isdigit() else base


_LAYOUT = {
    "mfrac": _fraction,
    "msup": _power,
    "msub": _index,
    "msubsup": _index_power,
    "mroot": _root,
    "msqrt": _sqrt,
    "mfenced": _fenced,
    "mtable": _table,
    "mtr": _table_row,
    "maction": _first,
    "mover": _over,
    "munder": _index,
    "munderover": _index_power,
}
