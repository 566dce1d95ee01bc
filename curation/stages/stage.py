"""What a stage is: it looks at the trail of each post and keeps it, with a record, or drops it, with a reason."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import pyarrow as pa

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import Dropped, EvidenceSpan, Post, Record, TextSpan
from corpus.schema import RecordT, arrow_schema


@dataclass(frozen=True)
class DropEvidence:
    """What a drop rests on, in words, and the characters of the post that say so."""

    text: str | None
    spans: tuple[EvidenceSpan, ...] = ()


def span_of(where: str, text: str, start: int = 0, end: int | None = None) -> EvidenceSpan:
    """Characters of one text of a post, the whole of it without an end.

    >>> span_of("question", "the area", 4).raw
    'area'
    """
    end = len(text) if end is None else end
    return EvidenceSpan(where=where, start=start, end=end, raw=text[start:end])


def spans_of_answers(spans: Iterable[TextSpan]) -> tuple[EvidenceSpan, ...]:
    """The characters of answers that values or equations were read from."""
    return tuple(
        EvidenceSpan(where=f"answer {one.answer_id}", start=one.start, end=one.end, raw=one.raw) for one in spans
    )


@dataclass(frozen=True)
class Trail:
    """One post and what the stages before have said of it."""

    post: Post
    records: Mapping[type[Record], Record] = field(default_factory=dict)

    def get(self, kind: type[RecordT]) -> RecordT:
        """The record of one kind; KeyError if the stage that makes it is not among those read."""
        record = self.records[kind]
        assert isinstance(record, kind)
        return record

    def drop(
        self, reason: ReasonCode, detail: str, *, score: float | None = None, evidence: DropEvidence | str | None = None
    ) -> Dropped:
        """This post, dropped: a sentence that says why, a score where there is one, and what it rests on."""
        shown = evidence if isinstance(evidence, DropEvidence) else DropEvidence(evidence)
        return Dropped(
            post_id=self.post.post_id,
            reason=reason.value,
            detail=detail,
            score=score,
            evidence=shown.text,
            spans=shown.spans,
        )


PostColumns = Mapping[str, Sequence[Any]]
"""Values by column, one for each post; ``post_id`` is always among them."""

StageTables = tuple[pa.Table, pa.Table]
"""The rows that a stage keeps, and the rows of Dropped, each in the order in which the posts came in."""


@dataclass
class Memory:
    """What a whole stage left when it last ran, and what it leaves for the next time; both may be None.

    It saves work: what a stage decides is the same whatever is known.
    """

    known: pa.Table | None = None
    left: pa.Table | None = None


ConfigT = TypeVar("ConfigT", bound=StageConfig)


@dataclass(frozen=True)
class Context(Generic[ConfigT]):
    """What a stage works with besides the posts: its configuration and its models, by name.

    ``days`` are the days of retrieval by post, for a stage that asks for them; ``data`` is the data folder; ``memory``
    is that of a whole stage, which may use so many ``workers``.
    """

    config: ConfigT
    models: Mapping[str, Any] = field(default_factory=dict)
    days: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    memory: Memory = field(default_factory=Memory)
    workers: int = 1


@dataclass(frozen=True)
class Stage:
    """A stage: ``reads`` names the stages whose records it needs; the registry adds the one whose kept posts come in.

    ``reasons`` are why it drops posts, ``table`` is that of its configuration where it has another name, ``models``
    names the models it needs. It has one of three ways to decide. Most stages ``decide`` about one post at a time, so
    their work is spread over shards: what they say of a post follows from its content and from what such
    stages before them said. Whole stages see the corpus at once: ``decide_columns`` takes the columns ``over``, (stage,
    column) pairs, under their own names. ``days`` says that such a stage looks at days of retrieval where its
    configuration says ``by_day``. ``decide_tables`` sees all that was said of some posts, as tables by stage, and
    decides row by row; it reads every stage, and hands on the columns ``over`` of whole ones as they are.
    """

    name: str
    record: type[Record]
    reads: tuple[str, ...]
    config: type[StageConfig]
    reasons: type[ReasonCode]
    models: tuple[str, ...] = ()
    decide: Callable[[Trail, Context[Any]], Record] | None = None
    decide_columns: Callable[[PostColumns, Context[Any]], StageTables] | None = None
    decide_tables: Callable[[Mapping[str, pa.Table], Context[Any]], tuple[pa.Table, Sequence[Dropped]]] | None = None
    over: tuple[tuple[str, str], ...] = ()
    days: bool = False
    table: str = ""

    @property
    def whole(self) -> bool:
        """Whether it sees the corpus at once."""
        return self.decide_columns is not None

    @property
    def module(self) -> str:
        """The module whose import closure is the stage's code."""
        return f"curation.stages.{self.name}_stage"


def rows_table(rows: Sequence[Sequence[Any]], record: type[Record]) -> pa.Table:
    """Records given as the values of their fields, in the order of these, as a table."""
    schema = arrow_schema(record)
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.table([pa.array(one, field.type) for one, field in zip(columns, schema, strict=True)], schema=schema)
