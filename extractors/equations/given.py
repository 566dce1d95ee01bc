"""The numbers a question gives, and which constants of an equation can come from them."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property

from extractors.equations.asked import MAX_QUESTION, Asked
from extractors.equations.candidates import read_candidates
from extractors.expressions.tree import Equation, Node, Num, walk
from extractors.quantities.numbers import find_numbers

MAX_NUMBERS = 24
_STRUCTURAL = frozenset(
    Fraction(n) for n in (0, 1, 2, 3, 4, 5, 7, 10, 12, 24, 25, 30, 50, 60, 90, 100, 180, 360, 365, 1000)
) | {Fraction(1, 2), Fraction(1, 4), Fraction(1, 10), Fraction(1, 20), Fraction(1, 100), Fraction(1, 60)}
_SCALES = (Fraction(100), Fraction(1, 100), Fraction(60), Fraction(1, 60), Fraction(10), Fraction(1, 10), Fraction(12))


class Given:
    """The numbers of a question; ``empty`` where it states none, so that rules about them do not apply."""

    def __init__(self, question: str) -> None:
        numbers = [abs(number.value) for number in find_numbers(question)]
        self.values = tuple(dict.fromkeys(numbers))[:MAX_NUMBERS]
        self.question = question[:MAX_QUESTION]
        self.asked = Asked(question)
        self._exact = frozenset(self.values)

    @property
    def empty(self) -> bool:
        """Whether the question states no number."""
        return not self.values

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The equations that the question itself sets ("solve x - 5 = 9"); values that it assigns are none."""
        if "=" not in self.question:
            return ()
        return tuple(c.equation for c in read_candidates(self.question).equations if not c.assigns)

    def holds(self, value: Fraction) -> bool:
        """Whether the question states the value, in size."""
        return abs(value) in self._exact

    @cached_property
    def _origins(self) -> dict[Fraction, int]:
        """Every spelling of a number of the question (percent, cents, minutes) -> its index."""
        out: dict[Fraction, int] = {}
        for index, value in enumerate(self.values):
            out.setdefault(value, index)
        for index, value in enumerate(self.values):
            for scale in _SCALES:
                out.setdefault(value * scale, index)
            for changed in (100 - value, 100 + value, 1 - value / 100, 1 + value / 100, 1 - value, value and 1 / value):
                if changed > 0:
                    out.setdefault(changed, index)
        return out

    @cached_property
    def _combined(self) -> frozenset[Fraction]:
        """Sums, differences, products and quotients of two numbers of the question."""
        out: set[Fraction] = set()
        for a in self.values:
            for b in self.values:
                out.update((a + b, abs(a - b), a * b))
                if b:
                    out.add(a / b)
        return frozenset(out)

    def explains(self, value: Fraction) -> bool:
        """Whether a constant may come from the question: stated, rescaled, structural or one operation away."""
        value = abs(value)
        return value in _STRUCTURAL or value in self._origins or value in self._combined

    def used(self, constants: Iterable[Fraction]) -> int:
        """How many numbers of the question the constants of a system use."""
        return len({self._origins[abs(c)] for c in constants if abs(c) in self._origins})

    def agreement(self, constants: Sequence[Fraction]) -> int:
        """Numbers of the question that are used, less the constants that neither are stated nor structural."""
        sizes = {abs(c) for c in constants}
        return self.used(constants) - sum(c not in self._origins and c not in _STRUCTURAL for c in sizes)


def constants_of(*nodes: Node | Equation) -> list[Fraction]:
    """The numbers in some trees."""
    trees = [side for node in nodes for side in ((node.left, node.right) if isinstance(node, Equation) else (node,))]
    return [part.value for tree in trees for part in walk(tree) if isinstance(part, Num)]
