"""What a question gives: its numbers, which constants can come from them, and its verdict on a solution.

As a second witness it speaks only where it was surely read (``questions.stated``): it confirms a solution that holds
all of its values, and contradicts one that holds none of them and nothing that is one operation away.

A question may set equations and ask for nothing but their solution: ``Solve 3x + 2y = 19, x - y = 3``.
``posed_system`` solves it, ``posed_size`` says how many values it asks for.
"""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd
from typing import Final

from extractors.equations.answer_tokens import SOLVING_WORDS
from extractors.equations.equation_candidates import Candidates, read_candidates
from extractors.equations.identities import are_near_ratios, is_near
from extractors.equations.setups import Setup
from extractors.expressions.tree import names_of, render
from extractors.quantities.numbers import find_numbers
from extractors.questions.stated import Stated, read_question, solved_reading
from extractors.questions.worded import QuestionReading
from extractors.real_numbers.values import Budget, approximate
from extractors.text.sentences import remembered
from extractors.text.wordlists import read_list, words

MAX_POSED: Final = 4
MAX_CHARACTERS: Final = 320
"""Equations and characters of a question that is read; one that only sets equations is short."""
_WORD: Final = re.compile(r"[a-z']{2,}")
_ITEM: Final = re.compile(
    r"(?<!\S)\(?\d{1,2}\s?[.):](?!\d)|[$\\{}&]|\b(?:equation|problem|question|number|#)\s?\d{1,2}\b"
)
_MORE: Final = re.compile(r"[\d=+*/^<>√²³]|-\s*[a-z0-9]\b")
"""What stands outside of the equations where there is more than they say: another expression, a number."""
_FUNCTION: Final = re.compile(r"\b[fgh]\s*\(")
_PLAIN: Final = SOLVING_WORDS.union(words(read_list("extractors/posed_words")))


def posed_system(asked: Candidates) -> Stated | None:
    """The solution of the equations that a question sets, from its candidates; None where it says anything besides.

    >>> from extractors.equations.equation_candidates import read_candidates
    >>> posed_system(read_candidates("solve 2x - y = 5 and x + y = 4")).answers
    ((Fraction(3, 1), Fraction(1, 1)),)
    >>> posed_system(read_candidates("if 2x - y = 5 and x + y = 4 then what is the value of x - 3y?")) is None
    True
    """
    equations = [candidate for candidate in asked.equations if not candidate.assigns]
    text = asked.plain.text.lower()
    if not 0 < len(equations) <= MAX_POSED or len(equations) < len(asked.equations) or len(text) > MAX_CHARACTERS:
        return None
    rest, at = [], 0
    for candidate in equations:
        rest.append(text[at : candidate.start])
        at = candidate.end
    outside = _ITEM.sub(" ", " ".join([*rest, text[at:]]))
    if _MORE.search(outside) or _FUNCTION.search(text) or any(word not in _PLAIN for word in _WORD.findall(outside)):
        return None
    unknowns = names_of(*[side for one in equations for side in (one.equation.left, one.equation.right)])
    if not unknowns or len(unknowns) != len(equations):
        return None
    return solved_reading(
        QuestionReading(tuple(render(one.equation) for one in equations), unknowns, positive=False), "posed"
    )


MAX_SIZED: Final = 600
"""Characters of a question that is looked at; one that only sets equations is short."""
STEPS: Final = 20_000
_ONE: Final = re.compile(
    r"\b(?:find|solve for|what(?:'s| is)|value of|for) (?:the )?(?:value of )?[a-z]\b(?! ?(?:and|&|,))"
    r"|\b(?:product|sum|difference|positive|negative|larger|smaller|larg|small|great|least|value of [a-z]{2})"
    r"|\b(?:how (?:many|much|long|old|far)|which)\b"
)
_SOLVING_WORD: Final = re.compile(r"[a-z]{3,}")
_SOLVING: Final = SOLVING_WORDS.union(words(read_list("extractors/solving_chatter")))


