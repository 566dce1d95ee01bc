"""The systems of a thread, and which answers agree on a solution (Dolphin18K, section 3.3)."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.equations.answer_systems import systems_of
from extractors.equations.document import MAX_ANSWER, Document
from extractors.equations.given import Given, given_of
from extractors.equations.identities import are_near, as_float, have_matches, near_ones
from extractors.equations.thread_equations import AnswerSystem
from extractors.extraction_errors import MAX_TEXT
from extractors.quantities.numbers import Number
from extractors.real_numbers.values import approximate
from extractors.text.sentences import sentence_ends

MAX_ANSWERS: Final = 60
MAX_ECHO: Final = 2_000
STEPS: Final = 150_000
"""Steps for all systems of a thread, shared out evenly, so that no answer takes them from another."""
ANSWER_STEPS: Final = 30_000
TOLERANCE: Final = 0.003
"""Relative, when solutions of two answers are compared: values may be rounded."""
_DENIED: Final = re.compile(
    r"(?:\bnot\b|n['’]t\b|\b(?:whoever|he|she|they|you|one|guy|person|somebody|someone) (?:said|says|got|wrote|put))"
    r"[^.,;:?!\n\d]{0,20}\Z",
    re.I,
)
_DENIALS: Final = ("not", "n't", "n’t", "said", "says", "got", "wrote", "put")
"""What a denial holds; most answers hold none of it."""
SolutionRow = tuple[Fraction, ...]
Sizes = tuple[float, ...]
"""Values for quick comparisons."""


@dataclass(frozen=True)
class ThreadSystems:
    """Every system that the answers of a thread offer; ``note`` says why there is none."""

    given: Given
    documents: tuple[Document, ...]
    systems: tuple[AnswerSystem, ...]
    note: str | None = None

    @cached_property
    def solved(self) -> tuple[int, ...]:
        """The systems that have a solution, by their place."""
        return tuple(place for place, system in enumerate(self.systems) if system.counts)

    @cached_property
    def rows(self) -> tuple[tuple[SolutionRow, ...], ...]:
        """The solutions of each system as sorted values; only the positive ones where there are such."""
        return tuple(map(_rows, self.systems))

    @cached_property
    def sizes(self) -> tuple[tuple[Sizes, ...], ...]:
        """The same for quick comparisons: systems of equal sizes have the same solutions."""
        return tuple([tuple([tuple(map(as_float, row)) for row in rows]) for rows in self.rows])

    @cached_property
    def _numbers(self) -> tuple[Sizes, ...]:
        """The numbers that each answer states, as they stand."""
        return tuple([tuple([as_float(n) for n in parts[0]]) if parts else () for parts in self.statements])

    @cached_property
    def _last_places(self) -> dict[tuple[int, float], int]:
        return {}

    def last_place(self, answer: int, value: float) -> int:
        """The place of the last number of an answer that is near a value; -1 where it states none."""
        if (answer, value) not in self._last_places:
            numbers = self._numbers[answer]
            places = (place for place in range(len(numbers) - 1, -1, -1) if _near(numbers[place], value))
            self._last_places[answer, value] = next(places, -1)
        return self._last_places[answer, value]

    def closing(self, answer: int) -> int:
        """The place of the first number of the last sentence of an answer that has numbers; 0 where none has."""
        parts = self.statements[answer]
        return len(parts[0]) - len(parts[-1]) if parts else 0

    @cached_property
    def _said(self) -> dict[float, set[int]]:
        """Every number that an answer states, ascending, and the answers that state it."""
        found: dict[float, set[int]] = {}
        for answer, numbers in enumerate(self._numbers):
            for number in numbers:
                found.setdefault(number, set()).add(answer)
        return dict(sorted(found.items()))

    @cached_property
    def _ordered(self) -> list[float]:
        return list(self._said)

    @cached_property
    def statements(self) -> tuple[tuple[list[Fraction], ...], ...]:
        """The numbers that each answer states: all of them, and those of its first and of its last sentence."""
        return tuple(_statements(document) for document in self.documents)

    def agree(self, place: int, other: int) -> bool:
        """Whether another system has the same solutions, or a single one with fewer unknowns whose values lie in it."""
        mine, others = self.sizes[place], self.sizes[other]
        if mine == others:
            return True
        if len(mine) != 1 or len(others) != 1:
            return False
        row, other_row = mine[0], others[0]
        if len(row) == len(other_row):
            return all(map(_near, row, other_row))
        return len(other_row) < len(row) and _contained(other_row, row)

    def stating(self, place: int) -> tuple[int, ...]:
        """The answers without a system that state the solution of a system and no other values.

        One that states a single number after the answer that works it out may have copied it and does not count.
        """
        with_system = {self.systems[other].answer for other in self.solved}
        wanted = [row for row in self.rows[place] if not all(map(self.given.holds, row))]
        return tuple(
            answer
            for answer, parts in enumerate(self.statements)
            if answer not in with_system
            and any(self._states(part, row) for row in wanted for part in parts)
            and not (answer > self.systems[place].answer and len(parts[0]) == 1)
        )

    @cached_property
    def _stated_in(self) -> dict[tuple[Sizes, ...], frozenset[int]]:
        return {}

    def _stating_all(self, row: Sizes) -> Iterable[int]:
        """The answers that state all values of a solution."""
        said, ordered = self._said, self._ordered
        near = [near_ones(value, ordered, TOLERANCE) for value in row]
        found = set.intersection(*[set[int]().union(*map(said.__getitem__, numbers)) for numbers in near])
        if len(set[float]().union(*near)) == sum(map(len, near)):
            return found  # no number is near two of the values
        return [answer for answer in found if _contained(row, self._numbers[answer])]

    def stated_by(self, place: int) -> int:
        """How many other answers state all values of a solution among their numbers."""
        rows = self.sizes[place]
        if rows not in self._stated_in:
            self._stated_in[rows] = frozenset([answer for row in rows for answer in self._stating_all(row)])
        return len(self._stated_in[rows] - {self.systems[place].answer})

    def _states(self, numbers: Sequence[Fraction], row: SolutionRow) -> bool:
        """Whether numbers are just the values of a solution, but for values that the question gives as well."""
        stated = [as_float(number) for number in numbers if not self.given.holds(number)] or list(
            map(as_float, numbers)
        )
        wanted = [as_float(value) for value in row if not self.given.holds(value)]
        complete = all(any(_near(number, value) for number in stated) for value in wanted)
        return complete and all(any(_near(number, as_float(value)) for value in row) for number in stated)


def read_systems(question: str, answers: Sequence[str]) -> ThreadSystems:
    """The systems of all answers of a thread; never raises, whatever the text.

    Time is linear in the number of answers read (at most ``MAX_ANSWERS``) and at most quadratic in the length of one,
    up to ``document.MAX_ANSWER`` characters. A thread with more than ``MAX_TEXT`` characters to read gives nothing.
    """
    texts = tuple(answers[:MAX_ANSWERS])
    length = len(question) + sum(min(len(text), MAX_ANSWER) for text in texts)
    given = given_of(question)
    if length > MAX_TEXT:
        return ThreadSystems(given, (), (), f"a thread of {length} characters; at most {MAX_TEXT} are read")
    steps = min(ANSWER_STEPS, STEPS // max(len(texts), 1))
    documents = {text: Document.of(text) for text in texts}
    read = {text: systems_of(document, given, steps) for text, document in documents.items()}
    systems = [one._replace(answer=answer) for answer, text in enumerate(texts) for one in read[text]]
    return ThreadSystems(given, tuple([documents[text] for text in texts]), tuple(systems))


def _rows(system: AnswerSystem) -> tuple[SolutionRow, ...]:
    rows = [tuple(sorted([approximate(value) for value in solution])) for solution in system.solutions]
    if len(rows) < 2:
        return tuple(rows)
    positive = [row for row in rows if all(value.numerator > 0 for value in row)]
    return tuple(positive or rows)


def _near(a: float, b: float) -> bool:
    return a == b or are_near(a, b, TOLERANCE)


def _contained(small: Sizes, large: Sizes) -> bool:
    return have_matches(small, large, _near)


def _statements(document: Document) -> tuple[list[Fraction], ...]:
    """The numbers of a text, and those of its first and last sentence that hold any.

    "not 45" and "whoever said 45" state nothing.
    """
    text = document.plain.text[:MAX_ECHO]
    numbers: Sequence[Number] = [number for number in document.numbers if number.end <= MAX_ECHO]
    if not numbers:
        return ()
    if any(map(text.lower().__contains__, _DENIALS)):
        numbers = [n for n in numbers if not _DENIED.search(text, max(0, n.start - 30), n.start)]
    cuts = sentence_ends(text)
    sentences: dict[int, list[Fraction]] = {}
    for number in numbers:
        sentences.setdefault(bisect_right(cuts, number.start), []).append(number.value)
    parts = list(sentences.values())
    return ([number.value for number in numbers], *parts[:1], *parts[-1:]) if parts else ()
