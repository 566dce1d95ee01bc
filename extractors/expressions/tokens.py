"""The tokenizer: text to a list of symbol strings, in one pass of one linear-time expression; and the names among them.

Which names a system uses is decided before parsing: ``x`` as times, letters run together, case drift.

The functions and predicates that the grammar knows have one normal name each.
"""

import re
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from extractors.expressions.tree import Binary, Call, Name, Node, Num
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.text.wordlists import read_list, words

ALIASES = {
    "sqrt": "sqrt", "abs": "abs", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "ln": "ln", "log": "log", "exp": "exp",
    "_comb": "comb", "_cm": "comb", "comb": "comb", "nCr": "comb", "choose": "comb",
    "_perm": "perm", "_pm": "perm", "perm": "perm", "nPr": "perm",
    "_gcd": "gcd", "gcd": "gcd", "GCD": "gcd", "_lcm": "lcm", "lcm": "lcm", "LCM": "lcm",
    "_round": "round", "round": "round", "_ceiling": "ceiling", "ceiling": "ceiling", "ceil": "ceiling",
    "_floor": "floor", "floor": "floor", "_int": "floor", "int": "floor",
    "_max": "max", "max": "max", "_min": "min", "min": "min", "remainder": "mod", "mod": "mod",
    "factorial": "factorial", "_root": "root",
}  # fmt: skip
"""Spelling in the text -> normal name. Dolphin18K writes a leading underscore."""

PREDICATES = {
    "is_int": "is_integer", "is_integer": "is_integer", "is_digit": "is_digit",
    "is_odd": "is_odd", "is_even": "is_even", "is_prime": "is_prime", "is_prime_number": "is_prime",
}  # fmt: skip

PREFIX = frozenset({"sqrt", "sin", "cos", "tan", "cot", "arcsin", "arccos", "arctan", "ln", "log"})
"""Functions that may stand before an operand without brackets: ``sin x``, ``log 28``, ``sqrt 5``."""

TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot"})

ARITY = {
    "sqrt": (1, 1), "abs": (1, 1), "sin": (1, 1), "cos": (1, 1), "tan": (1, 1), "cot": (1, 1),
    "arcsin": (1, 1), "arccos": (1, 1), "arctan": (1, 1), "ln": (1, 1), "log": (1, 2), "exp": (1, 1),
    "comb": (1, 2), "perm": (1, 2), "gcd": (2, 20), "lcm": (2, 20), "round": (1, 2), "ceiling": (1, 1),
    "floor": (1, 1), "max": (1, 20), "min": (1, 20), "mod": (2, 2), "factorial": (1, 1), "root": (1, 2),
    "is_integer": (1, 20), "is_digit": (1, 20), "is_odd": (1, 20), "is_even": (1, 20), "is_prime": (1, 20),
}  # fmt: skip
"""Least and greatest number of arguments by normal name."""

MAX_DECIMAL_EXPONENT = 300


@lru_cache(maxsize=4096)
def number(raw: str) -> Num:
    """A number token as an exact value; ``LimitError`` for a decimal exponent above 300.

    >>> number(".25")
    Num(value=Fraction(1, 4))
    """
    mantissa, _, exponent = raw.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    if not (whole + fraction).isdecimal() or not (whole + fraction).isascii():
        raise ExtractionError("a point without digits" if not whole + fraction else f"no number: {raw[:20]!a}")
    power = int(exponent or 0) - len(fraction)
    if abs(int(exponent or 0)) > MAX_DECIMAL_EXPONENT:
        raise LimitError(f"decimal exponent {exponent[:12]} beyond {MAX_DECIMAL_EXPONENT}")
    digits = int(whole + fraction)
    return Num(Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power))


def make_call(symbol: str, args: tuple[Node, ...]) -> Call:
    """A checked call; ``_cm(104)`` lost its separator and means ``_cm(10, 4)``."""
    name = ALIASES[symbol]
    least, most = ARITY[name]
    if not least <= len(args) <= most:
        raise ExtractionError(f"{symbol} takes {least} to {most} arguments, not {len(args)}")
    if name in ("comb", "perm") and len(args) == 1:
        args = _unglue(symbol, args[0])
    return Call(name, args)


