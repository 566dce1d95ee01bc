"""An answer prepared once for all features: its lines, and its numbers by value."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.answers.answer_candidates import ASSIGNED, OPERAND, RESULT, Mention, ReadAnswer


@dataclass(frozen=True)
class AnalysedAnswer:
    """One answer for the evidence: its text in lower case, and its mentions by value."""

    answer: ReadAnswer
    text: str

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


_CHECK_HEADING: Final = re.compile(
    r"(?:\n|\. )[ *-]{0,4}(?:(?:to |let'?s |we )?(?:check|checking|ck|chk|proof|verify|verification|"
    r"verifying|test it)\b)"
)


def analyse_answer(answer: ReadAnswer) -> AnalysedAnswer:
    """Prepare one answer."""
    return AnalysedAnswer(answer, answer.plain.text.lower())
