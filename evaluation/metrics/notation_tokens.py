"""The tokens of an answer in LaTeX, Unicode or plain text, each in one spelling: ``\\dfrac`` as ``\\frac``, ≤ as <=.

A word of prose has a quote before it: ``"or``. Letters that are no word are unknowns side by side.
"""

import re
from typing import Final

from curation.near_texts.plain_tokens import STOP_WORDS
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.quantities.units import UNIT_NAMES
from extractors.text.wordlists import words

MAX_TOKENS: Final = 500
WORD: Final = '"'
FUNCTIONS: Final = {
    **{name: name for name in words("sin cos tan cot sec csc sinh cosh tanh exp ln log max min gcd lcm abs floor")},
    **{f"{lead}{name}": f"arc{name}" for name in ("sin", "cos", "tan", "cot") for lead in ("a", "arc")},
    "lg": "log",
    "cosec": "csc",
    "ceil": "ceiling",
    "tg": "tan",
    "ctg": "cot",
    "arctg": "arctan",
}
GREEK: Final = frozenset(
    words(
        "alpha beta gamma delta epsilon varepsilon theta lambda mu phi varphi omega rho sigma tau psi ell eta kappa nu"
        " xi chi zeta Delta Omega"
    )
)
_SPELLINGS: Final = {
    "\\frac": "\\dfrac \\tfrac \\cfrac",
    "\\binom": "\\dbinom \\tbinom",
    "*": "\\times \\cdot \\ast × · ⋅ ∙ ∗",
    "/": "\\div ÷ ∕ ⁄",
    "<=": "\\le \\leq \\leqslant ≤ =<",
    ">=": "\\ge \\geq \\geqslant ≥",
    "!=": "\\ne \\neq ≠",
    "≈": "\\approx \\simeq ≈ ≃",
    "=": "\\equiv ≡ := \\coloneqq",
    "<": "\\lt",
    ">": "\\gt",
    "-": "− –",
    ":": "\\colon",
    "^": "**",
    "\\{": "\\lbrace",
    "\\}": "\\rbrace",
    "±": "\\pm +/- +-",
    "∓": "\\mp",
    "\\infty": "∞",
    "\\pi": "π",
    "\\sqrt": "√",
    "\\cup": "∪ \\bigcup",
    "\\cap": "∩",
    "\\in": "∈",
    "|": "\\mid \\vert \\lvert \\rvert",
    "\\emptyset": "\\emptyset \\varnothing ∅",
    "\\setminus": "\\backslash \\smallsetminus ∖",
    ",": "\\quad \\qquad \\newline ;",
    "°": "\\degree",
    "ℝ": "\\R",
    "\\langle": "⟨",
    "\\rangle": "⟩",
    WORD + "and": "\\land \\wedge",
    WORD + "or": "\\lor \\vee",
    "...": "\\ldots \\dots \\cdots …",
}
_SAME: Final = {spelling: sign for sign, spellings in _SPELLINGS.items() for spelling in spellings.split()}
_SKIPPED: Final = frozenset(
    (
        *("\\left", "\\right", "\\displaystyle", "\\textstyle", "\\limits", "\\,", "\\;", "\\!", "\\:", "\\ ", "~"),
        *("\\big", "\\Big", "\\bigl", "\\bigr", "\\Bigl", "\\Bigr", "\\bigg", "\\Bigg", "\\biggl", "\\biggr", "$"),
        *("\\rm", "\\bf", "\\(", "\\)", "\\[", "\\]", "\\middle", "\\hspace", "\\nolimits", "\\sf", "\\it"),
    )
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ", "0123456789-n")
_TOKEN: Final = re.compile(
    r"\\(?:text[a-z]{0,6}|mathrm|mathsf|mathit|mbox|operatorname|rm)\*?\s?\{(?P<text>[^{}]{0,200})\}"
    r"|\\(?:mathbb|mathbf|mathcal|Bbb|bf)\s?\{?\s?(?P<domain>[A-Z])\s?\}?(?![A-Za-z])"
    r"|\^\s?\{?\s?(?P<degree>\\circ|°|\\degree)\s?\}?"
    r"|(?P<period>[0-9]{0,15}\.[0-9]{0,15}\\(?:overline|bar)\s?\{[0-9]{1,15}\})"
    r"|(?P<number>[0-9]{1,3}(?:(?:\{,\}|\\,|,\\!|,)[0-9]{3}){1,9}(?![0-9])(?:\.[0-9]{1,60})?"
    r"|[0-9]{1,400}(?:\.[0-9]{1,60})?|\.[0-9]{1,60})"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ]{1,9})|(?P<command>\\(?:[A-Za-z]+|.|\n))"
    r"|(?P<word>[A-Za-z]+)|(?P<sign><=|>=|!=|=<|:=|\*\*|\+/-|\.{3}|\S)"
)
_FORMULA: Final = re.compile(r"[0-9+*/^=_<>\\-]")
_DOMAINS: Final = {"R": "ℝ", "Z": "ℤ", "N": "ℕ", "Q": "ℚ", "C": "ℂ"}
_OPENING: Final = frozenset(["(", "[", "\\{", "{", "\\langle"])
_CLOSING: Final = frozenset([")", "]", "\\}", "}", "\\rangle"])
_WORDS: Final = {
    "or": WORD + "or",
    "and": WORD + "and",
    "pi": "\\pi",
    "sqrt": "\\sqrt",
    "union": "\\cup",
    "U": "\\cup",
    **dict.fromkeys(["infinity", "infty", "inf"], "\\infty"),
    **dict.fromkeys(["degrees", "degree", "deg"], "°"),
}
_NOT_UNKNOWNS: Final = frozenset(UNIT_NAMES) | STOP_WORDS - set("abcdefghijklmnopqrstuvwxyz") | {"oz", "cm", "two"}


