"""Arithmetic answers: chains of steps composed into one expression (``x = arithmetic``, as Dolphin18K writes them)."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from extractors.equations.candidates import Step
from extractors.equations.identities import is_near
from extractors.expressions.tree import Binary, Node, Num, children, rebuild

MAX_NODES = 120
LOOK_BACK = 40
"""How many steps before it a number may have been worked out."""
_EXACT = Fraction(1, 10_000)


def compose(steps: Sequence[Step], index: int, is_given: Callable[[Fraction], bool]) -> tuple[Node, tuple[int, ...]]:
    """The expression of a step with the results of earlier steps put in, and the indexes of the steps used.

    A number that is the result of an earlier step stands for it, unless the question gives it and the step was used
    before or is not the last one; the latest such step counts.
    """
    used: set[int] = {index}
    node = _Composer(steps, is_given, used).expand(steps[index].node, index)
    return node, tuple(sorted(used))


class _Composer:
    def __init__(self, steps: Sequence[Step], is_given: Callable[[Fraction], bool], used: set[int]) -> None:
        self.steps, self.is_given, self.used = steps, is_given, used
        self.left = MAX_NODES

    def expand(self, node: Node, before: int) -> Node:
        if isinstance(node, Num):
            source = self._source(node.value, before)
            self.left -= 1
            if source is None or self.left < 0:
                return node
            self.used.add(source)
            return self.expand(self.steps[source].node, source)
        turned = self._turned(node, before)
        if turned is not None:
            self.used.add(turned)
            return Binary("/", Num(Fraction(1)), self.expand(self.steps[turned].node, turned))
        return rebuild(node, tuple(self.expand(part, before) for part in children(node)))

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
        for index in range(before - 1, max(-1, before - 1 - LOOK_BACK), -1):
            step = self.steps[index]
            if is_near(step.value, value, _EXACT):
                if self.is_given(value) and (index in self.used or index < before - 1):
                    return None
                return index
        return None
