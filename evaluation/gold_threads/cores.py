"""Whether two systems have the same form: one template of their cores."""

from collections.abc import Sequence

from curation.reconciliation import template_id
from extractors.equations.thread_equations import core_of
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import induce_without_text


def has_form(found: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether the cores of two systems have one template, whatever the names; False for what has none."""
    try:
        return _template(found) == _template(gold)
    except ExtractionError:
        return False


def _template(equations: Sequence[str]) -> str:
    return template_id(induce_without_text(core_of(equations).equations))
