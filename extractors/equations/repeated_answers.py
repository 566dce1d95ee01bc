"""The systems of a thread's answers. Answers repeat each other: a working that several give is gone through once."""

from collections.abc import Hashable
from typing import NamedTuple

from extractors.equations.answer_systems import drafts_of
from extractors.equations.document import Document
from extractors.equations.drafts import AnswerReading, AnswerText, Draft, Drafted, PlacedDraft
from extractors.equations.equation_candidates import worked_candidates, working_of
from extractors.equations.given import Given
from extractors.equations.thread_equations import AnswerSystem, Kind
from extractors.equations.variants import variants
from extractors.expressions.tree import Equation
from extractors.real_numbers.values import Budget


class _Worked(NamedTuple):
    """The drafts of a working, its places in the answer that gave it first, and the steps left behind it."""

    drafts: list[Drafted]
    places: list[int]
    left: int


class SystemReader:
    """Reads the answers of a thread, each with the same steps for its systems."""

    def __init__(self, given: Given, steps: int) -> None:
        self._given, self._steps = given, steps
        self._known: dict[Hashable, _Worked] = {}

    def systems(self, answer: int, document: Document) -> list[AnswerSystem]:
        """The systems of an answer in order of appearance; equations beyond the steps are skipped."""
        budget = Budget(self._steps)
        drafts = [one for text in (document, *variants(document)) for one in self._drafts(text, budget)]
        different = _Different()
        return [_system(answer, one) for one in drafts if different.add(one.drafted.draft)]

    def _drafts(self, document: Document, budget: Budget) -> list[PlacedDraft]:
        """The systems of a text, each with its place in it."""
        working = working_of(document)
        if working is None:
            return []
        places, shape = working.shape()
        key = budget.left, shape
        known = self._known.get(key)
        if known is None:
            reading = AnswerReading(worked_candidates(document, working), self._given, budget)
            drafts = [Drafted(draft, reading) for draft in drafts_of(reading)]
            known = _Worked(drafts, places, budget.left)
            if all(one.draft.kind is not Kind.TOLD for one in drafts):
                # where a number ends that is only told does not follow from the shape
                self._known[key] = known
        budget.left = known.left
        if not known.drafts:
            return []
        text, moved = AnswerText(document, self._given), dict(zip(known.places, places, strict=True))
        return [PlacedDraft(one, text, moved) for one in known.drafts]


class _Different:
    """Tells systems from those of the same equations."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], list[list[Equation]]] = {}

    def add(self, draft: Draft) -> bool:
        """Whether no system before had the same equations."""
        alike = self._seen.setdefault(tuple([line.text for line in draft.equations]), [])
        trees = [line.equation for line in draft.equations]
        if trees in alike:
            return False
        alike.append(trees)
        return True


def _system(answer: int, placed: PlacedDraft) -> AnswerSystem:
    """A draft written down for an answer, with its evidence."""
    document, draft = placed.text.document, placed.drafted
    spans = tuple([document.plain.source_span(*document.whole(*span)) for span in placed.spans])
    return draft.system._replace(answer=answer, spans=spans, evidence=placed.evidence() if draft.rows else ())
