"""Arithmetic answers: chains of steps composed into one expression (``x = arithmetic``, as Dolphin18K writes them)."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from extractors.equations.candidates import Step
from extractors.equations.identities import is_near
from extractors.expressions.tree import Binary, Node, Num, children, rebuild, walk

MAX_NODES = 120
LOOK_BACK = 40
"""How many steps before it a number may have been worked out."""
_PAIR = 2
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


def closing_results(steps: Sequence[Step], least: int, given: Sequence[Fraction]) -> list[int]:
    """The steps at the end that give the values asked, of which there are at least ``least``; none or several.

    Named steps that share a factor (``boys = 4*7 = 28``, ``girls = 3*7 = 21``); as many steps as are asked that share
    the result of an earlier one (``2*10 = 20``, ``3*10 = 30``); a part, and what is left of a total that the question
    gives (``24/2 = 12 cows``, ``30 - 12 = 18 hens``). Where no question is at hand (nothing is ``given``), any total
    counts, and more steps than ``least``.
    """
    found = _sharing(steps)
    if found:
        return found
    last = len(steps) - least
    if last > 0 and _share_a_result(steps, last, given):
        while not given and last > 1 and _share_a_result(steps, last - 1, given):
            last -= 1
        return list(range(last, len(steps)))
    return [last, last + 1] if least == _PAIR <= len(steps) and _is_rest(steps[last], steps[-1], given) else []


def _share_a_result(steps: Sequence[Step], first: int, given: Sequence[Fraction]) -> bool:
    """Whether the steps from one on have a number in common that an earlier step worked out."""
    shared = set.intersection(*(_numbers(step) for step in steps[first:]))
    return any(step.value in shared and step.value not in given for step in steps[:first])


def _sharing(steps: Sequence[Step]) -> list[int]:
    found: list[int] = []
    shared: set[Fraction] = set()
    for index in range(len(steps) - 1, -1, -1):
        shared = shared & _numbers(steps[index]) if found else _numbers(steps[index])
        if not steps[index].named or not shared:
            break
        found.insert(0, index)
    return found if len(found) > 1 else []


def _numbers(step: Step) -> set[Fraction]:
    return {node.value for node in walk(step.node) if isinstance(node, Num)}


def _is_rest(part: Step, rest: Step, given: Sequence[Fraction]) -> bool:
    """Whether a named part is taken from a total of the question, and what is left is named."""
    if not (part.named and rest.named and isinstance(rest.node, Binary) and rest.node.op == "-"):
        return False
    total = rest.node.left
    return isinstance(total, Num) and rest.node.right == Num(part.value) and (not given or total.value in given)


def is_time(step: Step, time: Fraction, given: Sequence[Fraction]) -> bool:
    """Whether a step adds up rates of work (``1/5 + 1/7 = 12/35``) and a number is the time for the whole."""
    if not 0 < step.value < 1 < time or not is_near(1 / step.value, time):
        return False
    return isinstance(step.node, Binary) and step.node.op in "+-" and _are_rates(step.node, given)


def _are_rates(node: Node, given: Sequence[Fraction]) -> bool:
    """Whether terms are ``1/5``, where the question (if there is one) gives the 5."""
    while isinstance(node, Binary) and node.op in "+-":
        if not _is_rate(node.right, given):
            return False
        node = node.left
    return _is_rate(node, given)


def _is_rate(node: Node, given: Sequence[Fraction]) -> bool:
    if not (
        isinstance(node, Binary) and node.op == "/" and node.left == Num(Fraction(1)) and isinstance(node.right, Num)
    ):
        return False
    return not given or node.right.value in given
