"""Stage templates: slots, their alignment to the question, and the class of equivalent templates.

After DRAW (Upadhyay & Chang 2015, section 3.3) and Annotating Derivations (2017, section 4).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from corpus.config import StageConfig
from corpus.reasons import ReasonCode
from corpus.records import CleanedPost, PostAgreement, Record, SlotAlignment
from curation.stages.clean_stage import number_of
from curation.stages.stage import Context, Stage, Trail
from extractors.extraction_errors import ExtractionError

if TYPE_CHECKING:  # whoever asks for what a stage is need not load what finds templates
    from curation.equivalence.reconciliation import Semantics
    from extractors.quantities.numbers import Number
    from extractors.templates.induction import InducedTemplate


class TemplatesConfig(StageConfig):
    """How solutions are compared, and whether every slot must stand in the question."""

    semantics: Literal["multiset", "set"] = "set"
    """compare solutions as a `set` of distinct values, as the released templates of DRAW-1K do, or as a `multiset` of
    unknowns"""
    require_alignment: bool = False
    """drop posts whose question holds none of the numbers of the equations"""


class TemplatesReason(ReasonCode):
    """Why a post is dropped."""

    NUMBERS_NOT_IN_TEXT = (
        "numbers_not_in_text",
        "no number of the equations is in the question (only with `templates.require_alignment`)",
        "switch `templates.require_alignment` off",
    )


class PostTemplate(Record):
    """Stage templates: the template of the system and its alignment to the question.

    ``equivalent_numbers`` are groups of indexes into ``numbers`` that restate one quantity (EquivTNum of Annotating
    Derivations).
    """

    post_id: str
    template: tuple[str, ...] | None
    template_id: str | None
    alignment: tuple[SlotAlignment, ...]
    equivalent_numbers: tuple[tuple[int, ...], ...]
    ambiguous: bool
    note: str | None = None


NO_SLOT = "no slot, since no number of the equations is in the question"


@lru_cache(maxsize=4_096)
def key_of(template: tuple[str, ...], semantics: "Semantics") -> str:
    """The id of a template, whose canonical form is looked for once: many problems have the same one."""
    from curation.equivalence.reconciliation import template_id

    return template_id(template, semantics)


def template_record(
    post_id: str,
    question: str,
    numbers: "Sequence[Number]",
    system: tuple[Sequence[str], Sequence[str] | None],
    semantics: "Semantics" = "set",
) -> PostTemplate:
    """The template of an equation system (equations, unknowns) and its alignment to the ``numbers`` of the question.

    A system in which no number of the question stands has no slot and so no template; ``note`` holds it as it is.
    Raises ExtractionError for equations that do not parse or pass the bounds.
    """
    from extractors.templates.induction import induce

    equations, unknowns = system
    found = induce(question, numbers, equations, unknowns)
    if not found.alignment:
        return without_template(post_id, f"{NO_SLOT}: {'; '.join(found.template)}")
    return PostTemplate(
        post_id=post_id,
        template=found.template,
        template_id=key_of(found.template, semantics),
        alignment=_alignment(found),
        equivalent_numbers=found.equivalent_numbers,
        ambiguous=found.ambiguous,
    )


def _alignment(found: "InducedTemplate") -> tuple[SlotAlignment, ...]:
    return tuple(
        SlotAlignment(slot=slot.slot, value=str(slot.value), start=slot.start, end=slot.end) for slot in found.alignment
    )


def without_template(post_id: str, note: str) -> PostTemplate:
    """What is said of a post that has no template, and why."""
    return PostTemplate(
        post_id=post_id,
        template=None,
        template_id=None,
        alignment=(),
        equivalent_numbers=(),
        ambiguous=False,
        note=note,
    )


def _decide(trail: Trail, context: Context[TemplatesConfig]) -> Record:
    found, post_id = trail.get(PostAgreement), trail.post.post_id
    if found.equations is None:
        return without_template(post_id, "no agreed equation system")
    cleaned, system = trail.get(CleanedPost), (found.equations, found.unknowns)
    numbers = [number_of(one) for one in cleaned.numbers]
    try:
        record = template_record(post_id, cleaned.question, numbers, system, context.config.semantics)
    except ExtractionError as error:
        return without_template(post_id, str(error))
    if context.config.require_alignment and not record.alignment:
        return trail.drop(
            TemplatesReason.NUMBERS_NOT_IN_TEXT, "no number of the equations is in the question", evidence=record.note
        )
    return record


READS = ("posts", "clean", "agree")
STAGE = Stage("templates", PostTemplate, READS, TemplatesConfig, TemplatesReason, decide=_decide)