def _unglue(symbol: str, node: Node) -> tuple[Node, Node]:
    """The two arguments of a count whose separator was lost, where only one reading makes sense."""
    if isinstance(node, Num) and node.value.denominator == 1:
        digits = str(node.value.numerator)
        splits = [(int(digits[:i]), int(digits[i:])) for i in range(1, len(digits)) if digits[i] != "0"]
        fitting = [(n, r) for n, r in splits if n >= r]
        if digits.isdecimal() and len(fitting) == 1:
            return Num(Fraction(fitting[0][0])), Num(Fraction(fitting[0][1]))
    if isinstance(node, Binary) and isinstance(node.right, Num) and node.right.value.denominator == 1:
        last = node.right.value.numerator
        if 10 <= last < 100 and last % 10:
            return Binary(node.op, node.left, Num(Fraction(last // 10))), Num(Fraction(last % 10))
    raise ExtractionError(f"{symbol} needs two arguments")


MAX_LENGTH = 2000
MAX_TOKENS = 600

NUMBER, NAME = "number", "name"

_TYPOGRAPHIC = str.maketrans(
    {
        "–": "-", "−": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*",
        "÷": "/", "⁄": "/", "∕": "/", "²": "^2", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "，": ",", "；": ";",
        "（": "(", "）": ")", "＝": "=", "＋": "+", "π": " pi ", "≤": "<=", "≥": ">=", "≠": "!=", "º": "°", "˚": "°",
        "’": "'", "′": "'", "″": '"', "”": '"', "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3",
        "\u00a0": " ", "\u2009": " ", "\u202f": " ", "[": "(", "]": ")", "{": "(", "}": ")", "$": " ",
    }
)  # fmt: skip
_BRACKETS = str.maketrans("[]{}$", "()() ")

_PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+"
_EXPONENT = r"(?:\d+\.\d*[eE][+-]?\d+|\d+(?:e\d+|E[+-]?\d+))(?![\w(.])"
_REST = (
    r"|(?:arc(?:sin|cos|tan)|sin|cos|tan|cot|sqrt|log|ln)(?=\.?\d)|[A-Za-z_]\w*"
    r"|\*\*|<=|>=|==|!=|<>|\+/-|\S"
)
_TOKEN = re.compile(_PLAIN + _REST, re.ASCII)
_TOKEN_SCIENTIFIC = re.compile(_EXPONENT + "|" + _PLAIN + _REST, re.ASCII)
_GLUED_E = re.compile(r"[\d.][eE][+-]?\d", re.ASCII)
_LONE_E = re.compile(r"(?<![A-Za-z_])[eE](?![A-Za-z_0-9+-])|(?<![A-Za-z_\d.])[eE](?![A-Za-z_])", re.ASCII)
_INDEX = re.compile(r"\b([A-Za-z])\[(\d{1,3})\]", re.ASCII)

KIND = dict.fromkeys("0123456789.", NUMBER) | dict.fromkeys(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", NAME
)
"""The kind of a token by its first character; operators are absent."""


def normalise(text: str) -> str:
    """Typographic operators, superscripts and brackets in ASCII; ``r[1]`` becomes ``r_1``."""
    if len(text) > MAX_LENGTH:
        raise LimitError(f"expression of {len(text)} characters; at most {MAX_LENGTH} are read")
    if "[" in text:
        text = _INDEX.sub(r"\1_\2", text)
    if text.isascii():
        return text.translate(_BRACKETS) if "[" in text or "{" in text or "$" in text else text
    return text.translate(_TYPOGRAPHIC)


def _uses_scientific(text: str, declared: Container[str]) -> bool:
    """Whether ``1e5`` in a text is a number: not where ``e`` is an unknown of the system."""
    if ("e" not in text and "E" not in text) or "e" in declared or "E" in declared:
        return False
    return _GLUED_E.search(text) is not None and not _LONE_E.search(text)


def tokenize(text: str, declared: Container[str] = "eE") -> list[str]:
    """The tokens of an expression, ending with an empty string.

    Numbers are ASCII digits with thousands commas taken out (``1,200`` gives ``1200``); ``$`` is dropped, brackets
    of all kinds become round. ``1e5`` is a number only where ``e`` is not ``declared`` as an unknown. Raises
    ``LimitError`` for a text that is too long.

    >>> tokenize("$2.50x + 1,200(y)")
    ['2.50', 'x', '+', '1200', '(', 'y', ')', '']
    """
    pattern = _TOKEN_SCIENTIFIC if _uses_scientific(text, declared) else _TOKEN
    tokens: list[str] = pattern.findall(normalise(text))
    if len(tokens) > MAX_TOKENS:
        raise LimitError(f"expression of {len(tokens)} tokens; at most {MAX_TOKENS} are read")
    if "," in text:
        tokens = _thousands(tokens)
    if "!=" in tokens:
        tokens = _factorials(tokens)
    tokens.append("")
    return tokens


def _thousands(tokens: list[str]) -> list[str]:
    """Takes thousands commas out of numbers; within the brackets of a function a comma separates arguments."""
    out: list[str] = []
    calls: list[bool] = []
    for symbol in tokens:
        if symbol == "(":
            calls.append(bool(out) and KIND.get(out[-1][0]) is NAME and len(out[-1]) > 1)
        elif symbol == ")" and calls:
            calls.pop()
        if len(symbol) > 1 and "," in symbol:
            if any(calls):
                for index, part in enumerate(symbol.split(",")):
                    out.extend((",", part) if index else (part,))
            else:
                out.append(symbol.replace(",", ""))
        else:
            out.append(symbol)
    return out


def _factorials(tokens: list[str]) -> list[str]:
    """``5!=120`` states a factorial, ``m!=6`` an inequality."""
    out: list[str] = []
    for symbol in tokens:
        if symbol == "!=" and out and (KIND.get(out[-1][0]) is NUMBER or out[-1] == ")"):
            out.extend(("!", "="))
        else:
            out.append(symbol)
    return out


def tokenize_line(text: str, declared: Container[str]) -> list[str]:
    """The tokens of a line that is an equation, without the marks that end it."""
    return tokenize(text.rstrip(" \t\r\n.,;"), declared)


_OPERAND_END = frozenset({")", "!", "%", "|"})
_UNIT_WORDS = frozenset(words(read_list("extractors/short_units")))
_MAX_SPLIT = 4


class NameScope(NamedTuple):
    """How names are to be read.

    ``names``: single unknowns that occur or were declared, in order of appearance; ``splits``: words that are products
    of single letters; ``rename``: case drift; ``x_is_times``: ``x`` between two operands multiplies; ``atoms``: the
    nodes of the declared names.
    """

    names: tuple[str, ...]
    declared: frozenset[str]
    splits: dict[str, tuple[str, ...]]
    rename: dict[str, str]
    x_is_times: bool
    atoms: dict[str, Name]


def _is_times_position(tokens: Sequence[str], index: int) -> bool:
    """Whether the ``x`` at an index stands where a times sign could stand: between two operands, spaced from names."""
    if index == 0:
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    ends = before in _OPERAND_END or KIND.get(before[:1]) is not None
    if not ends or not after:
        return False
    return KIND.get(after[0]) is not None or after == "("


def _glued_times(symbol: str) -> bool:
    """``x3`` after a number may be ``times 3``."""
    return symbol[0] in "xX" and symbol[1:].isdecimal()


class _NameCollector:
    """Gathers names over the token lists of a system."""

    def __init__(self, declared: Iterable[str]) -> None:
        self.declared = frozenset(declared)
        self.firm = dict.fromkeys(declared)
        self.words: dict[str, bool] = {}
        self.doubtful: dict[str, None] = {}

    def add(self, tokens: Sequence[str]) -> None:
        firm = self.firm
        for index, symbol in enumerate(tokens):
            if KIND.get(symbol[:1]) is not NAME or symbol in firm:
                continue
            if len(symbol) > 1:
                self._word(tokens, index, symbol)
            elif symbol in "xX" and _is_times_position(tokens, index):
                self.doubtful[symbol] = None
            else:
                firm[symbol] = None

    def _word(self, tokens: Sequence[str], index: int, symbol: str) -> None:
        after_number = index > 0 and KIND.get(tokens[index - 1][:1]) is NUMBER
        if after_number and _glued_times(symbol):
            self.doubtful[symbol] = None
        elif (symbol in ALIASES and (tokens[index + 1] == "(" or symbol in PREFIX)) or (
            symbol[:4] == "log_" and symbol[4:].isdecimal()
        ):
            return
        elif "_" in symbol or symbol[1:].isdecimal():
            if symbol not in PREDICATES:
                self.firm[symbol] = None
        else:
            self.words[symbol] = self.words.get(symbol, False) or after_number


def build_scope(token_lists: Sequence[Sequence[str]], declared: Iterable[str] = ()) -> NameScope:
    """The scope of some token lists that belong to one system; ``declared`` names come first and are never split."""
    names = dict.fromkeys(declared)
    if not any(map(str.isidentifier, set().union(*token_lists).difference(names))):
        return declared_scope(names)
    collector = _NameCollector(names)
    for tokens in token_lists:
        collector.add(tokens)
    firm = collector.firm
    x_is_times = False
    if collector.doubtful:
        x_is_times = _settle_times(firm, collector.doubtful)
    splits = _splits(collector) if collector.words else {}
    rename = _case_drift(token_lists, firm, collector.declared)
    atoms = {name: Name(rename.get(name, name)) for name in names}
    return NameScope(tuple(firm), collector.declared, splits, rename, x_is_times, atoms)


def declared_scope(names: Iterable[str]) -> NameScope:
    """The scope of equations in which no other names than these, all different, occur."""
    atoms = {name: Name(name) for name in names}
    return NameScope(tuple(atoms), frozenset(atoms), {}, {}, False, atoms)


def _settle_times(firm: dict[str, None], doubtful: dict[str, None]) -> bool:
    """Decides whether the doubtful ``x`` are times signs; adds them to the names where they are not."""
    indexed = [symbol for symbol in doubtful if len(symbol) > 1]
    if len(indexed) > 1 or any(symbol[:1] in "xX" and len(symbol) > 1 for symbol in firm):
        firm.update(dict.fromkeys(doubtful))
        return False
    if "x" in firm or "X" in firm:
        firm.update(dict.fromkeys(symbol for symbol in doubtful if len(symbol) == 1))
        return False
    return True


def _splits(collector: _NameCollector) -> dict[str, tuple[str, ...]]:
    """Words read as products of single letters: all letters occur alone, or a short word is glued to a number."""
    firm, out = collector.firm, {}
    for word, after_number in collector.words.items():
        known = len(word) <= _MAX_SPLIT and all(letter in firm for letter in word)
        glued = after_number and len(word) <= 3 and word.lower() not in _UNIT_WORDS and word not in ("pi", "PI")
        if word.isalpha() and (known or (glued and any(letter in firm for letter in word))):
            out[word] = tuple(word)
            firm.update(dict.fromkeys(word))
        elif word not in ("pi", "Pi", "PI"):
            firm[word] = None
    return out


def _case_drift(
    token_lists: Iterable[Sequence[str]], firm: dict[str, None], declared: frozenset[str]
) -> dict[str, str]:
    """``X`` is the same unknown as ``x`` unless both are declared or one equation uses both."""
    if all(name.islower() for name in firm):
        return {}
    groups: dict[str, list[str]] = {}
    for name in firm:
        groups.setdefault(name.lower(), []).append(name)
    rename: dict[str, str] = {}
    for spellings in groups.values():
        if len(spellings) < 2 or sum(name in declared for name in spellings) > 1:
            continue
        if any(sum(name in tokens for name in spellings) > 1 for tokens in token_lists):
            continue
        keep = next((name for name in spellings if name in declared), spellings[0])
        rename.update((name, keep) for name in spellings if name != keep)
    for name in rename:
        del firm[name]
    return rename