def notation_tokens(text: str) -> list[str]:
    """The tokens, ending with an empty one; ExtractionError for a sign that no formula has, LimitError for too many.

    >>> notation_tokens("\\\\dfrac{1}{2}x ≤ 1{,}200 \\\\text{ or } ab")
    ['\\\\frac', '{', '1', '}', '{', '2', '}', 'x', '<=', '1200', '"or', 'a', 'b', '']
    """
    found: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        for symbol in _spelled(match, depth):
            depth += (symbol in _OPENING and symbol != "{") - (symbol in _CLOSING and symbol != "}")
            found.append(symbol)
        if len(found) > MAX_TOKENS:
            raise LimitError(f"an answer of more than {MAX_TOKENS} signs")
    return [*found, ""]


def _spelled(match: re.Match[str], depth: int) -> list[str]:
    kind, raw = match.lastgroup, match[0]
    if kind == "number":
        return [_number(raw, depth, match.string)]
    if kind == "word":
        return _word(raw, is_formula=_FORMULA.search(match.string) is not None)
    if kind == "text":
        return [symbol for word in re.findall(r"[A-Za-z]+|[^\sA-Za-z.]", match[kind]) for symbol in _text(word)]
    if kind == "domain":
        return [_DOMAINS.get(match[kind], match[kind])]
    if kind == "degree":
        return ["°"]
    if kind == "raised":
        return ["^", "{", *raw.translate(_SUPERSCRIPTS), "}"] if "⁻" in raw else ["^", raw.translate(_SUPERSCRIPTS)]
    if raw in _SKIPPED:
        return []
    if kind == "command" and raw[1:] in FUNCTIONS:
        return ["\\" + FUNCTIONS[raw[1:]]]
    if kind == "command" and raw[1:] in GREEK:
        return ["\\" + raw[1:].removeprefix("var")]
    return [_SAME.get(raw, raw)]


def _number(raw: str, depth: int, text: str) -> str:
    """A number without its thousands signs; in brackets a plain comma may part two numbers, and elsewhere in a list."""
    if "," in raw and "{,}" not in raw and ",\\!" not in raw and (depth or text.count(",") > raw.count(",")):
        raise ExtractionError("a comma in a number or between two")
    return re.sub(r"[^0-9.]", "", raw)


def _text(word: str) -> list[str]:
    """A word of \\text{}: an unknown if it is one letter that no unit is."""
    lower = word.lower()
    if lower in _WORDS or not word.isalpha():
        return [_WORDS.get(lower, _SAME.get(word, word))]
    return [word] if len(word) == 1 and lower not in UNIT_NAMES and lower not in STOP_WORDS else [WORD + lower]


def _word(raw: str, *, is_formula: bool) -> list[str]:
    """A word without a backslash: a function, a constant, a word of prose, or unknowns side by side in a formula."""
    known = _WORDS.get(raw)
    if known is not None:
        return [known]
    if raw in FUNCTIONS:
        return ["\\" + FUNCTIONS[raw]]
    if raw in GREEK:
        return ["\\" + raw]
    if len(raw) == 1:
        return [raw]
    lead = next((name for name in ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "ln") if raw[:-1] == name), None)
    if lead is not None:
        return ["\\" + lead, raw[-1]]
    is_prose = len(raw) > 3 + raw.isupper() or raw.lower() in _NOT_UNKNOWNS or not is_formula
    return [WORD + raw.lower()] if is_prose else list(raw)
