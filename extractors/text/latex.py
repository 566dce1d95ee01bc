"""LaTeX to plain maths: delimiters, fractions, roots, exponents, symbols.

So does the formula markup of algebra.com: ``{{{2/3}}}(A-5) = B``, ``{{{highlight(x=4)}}}``, ``{{{matrix(1,2,x,y)}}}``.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.text.edits import Edit, merged
from extractors.text.wordlists import read_list, words

_DISPLAY: Final = re.compile(r"\$\$\s{0,3}\$\$|\$\$|\\\[|\\\]|\\\(|\\\)|\[/?(?:tex|math|latex|itex)\]", re.I)
# Money stands at a dollar sign far more often than a formula does.
_INLINE: Final = re.compile(r"(?<![\w$\\])\$(?=[^\s$])([^$\n]{1,300}?)(?<=[^\s$\\])\$(?![\w$])")
_FORMULA_SIGN: Final = re.compile(r"\\[A-Za-z]|[\^_{}=<>+*/]")
_LONE_NAME: Final = re.compile(r"-?[0-9.]{0,12}[A-Za-z]?|-?[A-Za-z][\w']{0,3}")
_PROSE: Final = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}(?![A-Za-z}])[^\\]*?\s(?<![\\A-Za-z{])[A-Za-z]{3,}")

_TOKEN: Final = re.compile(
    r"(?P<angle>\^\s?(?:\\(?:circ|degree)(?![A-Za-z])[ ]?|\{\s?(?:\\[,;!]\s?)?\\(?:circ|degree)\s?\}))"
    r"|(?P<repeating>(?<![0-9.])[0-9]{0,15}\.[0-9]{0,15}\\(?:overline|bar|dot)[ ]?(?:\{[0-9]{1,15}\}|[0-9])"
    r"(?:[0-9]{0,15}\\dot[ ]?(?:\{[0-9]\}|[0-9]))?)"
    r"|(?P<comma>(?<=[0-9])(?:\{,\}|,\\!)[ ]?(?=[0-9]{3}(?![0-9])|[0-9]{2}\{,\}))"
    r"|(?P<point>(?<=[0-9])\{,\}(?=[0-9]{1,2}(?![0-9{])))|(?P<tie>(?<=\{)~|~(?=\\))"
    r"|(?P<base>\\log[ ]?_[ ]?(?:\{[ ]?[0-9]{1,6}[ ]?\}|[0-9]))"
    r"|\\(?P<name>[A-Za-z]+)\*?[ ]?|\\(?P<sign>[^A-Za-z])|(?P<script>[\^_])\s?\{"
)
_GLYPHS: Final = {"angle": "°", "comma": ",", "point": ".", "tie": " "}
_SYMBOLS: Final[dict[str, str]] = {
    **dict.fromkeys(["times", "cdot", "ast", "star"], "*"),
    **dict.fromkeys(["le", "leq", "leqslant"], "<="),
    **dict.fromkeys(["ge", "geq", "geqslant"], ">="),
    **dict.fromkeys(["ne", "neq"], "!="),
    **dict.fromkeys(["lt"], "<"),
    **dict.fromkeys(["gt"], ">"),
    **dict.fromkeys(["approx", "simeq", "cong"], "≈"),
    **dict.fromkeys(words(read_list("extractors/latex_line_breaks")), "\n"),
    **dict.fromkeys(["quad", "qquad", "enspace", "thinspace"], " "),
    **dict.fromkeys(["cdots", "ldots", "dots", "vdots"], "..."),
    **dict.fromkeys(["circ", "degree"], "°"),
    **dict.fromkeys(words(read_list("extractors/latex_layout")), ""),
    "div": "/",
    "pm": "+/-",
    "mp": "-/+",
    "colon": ":",
    **dict.fromkeys(["mid", "lvert", "rvert", "vert"], "|"),
    "lfloor": "floor(",
    "lceil": "ceiling(",
    **dict.fromkeys(["rfloor", "rceil"], ")"),
    "lbrace": "{",
    "rbrace": "}",
}
_NAMED: Final = frozenset(words(read_list("extractors/latex_names")))
"""Commands that are written as their own name."""
_WRAPPERS: Final = frozenset(words(read_list("extractors/latex_wrappers")))
_FRACTIONS: Final = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_BINOMIALS: Final = frozenset({"binom", "dbinom", "tbinom"})
_SIGNS: Final = {"\\": "\n", ",": " ", ";": " ", ":": " ", "!": "", " ": " ", "*": "*", "|": "|"}
_ATOM: Final = re.compile(r"\s?(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|[A-Za-z])\s?")
_PRODUCT: Final = re.compile(r"\s?[0-9.]{0,15}[A-Za-z]?\s?")
_TWO_DIGITS: Final = re.compile(r"([0-9])([0-9])(?![0-9])")
_LONE_ARGUMENT: Final = re.compile(r"[A-Za-z]|[0-9](?![0-9.])")
_NAME_BEGINS: Final = re.compile(r"[^\W_]|\\[A-Za-z]")
_OPERATORS: Final = frozenset("*/^)(")
_ENVIRONMENT: Final = re.compile(r"\{[A-Za-z*]{1,20}\}(?:\{[lcr|@{}\s]{0,20}\})?")


def delimiter_edits(text: str) -> list[Edit]:
    """Delimiters of formulas out of the text; a dollar sign goes only where its pair encloses a formula."""
    edits: list[Edit] = []
    if "$$" in text or "\\" in text or "[" in text:
        edits.extend(Edit(m.start(), m.end(), _delimiter(m[0])) for m in _DISPLAY.finditer(text))
    if "$" in text:
        for match in _INLINE.finditer(text):
            if is_formula(match[1]):
                edits.append(Edit(match.start(), match.start() + 1, ""))
                edits.append(Edit(match.end() - 1, match.end(), ""))
    return merged(edits)


def _delimiter(raw: str) -> str:
    if raw in {"\\[", "\\]"} or raw.count("$") == 4:
        return "\n"
    return "" if raw in {"\\(", "\\)"} else " "


def is_formula(inner: str) -> bool:
    """Whether the characters between two dollar signs are a formula, not the text between two prices.

    >>> is_formula("x+y=9"), is_formula("5 and sells for 7"), is_formula("\\\\frac{1}{2}")
    (True, False, True)
    """
    if _LONE_NAME.fullmatch(inner):
        return True
    return bool(_FORMULA_SIGN.search(inner)) and (inner.count("\\") > 0 or not _PROSE.search(inner))


def _brace_pairs(text: str) -> dict[int, int]:
    pairs: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer("[{}]", text):
        if match[0] == "{":
            stack.append(match.start())
        elif stack:
            pairs[stack.pop()] = match.start()
    return pairs


def command_edits(text: str) -> list[Edit]:
    """LaTeX commands in plain maths: ``\\frac{2b}{3}`` -> ``2b/3``, ``\\times`` -> ``*``, ``x^{2}`` -> ``x^2``."""
    return _Commands(text).edits()


class _Argument(NamedTuple):
    """The inside of an argument, and where what follows it begins."""

    start: int
    end: int
    stop: int


class _Commands:
    """One pass over the commands; braces are paired once, before."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pairs = _brace_pairs(text)

    def edits(self) -> list[Edit]:
        found: list[Edit] = []
        for match in _TOKEN.finditer(self.text):
            found.extend(self._edit(match))
        if "\\begin{" in self.text:
            found.extend(Edit(m.start(), m.end(), " ") for m in re.finditer(r"(?<!\\)&", self.text))
        return merged(found)

    def _edit(self, match: re.Match[str]) -> Iterator[Edit]:
        if match["repeating"]:
            yield Edit(match.start(), match.end(), self._repeating(match))
        elif match.lastgroup in _GLYPHS:
            yield Edit(match.start(), match.end(), _GLYPHS[match.lastgroup])
        elif match["base"]:
            name = "log_" + re.sub("[^0-9]", "", match["base"]) + self._blank(match.end())
            yield Edit(match.start(), match.end(), self._apart(match.start(), name))
        elif match["script"]:
            yield from self._script(match)
        elif match["sign"]:
            yield Edit(match.start(), match.end(), _SIGNS.get(match["sign"], match["sign"]))
        else:
            yield from self._command(match)

    def _command(self, match: re.Match[str]) -> Iterator[Edit]:
        name, end = match["name"], match.end()
        if name in _FRACTIONS:
            yield from self._fraction(match.start(), end)
        elif name in _BINOMIALS:
            yield from self._binomial(match.start(), end)
        elif name == "sqrt":
            yield from self._root(match.start(), end)
        elif name in _WRAPPERS or name in {"color", "textcolor"}:
            yield from self._wrapper(match.start(), end, coloured=name not in _WRAPPERS)
        elif name in {"begin", "end"}:
            environment = _ENVIRONMENT.match(self.text, end)
            yield Edit(match.start(), environment.end() if environment else end, "\n")
        elif name in _SYMBOLS:
            dot = name in {"left", "right"} and self.text[end : end + 1] == "."
            plain = _SYMBOLS[name]
            end = match.end("name") if plain == ")" else end
            yield Edit(match.start(), end + dot, self._apart(match.start(), plain) if plain[:1].isalpha() else plain)
        elif name in _NAMED:
            yield Edit(match.start(), end, self._apart(match.start(), name) + self._blank(end))

    def _blank(self, end: int) -> str:
        """What parts a name from what follows: a command may begin with a letter, a sign may not."""
        return " " if _NAME_BEGINS.match(self.text, end) else ""

    def _repeating(self, match: re.Match[str]) -> str:
        """A repeating decimal as the fraction it is, in brackets where an operand touches it."""
        whole, _, digits = match[0].partition(".")
        fixed, _, period = digits.partition("\\")
        value = repeating(whole, fixed, re.sub("[^0-9]", "", period))
        before, after = self.text[: match.start()].rstrip()[-1:], self.text[match.end() :].lstrip()[:1]
        touched = before in _OPERATORS or before.isalnum() or after in _OPERATORS or after.isalnum()
        return f"({value})" if touched and value.denominator > 1 else str(value)

    def _apart(self, start: int, word: str) -> str:
        return " " + word if start and self.text[start - 1].isalpha() else word

    def _script(self, match: re.Match[str]) -> Iterator[Edit]:
        close = self.pairs.get(match.end() - 1)
        if close is None:
            return
        simple = re.fullmatch(r"\s?[A-Za-z0-9]{1,12}\s?", self.text[match.end() : min(close, match.end() + 16)])
        bare = simple is not None and not self.text[close + 1 : close + 2].isalnum()
        yield Edit(match.start(), match.end(), match["script"] + ("" if bare else "("))
        yield Edit(close, close + 1, "" if bare else ")")

    def _fraction(self, start: int, end: int) -> Iterator[Edit]:
        digits = _TWO_DIGITS.match(self.text, end)
        if digits:
            apart = " " if self.text[start - 1 : start].isdigit() else ""
            yield Edit(start, digits.end(), f"{apart}{digits[1]}/{digits[2]}")
            return
        upper = self._argument(end)
        lower = None if upper is None else self._argument(upper.stop)
        if upper is None or lower is None:
            return
        numerator, denominator = self.text[upper.start : upper.end], self.text[lower.start : lower.end]
        lead, above, below = self._fraction_brackets((start, lower.stop), numerator, denominator)
        if numerator.isdecimal() and denominator.isdecimal():
            # One number: its characters are those of the whole command.
            bracketed = ("(" * above, numerator, ")" * above, "/", "(" * below, denominator, ")" * below)
            yield Edit(start, lower.stop, lead + "".join(bracketed))
            return
        yield Edit(start, upper.start, lead + "(" * above)
        yield Edit(upper.end, lower.start, ")" * above + "/" + "(" * below)
        if below or lower.stop > lower.end:
            yield Edit(lower.end, lower.stop, ")" * below)

    def _binomial(self, start: int, end: int) -> Iterator[Edit]:
        upper = self._argument(end)
        lower = None if upper is None else self._argument(upper.stop)
        if upper is not None and lower is not None:
            yield Edit(start, upper.start, self._apart(start, "C("))
            yield Edit(upper.end, lower.start, ",")
            yield Edit(lower.end, lower.stop, ")")

    def _argument(self, at: int) -> _Argument | None:
        """What a command takes at a place: the inside of braces, or one letter or digit that stands alone."""
        at += self.text[at : at + 1] == " "
        if self.text[at : at + 1] == "{":
            close = self.pairs.get(at)
            return None if close is None else _Argument(at + 1, close, close + 1)
        lone = _LONE_ARGUMENT.match(self.text, at)
        return _Argument(at, at + 1, at + 1) if lone else None

    def _fraction_brackets(self, span: tuple[int, int], numerator: str, denominator: str) -> tuple[str, bool, bool]:
        """What leads the fraction, and whether numerator and denominator need brackets."""
        before, after = self.text[span[0] - 1 : span[0]], self.text[span[1] : span[1] + 1]
        if before.isdigit() and numerator.strip().isdecimal() and denominator.strip().isdecimal():
            return " ", False, False
        glued = before.isalnum() and not (before.isdigit() and numerator.strip()[:1].isalpha())
        above = glued or not _PRODUCT.fullmatch(numerator)
        runs_on = after.isdigit() or (after.isalpha() and not denominator.strip().isdecimal())
        below = runs_on or not _ATOM.fullmatch(denominator)
        return "", above, below

    def _root(self, start: int, end: int) -> Iterator[Edit]:
        degree = re.compile(r"\[\s?([0-9]{1,2})\s?\]\{").match(self.text, end)
        opening = degree.end() - 1 if degree else end
        close = self.pairs.get(opening) if self.text[opening : opening + 1] == "{" else None
        if close is None:
            yield Edit(start, end, self._apart(start, "sqrt "))
        elif degree:
            yield Edit(start, opening + 1, "(")
            yield Edit(close, close + 1, f")^(1/{degree[1]})")
        else:
            yield Edit(start, opening + 1, self._apart(start, "sqrt("))
            yield Edit(close, close + 1, ")")

    def _wrapper(self, start: int, end: int, *, coloured: bool) -> Iterator[Edit]:
        opening = end
        if coloured:
            first = self.pairs.get(end)
            opening = first + 1 if first is not None else end
        close = self.pairs.get(opening) if self.text[opening : opening + 1] == "{" else None
        if close is None:
            yield Edit(start, max(opening, end), "")
        else:
            yield Edit(start, opening + 1, "")
            yield Edit(close, close + 1, "")