def posed_size(question: str) -> int | None:
    """The number of values that a question in equations asks for, from its text in lower case.

    All unknowns of a system with one solution, all roots of one unknown. None where the question has other words than
    those of solving, asks for one of the values, or sets no equations that can be solved.

    >>> posed_size("solve 3x+2y=19, x-y=3?"), posed_size("(x-2)^2=25 solve"), posed_size("x - 5 = 9")
    (2, 2, 1)
    >>> posed_size("solve for x: 3x+2y=19, x-y=3"), posed_size("tom has x pens, and 2x + 3 = 19. how many pens?")
    (None, None)
    """
    if "=" not in question or len(question) > MAX_SIZED or _ONE.search(question):
        return None
    if any(word not in _SOLVING for word in _SOLVING_WORD.findall(question)):
        return None
    setup = Setup(Budget(STEPS))
    for candidate in read_candidates(question).equations:
        setup.offer(candidate)
    if not setup.solved:
        return None
    if len(setup.solutions) == 1:
        return len(setup.names)
    roots = {approximate(value) for values in setup.solutions for value in values.values()}
    return len(roots) if len(setup.names) == 1 else None


MAX_NUMBERS = 24
MAX_QUESTION: Final = 5_000
_CHOICE: Final = re.compile(r"([A-Ha-h])(?<=[\s(].)(?:\s?[).:]\s*|[^\S\n]{0,3}\n\s{0,3})(?=[$\d(-])")
_LEAST_CHOICES: Final = 3
_LONGEST_CHOICE: Final = 24
Ratio = tuple[int, int]
"""A size as numerator and denominator in lowest terms: hashed and compared much faster than a fraction."""
_SCALES: Final[tuple[Ratio, ...]] = ((100, 1), (1, 100), (60, 1), (1, 60), (10, 1), (1, 10), (12, 1))


def without_choices(question: str) -> str:
    """A question without the choices that it ends with: their numbers are results, nothing that is given.

    Choices are sought here in the text as it is written, since its spans are needed; questions in one spelling have a
    rule of their own for what may be choices in lower case (extractors.questions.wording), which only reads less.

    >>> without_choices("The mean of 7 numbers is 20. The largest is: A) 21 B) 22 C) 23")
    'The mean of 7 numbers is 20. The largest is:'
    >>> without_choices("5:4, and 117 in all. Number of girls?\\n\\nA\\n45\\nB\\n52\\nC\\n58")
    '5:4, and 117 in all. Number of girls?'
    >>> without_choices("A) has 5 pens, B) has 7 pens more. How many have both together, and C) alone?")[:6]
    'A) has'
    """
    marks = list(_CHOICE.finditer(question[:MAX_QUESTION]))
    letters = "".join(mark[1] for mark in marks).upper()
    if len(marks) < _LEAST_CHOICES or not "ABCDEFGH".startswith(letters):
        return question
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    short = all(end - mark.end() <= _LONGEST_CHOICE for mark, end in zip(marks, ends, strict=True))
    return question[: marks[0].start()].rstrip() if short else question


class Given:
    """The numbers of a question; ``empty`` where it states none, so that rules about them do not apply.

    ``text`` is the question without choices, in which ``numbers`` stand; ``sizes`` are their values without a sign.
    """

    def __init__(self, question: str) -> None:
        self.text = without_choices(question)
        self.numbers = find_numbers(self.text)
        self.values = tuple(dict.fromkeys(abs(number.value) for number in self.numbers))[:MAX_NUMBERS]
        self.question = question[:MAX_QUESTION]
        self.sizes = {_size(value): index for index, value in enumerate(self.values)}

    @property
    def empty(self) -> bool:
        """Whether the question states no number."""
        return not self.values

    @cached_property
    def stated(self) -> Stated | None:
        """What the question states, in words or in equations, solved; None where it is not surely read."""
        posed = posed_system(read_candidates(self.question)) if "=" in self.question else None
        return posed if posed is not None else read_question(self.question, self.numbers)

    def holds(self, value: Fraction) -> bool:
        """Whether the question states the value, in size."""
        top, bottom = value.as_integer_ratio()
        return (abs(top), bottom) in self.sizes

    @cached_property
    def _origins(self) -> dict[Ratio, int]:
        """Every spelling of a number of the question (percent, cents, minutes) -> its index."""
        out = dict(self.sizes)
        for number in self.numbers if "dozen" in self.question.lower() else ():
            if number.raw.lower().endswith("dozen"):
                out.setdefault(_size(number.value / 12), self.sizes.get(_size(number.value), 0))
        for (top, bottom), index in self.sizes.items():
            for scale, divisor in _SCALES:
                out.setdefault(_reduced(top * scale, bottom * divisor), index)
            less, more = 100 * bottom - top, 100 * bottom + top
            shares = (less, 100 * bottom), (more, 100 * bottom), (bottom - top, bottom)
            for changed, divisor in ((less, bottom), (more, bottom), *shares, (bottom, top)):
                if changed > 0 and divisor:
                    out.setdefault(_reduced(changed, divisor), index)
        return out

    def used_by(self, constants: Iterable[Ratio]) -> int:
        """How many numbers of the question some constants use, as they are or rescaled."""
        origins = self._origins
        return len({origins[size] for top, bottom in constants if (size := (abs(top), bottom)) in origins})


