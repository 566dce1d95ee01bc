"""Candidate answers of a thread: the numbers of its answers, and the subsets that may be the answer to the question.

Dolphin18K, section 3.2 (Huang et al., ACL 2016): all unique numbers are taken from the answers, and every subset of
them up to the dimension of the answer is a candidate. All subsets are far too many, so larger ones are bounded by rule:
the members stand in one answer, where each is stated or is a result, never only an operand. What a bound leaves out is
said in ``ThreadCandidates.bounds``. The solutions of an answer's own equations are candidates as well, and sets of
their values: values that only the equations imply, values that occur twice (15, 15 and 20), and surds, which no text
states as numbers. What part a number plays where it stands (operand, result, value of a variable, plain statement) is
read from the characters around it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from string import ascii_letters
from types import MappingProxyType
from typing import Final, NamedTuple

from extractors.quantities.numbers import Number, find_numbers
from extractors.questions.question_types import NO_OPTIONS, pointers
from extractors.text.plain import PlainText, plain_maths

_UNIT: Final = r"[ ]{0,2}(?:%|°|[A-Za-z]{2,14}\b[ ]{0,2})?"
_OPERATOR_AFTER: Final = re.compile(
    rf"(?:{_UNIT})(?:[+*/^·×÷]|[ ]?-[ ]{{0,2}}[$]?(?:[0-9.(]|[A-Za-z]\b)|[xX][ ]{{0,2}}[$]?[0-9.(])|[ ]{{0,2}}\("
)
_COEFFICIENT_AFTER: Final = re.compile(r"[ ]?(?:[A-Za-z](?![A-Za-z])|sqrt|[A-Za-z]_)")
_EQUALS_AFTER: Final = re.compile(rf"(?:{_UNIT})=")
_VALUE_OF_AFTER: Final = re.compile(
    r"[ ]{0,2}=[ ]{0,2}[A-Za-z][A-Za-z_0-9']{0,15}[ ]{0,2}(?:$|[.,;\n)]|=>|so\b|and\b)", re.M
)
_OPERATOR_BEFORE: Final = re.compile(r"(?:[+*/^·×÷]|[0-9A-Za-z)][ ]{0,2}-|[0-9)][ ]{0,2}[xX])[ ]{0,2}[$€£(]{0,2}\Z")
_EQUALS_BEFORE: Final = re.compile(r"(?:=|≈|~)[ ]{0,3}[$€£]?[ ]?\Z")
_VALUE_OF_BEFORE: Final = re.compile(
    r"(?:\A|[\n,;.(>:]|\b(?:so|and|then|thus|hence|therefore|gives|get|is|"
    r"let))[ ]{0,3}[A-Za-z][A-Za-z_0-9' ]{0,30}[ ]{0,3}=[ ]{0,3}[$€£]?[ ]?\Z"
)
_JOINED_BY: Final = frozenset(" %°+*/^·×÷-=(" + ascii_letters)
"""What follows a number where a pattern of what stands after it matches."""
_EQUALS: Final = frozenset("=≈~")
_OPERATORS: Final = frozenset("+*/^·×÷-xX")
"""Signs one of which stands last before a number, spaces and signs of money aside, where the patterns match."""
_WINDOW: Final = 48
_SIGN_WINDOW: Final = 8
"""The longest that an operator or an equals sign can be with what may stand between it and the number."""


class Role(StrEnum):
    """The part a number plays; only OPERAND keeps it from standing in a larger answer set."""

    OPERAND = "operand"
    RESULT = "result"
    ASSIGNED = "assigned"
    STATED = "stated"


OPERAND: Final = Role.OPERAND
RESULT: Final = Role.RESULT
ASSIGNED: Final = Role.ASSIGNED
STATED: Final = Role.STATED
"""The roles by name: in Python 3.11 a member costs ten times as much to look up on its class, once for each number."""


def role_of(text: str, start: int, end: int) -> Role:
    """The role of the number at ``text[start:end]``.

    ASSIGNED: alone on one side of an equals sign with a name on the other. RESULT: after an equals sign otherwise.
    OPERAND: an operator, a variable or an equals sign follows, or an operator precedes. STATED: all else.

    >>> cases = (("12 + 3 = 15", 0), ("12 + 3 = 15", 9), ("x = 15", 4), ("15 mph", 0))
    >>> [str(role_of(text, at, at + 2)) for text, at in cases]
    ['operand', 'result', 'assigned', 'stated']
    """
    before, joined = text[max(0, start - _WINDOW) : start], text[end : end + 1] in _JOINED_BY
    if joined and (_OPERATOR_AFTER.match(text, end) or _is_coefficient(text, end)):
        return OPERAND
    if joined and _EQUALS_AFTER.match(text, end):
        lone = _VALUE_OF_AFTER.match(text, end) and not _OPERATOR_BEFORE.search(before)
        return ASSIGNED if lone else OPERAND
    tail, near = before.rstrip(" $€£(")[-1:], max(0, len(before) - _SIGN_WINDOW)
    if tail in _EQUALS and _EQUALS_BEFORE.search(before, near):
        return ASSIGNED if _VALUE_OF_BEFORE.search(before) else RESULT
    return OPERAND if tail in _OPERATORS and _OPERATOR_BEFORE.search(before, near) else STATED


def _is_coefficient(text: str, end: int) -> bool:
    match = _COEFFICIENT_AFTER.match(text, end)
    if match is None or (match[0][0] == " " and match[0].lower() in {" a", " i", " h", " m"}):
        return False
    return match[0].lower() not in {"m", "g", "l", "h", "s", "c", "k", "p", "q"} or text[end : end + 2].strip() == ""


MAX_DIMENSION: Final = 5
MAX_CHARACTERS: Final = 12_000
MAX_ANSWERS: Final = 24
MAX_NUMBERS: Final = 60
PAIRED: Final = 7
TRIPLED: Final = 5
MAX_SOLUTIONS: Final = 4
ROUNDED: Final = Fraction(1, 2000)
"""How far, relative to it, a written decimal may be from the solution it stands for."""
ImpliedSolutions = Sequence[Sequence[Fraction]]
NOTHING_IMPLIED: Final[Mapping[int, ImpliedSolutions]] = MappingProxyType({})
_NO_QUANTITY: Final = frozenset({"multiplier", "parity", "article", "pronoun", "coin", "ordinal"})


class Mention(NamedTuple):
    """One number where it stands: ``value`` indexes the thread's values; the span is of the answer's plain text."""

    value: int
    start: int
    end: int
    role: Role
    number: Number


_CHECK_HEADING: Final = re.compile(
    r"(?:\n|\. )[ *-]{0,4}(?:(?:to |let'?s |we )?(?:check|checking|ck|chk|proof|verify|verification|"
    r"verifying|test it)\b)"
)


@dataclass(frozen=True)
class ReadAnswer:
    """One answer as plain maths, with its mentions in order."""

    index: int
    plain: PlainText
    mentions: tuple[Mention, ...]

    def source_span(self, mention: Mention) -> tuple[int, int]:
        """Where the mention stands in the answer as it was posted."""
        return self.plain.source_span(mention.start, mention.end)

    @cached_property
    def body_end(self) -> int:
        """Where a closing check begins ("Check:", "PROOF"), the end of the text where there is none.

        Numbers of a check are those of the problem again and not what the answer comes to.
        """
        for match in _CHECK_HEADING.finditer(self.plain.text.lower()):
            if any(mention.end <= match.start() and mention.role is not OPERAND for mention in self.mentions):
                return match.start()
        return len(self.plain.text)

    @cached_property
    def last_place(self) -> int:
        """The place of the last mention before a closing check, -1 if there is none."""
        end, places = self.body_end, reversed(range(len(self.mentions)))
        return next((place for place in places if self.mentions[place].start < end), -1)

    @cached_property
    def by_value(self) -> dict[int, list[int]]:
        """Positions in ``mentions`` of each value."""
        found: dict[int, list[int]] = {}
        for place, mention in enumerate(self.mentions):
            found.setdefault(mention.value, []).append(place)
        return found

    @cached_property
    def conclusions(self) -> tuple[int, ...]:
        """The different values before a closing check that are no operands, the last first."""
        places = reversed(range(self.last_place + 1))
        found = (self.mentions[place].value for place in places if self.mentions[place].role is not OPERAND)
        return tuple(dict.fromkeys(found))

    @cached_property
    def steps(self) -> int:
        """How many results and values of variables the answer works out, at most 6."""
        return min(6, sum(mention.role in (RESULT, ASSIGNED) for mention in self.mentions))

    @cached_property
    def _last_operand(self) -> dict[int, int]:
        return {mention.value: place for place, mention in enumerate(self.mentions) if mention.role is OPERAND}

    def is_used_later(self, place: int) -> bool:
        """Whether the value of a mention is an operand further on in the answer."""
        return self._last_operand.get(self.mentions[place].value, -1) > place

    @cached_property
    def last_conclusive(self) -> int:
        """The place of the last mention before a closing check that is no operand, -1 if there is none."""
        places = reversed(range(self.last_place + 1))
        return next((place for place in places if self.mentions[place].role is not OPERAND), -1)


class CandidateAnswer(NamedTuple):
    """A set of values (ascending indexes into the thread's values) and the answers that offer it.

    An index stands twice where a solution holds the value twice.
    """

    values: tuple[int, ...]
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ThreadCandidates:
    """All candidates of a thread. ``bounds`` names each bound that left something out, and how much."""

    values: tuple[Fraction, ...]
    answers: tuple[ReadAnswer, ...]
    candidates: tuple[CandidateAnswer, ...]
    bounds: tuple[str, ...]


def thread_candidates(
    answers: Sequence[str],
    solutions: Mapping[int, ImpliedSolutions] = NOTHING_IMPLIED,
    options: Mapping[str, Fraction] = NO_OPTIONS,
) -> ThreadCandidates:
    """The candidates of a thread's answers, in an order that depends on the texts alone.

    ``solutions`` are those of each answer's own equations, by its place; each is a tuple of the unknowns' values.
    ``options`` are the values of the question's options by letter; a letter in an answer is a mention of its value.

    >>> found = thread_candidates(["x = 13, so he is 13 and she is 22", "13 and 22"])
    >>> [[str(found.values[value]) for value in candidate.values] for candidate in found.candidates]
    [['13'], ['22'], ['13', '22']]
    >>> found = thread_candidates(["x = 15"], solutions={0: [(Fraction(15), Fraction(15), Fraction(20))]})
    >>> [str(found.values[value]) for value in found.candidates[-1].values]
    ['15', '15', '20']
    """
    bounds: list[str] = []
    if len(answers) > MAX_ANSWERS:
        bounds.append(f"{len(answers) - MAX_ANSWERS} answers after the first {MAX_ANSWERS} are not read")
    pages = [_read(index, text, options, bounds) for index, text in enumerate(answers[:MAX_ANSWERS])]
    numbers = [number for _, numbers in pages for number in numbers]
    values = _unified(numbers)
    implied = {place: _unified_solutions(rows, values) for place, rows in solutions.items() if place < len(pages)}
    order = sorted(
        {*values.values(), *(value for rows in implied.values() for row in rows for value in row)}, key=_size
    )
    index_of = {value: index for index, value in enumerate(order)}
    place_of = {value.as_integer_ratio(): index_of[target] for value, target in values.items()}
    read = tuple(
        ReadAnswer(
            index,
            plain,
            tuple(_mention(plain.text, number, place_of[number.value.as_integer_ratio()]) for number in found),
        )
        for index, (plain, found) in enumerate(pages)
    )
    offered: dict[tuple[int, ...], list[int]] = {}
    for answer in read:
        rows = [tuple(sorted(index_of[value] for value in row)) for row in implied.get(answer.index, ())]
        subsets = chain(answer_subsets(answer.mentions), implied_subsets(rows))
        for subset in sorted(set(subsets)):
            offered.setdefault(subset, []).append(answer.index)
    ordered = sorted(offered, key=lambda subset: (len(subset), subset))
    return ThreadCandidates(
        values=tuple(order),
        answers=read,
        candidates=tuple(CandidateAnswer(subset, tuple(offered[subset])) for subset in ordered),
        bounds=tuple(bounds),
    )


def _size(value: Fraction) -> tuple[int, Fraction]:
    """A key that sorts by value and compares most pairs as whole numbers, which is quicker."""
    return value.numerator // value.denominator, value


def _read(index: int, text: str, options: Mapping[str, Fraction], bounds: list[str]) -> tuple[PlainText, list[Number]]:
    if len(text) > MAX_CHARACTERS:
        bounds.append(
            f"answer {index}: {len(text) - MAX_CHARACTERS} characters after the first {MAX_CHARACTERS} are not read"
        )
    plain = plain_maths(text[:MAX_CHARACTERS])
    numbers = [number for number in find_numbers(plain.text) if number.kind not in _NO_QUANTITY]
    if options:
        taken = {number.start for number in numbers}
        letters = (one for one in pointers(plain.text, options) if one.start not in taken)
        numbers = sorted([*numbers, *letters], key=lambda number: number.start)
    if len(numbers) > MAX_NUMBERS:
        half = MAX_NUMBERS // 2
        bounds.append(
            f"answer {index}: {len(numbers) - 2 * half} numbers between the first and the last {half} are left out"
        )
        numbers = numbers[:half] + numbers[-half:]
    return plain, numbers


def _mention(text: str, number: Number, value: int) -> Mention:
    role = STATED if number.kind == "option" else role_of(text, number.start, number.end)
    return Mention(value, number.start, number.end, role, number)


def decimals(raw: str) -> int | None:
    """Digits after the decimal point as written, None where there is no point.

    >>> decimals("3.430"), decimals("1,200"), decimals("2 1/3")
    (3, None, None)
    """
    return len(raw.rsplit(".", 1)[1].strip()) if "." in raw else None


def _unified(numbers: Sequence[Number]) -> dict[Fraction, Fraction]:
    """Every value with the value it stands for: a rounded decimal stands for the exact value it was rounded from."""
    known = {number.value.as_integer_ratio(): number.value for number in numbers}
    stands = {value: value for value in known.values()}
    precise = sorted((value for value in stands if value.denominator > 1), key=_size)
    for number in numbers:
        places = decimals(number.raw)
        if places is None or places < 2 or not number.value or not precise:
            continue
        finer = [
            value for value in precise if (value * 10**places).denominator > 1 and _rounds(value, number.value, places)
        ]
        if finer:
            stands[number.value] = max(finer, key=lambda value: (value.denominator > 10**6, value.denominator, value))
    return {value: stands.get(target, target) for value, target in stands.items()}


def _rounds(exact: Fraction, rounded: Fraction, places: int) -> bool:
    off = abs(exact - rounded)
    return off * 10**places < 1 and off * 200 <= abs(rounded)


def conclusive(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that may be members of a larger answer set: all but operands."""
    return [mention for mention in mentions if mention.role is not OPERAND]


def answer_subsets(mentions: Sequence[Mention]) -> Iterator[tuple[int, ...]]:
    """Subsets of one answer's values.

    One value: every number. Two: all pairs of the last 7 conclusive values; three: all triples of the last 5. Two and
    more: every run of conclusive mentions that stand one after another.
    """
    yield from {(mention.value,) for mention in mentions}
    stated = conclusive(mentions)
    last: list[int] = []
    for mention in reversed(stated):
        if mention.value not in last:
            last.append(mention.value)
        if len(last) == PAIRED:
            break
    for size, pool in ((2, last), (3, last[:TRIPLED])):
        yield from combinations(sorted(pool), size)
    run = [mention.value for mention in stated]
    for size in range(2, MAX_DIMENSION + 1):
        for start in range(len(run) - size + 1):
            window = set(run[start : start + size])
            if len(window) == size:
                yield tuple(sorted(window))


def _unified_solutions(solutions: ImpliedSolutions, values: Mapping[Fraction, Fraction]) -> list[list[Fraction]]:
    """The solutions, each value replaced by the value of the text that stands for it, if there is one."""
    return [[_standing(value, values) for value in row] for row in solutions[:MAX_SOLUTIONS]]


def _standing(value: Fraction, values: Mapping[Fraction, Fraction]) -> Fraction:
    if value in values:
        return values[value]
    near = (
        other for other in values if other.denominator > 1 and abs(other - value) <= ROUNDED * max(abs(value), ROUNDED)
    )
    best = min(near, key=lambda other: (abs(other - value), other), default=None) if value.denominator > 1 else None
    return value if best is None else values[best]


def implied_subsets(solutions: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Candidates from an answer's own solutions, each ascending indexes of values.

    Of every solution with at most MAX_DIMENSION values all of them, and each one, two and three of them; the roots
    of one unknown together.

    >>> sorted(set(implied_subsets([(4,), (7,)])))
    [(4,), (4, 7), (7,)]
    """
    for row in solutions:
        if len(row) <= MAX_DIMENSION:
            yield row
            for size in (1, 2, 3):
                yield from combinations(row, size)
    roots = tuple(sorted({row[0] for row in solutions if len(row) == 1}))
    if 1 < len(roots) <= MAX_DIMENSION:
        yield roots