def repeating(whole: str, fixed: str, period: str) -> Fraction:
    """The value of a decimal by the digits before its point, behind it, and those that repeat (at least one).

    >>> repeating("0", "", "3"), repeating("", "1", "6"), repeating("2", "", "9")
    (Fraction(1, 3), Fraction(1, 6), Fraction(3, 1))
    """
    tail = Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(fixed))
    return Fraction(f"{whole or 0}.{fixed or 0}") + tail


_FORMULA: Final = re.compile(r"\{\{\{((?>(?:[^{}]|\{(?!\{\{)|\}(?!\}\})){0,2000}))\}\}\}")
_WRAPPER: Final = re.compile(
    r"(?<![A-Za-z])(highlight(?:_green|_red|_blue)?|cross|red|green|blue|black|system|matrix|graph|drawing)\(", re.I
)
_QUOTE: Final = re.compile(r"\"")
_MIXED: Final = re.compile(r"(?<=[0-9])&(?=[0-9])")
_COUNTS: Final = re.compile(r"\s{0,4}([0-9]{1,2})\s{0,4},\s{0,4}([0-9]{1,2})\s{0,4},\s{0,4}")
_OPERATOR: Final = re.compile(r"[+\-*/]")
_RELATION: Final = re.compile(r"[=<>]")
_ALNUM_TAIL: Final = re.compile(r"[A-Za-z0-9)]\Z")


