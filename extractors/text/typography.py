"""Unicode operators, superscripts, fractions, arrows and invisible characters in ASCII."""

import re
from collections.abc import Iterator
from typing import Final

from extractors.text.edits import Edit
from extractors.text.wordlists import words

VULGAR: Final = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒",
        words("1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/7 1/8 3/8 5/8 7/8 1/9 1/10"),
        strict=True,
    )
)
"""Fractions of one character, as they are written with digits."""
_SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ⁽⁾", "0123456789+-n()", strict=True))
_SUBSCRIPTS: Final = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_PLAIN: Final[dict[str, str]] = {
    **dict.fromkeys("−–‐‑‒﹣－", "-"),
    **dict.fromkeys("×·⋅∙∗✕✖⨯\u2062", "*"),
    **dict.fromkeys("÷⁄∕", "/"),
    **dict.fromkeys("≤⩽≦", "<="),
    **dict.fromkeys("≥⩾≧", ">="),
    **dict.fromkeys("⇒→⟹⟶➔➜➝⇨∴∵↔⇔⟺➡↦─━═—•", "\n"),
    **dict.fromkeys("’‘′´ʹ", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2063\u2064", ""),
    **dict.fromkeys("\u2066\u2067\u2068\u2069\ufeff\u00ad", ""),
    **dict.fromkeys("\u2028\u2029\u0085", "\n"),
    **dict.fromkeys("º˚", "°"),
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0D},
    "≠": "!=",
    "±": "+/-",
    "∶": ":",
    "π": " pi ",
    "…": "...",
    "⅟": "1/",
}
_SPECIAL: Final = re.compile(
    f"[{re.escape(''.join(_SUPERSCRIPTS))}]+|[{''.join(_SUBSCRIPTS)}]+|√|[{''.join(VULGAR)}]|[{re.escape(''.join(_PLAIN))}]"
)
_RADICAND: Final = re.compile(r"[ ]?(?:[0-9]{1,30}(?:\.[0-9]{1,30})?|[A-Za-z](?![A-Za-z]))")


def typography_edits(text: str) -> list[Edit]:
    """Typographic characters in plain ASCII maths: ``x² − 3`` -> ``x^2 - 3``, ``2½`` -> ``2 1/2``."""
    edits: list[Edit] = []
    for match in _SPECIAL.finditer(text):
        raw = match[0]
        plain = _PLAIN.get(raw)
        if plain is not None:
            edits.append(Edit(match.start(), match.end(), plain))
        else:
            edits.extend(_special(text, match))
    return edits


def _special(text: str, match: re.Match[str]) -> Iterator[Edit]:
    raw, start, end = match[0], match.start(), match.end()
    if raw in VULGAR:
        yield Edit(start, end, (" " if text[start - 1 : start].isalnum() and start else "") + VULGAR[raw])
    elif raw[0] in _SUPERSCRIPTS:
        yield Edit(start, end, _power(raw) if start else raw)
    elif raw[0] in _SUBSCRIPTS:
        digits = "".join(_SUBSCRIPTS[c] for c in raw)
        yield Edit(start, end, ("_" if start and text[start - 1].isalpha() else "") + digits)
    else:
        yield from _root(text, start, end)


def _power(raw: str) -> str:
    plain = "".join(_SUPERSCRIPTS[c] for c in raw)
    return f"^{plain}" if plain.isdecimal() or plain == "n" else f"^({plain})"


def _root(text: str, start: int, end: int) -> Iterator[Edit]:
    lead = " sqrt" if start and text[start - 1].isalpha() else "sqrt"
    radicand = _RADICAND.match(text, end)
    if radicand is None:
        yield Edit(start, end, lead)
        return
    yield Edit(start, end, lead + "(")
    yield Edit(radicand.end(), radicand.end(), ")")
