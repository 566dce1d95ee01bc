"""Problems of published corpora: one record for all formats, and what reading a corpus gives.

A ``GoldProblem`` holds what the formats have in common in the project's own terms, and beside it what its file says in
its own words, so that a file that is read and written again in its own format says the same.
"""

import re
from dataclasses import dataclass

from pydantic import Field, JsonValue

from corpus.reasons import Reason
from corpus.records import Record, SlotAlignment

_ENDED = re.compile(r"\W\Z")


class GoldNumber(Record):
    """A textual number: its value and its characters in the question."""

    value: str
    start: int
    end: int


class GoldProblem(Record):
    """One problem of a corpus with its gold labels. Empty texts and tuples mean: the corpus does not say.

    ``gold`` are alternatives of exact values; ``equations`` are in the notation of our grammar with numbers filled in,
    and without ``unknowns`` every name in them is one; ``formula`` and ``answer`` are as the file writes them;
    ``notes`` name the parts of the record that were not understood.
    """

    problem_id: str = Field(description="format:native id; the second record of an id has #2 behind it")
    native_id: str
    origin: str = Field(description="name of the format it was read from")
    question: str = ""
    parts: tuple[str, ...] = Field((), description="body and question as written, where the file keeps them apart")
    answer: str = ""
    gold: tuple[tuple[str, ...], ...] = ()
    equations: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    formula: str = ""
    kind: str = Field("", description="solution type or category")
    options: tuple[str, ...] = ()
    correct: int | None = Field(None, description="index of the keyed option")
    rationale: str = ""
    template: tuple[str, ...] = ()
    template_id: str | None = None
    alignment: tuple[SlotAlignment, ...] = ()
    equivalent_numbers: tuple[tuple[GoldNumber, ...], ...] = ()
    ambiguous: bool | None = None
    linear: bool | None = None
    license: str | None = None
    url: str | None = None
    notes: tuple[str, ...] = ()
    details: dict[str, JsonValue] = Field({}, description="what only this format has")


@dataclass(frozen=True)
class RefusedRecord:
    """A record that gave no problem (or a problem that a format cannot hold): where it stands and why."""

    where: str
    reason: Reason
    detail: str
    record_id: str | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.detail} ({self.reason.value})"


@dataclass(frozen=True)
class Corpus:
    """A corpus that was read: ``records == len(problems) + len(refused)``; ``origin`` is its format."""

    name: str
    origin: str
    records: int
    problems: tuple[GoldProblem, ...]
    refused: tuple[RefusedRecord, ...] = ()
    license: str | None = None

    def __post_init__(self) -> None:
        assert self.records == len(self.problems) + len(self.refused), "every record is read or refused"


def joined(body: str, question: str) -> str:
    """Body and question as one text; a body that lost its last point before a new sentence gets one.

    >>> joined("Tom had 9 pens ", "How many has he?"), joined("If he eats 4,", "how many are left?")
    ('Tom had 9 pens. How many has he?', 'If he eats 4, how many are left?')
    """
    body, question = body.strip(), question.strip()
    lost = bool(body) and not _ENDED.search(body) and question[:1].isupper()
    return f"{body}{'.' * lost} {question}".strip()
