"""The records that travel through wordquarry: frozen, validated, and the same in memory, JSON and parquet.

Exact numbers are strings: a rational as ``"7/2"``, an irrational or numeric one as a decimal with at least 12
significant digits. Spans are half-open character offsets with ``text[start:end] == raw``.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from extractors.questions.question_types import QuestionType

SplitName = Literal["train", "validation", "test", "development", "evaluation"]


class ScopeOutcome(StrEnum):
    """What a post is: one elementary problem, or why it is none."""

    OK = "ok"
    GENERAL = "general"
    COLLEGE = "college"
    MULTIPLE = "multiple"
    INCOMPLETE = "incomplete"
    NOT_MATH = "not_math"

    def __repr__(self) -> str:
        return repr(self.value)


class Agreement(StrEnum):
    """What the answer and the solutions of the equations say of each other."""

    CONFIRMED = "confirmed"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


class Record(BaseModel):
    """Base of every record: immutable, unknown fields and numbers that are not finite refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _absent(value: object) -> bool:
    return value is None


def added_later() -> Any:
    """An optional field that records of earlier versions do not have.

    It is written only where it holds something, so that a record without it keeps its bytes and its digest.
    """
    return Field(default=None, exclude_if=_absent)


class Answer(Record):
    """One reply in a question thread, as its author wrote it, without the author.

    ``license`` and ``attribution`` are the answer's own; None means that those of the thread hold.
    """

    answer_id: str
    text: str
    is_best: bool = False
    score: int | None = None
    license: str | None = added_later()
    attribution: str | None = added_later()


class Post(Record):
    """One question thread. ``post_id`` is ``source:native_id``; ``retrieved_at`` and ``posted_at`` are UTC in ISO 8601.

    ``question`` is all that was asked. ``title`` is its headline by itself, which ``question`` begins with unless the
    text below says the same. ``posted_at`` is when the question was posted, where the source tells.

    ``response_sha256`` is the digest of what the thread was read from, ``parser`` what read it, as ``name@digest of its
    code``. ``content_sha256`` covers everything but these two and ``retrieved_at``: fetching the same thread again
    changes nothing.
    """

    post_id: str
    source: str
    url: str | None = None
    retrieved_at: str | None = None
    license: str | None = None
    attribution: str | None = None
    question: str
    question_html: str | None = None
    answers: tuple[Answer, ...] = ()
    tags: tuple[str, ...] = ()
    content_sha256: str = ""
    response_sha256: str | None = added_later()
    parser: str | None = added_later()
    title: str | None = added_later()
    posted_at: str | None = added_later()


class Provenance(Record):
    """Where a problem's question (``answer_id`` None), or an answer it rests on, comes from and on what terms."""

    problem_id: str
    post_id: str
    answer_id: str | None
    url: str | None
    license: str | None
    attribution: str | None
    retrieved_at: str | None
    response_sha256: str | None
    parser: str | None


class SourcePost(Record):
    """The question of a problem as it was posted: replaying the problem's cleaning steps on it gives its question."""

    problem_id: str
    post_id: str
    url: str | None
    license: str | None
    attribution: str | None
    question: str


class SourceAnswer(Record):
    """An answer that a problem rests on, whole: the spans of the problem that name it are characters of ``text``."""

    problem_id: str
    post_id: str
    answer_id: str
    url: str | None
    license: str | None
    attribution: str | None
    text: str
    is_best: bool
    score: int | None


class CleaningEdit(Record):
    """Replace ``[start, end)`` of the text before the step by ``replacement``."""

    start: int
    end: int
    replacement: str


class CleaningStep(Record):
    """One named cleaning step; its edits are disjoint and in ascending order."""

    name: str
    edits: tuple[CleaningEdit, ...]


class TextSpan(Record):
    """Characters of one answer: ``post.answers[answer_id].text[start:end] == raw``."""

    answer_id: str
    start: int
    end: int
    raw: str


class TextualNumber(Record):
    """A number in the cleaned question: ``question[start:end] == raw``; ``value`` is an exact rational."""

    value: str
    start: int
    end: int
    raw: str
    kind: str
    unit: str | None = None


class Assignment(Record):
    """One unknown of a solution and its value."""

    unknown: str
    value: str


class SystemSolution(Record):
    """One solution of an equation system."""

    assignments: tuple[Assignment, ...]


class CandidateSystem(Record):
    """The equation system read out of one answer, with the characters each equation came from.

    ``asked`` are the values of it that the question asks for, each with its unknown.
    """

    answer_id: str
    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    solutions: tuple[SystemSolution, ...]
    status: str
    spans: tuple[TextSpan, ...]
    probability: float
    asked: tuple[Assignment, ...] = ()


class SlotAlignment(Record):
    """A template slot and the textual number it stands for (span in the cleaned question)."""

    slot: str
    value: str
    start: int
    end: int


class RankedAnswer(Record):
    """One candidate number subset with its ranking score."""

    values: tuple[str, ...]
    score: float


# One record per stage and post: what the stage says of a post it kept.


class CleanedPost(Record):
    """Stage clean: the question without chatter; replaying ``steps`` on the raw question gives ``question``."""

    post_id: str
    question: str
    steps: tuple[CleaningStep, ...]
    numbers: tuple[TextualNumber, ...]


class ClassifiedPost(Record):
    """Stage classify: probability that the post is one elementary problem (0..1), and what kind of task it sets."""

    post_id: str
    in_scope: bool
    probability: float
    outcome: str
    question_type: QuestionType | None = added_later()


