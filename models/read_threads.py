"""A thread read and prepared for the answer model, before any model has seen it.

What a question, surely read (``extractors.questions.stated``), says of the values of an answer stands here as well.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.answers.answer_candidates import ReadAnswer, ThreadCandidates, thread_candidates
from extractors.equations.given import Stance, given_of, same_size, stance
from extractors.quantities.numbers import find_numbers
from extractors.questions.question_types import options_of
from extractors.questions.stated import Stated
from extractors.text.plain import plain_maths
from models.counts import UNKNOWN, likeliest
from models.gold_values import gold_values, same_answer, same_value

MAX_QUESTION: Final = 8_000
_ASKS_IN_WORDS: Final = re.compile(r"\?|\b(?:how|what|which|find|who|when|determine|calculate|need)\b")


@dataclass(frozen=True)
class AnalysedQuestion:
    """What the features ask of a question."""

    text: str
    values: frozenset[Fraction]
    asked: tuple[float, ...]
    """How likely it asks for 1, 2, 3, and 4 or more values."""
    stated: Stated | None
    """What the question states, solved; None where it was not surely read."""

    @cached_property
    def asked_size(self) -> int:
        """The likeliest number of values that it asks for."""
        return likeliest(self.asked)

    @property
    def asks_several(self) -> bool:
        """Whether it asks for more than one value, or states its facts and asks nothing in words."""
        return self.asked_size > 1 or _ASKS_IN_WORDS.search(self.text.lower()) is None


def analyse_question(question: str, asked: Sequence[float] = UNKNOWN) -> AnalysedQuestion:
    """Prepare a question; only the first 8,000 characters are looked at.

    ``asked`` says how likely it asks for 1, 2, 3, and 4 or more values (``models/counts.py``).
    """
    text = plain_maths(question[:MAX_QUESTION]).text
    given = given_of(question)
    values = frozenset(number.value for number in (given.numbers if given.text == text else find_numbers(text)))
    return AnalysedQuestion(text=text, values=values, asked=tuple(asked) or UNKNOWN, stated=given.stated)


Values = tuple[Fraction, ...]
SMALL: Final = frozenset(map(Fraction, range(3)))


@dataclass(frozen=True)
class Solved:
    """What the systems of a thread come to.

    ``systems`` are all that are solved, each with its probability by itself and its solutions. ``likeliest`` are the
    solutions of the likeliest, ``own`` those of the likeliest of each answer, and ``likely_asked`` the values of these
    that are asked, with the probability and the answer of each. ``asked`` says how likely each number of values is
    asked for.
    """

    systems: Sequence[tuple[float, Sequence[Values]]] = ()
    likeliest: Sequence[Values] = ()
    own: Mapping[int, Sequence[Values]] = field(default_factory=dict)
    likely_asked: Sequence[tuple[Values, float, int]] = ()
    asked: Sequence[float] = UNKNOWN


NOTHING: Final = Solved()
"""Of a thread without equations."""


SolveThread = Callable[[str, Sequence[str]], Solved]
"""Question and answers -> what the systems of the thread come to."""


@dataclass(frozen=True)
class ReadThread:
    """A thread's question, its candidates, its answers, and what its systems come to.

    ``options`` are the values of a multiple-choice question by letter.
    """

    question: AnalysedQuestion
    found: ThreadCandidates
    solved: Solved
    options: Mapping[str, Fraction]

    @property
    def answers(self) -> tuple[ReadAnswer, ...]:
        """The answers, read."""
        return self.found.answers

    @cached_property
    def candidate_values(self) -> tuple[Values, ...]:
        """The values of each candidate."""
        values = self.found.values
        return tuple(tuple([values[place] for place in one.values]) for one in self.found.candidates)

    @cached_property
    def _ratios(self) -> list[tuple[int, int]]:
        return [value.as_integer_ratio() for value in self.found.values]  # their hashes are quicker

    def _places(self, among: Iterable[Fraction]) -> frozenset[int]:
        held = {value.as_integer_ratio() for value in among}
        return frozenset([place for place, ratio in enumerate(self._ratios) if ratio in held])

    @cached_property
    def given(self) -> frozenset[int]:
        """Which values are numbers of the question, by their place."""
        return self._places(self.question.values)

    @cached_property
    def small(self) -> frozenset[int]:
        """Which are 0, 1 or 2."""
        return self._places(SMALL)

    @cached_property
    def offered(self) -> frozenset[int]:
        """Which are options."""
        return self._places(self.options.values())


def analyse_thread(question: str, answers: Sequence[str], solved: Solved = NOTHING) -> ReadThread:
    """Read a thread's candidates, with what its equations came to."""
    prepared, options = analyse_question(question, solved.asked), options_of(question)
    found = thread_candidates(answers, solutions=solved.own, options=options)
    return ReadThread(prepared, found, solved, options)


def question_says(
    stated: Stated, candidates: Sequence[Sequence[Fraction]], given: Sequence[Fraction], several: bool
) -> tuple[Stance, ...]:
    """What a question says of the values of each candidate; ``several``: it seems to ask for more than one value.

    CONFIRMS only all values that are asked: the unknown, all roots of the only unknown of an equation, all unknowns
    where several are asked for. Of those only a part is CONTRADICTS: it is not the answer. So are as many values of
    which one is none of those, whatever the units. And so are values each of which contradicts it by itself.
    """
    wanted = _wanted(stated, several) or ()
    many = wanted if len(wanted) > 1 else ()
    held = {value.as_integer_ratio(): value for values in candidates for value in values}.items()
    same = {ratio for ratio, value in held if any(same_value(value, other) for other in many)}
    sized = {ratio for ratio, value in held if any(same_size(value, other) for other in many)}
    against = {ratio for ratio, value in held if stance(stated, [(value,)], given) is Stance.CONTRADICTS}
    found = []
    for values in candidates:
        ratios = {value.as_integer_ratio() for value in values}
        if wanted and same_answer(values, wanted):
            found.append(Stance.CONFIRMS)
        elif ratios <= same or ratios <= against or (len(values) == len(many) and not ratios <= sized):
            found.append(Stance.CONTRADICTS)
        else:
            found.append(Stance.SILENT)
    return tuple(found)


def what_question_confirms(question: str, values: Sequence[str], asked: Sequence[float]) -> str | None:
    """The equations that a question states, if they give just the values of an answer; None if not.

    ``values`` are decimal or rational text; ``asked`` says how likely each number of values is asked for.

    >>> asked = (0.1, 0.9, 0.0, 0.0)
    >>> what_question_confirms("Two numbers add up to 52 and differ by 8. What are they?", ["30", "22"], asked)
    '(x+y)=52; abs(x-y)=8'
    """
    view = analyse_question(question, asked)
    found = gold_values(values)
    if view.stated is None or found is None:
        return None
    said = question_says(view.stated, [found], tuple(view.values), view.asks_several)
    return "; ".join(view.stated.equations) if said == (Stance.CONFIRMS,) else None


def _wanted(stated: Stated, several: bool) -> tuple[Fraction, ...] | None:
    """The values that are surely asked for; None where that is not clear."""
    first, *others = stated.answers
    if stated.reader == "posed" and len(first) == 1:
        return tuple(dict.fromkeys(row[0] for row in stated.answers))
    if any(not same_answer(row, first) for row in others):
        return None
    return first if len(first) == 1 or several or stated.reader == "posed" else None
