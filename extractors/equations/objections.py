"""What a question, and the words of the answer, say against a system: kinds of value, what nobody worked out, mistakes.

Each rule names a class that answerers get wrong (FIELD_GUIDE, "What matters most", 2: averaged work rates, slips, other
problems' numbers). They only ever reject.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.algebra.values import Value, approximate
from extractors.equations.disowned import (
    has_foreign_percentage,
    is_disowned,
    is_left_to_asker,
    is_rest_left,
    is_unconnected,
    misses_extreme,
    prices_in_cents,
    reverses_difference,
    takes_longer_with_more,
)
from extractors.equations.given import Given
from extractors.equations.identities import constant_value, is_near
from extractors.equations.parts import summands
from extractors.equations.setups import holds
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, children, names_of, walk

_EXACT: Final = Fraction(1, 10_000)
_MAX_VALUES: Final = 6
_MANY: Final = 10
_PRODUCTS: Final = frozenset({"area", "volume", "product"})


@dataclass(frozen=True)
class Evidence:
    """A solved system beside the question, the words of the answer, and the numbers that it states."""

    trees: Sequence[Equation]
    solutions: Sequence[Mapping[str, Value]]
    given: Given
    text: str
    announced: Sequence[Fraction] = ()

    @cached_property
    def rows(self) -> list[list[Fraction]]:
        """The values of each solution."""
        return [[approximate(value) for value in solution.values()] for solution in self.solutions]

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes of all equations."""
        return [node for tree in self.trees for side in (tree.left, tree.right) for node in walk(side)]

    @cached_property
    def lower(self) -> str:
        """The words of the answer in lower case."""
        return self.text.lower()


def question_objection(evidence: Evidence) -> str | None:
    """Why the question, or the answer's own words beside it, rule a system out; None where nothing does."""
    return next((reason for speaks, reason in _RULES if speaks(evidence)), None)


def _not_whole(evidence: Evidence) -> bool:
    """No value is whole, and none is rounded to a whole number that the answer states."""
    values = [value for row in evidence.rows for value in row]
    if any(value.denominator == 1 for value in values) or not evidence.given.asked.whole:
        return False
    whole = [number for number in evidence.announced if number.denominator == 1]
    return not any(abs(value) > _MANY and abs(value - number) < 1 for value in values for number in whole)


def _never_ends(evidence: Evidence) -> bool:
    """Whole numbers, no division, and only values with endless decimals: 14 of 1,496 such systems of Dolphin18K."""
    if any(_ends(value) for row in evidence.rows for value in row) or evidence.given.asked.share:
        return False
    plain = all(node.op in "+-*" for node in evidence.nodes if isinstance(node, Binary))
    whole = all(node.value.denominator == 1 for node in evidence.nodes if isinstance(node, Num))
    named = any(
        (names_of(tree.left) and names_of(tree.right)) or not isinstance(tree.left, Name) for tree in evidence.trees
    )
    return plain and whole and named


