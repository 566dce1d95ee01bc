"""Arithmetic answers: chains of steps composed into one expression (``x = arithmetic``, as Dolphin18K writes them)."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from extractors.equations.candidates import Step
from extractors.equations.given import constants_of
from extractors.equations.identities import are_near, as_float, is_near
from extractors.expressions.tree import Binary, Name, Node, Num, children, rebuild

MAX_NODES = 120
LOOK_BACK = 40
"""How many steps before it a number may have been worked out."""
_EXACT = Fraction(1, 10_000)
_ABOUT = 2e-4
"""For a quick look, before the exact comparison."""


class Composer:
    """Puts the results of earlier steps into later ones."""

    def __init__(self, steps: Sequence[Step], is_given: Callable[[Fraction], bool]) -> None:
        """``steps`` in order of appearance; ``is_given`` says whether the question gives a number."""
        self.steps, self.is_given = steps, is_given
        self.sizes = [as_float(step.value) for step in steps]
        self.numbers = [frozenset([value.as_integer_ratio() for value in constants_of(step.node)]) for step in steps]
        self.used: set[int] = set()
        self.left = 0

    def compose(self, index: int) -> tuple[Node, tuple[int, ...]]:
        """The expression of a step with the results of earlier steps put in, and the indexes of the steps used.

        A number that is the result of an earlier step stands for it, unless the question gives it and the step was used
        before or is not the last one; the latest such step counts.
        """
        self.used, self.left = {index}, MAX_NODES
        return self._expand(self.steps[index].node, index), tuple(sorted(self.used))

    def _expand(self, node: Node, before: int) -> Node:
        kind = type(node)
        if kind is Num:
            source = self._source(node.value, before)  # type: ignore[union-attr]
            self.left -= 1
            if source is None or self.left < 0:
                return node
            self.used.add(source)
            return self._expand(self.steps[source].node, source)
        if kind is Name:
            return node
        turned = self._turned(node, before)
        if turned is not None:
            self.used.add(turned)
            return Binary("/", Num(Fraction(1)), self._expand(self.steps[turned].node, turned))
        return rebuild(node, tuple([self._expand(part, before) for part in children(node)]))

    def _turned(self, node: Node, before: int) -> int | None:
        """The step right before a fraction that is one over its result: ``7/12`` of it an hour, ``12/7`` hours."""
        if not (before and isinstance(node, Binary) and node.op == "/" and self.left > 0):
            return None
        top, bottom = node.left, node.right
        if not (isinstance(top, Num) and isinstance(bottom, Num)) or self.is_given(top.value) or not bottom.value:
            return None
        return before - 1 if self.steps[before - 1].value * top.value == bottom.value else None

    def _source(self, value: Fraction, before: int) -> int | None:
        """The latest of the steps before with that result."""
        size = as_float(value) if before else 0.0
        for index in range(before - 1, max(-1, before - 1 - LOOK_BACK), -1):
            if are_near(self.sizes[index], size, _ABOUT) and is_near(self.steps[index].value, value, _EXACT):
                if self.is_given(value) and (index in self.used or index < before - 1):
                    return None
                return index
        return None
