"""Slots that a program cannot align, asked and decided (Annotating Derivations, sections 3.2 and 5).

Only ambiguous slots are asked: those whose number stands in the text several times, not as one quantity restated.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from corpus.benchmarks.gold_problems import Corpus, GoldNumber, GoldProblem
from corpus.canonical import canonical_json, digest_of
from corpus.errors import InputError
from corpus.lines.sheet_lines import MAX_NOTE
from corpus.records import Record, SlotAlignment
from curation.equivalence.reconciliation import template_id
from curation.grouping import Components
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.templates.induction import OpenTemplate, induce, open_template

FORMAT = 1
CONTEXT = 40
ASKED = (
    "Which of the candidates does the slot stand for? Give its number in choice, [2]; several, [1, 3], if they state "
    "one and the same quantity, the best one first; leave null if you cannot say."
)


class SlotSheetHeader(Record):
    """What a sheet is: ``sheet_id`` is a digest of the rows without choices and notes."""

    format: Literal[1]
    kind: Literal["slots"]
    sheet_id: str
    corpus: str
    problems: int = Field(ge=0)
    question: str


class SlotCandidate(Record):
    """A textual number: its number on the row, its characters in the question, and the words around it."""

    candidate: int
    start: int
    end: int
    context: str


class SlotRow(Record):
    """One ambiguous slot; ``template`` has a slot for each number of ``equations``."""

    row: int
    problem_id: str
    question: str
    equations: tuple[str, ...]
    template: tuple[str, ...]
    slot: str
    value: str
    candidates: tuple[SlotCandidate, ...]
    choice: tuple[int, ...] | None = None
    note: str = Field("", max_length=MAX_NOTE)

    @property
    def asked(self) -> str:
        """What is asked, without the place on the sheet and the choice."""
        return canonical_json(self.model_dump(mode="json", exclude={"row", "choice", "note"}))


@dataclass(frozen=True)
class SlotSheet:
    """A sheet in memory."""

    header: SlotSheetHeader
    rows: tuple[SlotRow, ...]

    def lines(self) -> str:
        """The sheet as JSON Lines."""
        return "".join(canonical_json(one.model_dump(mode="json")) + "\n" for one in (self.header, *self.rows))

    @property
    def decided(self) -> int:
        """Rows with a choice."""
        return sum(row.choice is not None for row in self.rows)


@dataclass(frozen=True)
class Applied:
    """A corpus after a sheet: problems decided by it, and those that still need a person."""

    problems: tuple[GoldProblem, ...]
    decided: int
    still_open: int


def slot_sheet(corpus: Corpus) -> SlotSheet:
    """The sheet of a corpus: problems with text and equations whose alignment nobody has decided yet."""
    found = [(problem, opened) for problem in corpus.problems if (opened := _opened(problem)) is not None]
    asked = [row for problem, (numbers, template) in found for row in _rows(problem, numbers, template)]
    return sheet_of_slots(corpus.name, tuple(row.model_copy(update={"row": n}) for n, row in enumerate(asked, 1)))


def sheet_of_slots(name: str, rows: tuple[SlotRow, ...]) -> SlotSheet:
    """The sheet of a corpus of this name with these rows, whatever their choices."""
    header = SlotSheetHeader(
        format=FORMAT,
        kind="slots",
        sheet_id=digest_of([FORMAT, name, [row.asked for row in rows]])[:24],
        corpus=name,
        problems=len({row.problem_id for row in rows}),
        question=ASKED,
    )
    return SlotSheet(header, rows)


def _opened(problem: GoldProblem) -> tuple[tuple[Number, ...], OpenTemplate] | None:
    """The open template of a problem that a person has to align; None for all others."""
    if problem.ambiguous is False or not problem.question or not problem.equations:
        return None
    numbers = tuple(find_numbers(problem.question))
    try:
        found = open_template(problem.question, numbers, problem.equations, problem.unknowns or None)
    except ExtractionError:
        return None
    return (numbers, found) if any(_is_asked(found, place) for place in range(len(found.slots))) else None


def _is_asked(template: OpenTemplate, place: int) -> bool:
    return bool(template.slots[place]) and len(template.ranked[place]) > 1


def _rows(problem: GoldProblem, numbers: Sequence[Number], template: OpenTemplate) -> Iterable[SlotRow]:
    for place, slot in enumerate(template.slots):
        if not _is_asked(template, place):
            continue
        ranked = [numbers[index] for index in template.ranked[place]]
        yield SlotRow(
            row=0,
            problem_id=problem.problem_id,
            question=problem.question,
            equations=problem.equations,
            template=template.template,
            slot=slot,
            value=str(ranked[0].value),
            candidates=tuple(_candidate(problem.question, n, number) for n, number in enumerate(ranked, 1)),
        )


def _candidate(question: str, place: int, number: Number) -> SlotCandidate:
    before, after = question[max(0, number.start - CONTEXT) : number.start], question[number.end : number.end + CONTEXT]
    context = f"{before}[{question[number.start : number.end]}]{after}"
    return SlotCandidate(candidate=place, start=number.start, end=number.end, context=" ".join(context.split()))


def apply_slot_sheet(corpus: Corpus, sheet: SlotSheet) -> Applied:
    """The corpus with template, alignment and equivalent numbers of every problem whose slots are all decided.

    Other problems stay as they are. InputError where the sheet asks what the corpus does not.
    """
    asked: dict[str, dict[str, SlotRow]] = {}
    for row in sheet.rows:
        asked.setdefault(row.problem_id, {})[row.slot] = row
    problems = [_applied(problem, asked.pop(problem.problem_id, {})) for problem in corpus.problems]
    if asked:
        raise InputError(f"the sheet asks for {sorted(asked)[0]}, which {corpus.name} does not hold; give its corpus")
    decided = {row.problem_id for row in sheet.rows} - {row.problem_id for row in sheet.rows if row.choice is None}
    return Applied(tuple(problems), len(decided), sheet.header.problems - len(decided))


def _applied(problem: GoldProblem, rows: Mapping[str, SlotRow]) -> GoldProblem:
    if not rows:
        return problem
    opened = _opened(problem)
    wanted = [] if opened is None else [row.asked for row in _rows(problem, *opened)]
    if opened is None or sorted(wanted) != sorted(row.asked for row in rows.values()):
        raise InputError(f"the sheet asks other questions about {problem.problem_id}; write it again from this corpus")
    if any(row.choice is None for row in rows.values()):
        return problem
    numbers, template = opened
    decided, groups = _decisions(template, rows)
    found = induce(problem.question, numbers, problem.equations, problem.unknowns or None, decided)
    return problem.model_copy(
        update={
            "template": found.template,
            "template_id": template_id(found.template),
            "alignment": tuple(
                SlotAlignment(slot=one.slot, value=str(one.value), start=one.start, end=one.end)
                for one in found.alignment
            ),
            "equivalent_numbers": _equivalent(numbers, [*found.equivalent_numbers, *groups]),
            "ambiguous": False,
        }
    )


def _decisions(template: OpenTemplate, rows: Mapping[str, SlotRow]) -> tuple[dict[int, int], list[tuple[int, ...]]]:
    """The textual number of each place that was open, and the groups that restate one quantity."""
    decided: dict[int, int] = {}
    groups: list[tuple[int, ...]] = []
    for place, ranked in enumerate(template.ranked):
        if len(ranked) < 2:
            continue
        row = rows.get(template.slots[place])
        chosen = (1,) if row is None or row.choice is None else row.choice
        group = tuple(ranked[n - 1] for n in chosen)
        decided[place] = group[0]
        groups.append(group)
    return decided, groups


def _equivalent(numbers: Sequence[Number], groups: Sequence[Sequence[int]]) -> tuple[tuple[GoldNumber, ...], ...]:
    linked: Components[int] = Components()
    for group in groups:
        for member in group:
            linked.join(group[0], member)
    classes = sorted(tuple(sorted(members)) for members in linked.components() if len(members) > 1)
    spans = {
        i: GoldNumber(value=str(numbers[i].value), start=numbers[i].start, end=numbers[i].end)
        for c in classes
        for i in c
    }
    return tuple(tuple(spans[i] for i in members) for members in classes)