def _size(value: Fraction) -> Ratio:
    top, bottom = value.as_integer_ratio()
    return abs(top), bottom


def _reduced(top: int, bottom: int) -> Ratio:
    shared = gcd(top, bottom)
    return top // shared, bottom // shared


MORE_UNKNOWNS: Final = 2
"""Unknowns of an answer beyond those of the question; with more of them its values say little."""
_CLOSE: Final = Fraction(6, 1000)
_EXACT: Final = Fraction(1, 10_000)
_CENT: Final = Fraction(1, 200)
_UNIT_SCALES: Final[Sequence[Ratio]] = ((1, 1), (100, 1), (1, 100), (60, 1), (1, 60))


class Stance(StrEnum):
    """What the question says of a solution."""

    CONFIRMS = "confirms"
    CONTRADICTS = "contradicts"
    SILENT = "silent"


def stance(stated: Stated | None, rows: Sequence[Sequence[Fraction]], given: Sequence[Fraction]) -> Stance:
    """What a question says of the solutions of a system; ``given`` are its numbers.

    A value may be rounded, or in percent, cents or minutes. SILENT where the question was not read.
    """
    if stated is None or not rows:
        return Stance.SILENT
    held = [any(_holds(row, wanted) for row in rows) for wanted in stated.rows]
    if all(held) if stated.reader == "posed" else any(held):
        return Stance.CONFIRMS
    values = [value for row in rows for value in row]
    known = tuple(dict.fromkeys([value for row in stated.rows for value in row]))
    if any(same_size(value, other) for value in values for other in known):
        return Stance.SILENT
    derived = () if stated.exact else _derived(known, tuple(given))
    return Stance.SILENT if any(is_near(v, other, _EXACT) for v in values for other in derived) else Stance.CONTRADICTS


def _holds(row: Sequence[Fraction], wanted: Sequence[Fraction]) -> bool:
    """Whether a solution holds all values that are stated, with few unknowns beside."""
    return len(row) <= len(wanted) + MORE_UNKNOWNS and all(any(_is(value, other) for value in row) for other in wanted)


def _is(value: Fraction, other: Fraction) -> bool:
    """Whether two values are the same, in some unit, or one is the other rounded to cents.

    Closer than ``same_size``: a percentage of the wrong base is off by its square only, 0.36 % where it is 6 %.
    """
    (top, bottom), (wanted, size) = value.as_integer_ratio(), other.as_integer_ratio()
    cents = abs(wanted) >= size and abs(top * size - wanted * bottom) * _CENT.denominator <= bottom * size
    return cents or _near_in_some_unit(value, other, _EXACT)


def same_size(value: Fraction, other: Fraction) -> bool:
    """Whether two values agree but for rounding and a change of units (percent, cents, minutes)."""
    return _near_in_some_unit(value, other, _CLOSE)


def _near_in_some_unit(value: Fraction, other: Fraction, tolerance: Fraction) -> bool:
    (top, bottom), (wanted, size) = value.as_integer_ratio(), other.as_integer_ratio()
    left, right = top * size, wanted * bottom
    if left and right and (left > 0) != (right > 0):
        return False
    return any(are_near_ratios((left * up, 1), (right * down, 1), tolerance) for up, down in _UNIT_SCALES)


@lru_cache(maxsize=16)
def _derived(known: tuple[Fraction, ...], given: tuple[Fraction, ...]) -> list[Fraction]:
    """What is one operation away from a stated value: with another of them, or with a number of the question.

    The candidates of a thread ask one after the other.
    """
    found = []
    for place, a in enumerate(known):
        found += [value for b in (*known[:place], *given) for value in (a + b, a - b, b - a)]
        found += [value for b in known[:place] for value in (a * b, *([a / b, b / a] if a and b else []))]
    return found


@remembered
def given_of(question: str) -> Given:
    """What a question gives, read once for all who ask about the same question."""
    return Given(question)