def brace_edits(text: str) -> list[Edit]:
    """``{{{ }}}`` formulas in plain maths, joined to the text so that a piece of a formula stays a piece."""
    edits: list[Edit] = []
    for match in _FORMULA.finditer(text):
        opening, closing = _joints(text, match)
        edits.append(Edit(match.start(), match.start() + 3, opening))
        edits.extend(_inside(text, *match.span(1)))
        edits.append(Edit(match.end() - 3, match.end(), closing))
    return merged(edits)


def _joints(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Brackets where a sum or quotient touches an operand; a space where letters or digits would run together."""
    inner = match[1].strip()
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    touches = bool(before and _ALNUM_TAIL.match(before)), bool(after) and (after.isalnum() or after == "(")
    if not any(touches) or not inner:
        return "", ""
    if _OPERATOR.search(inner) and not _RELATION.search(inner) and (touches[1] or not before.isalpha()):
        return "(", ")"
    return " " if touches[0] else "", " " if touches[1] and after != "(" else ""


def _inside(text: str, start: int, end: int) -> Iterator[Edit]:
    closers = _closers(text, start, end)
    for match in _WRAPPER.finditer(text, start, end):
        close = closers.get(match.end() - 1)
        if close is None:
            yield Edit(match.start(), match.end(), "")
        elif match[1].lower() in {"graph", "drawing"}:
            yield Edit(match.start(), close + 1, "")
        else:
            yield from _unwrapped(text, match, close)
    yield from (Edit(m.start(), m.end(), "") for m in _QUOTE.finditer(text, start, end))
    yield from (Edit(m.start(), m.end(), " ") for m in _MIXED.finditer(text, start, end))


def _unwrapped(text: str, match: re.Match[str], close: int) -> Iterator[Edit]:
    name, inner = match[1].lower(), match.end()
    columns = 1
    if name == "matrix":
        counts = _COUNTS.match(text, inner)
        inner = counts.end() if counts else inner
        columns = int(counts[2]) if counts else 99
    yield Edit(match.start(), inner, "")
    if name in {"matrix", "system"}:
        for number, comma in enumerate(_commas(text, inner, close), start=1):
            yield Edit(comma, comma + 1, "\n" if columns and number % columns == 0 else " ")
    yield Edit(close, close + 1, "")


def _closers(text: str, start: int, end: int) -> dict[int, int]:
    """Opening bracket -> its closing bracket."""
    pairs: dict[int, int] = {}
    open_at: list[int] = []
    for position in range(start, end):
        if text[position] == "(":
            open_at.append(position)
        elif text[position] == ")" and open_at:
            pairs[open_at.pop()] = position
    return pairs


def _commas(text: str, start: int, end: int) -> Iterator[int]:
    depth = 0
    for position in range(start, end):
        depth += (text[position] == "(") - (text[position] == ")")
        if text[position] == "," and depth == 0:
            yield position
