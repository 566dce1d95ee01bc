"""An answer prepared once for all features: lines, sentences, sums, and its numbers by value."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Final

from extractors.answers.answer_candidates import ASSIGNED, OPERAND, RESULT, Mention, ReadAnswer
from extractors.answers.arithmetic import Sum, written_sums
from extractors.text.sentences import sentence_ends
from models.analysed_question import AnalysedQuestion
from models.chains import Step, steps_of

BEFORE: Final = 60
_WORD: Final = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class AnalysedAnswer:
    """One answer for the features: its text in lower case, sentence borders, sums, and its mentions by value."""

    answer: ReadAnswer
    text: str
    lines: tuple[int, ...]
    sentences: tuple[int, ...]
    solutions: tuple[tuple[Fraction, ...], ...] = ()

    @property
    def mentions(self) -> tuple[Mention, ...]:
        """All numbers of the answer, in order."""
        return self.answer.mentions

    @cached_property
    def body_end(self) -> int:
        """Where a closing check begins ("Check:", "PROOF"), the end of the text where there is none.

        Numbers of a check are those of the problem again and not what the answer comes to.
        """
        for match in _CHECK_HEADING.finditer(self.text):
            if any(mention.end <= match.start() and mention.role is not OPERAND for mention in self.mentions):
                return match.start()
        return len(self.text)

    @cached_property
    def last_place(self) -> int:
        """The place of the last mention before a closing check, -1 if there is none."""
        return max((place for place, mention in enumerate(self.mentions) if mention.start < self.body_end), default=-1)

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """The sums the answerer wrote down."""
        return written_sums(self.text)

    @cached_property
    def chain(self) -> tuple[Step, ...]:
        """The same with things counted between the numbers, as steps that can be followed back."""
        return steps_of(self.text, self.mentions)

    @cached_property
    def sums_right(self) -> float:
        """Right less wrong sums, over all; 0 without sums."""
        right = sum(found.right for found in self.sums)
        return (2 * right - len(self.sums)) / len(self.sums) if self.sums else 0.0

    @cached_property
    def by_value(self) -> dict[int, list[int]]:
        """Positions in ``mentions`` of each value."""
        found: dict[int, list[int]] = {}
        for place, mention in enumerate(self.mentions):
            found.setdefault(mention.value, []).append(place)
        return found

    @cached_property
    def stated(self) -> tuple[tuple[int, int], ...]:
        """The number of each mention as written, before spellings are unified: numerator and denominator."""
        return tuple(mention.number.value.as_integer_ratio() for mention in self.mentions)

    @cached_property
    def line_of(self) -> tuple[int, ...]:
        """The number of the line each mention stands in."""
        return tuple(_place(self.lines, mention.start) for mention in self.mentions)

    @cached_property
    def sentence_of(self) -> tuple[int, ...]:
        """The number of the sentence each mention stands in."""
        return tuple(_place(self.sentences, mention.start) for mention in self.mentions)

    def used(self, question: AnalysedQuestion) -> float:
        """Which share of the question's numbers stands in the answer; 0 for a question without numbers."""
        return len(question.given.intersection(self.stated)) / len(question.given) if question.given else 0.0

    @cached_property
    def words(self) -> frozenset[str]:
        """Longer words of the answer."""
        return frozenset(word for word in _WORD.findall(self.text) if len(word) > 3)

    @cached_property
    def runs(self) -> frozenset[tuple[int, ...]]:
        """The values of two to five mentions that follow one another, each run ascending."""
        values = [mention.value for mention in self.mentions]
        return frozenset(
            tuple(sorted(values[start : start + size]))
            for size in range(2, 6)
            for start in range(len(values) - size + 1)
        )

    @cached_property
    def closing(self) -> frozenset[int]:
        """The values of the last sentence that holds a number which is no operand, operands left out."""
        if self.last_conclusive < 0:
            return frozenset()
        sentence = self.sentence_of[self.last_conclusive]
        return frozenset(
            mention.value
            for place, mention in enumerate(self.mentions)
            if self.sentence_of[place] == sentence and mention.role is not OPERAND
        )

    @cached_property
    def conclusions(self) -> tuple[int, ...]:
        """The different values before a closing check that are no operands, the last first."""
        places = reversed(range(self.last_place + 1))
        found = (self.mentions[place].value for place in places if self.mentions[place].role is not OPERAND)
        return tuple(dict.fromkeys(found))

    @cached_property
    def assigned(self) -> frozenset[int]:
        """The values that an equation gives to a lone name."""
        return frozenset(mention.value for mention in self.mentions if mention.role is ASSIGNED)

    @cached_property
    def neighbours(self) -> dict[int, frozenset[int]]:
        """For each value, the values it is listed with: only a comma, "and" or a word stands between them."""
        found: dict[int, set[int]] = {}
        for first, second in pairwise(self.mentions):
            if OPERAND in (first.role, second.role) or first.value == second.value:
                continue
            if _LISTED.fullmatch(self.text, first.end, second.start):
                found.setdefault(first.value, set()).add(second.value)
                found.setdefault(second.value, set()).add(first.value)
        return {value: frozenset(others) for value, others in found.items()}

    @cached_property
    def steps(self) -> int:
        """How many results and values of variables the answer works out, at most 6."""
        return min(6, sum(mention.role in (RESULT, ASSIGNED) for mention in self.mentions))

    @cached_property
    def objects(self) -> bool:
        """Whether the answer says that another answer, or the asker, is wrong."""
        return _OBJECTION.search(self.text) is not None

    @cached_property
    def before(self) -> tuple[str, ...]:
        """The 60 characters before each mention."""
        return tuple(self.text[max(0, mention.start - BEFORE) : mention.start] for mention in self.mentions)

    @cached_property
    def after(self) -> tuple[re.Match[str] | None, ...]:
        """The sign of a percentage or a degree, or one to three words right after each mention."""
        return tuple(_AFTER.match(self.text, mention.end) for mention in self.mentions)

    @cached_property
    def last_operand(self) -> dict[int, int]:
        """The last place at which each value is an operand."""
        return {mention.value: place for place, mention in enumerate(self.mentions) if mention.role is OPERAND}

    @cached_property
    def sentence_texts(self) -> tuple[str, ...]:
        """The sentences."""
        ends = (*self.sentences[1:], len(self.text))
        return tuple(self.text[start:end] for start, end in zip(self.sentences, ends, strict=True))

    @cached_property
    def last_conclusive(self) -> int:
        """The place of the last mention before a closing check that is no operand, -1 if there is none."""
        places = reversed(range(self.last_place + 1))
        return next((place for place in places if self.mentions[place].role is not OPERAND), -1)