def _ends(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _negative(evidence: Evidence) -> bool:
    return all(value < 0 for row in evidence.rows for value in row) and evidence.given.asked.sized


def _not_worked_out(evidence: Evidence) -> bool:
    """The area is asked, and the answer ends with a width."""
    noun = evidence.given.asked.derived
    if noun is None or noun in evidence.lower or f"{noun[0].upper()} =" in evidence.text:
        return False
    if any(other in evidence.lower for other in ("area", "volume", "perimeter", "circumference")):
        return True
    worked = any(isinstance(node, Binary) and names_of(node) for node in evidence.nodes)
    return worked and not (noun in _PRODUCTS and _ends_with_product(evidence))


def _ends_with_product(evidence: Evidence) -> bool:
    """Whether the last number of the answer is a product that it worked out: ``12 x 8 = 96``."""
    products = [
        tree.left.name for tree in evidence.trees if isinstance(tree.left, Name) and _is_binary(tree.right, "*")
    ]
    values = [approximate(solution[name]) for solution in evidence.solutions for name in products]
    return bool(evidence.announced) and evidence.announced[-1] in values


def _rest_left(evidence: Evidence) -> bool:
    """The rest is left to the asker after a value was found."""
    alone = all(len(row) < 2 for row in evidence.rows)
    return alone and is_rest_left(evidence.lower)


def _only_digits(evidence: Evidence) -> bool:
    """The digits were found, and the number that they spell is asked."""
    return evidence.given.asked.spelt and all(abs(value) < _MANY for row in evidence.rows for value in row)


def _averaged(evidence: Evidence) -> bool:
    """Rates or times of work were averaged: ``(40+60)/2``."""
    if not evidence.given.asked.shared_rate:
        return False
    return any(_is_mean(node, evidence.given) for node in evidence.nodes)


def _outflow_added(evidence: Evidence) -> bool:
    """What empties was added to what fills: ``1/6 + 1/8 + 1/12`` with a waste pipe."""
    if not evidence.given.asked.outflow or any(isinstance(n, Unary) or _is_binary(n, "-") for n in evidence.nodes):
        return False
    rates = [node for node in evidence.nodes if _is_binary(node, "+") and not names_of(node)]
    return any(_is_binary(part, "/") for node in rates for part in children(node))


def _is_binary(node: Node, op: str) -> bool:
    return isinstance(node, Binary) and node.op == op


def _is_mean(node: Node, given: Given) -> bool:
    if not (isinstance(node, Binary) and node.op == "/" and node.right == Num(Fraction(2))):
        return False
    total = node.left
    return (
        isinstance(total, Binary)
        and total.op == "+"
        and all(_is_given(part, given) for part in (total.left, total.right))
    )


def _is_given(node: Node, given: Given) -> bool:
    return isinstance(node, Num) and given.holds(node.value)


def _wrong_base(evidence: Evidence) -> bool:
    """The percentage was taken of the result although the base is asked: ``69 - .15*69`` for what became 69."""
    given = evidence.given
    if not given.asked.earlier or any(names_of(tree.right) and names_of(tree.left) for tree in evidence.trees):
        return False
    sums = [side for tree in evidence.trees for side in (tree.left, tree.right) if not isinstance(side, Num | Name)]
    if len(sums) != 1 or names_of(sums[0]):
        return False
    value = constant_value(sums[0])
    parts = [p if p < 1 else p / 100 for p in given.values]
    wrong = (a * (factor + p * sign) for a in given.values for p in parts for factor, sign in _OF if p != a)
    return value is not None and any(is_near(value, other, _EXACT) for other in wrong)


_OF: Final = ((0, 1), (1, 1), (1, -1))


def _other_sum(evidence: Evidence) -> bool:
    """The question states the sum of its numbers, and no values of the solution have it."""
    total = evidence.given.asked.total
    if total is None or any(len(row) < 2 for row in evidence.rows):
        return False
    if evidence.given.asked.least < 2 and any(_adds_up(tree, total) for tree in evidence.trees):
        return False
    return not any(_has_sum(row[:_MAX_VALUES], total) for row in evidence.rows)


def _adds_up(tree: Equation, total: Fraction) -> bool:
    """Whether multiples of one unknown have the total, so that not all of the numbers need be worked out."""
    return Num(total) in (tree.left, tree.right) and any(True for _ in summands(tree))


def _disowned(evidence: Evidence) -> bool:
    """The answer says that the problem does not work out."""
    return is_disowned(evidence.lower)


def _left_to_asker(evidence: Evidence) -> bool:
    """The answer leaves the asked quantity to the asker."""
    return is_left_to_asker(evidence.lower)


def _other_percentage(evidence: Evidence) -> bool:
    """A percentage that the question does not state stands for one that it states."""
    return has_foreign_percentage(evidence.trees, evidence.given)


def _shorter_piece(evidence: Evidence) -> bool:
    """The longest is asked, and a longer one is set up."""
    return misses_extreme(evidence.trees, evidence.solutions, evidence.given)


def _in_cents(evidence: Evidence) -> bool:
    """Prices are asked in dollars and worked out in cents."""
    return prices_in_cents(evidence.trees, evidence.given)


def _reversed(evidence: Evidence) -> bool:
    """The number that is taken away comes first."""
    return reverses_difference(evidence.trees, evidence.given)


def _more_for_longer(evidence: Evidence) -> bool:
    """More workers need longer."""
    return takes_longer_with_more(evidence.solutions, evidence.given)


def _unconnected(evidence: Evidence) -> bool:
    """Equations of several problems."""
    return is_unconnected(evidence.trees)


def question_equations_hold(evidence: Evidence) -> bool:
    """Whether the question sets equations in unknowns of the system, and they hold in its solution."""
    held = _held(evidence)
    return bool(held) and all(held)


def _unlike_question(evidence: Evidence) -> bool:
    """An equation that the question sets does not hold; of several that it offers with "or", none does."""
    held = _held(evidence)
    return bool(held) and not (any(held) if " or " in evidence.given.question else all(held))


def _held(evidence: Evidence) -> list[bool]:
    """For each equation that the question sets in unknowns of the system, whether it holds in some solution."""
    if not evidence.given.equations:
        return []
    names = set(evidence.solutions[0])
    own = [e for e in evidence.given.equations if names.issuperset(names_of(e.left, e.right))]
    return [any(holds(e, values) for values in evidence.solutions) for e in own[:_MAX_VALUES]]


def _has_sum(values: Sequence[Fraction], total: Fraction) -> bool:
    sums = {Fraction(0)}
    for value in values:
        sums |= {value + other for other in sums}
    return any(is_near(other, total, _EXACT) for other in sums)


IN_CENTS: Final = "prices are worked out in cents and the question has dollars"
_RULES: Final[tuple[tuple[Callable[[Evidence], bool], str], ...]] = (
    (_not_whole, "a whole number is asked"),
    (_never_ends, "whole numbers give endless decimals"),
    (_negative, "a size is asked and the values are negative"),
    (_not_worked_out, "the quantity that is asked is not worked out"),
    (_only_digits, "the digits are found and the number is asked"),
    (_rest_left, "the rest is left to the asker"),
    (_left_to_asker, "the asked quantity is left to the asker"),
    (_disowned, "the answer says that the problem does not work out"),
    (_other_percentage, "a percentage that the question does not state"),
    (_shorter_piece, "the largest or smallest is asked and is not worked out"),
    (_in_cents, IN_CENTS),
    (_reversed, "a difference is the wrong way round"),
    (_more_for_longer, "more workers would need longer for the same work"),
    (_unconnected, "its equations have no unknown in common"),
    (_averaged, "rates were averaged"),
    (_outflow_added, "what empties was added to what fills"),
    (_wrong_base, "the percentage was taken of the wrong base"),
    (_unlike_question, "an equation of the question does not hold"),
    (_other_sum, "the values have another sum than the question states"),
)
OBJECTIONS: Final = frozenset(reason for _, reason in _RULES)
"""Every reason that ``question_objection`` gives."""
