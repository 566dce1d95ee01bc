"""What the networks read and write: words with marked numbers, and prefix expressions over the places of the numbers.

The targets are those of Xie & Sun (IJCAI 2019, section 2): operators, constants of the training part, and the numbers
of the question by their place. Everything here is exact and knows nothing of PyTorch.
"""

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Final

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.sim import NUMBER, Text
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Binary, Call, Name, Node, Num
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers

MAX_NUMBERS: Final = 12
"""Numbers of a question that have a place; more are read as numbers without one."""
MAX_SYMBOLS: Final = 31
LEAST_WORDS: Final = 2
"""Words that stand less often in the training part are one unknown word."""
LEAST_CONSTANTS: Final = 2
"""Constants that stand less often in the training part are not learnt, nor the problems that need them."""

_BINARY: Final[dict[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_UNARY: Final[dict[str, Callable[[Fraction], int]]] = {"floor": floor, "ceiling": ceil}

Symbol = str | Fraction | int
"""An operator by its name, a constant, or the place of a number in the question."""
Prefix = tuple[Symbol, ...]


@dataclass(frozen=True)
class Asked:
    """A question as a network reads it; ``values`` are those of the numbers of ``text``, at most MAX_NUMBERS."""

    text: Text
    values: tuple[Fraction, ...]

    @classmethod
    def of(cls, question: str) -> "Asked":
        """The words and numbers of a question."""
        numbers = {(number.start, number.end): number.value for number in find_numbers(question)}
        text = Text.of(question, list(numbers))
        return cls(text, tuple(numbers[span] for span in text.numbers[:MAX_NUMBERS]))

    def tokens(self, numbered: bool) -> tuple[str, ...]:
        """The words; a number that is written as one is a mark, with its place if marks are numbered.

        >>> Asked.of("Tom has 3 pens and 4 hats").tokens(numbered=True)
        ('tom', 'has', '#0', 'pens', 'and', '#1', 'hats')
        """
        if not numbered:
            return self.text.tokens
        marks = {place: f"{NUMBER}{k}" for k, place in enumerate(self.places)}
        return tuple(marks.get(k, word) if word == NUMBER else word for k, word in enumerate(self.text.tokens))

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each number among the tokens."""
        return self.text.places[: len(self.values)]


@dataclass(frozen=True)
class PrefixExample:
    """A question with its expression."""

    asked: Asked
    target: Prefix


def example_of(problem: GoldProblem) -> PrefixExample | None:
    """A problem to learn from; None unless it is one equation that gives its unknown by arithmetic."""
    if len(problem.equations) != 1 or not problem.question.strip():
        return None
    try:
        equation = parse_equation(problem.equations[0], problem.unknowns)[0]
    except ExtractionError:
        return None
    asked = Asked.of(problem.question)
    target = prefix_of(equation.right, asked.values) if isinstance(equation.left, Name) else None
    return None if target is None or not asked.text.tokens else PrefixExample(asked, target)


def prefix_of(node: Node, values: Sequence[Fraction]) -> Prefix | None:
    """A tree as prefix symbols; of equal numbers the first that is not used yet. None for what is no arithmetic.

    >>> from extractors.expressions.grammar import parse_expression
    >>> prefix_of(parse_expression("5*(8-5)-1"), [Fraction(5), Fraction(8), Fraction(5)])
    ('-', '*', 0, '-', 1, 2, Fraction(1, 1))
    """
    found: list[Symbol] = []
    used: set[int] = set()
    stack = [node]
    while stack and len(found) < MAX_SYMBOLS:
        part = stack.pop()
        if isinstance(part, Num):
            places = [place for place, value in enumerate(values) if value == part.value]
            place = next((one for one in places if one not in used), places[0] if places else None)
            used |= set() if place is None else {place}
            found.append(part.value if place is None else place)
        elif isinstance(part, Binary) and part.op in _BINARY:
            found.append(part.op)
            stack += (part.right, part.left)
        elif isinstance(part, Call) and part.name in _UNARY:
            found.append(part.name)
            stack += part.args
        else:
            return None
    return None if stack else tuple(found)


def arity(symbol: Symbol) -> int:
    """How many operands follow a symbol."""
    return 0 if not isinstance(symbol, str) else 1 if symbol in _UNARY else 2


def tree_of(prefix: Prefix, leaf: Callable[[int], Node]) -> Node:
    """The tree of a whole prefix expression, with a node for each place."""
    stack: list[Node] = []
    for symbol in reversed(prefix):
        if isinstance(symbol, str):
            parts = tuple(stack.pop() for _ in range(arity(symbol)))
            stack.append(Call(symbol, parts) if symbol in _UNARY else Binary(symbol, parts[0], parts[1]))
        else:
            stack.append(leaf(symbol) if isinstance(symbol, int) else Num(symbol))
    return stack.pop()


def value_of(prefix: Prefix, values: Sequence[Fraction]) -> Fraction | None:
    """The exact value of a whole prefix expression; None for a division by zero.

    >>> value_of(("/", "-", 0, 1, Fraction(4)), [Fraction(9), Fraction(2)])
    Fraction(7, 4)
    """
    stack: list[Fraction] = []
    for symbol in reversed(prefix):
        if not isinstance(symbol, str):
            stack.append(values[symbol] if isinstance(symbol, int) else symbol)
        elif symbol in _UNARY:
            stack.append(Fraction(_UNARY[symbol](stack.pop())))
        else:
            left, right = stack.pop(), stack.pop()
            if symbol == "/" and not right:
                return None
            stack.append(_BINARY[symbol](left, right))
    return stack.pop()


@dataclass(frozen=True)
class NetworkVocabulary:
    """The words and the symbols of the training part, each by its number; word 0 fills up, word 1 is unknown.

    ``symbols`` are operators, then constants, then places; ``numbered`` says how numbers are marked.
    """

    words: dict[str, int]
    symbols: tuple[Symbol, ...]
    numbered: bool

    @classmethod
    def of(cls, examples: Sequence[PrefixExample], numbered: bool) -> "NetworkVocabulary":
        """All symbols, and the words that stand often enough, of some examples."""
        counts = Counter(word for example in examples for word in example.asked.tokens(numbered))
        words = sorted(word for word, count in counts.items() if count >= LEAST_WORDS)
        targets = [symbol for example in examples for symbol in example.target]
        names = sorted({symbol for symbol in targets if isinstance(symbol, str)})
        repeated = Counter(symbol for symbol in targets if isinstance(symbol, Fraction))
        constants = sorted(symbol for symbol, count in repeated.items() if count >= LEAST_CONSTANTS)
        places = range(max((len(example.asked.values) for example in examples), default=0))
        return cls({word: k for k, word in enumerate(words, 2)}, (*names, *constants, *places), numbered)

    def word_ids(self, asked: Asked) -> list[int]:
        """The words of a question by number."""
        return [self.words.get(word, 1) for word in asked.tokens(self.numbered)]

    def symbol_ids(self, prefix: Prefix) -> list[int] | None:
        """The symbols of an expression by number; None where one is not known."""
        ids = [self._ids.get((type(symbol), symbol)) for symbol in prefix]
        known = [one for one in ids if one is not None]
        return known if len(known) == len(ids) else None

    @cached_property
    def _ids(self) -> dict[tuple[type, Symbol], int]:
        return {(type(symbol), symbol): k for k, symbol in enumerate(self.symbols)}  # 1 == Fraction(1)

    @property
    def operators(self) -> int:
        """How many operators there are."""
        return sum(isinstance(symbol, str) for symbol in self.symbols)

    @property
    def places(self) -> int:
        """How many places of numbers there are."""
        return sum(isinstance(symbol, int) for symbol in self.symbols)