_AFTER: Final = re.compile(r"[ -]?(%|°)|[ -]{0,2}([a-z]+)(?:[ ]([a-z]+))?(?:[ ]([a-z]+))?")
_LISTED: Final = re.compile(
    r"[ ]?(?:[a-z$%]{1,12}[ ]?){0,2}(?:,|;|and|&|/|\n|or|,[ ]?and)[ ]?(?:and[ ])?(?:[a-z=' $]{0,14})?[$]?"
)
_CHECK_HEADING: Final = re.compile(
    r"(?:\n|\. )[ *-]{0,4}(?:(?:to |let'?s |we )?(?:check|checking|ck|chk|proof|verify|verification|"
    r"verifying|test it)\b)"
)
_OBJECTION: Final = re.compile(
    r"\b(?:forgot|not quite|isn'?t right|(?:is|are|ur|you'?re) wrong|no no|misread|mistake|nope|slip|"
    r"(?:answers?|posts?|people) above|it (?:can'?t|isn'?t|cannot) be)\b"
)


def _place(starts: Sequence[int], position: int) -> int:
    return bisect_right(starts, position) - 1


def analyse_answer(answer: ReadAnswer, solutions: tuple[tuple[Fraction, ...], ...] = ()) -> AnalysedAnswer:
    """Prepare one answer; ``solutions`` are those of its own equations."""
    text = answer.plain.text.lower()
    lines, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            lines.append(start)
        start += len(line) + 1
    spans = pairwise([0, *sentence_ends(answer.plain.text)])
    starts = tuple(start for start, end in spans if text[start:end].strip())
    return AnalysedAnswer(answer, text, tuple(lines) or (0,), (0, *starts[1:]), solutions)
