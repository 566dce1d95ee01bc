"""Formulas of an answer to our own trees: the LaTeX and the plain text of competition answers.

A tree has ``pi``, ``e``, ``i`` and ``infinity`` as calls without arguments, ``degrees`` around an angle, and ``±`` and
``∓`` as operators. What stands in brackets may be no formula but a point or a set; ``statement_reader`` reads those.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from evaluation.metrics.notation_tokens import FUNCTIONS, GREEK, WORD
from extractors.expressions.tree import Binary, Call, Name, Node, Num, Unary
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.text.latex import repeating

MAX_NESTING: Final = 40
INFINITY: Final = Call("infinity", ())
_CONSTANTS: Final = {"e": Call("e", ()), "i": Call("i", ()), "\\pi": Call("pi", ()), "\\infty": INFINITY}
_MARKED: Final = frozenset(["\\vec", "\\overrightarrow", "\\overline", "\\hat", "\\mathbf", "\\boldsymbol", "\\bar"])
_SHAPES: Final = frozenset(["\\angle", "\\triangle", "∠", "△"])
_WORD_BASES: Final = {WORD + "two": 2, WORD + "ten": 10, WORD + "three": 3, WORD + "eight": 8, WORD + "sixteen": 16}
_INVERSE: Final = {"sin": "arcsin", "cos": "arccos", "tan": "arctan", "cot": "arccot"}
_MATRICES: Final = re.compile(WORD + r"[pbBv]?(?:small)?(?:matrix|array)")
_NUMBER: Final = re.compile(r"[0-9.]")
_ONE: Final = Num(Fraction(1))


class Held(NamedTuple):
    """What brackets or commas hold together: a tuple, interval, set, list, row, matrix, ``where`` and so on.

    ``marks`` are the brackets of an interval, and how a list is joined.
    """

    kind: str
    items: "tuple[StatedItem, ...]"
    marks: str = ""


class RelationChain(NamedTuple):
    """A chain of relations, ``1 <= x < 3``; ``operators[i]`` stands between sides ``i`` and ``i + 1``."""

    sides: "tuple[StatedItem, ...]"
    operators: tuple[str, ...]


class JoinedSets(NamedTuple):
    """Two sets with ``\\cup``, ``\\cap`` or ``\\setminus`` between them."""

    operator: str
    left: "StatedItem"
    right: "StatedItem"


StatedItem: TypeAlias = Node | Held | RelationChain | JoinedSets


class FormulaReader(ABC):
    """One pass over the tokens; ``tight`` takes ``1/2x`` for 1/(2x), and ``loose`` says that this made a difference."""

    def __init__(self, tokens: Sequence[str], *, tight: bool = False) -> None:
        self.tokens, self.tight = list(tokens), tight
        self.at = self.depth = self.bars = 0
        self.loose = self.in_set = False
        self.bases: list[str] = []

    @property
    def symbol(self) -> str:
        return self.tokens[self.at]

    def step(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, symbol: str) -> None:
        """Steps over a symbol that must be here."""
        if self.step() != symbol:
            raise ExtractionError(f"expected {symbol}")

    @abstractmethod
    def bracketed(self, opening: str) -> StatedItem:
        """What brackets hold, the opening one included."""

    def sum(self) -> StatedItem:
        """A sum."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise LimitError(f"nested deeper than {MAX_NESTING}")
        left = self.product()
        while self.symbol in ("+", "-", "±", "∓"):
            left = Binary(self.step(), formula(left), formula(self.product()))
        self.depth -= 1
        return left

    def product(self) -> StatedItem:
        """A product, its signs written or not."""
        left = self.signed()
        while True:
            if self.symbol in ("*", "/"):
                sign, right = self.step(), formula(self.signed())
                if sign == "/" and self.starts_factor():
                    self.loose = True
                    while self.tight and self.starts_factor():
                        right = Binary("*", right, formula(self.power()))
                left = Binary(sign, formula(left), right)
            elif self.starts_factor():
                closed, right = self.tokens[self.at - 1] == ")", formula(self.power())
                if closed and isinstance(left, Num) and isinstance(right, Num):
                    raise ExtractionError("numbers in brackets side by side")
                left = Binary("*", formula(left), right)
            else:
                return left

    def signed(self) -> StatedItem:
        """A factor with its signs."""
        if self.symbol not in ("-", "+", "±", "∓"):
            return self.power()
        sign = self.step()
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise LimitError(f"nested deeper than {MAX_NESTING}")
        operand = formula(self.signed())
        self.depth -= 1
        return operand if sign == "+" else Unary(sign, operand)

    def starts_factor(self) -> bool:
        """Whether a factor without a sign before it begins here."""
        symbol = self.symbol
        if not symbol or symbol[0] == WORD:
            return False
        if _NUMBER.match(symbol):
            return self.tokens[self.at - 1] in (")", "}", "]")
        if symbol[0].isalpha() and symbol.isascii():
            return True
        if symbol == "|":
            return not self.bars and not self.in_set
        return symbol in ("(", "[", "{") or (symbol[0] == "\\" and symbol[1:] in GREEK) or symbol in _OPERANDS

    def power(self) -> StatedItem:
        """A factor with its power."""
        base = self.postfix()
        if self.symbol != "^":
            return base
        self.step()
        return self.postfixed(Binary("^", formula(base), self.exponent()))

    def exponent(self) -> Node:
        """What stands behind ``^``."""
        if self.symbol == "-":
            self.step()
            return Unary("-", self.exponent())
        raised = formula(self.postfix())
        if self.symbol == "^":
            self.step()
            return Binary("^", raised, self.exponent())
        return raised

    def postfix(self) -> StatedItem:
        """An operand with what stands right behind it."""
        return self.postfixed(self.operand())

    def postfixed(self, node: StatedItem) -> StatedItem:
        """The operand as a factorial or an angle in degrees."""
        while self.symbol in ("!", "°"):
            sign = self.step()
            if sign == "!" and self.symbol == "!":
                raise ExtractionError("a double factorial")
            node = Call("factorial" if sign == "!" else "degrees", (formula(node),))
        return node

    def operand(self) -> StatedItem:
        """A number, a name, a bracket, a command."""
        symbol = self.symbol
        if _NUMBER.match(symbol):
            return self.numeral()
        if symbol in ("(", "[", "{", "\\{", "\\langle"):
            return self.bracketed(symbol)
        self.step()
        if symbol in _CONSTANTS:
            return _CONSTANTS[symbol]
        if symbol[:1] == "\\" and symbol[1:] in FUNCTIONS.values():
            return self.function(symbol[1:])
        command = _COMMANDS.get(symbol)
        if command is not None:
            return command(self)
        if (symbol.isalpha() and symbol.isascii()) or symbol[1:] in GREEK:
            return self.name(symbol.removeprefix("\\"))
        raise ExtractionError(f"no operand: {symbol[:20]}")

    def numeral(self) -> Node:
        """A number: in a base, repeating, or mixed with the fraction behind it."""
        raw = self.step()
        if "\\" in raw:
            whole, _, digits = raw.partition(".")
            fixed, _, period = digits.partition("\\")
            return Num(repeating(whole, fixed, re.sub("[^0-9]", "", period)))
        if self.symbol == "_":
            return self.in_base(raw)
        value = Fraction(raw)
        part = self._part() if value.denominator == 1 and "." not in raw else None
        return Num(value if part is None else value + part)

    def in_base(self, raw: str) -> Node:
        """Digits with their base below."""
        self.step()
        braced = self.symbol == "{"
        self.at += braced
        symbol = self.step()
        base = int(symbol) if symbol.isdecimal() and len(symbol) < 3 else _WORD_BASES.get(symbol, 0)
        if braced:
            self.expect("}")
        if not 2 <= base <= 16 or not raw.isdecimal() or any(int(digit) >= base for digit in raw):
            raise ExtractionError("digits that their base does not have")
        self.bases.append(raw)
        return Num(Fraction(int(raw, base)))

    def _part(self) -> Fraction | None:
        r"""The fraction of a mixed number, ``3\frac{1}{2}`` or ``3 1/2``."""
        ahead = self.tokens[self.at : self.at + 7]
        if ahead[:1] == ["\\frac"]:
            digits = "".join(ahead[1:]).replace("{", " ").replace("}", " ").split()[:2]
            if len(digits) == 1 and len(digits[0]) == 2:
                digits = list(digits[0])
            size = 7 if ahead[1] == "{" else 2 if len(ahead[1]) == 2 else 3
            form = ahead[1:7:3] == ["{", "{"] and ahead[3:7:3] == ["}", "}"] if size == 7 else True
        else:
            digits, size, form = ahead[:3:2], 3, ahead[1:2] == ["/"]
        if not form or len(digits) != 2 or not all(part.isdecimal() and len(part) < 10 for part in digits):
            return None
        above, below = map(int, digits)
        if not 0 < above < below or self.tokens[self.at - 2 : self.at - 1] == ["^"]:
            return None
        self.at += size
        return Fraction(above, below)

    def name(self, letter: str) -> Node:
        """An unknown with its index; a count where two arguments follow C or P."""
        while self.symbol == "'":
            letter += self.step()
        if self.symbol == "_":
            self.step()
            letter += "_" + self.index()
        if letter == "C" and self.symbol == "(" and "," in self.tokens[self.at : self.at + 6]:
            group = self.bracketed("(")
            if isinstance(group, Held) and len(group.items) == 2:
                return Call("comb", tuple(map(formula, group.items)))
        if self.symbol == "(" and letter in ("f", "g", "h"):
            raise ExtractionError(f"a value of the function {letter}")
        return Name(letter)

    def index(self) -> str:
        """The signs below a name, as one text."""
        if self.symbol != "{":
            return self.step().strip(WORD + "\\")
        end = self.tokens.index("}", self.at) if "}" in self.tokens[self.at :] else self.at
        inside = "".join(self.tokens[self.at + 1 : end]).replace(WORD, "")
        self.at = end + 1
        return inside

    def argument(self) -> Node:
        """What a command takes: braces, or one digit or sign."""
        symbol = self.symbol
        if symbol.isdecimal() and len(symbol) > 1:
            self.tokens[self.at] = symbol[1:]
            return Num(Fraction(int(symbol[0])))
        if symbol == "{":
            return formula(self.bracketed("{"))
        return formula(self.operand())

    def function(self, name: str) -> Node:
        """A function with its base, its power and its argument: sin^2 x, log_2 8, sin^{-1}(1/2)."""
        base: Node | None = None
        if self.symbol == "_" and name == "log":
            self.step()
            base = self.argument() if self.symbol == "{" else formula(self.operand())
        power: Node | None = None
        if self.symbol == "^":
            self.step()
            power = self.exponent()
            if power in (Unary("-", _ONE), Num(Fraction(-1))):
                name, power = _INVERSE.get(name, ""), None
        arguments = self.arguments()
        if name in ("max", "min", "gcd", "lcm"):
            found: Node = Call(name, arguments)
        elif len(arguments) != 1 or not name:
            raise ExtractionError("a function of several arguments")
        else:
            found = Call(name, arguments if base is None else (*arguments, base))
        return found if power is None else Binary("^", found, power)

    def arguments(self) -> tuple[Node, ...]:
        """What stands in the brackets of a function, or the product behind it."""
        if self.symbol in ("(", "[", "{", "\\{"):
            group = self.bracketed("(" if self.symbol == "(" else self.symbol)
            return tuple(map(formula, group.items)) if isinstance(group, Held) else (formula(group),)
        found = formula(self.signed())
        while self.starts_factor() and self.symbol not in ("(", "|") and self.symbol[1:] not in FUNCTIONS.values():
            found = Binary("*", found, formula(self.power()))
        return (found,)

    def fraction(self) -> Node:
        above = self.argument()
        return Binary("/", above, self.argument())

    def binomial(self) -> Node:
        above = self.argument()
        return Call("comb", (above, self.argument()))

    def root(self) -> Node:
        if self.symbol == "[":
            self.step()
            degree = formula(self.sum())
            self.expect("]")
            return Call("root", (self.argument(), degree))
        return Call("sqrt", (formula(self.operand()),))

    def absolute(self) -> Node:
        self.bars += 1
        inside = formula(self.sum())
        self.expect("|")
        self.bars -= 1
        return Call("abs", (inside,))

    def rounded(self, name: str, end: str) -> Node:
        inside = formula(self.sum())
        self.expect(end)
        return Call(name, (inside,))

    def marked(self) -> Node:
        """A letter or letters under an arrow or a bar: the name of a vector or a segment."""
        if self.symbol != "{":
            return Name(self.step())
        name = self.index()
        if not name.isalpha():
            raise ExtractionError("a bar over a number")
        return Name(name)

    def shape(self) -> Node:
        name = ""
        while self.symbol.isalpha() and self.symbol.isascii() and len(self.symbol) == 1:
            name += self.step()
        return Name("∠" + name)

    def matrix(self) -> Held:
        r"""The rows between ``\begin`` and ``\end``."""
        self.expect("{")
        name = self.step()
        if not _MATRICES.fullmatch(name):
            raise ExtractionError("an environment that is no matrix")
        self.expect("}")
        if self.symbol == "{" and name.endswith("array"):
            self.index()
        rows: list[list[StatedItem]] = [[]]
        while self.symbol != "\\end":
            if self.symbol in ("&", "\\\\"):
                if self.step() != "&":
                    rows.append([])
            else:
                rows[-1].append(self.sum())
        self.at += 4
        kept = [row for row in rows if row]
        if len({len(row) for row in kept}) != 1:
            raise ExtractionError("a matrix of rows that differ in length")
        return Held("matrix", tuple(Held("row", tuple(row)) for row in kept))


def formula(item: StatedItem) -> Node:
    """An item that is a formula; ExtractionError for a set or a statement."""
    if isinstance(item, Held | RelationChain | JoinedSets):
        raise ExtractionError("a set or a statement within a formula")
    return item


_COMMANDS: Final[dict[str, Callable[[FormulaReader], StatedItem]]] = {
    "\\frac": FormulaReader.fraction,
    "\\binom": FormulaReader.binomial,
    "\\begin": FormulaReader.matrix,
    "\\sqrt": FormulaReader.root,
    "|": FormulaReader.absolute,
    "\\lfloor": lambda reader: reader.rounded("floor", "\\rfloor"),
    "⌊": lambda reader: reader.rounded("floor", "⌋"),
    "\\lceil": lambda reader: reader.rounded("ceiling", "\\rceil"),
    "⌈": lambda reader: reader.rounded("ceiling", "⌉"),
    **dict.fromkeys(_MARKED, FormulaReader.marked),
    **dict.fromkeys(_SHAPES, FormulaReader.shape),
}
_OPERANDS: Final = (
    frozenset(_COMMANDS) - {"|"} | {"\\pi", "\\infty"} | {"\\" + name for name in FUNCTIONS.values()}
) - _SHAPES