class PostReading(Record):
    """Stage read: the answer with its calibrated confidence and where it stands, and the likeliest equation system.

    ``values`` are the answer, ``ranked`` the best candidates, ``spans`` where the values stand. The system is given
    with all that its answer derives, or is None with the reason in ``note``. ``asked`` are the values of it that the
    question asks for, each with its unknown. ``witness`` is the likeliest system by itself, with that probability: what
    the systems say before they know the answer.
    """

    post_id: str
    values: tuple[str, ...]
    confidence: float
    ranked: tuple[RankedAnswer, ...]
    spans: tuple[TextSpan, ...]
    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    solutions: tuple[SystemSolution, ...]
    votes: tuple[str, ...] = Field(description="answer ids that gave the winning solution")
    candidates: tuple[CandidateSystem, ...]
    linear: bool | None
    note: str | None = None
    asked_counts: tuple[float, ...] = Field((), description="how likely 1, 2, 3, and 4 or more values are asked")
    asked: tuple[Assignment, ...] = ()
    witness: CandidateSystem | None = None


class PostAgreement(Record):
    """Stage agree: do answer and solutions confirm each other; ``detail`` names both sides.

    Of the system the core is left (``thread_equations.core_of``). ``asked`` holds an expression over the unknowns for
    each value of ``answer_exact``, or is None where the solutions do not confirm these. ``probability`` is that scope,
    answer and system are right, ``n_answers`` how many answers state a value of it.
    """

    post_id: str
    verdict: Agreement
    detail: str
    answer_exact: tuple[str, ...]
    equations: tuple[str, ...] | None = None
    unknowns: tuple[str, ...] = ()
    solutions: tuple[SystemSolution, ...] = ()
    asked: tuple[str, ...] | None = None
    probability: float | None = added_later()
    n_answers: int = 0


POSTED_QUESTION, CLEANED_QUESTION = "posted question", "question"


class EvidenceSpan(Record):
    """Characters of a post that a drop rests on: of its question as posted or as cleaned, or of ``answer ID``."""

    where: str
    start: int
    end: int
    raw: str


class Dropped(Record):
    """A post a stage did not keep: the reason's code, a sentence, a score where there is one, and evidence.

    ``spans`` is where the evidence stands in the post; empty where it stands elsewhere, or nowhere.
    """

    post_id: str
    reason: str
    detail: str
    score: float | None = None
    evidence: str | None = None
    spans: tuple[EvidenceSpan, ...] = ()


class Problem(Record):
    """One row of the configuration ``full``; every value leads back to the characters it came from.

    ``title`` and ``posted_at`` are those of the post. ``answer_exact`` are the values of the answer, ``answer_values``
    the same as doubles, None where one is too large, and ``answer`` how one would write them. ``solutions`` hold a
    value for each of ``unknowns``. ``asked`` holds an expression over ``unknowns`` for each value of ``answer_exact``;
    None where no system gives them. Problem type, grade and difficulty come from a model that the configuration names,
    else they are None. How a row was made is no part of it: the manifest says that.
    """

    problem_id: str
    post_id: str
    url: str | None
    license: str | None
    attribution: str | None
    title: str | None = added_later()
    posted_at: str | None = added_later()
    topic: str | None
    question: str
    question_type: QuestionType | None = added_later()
    cleaning_steps: tuple[CleaningStep, ...]
    numbers: tuple[TextualNumber, ...]
    answer: str
    answer_exact: tuple[str, ...]
    answer_values: tuple[float, ...] | None
    answer_dim: int
    answer_confidence: float
    answer_spans: tuple[TextSpan, ...]
    solution: str | None
    confidence: float | None
    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    asked: tuple[str, ...] | None = added_later()
    solutions: tuple[tuple[str, ...], ...]
    solution_values: tuple[tuple[float, ...], ...] | None
    votes: tuple[str, ...]
    n_votes: int
    equation_spans: tuple[TextSpan, ...]
    agreement: Agreement
    template: tuple[str, ...] | None
    template_id: str | None
    alignment: tuple[SlotAlignment, ...]
    equivalent_numbers: tuple[tuple[int, ...], ...]
    ambiguous: bool
    linear: bool | None
    lexicon_diversity: float
    nearest_id: str | None
    variant_of: str | None = added_later()
    problem_type: str | None = added_later()
    problem_type_probability: float | None = added_later()
    grade: str | None = added_later()
    grade_probability: float | None = added_later()
    difficulty_unknowns: int | None = added_later()
    difficulty_steps: int | None = added_later()
    split: SplitName

    def solutions_text(self) -> str:
        """All solutions in words: ``x = 8, y = 7 or x = 7, y = 8``."""
        named = (zip(self.unknowns, values, strict=True) for values in self.solutions)
        return " or ".join(", ".join(f"{unknown} = {value}" for unknown, value in pairs) for pairs in named)


class Message(Record):
    """One turn of a chat."""

    role: Literal["user", "assistant"]
    content: str


class TrainingRow(Record):
    """One row of the default configuration: what a model is trained on, and on what terms (version_tables)."""

    id: str
    question: str
    answer: str
    answer_values: tuple[float, ...] | None
    solution: str | None
    equations: tuple[str, ...]
    messages: tuple[Message, ...]
    topic: str | None
    source: str
    url: str | None
    license: str | None
    posted_at: datetime | None
    confidence: float | None


class Label(Record):
    """Gold labels of one post: read by training and quality commands only, never by build or stage."""

    post_id: str
    in_scope: bool
    scope_reason: ScopeOutcome
    gold_answer: tuple[str, ...] | None = None
    gold_equations: tuple[str, ...] | None = None
    family: str = ""
    author: str = ""
