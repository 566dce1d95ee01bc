"""Which numbers of an equation stand in the text, and which textual numbers they may be.

Numbers are compared exactly. Besides the number itself a percent or an amount in cents may stand in the equation
divided by 100 (``25%`` as ``0.25``), a fraction as a quotient (``3/4``) or cut after some decimals (``0.333``), a part
as a division (``x/3`` for "a third of"); a factor between the two stays in the template as a constant, as in DRAW.
The occurrences of a system are aligned to the textual numbers, and those that restate one quantity are told.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from extractors.expressions.tree import Binary, Name, Node, Num, Unary, children, rebuild
from extractors.quantities.numbers import Number
from extractors.text.wordlists import read_list, words

HUNDREDTH = Fraction(1, 100)
MAX_DECIMALS = 20
_MARK = "#"
_ONE = Fraction(1)


@dataclass(frozen=True)
class Occurrence:
    """A number of an equation that stands in the text: ``factor`` times one of the textual numbers ``candidates``.

    ``multiplies``: it is a factor beside an unknown, as opposed to a term of a sum.
    """

    candidates: tuple[int, ...]
    factor: Fraction
    multiplies: bool


@dataclass
class Matcher:
    """Replaces the numbers of trees that stand in the text by marks, and notes what each mark may stand for.

    ``place_values``: coefficients 10 and 100 of unknowns are places of digits and no quantities of the text.
    """

    numbers: Sequence[Number]
    place_values: bool = False
    occurrences: list[Occurrence] = field(default_factory=list)
    _exact: dict[Fraction, tuple[int, ...]] = field(init=False)
    _hundredths: dict[Fraction, tuple[int, ...]] = field(init=False)
    _endless: list[tuple[Fraction, int]] = field(init=False)
    _named: dict[int, tuple[Node, bool]] = field(init=False, default_factory=dict)
    _cuts: dict[Fraction, tuple[int, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._exact = _index({i: number.value for i, number in enumerate(self.numbers)})
        self._hundredths = _index(
            {i: n.value * HUNDREDTH for i, n in enumerate(self.numbers) if n.kind == "percent" or n.unit == "cent"}
        )
        endless = [(number.value, i) for i, number in enumerate(self.numbers) if decimal_places(number.value) is None]
        self._endless = sorted(endless)

    def mark(self, node: Node, multiplies: bool = False) -> Node:
        """The tree with a mark for every number that stands in the text."""
        if isinstance(node, Num):
            return self._number(node, multiplies)
        if isinstance(node, Unary):
            if isinstance(node.operand, Num) and node.op == "-" and -node.operand.value in self._exact:
                return self._marked(self._exact[-node.operand.value], _ONE, multiplies)
            return Unary(node.op, self.mark(node.operand, multiplies))
        if not isinstance(node, Binary):
            return rebuild(node, tuple(self.mark(part) for part in children(node)))
        if node.op == "/" and isinstance(node.right, Num):
            return self._quotient(node, node.right.value, multiplies)
        if node.op == "/" and node.left == Num(_ONE):
            return Binary("/", node.left, self.mark(node.right, multiplies))
        if node.op == "*":
            return self._product(node, multiplies)
        if node.op == "^" and isinstance(node.right, Num):
            # The 2 of a square is a form, whatever else may be 2 in the text.
            return Binary("^", self.mark(node.left), node.right)
        return Binary(node.op, self.mark(node.left), self.mark(node.right))

    def _product(self, node: Binary, multiplies: bool) -> Node:
        """A product; in ``0.01 * 25`` the hundredth is the constant that belongs to the percentage."""
        left, right = node.left, node.right
        if left == Num(HUNDREDTH) and self._states(right):
            return Binary("*", left, self.mark(right, multiplies))
        if right == Num(HUNDREDTH) and self._states(left):
            return Binary("*", self.mark(left, multiplies), right)
        return Binary(
            "*",
            self.mark(left, multiplies or self._holds_name(right)),
            self.mark(right, multiplies or self._holds_name(left)),
        )

    def _holds_name(self, node: Node) -> bool:
        """Whether an unknown stands in a tree; remembered, since every factor of a long product asks for the rest."""
        known = self._named.get(id(node))
        if known is None:
            named = isinstance(node, Name)
            for part in children(node):
                named = named or self._holds_name(part)
            known = self._named[id(node)] = node, named
        return known[1]

    def _states(self, node: Node) -> bool:
        return isinstance(node, Num) and node.value in self._exact

    def _number(self, node: Num, multiplies: bool) -> Node:
        value = node.value
        if self.place_values and multiplies and value in (10, 100, 1000):
            return node
        for found, factor in (
            (self._exact.get(value), _ONE),
            (self._hundredths.get(value), HUNDREDTH),
            (self._exact.get(-value), -_ONE),
            (self._cut(value), _ONE),
        ):
            if found:
                return self._marked(found, factor, multiplies)
        return node

    def _cut(self, value: Fraction) -> tuple[int, ...]:
        """Fractions of the text without finite decimals that ``value`` gives with two or more decimals."""
        decimals = decimal_places(value)
        if decimals is None or decimals < 2:
            return ()
        if value not in self._cuts:
            near = Fraction(1, 10**decimals)
            low = bisect_right(self._endless, value - near, key=_value_of)
            high = bisect_left(self._endless, value + near, key=_value_of)
            self._cuts[value] = tuple(sorted(index for _, index in self._endless[low:high]))
        return self._cuts[value]

    def _quotient(self, node: Binary, divisor: Fraction, multiplies: bool) -> Node:
        """A fraction of the text written as a quotient, a percent over 100, or a part as a division."""
        if isinstance(node.left, Num) and divisor:
            whole = self._exact.get(node.left.value / divisor)
            apart = node.left.value in self._exact and divisor in self._exact
            if whole and not apart:
                return self._marked(whole, _ONE, multiplies)
        multiplied = multiplies or self._holds_name(node.left)
        if node.left == Num(_ONE):
            return Binary("/", node.left, self._number(Num(divisor), multiplied))
        left = self.mark(node.left, multiplies)
        part = self._exact.get(1 / divisor) if divisor and divisor not in self._exact else None
        if part:
            return Binary("*", left, self._marked(part, _ONE, multiplied))
        return Binary("/", left, self._number(Num(divisor), multiplied))

    def _marked(self, candidates: tuple[int, ...], factor: Fraction, multiplies: bool) -> Node:
        self.occurrences.append(Occurrence(candidates, factor, multiplies))
        return Name(f"{_MARK}{len(self.occurrences) - 1}")


def _value_of(pair: tuple[Fraction, int]) -> Fraction:
    return pair[0]


def decimal_places(value: Fraction) -> int | None:
    """Decimals that write the value exactly, up to MAX_DECIMALS; None if there is no such number.

    >>> decimal_places(Fraction(3, 8)), decimal_places(Fraction(1, 3))
    (3, None)
    """
    rest, places = value.denominator, 0
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    twos = fives = 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places += max(twos, fives)
    return places if rest == 1 and places <= MAX_DECIMALS else None


def replacements(occurrences: Sequence[Occurrence], chosen: Sequence[int]) -> dict[str, Node]:
    """What to put for each mark when occurrence ``k`` is the textual number ``chosen[k]``, named ``@number``."""
    found: dict[str, Node] = {}
    for index, (occurrence, number) in enumerate(zip(occurrences, chosen, strict=True)):
        slot = Name(f"@{number}")
        found[f"{_MARK}{index}"] = slot if occurrence.factor == 1 else Binary("*", Num(occurrence.factor), slot)
    return found


def _index(values: Mapping[int, Fraction]) -> dict[Fraction, tuple[int, ...]]:
    found: dict[Fraction, list[int]] = {}
    for number, value in values.items():
        found.setdefault(value, []).append(number)
    return {value: tuple(several) for value, several in found.items()}


_WORD = re.compile(r"[a-z]++(?>(?:-[a-z]++)?)|[.?!;0-9]")
_TIMES = re.compile(r"[ -](?:times?|fold)\b")
_FILLERS = frozenset(words(read_list("extractors/context_fillers")))
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|his|her|their) ?\Z")
_WINDOW = 60
_WEAK_KINDS = frozenset({"article", "pronoun", "parity", "ordinal"})

_Quantity: TypeAlias = tuple[Fraction, str | None]
"""A value with its unit."""


@dataclass(frozen=True)
class Alignment:
    """For each occurrence the textual number chosen, and all that it may be; several: a person decides."""

    chosen: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...]

    def ranked(self, place: int) -> tuple[int, ...]:
        """All numbers that the occurrence at ``place`` may be, the chosen one first."""
        return tuple(dict.fromkeys((self.chosen[place], *self.choices[place])))


def align(
    question: str, numbers: Sequence[Number], occurrences: Sequence[Occurrence], groups: Sequence[tuple[int, ...]]
) -> Alignment:
    """Choose a textual number for each occurrence.

    Candidates that restate one quantity count as one. Where several remain, a factor of an unknown prefers multipliers
    ("twice", "3 times") and a term the others; occurrences of one value take what remains in the order of the text, the
    last one again where there are more occurrences.
    """
    leader = {member: min(group) for group in groups for member in group}
    lowered = question.lower()
    multipliers = {i for i, number in enumerate(numbers) if _is_multiplier(lowered, number)}
    # A number of a long list has as many candidates as the list, so they are looked at once for each list, not for
    # each occurrence: the matcher gives occurrences of one value the very same tuple.
    known: dict[tuple[int, bool], _Choices] = {}
    turns: dict[tuple[int, ...], _Turns] = {}
    chosen: list[int] = []
    choices: list[tuple[int, ...]] = []
    for occurrence in occurrences:
        key = id(occurrence.candidates), occurrence.multiplies
        if key not in known:
            distinct = dict.fromkeys(leader.get(candidate, candidate) for candidate in occurrence.candidates)
            ranked = sorted(distinct, key=lambda i: (numbers[i].kind in _WEAK_KINDS, numbers[i].start))
            fitting = tuple(i for i in ranked if (i in multipliers) == occurrence.multiplies) or tuple(ranked)
            turn = turns.setdefault(fitting, _Turns(fitting))
            known[key] = _Choices(turn, tuple(dict.fromkeys((*fitting, *ranked))))
        chosen.append(known[key].turns.take())
        choices.append(known[key].ranked)
    return Alignment(tuple(chosen), tuple(choices))


@dataclass
class _Turns:
    """Numbers that are taken in turn, the last one again and again."""

    numbers: tuple[int, ...]
    taken: int = 0

    def take(self) -> int:
        number = self.numbers[min(self.taken, len(self.numbers) - 1)]
        self.taken += 1
        return number


@dataclass(frozen=True)
class _Choices:
    turns: _Turns
    ranked: tuple[int, ...]


def _is_multiplier(lowered: str, number: Number) -> bool:
    return number.kind in ("multiplier", "fraction") or _TIMES.match(lowered, number.end) is not None


def equivalent_groups(question: str, numbers: Sequence[Number]) -> tuple[tuple[int, ...], ...]:
    """Groups of textual numbers that restate one quantity (EquivTNum, section 3.2), by index.

    A number restates an earlier one of the same value and unit if the same two words follow (fillers passed over), or
    if a definite word stands before it and it has a unit ("the 40 percent"). Multipliers restate nothing: "3 times the
    first", "3 times the second".
    """
    lowered = question.lower()
    groups: list[list[int]] = []
    first: dict[_Quantity, int] = {}
    followed: dict[tuple[_Quantity, tuple[str, ...]], int] = {}
    for index, number in enumerate(numbers):
        if _is_multiplier(lowered, number):
            continue
        quantity = number.value, number.unit
        words = _following_words(lowered, number)
        if _is_definite(lowered, number):
            home = first.get(quantity)
        else:
            home = followed.get((quantity, words)) if words else None
        if home is None:
            home = len(groups)
            groups.append([])
        groups[home].append(index)
        first.setdefault(quantity, home)
        followed[quantity, words] = min(home, followed.get((quantity, words), home))
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _is_definite(lowered: str, number: Number) -> bool:
    """Whether a number with a unit is spoken of as known: "the 40 percent"."""
    start = number.start
    return number.unit is not None and _DEFINITE.search(lowered, max(0, start - 8), start) is not None


def _following_words(lowered: str, number: Number) -> tuple[str, ...]:
    words: list[str] = []
    for match in _WORD.finditer(lowered, number.end, number.end + _WINDOW):
        if len(words) == 2 or not match.group()[0].isalpha():
            break
        if match.group() not in _FILLERS:
            words.append(match.group())
    return tuple(words) if len(words) == 2 else ()
