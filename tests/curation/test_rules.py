import pytest

from corpus.records import Problem
from curation.rules import license_counts, license_fault


def problem(license_name):
    return Problem(
        problem_id="wq-1", post_id="s:1", url=None, license=license_name, attribution=None, question="How many?",
        cleaning_steps=(), numbers=(), answer="9", answer_exact=("9",), answer_values=(9.0,), answer_dim=1,
        answer_confidence=0.9, answer_spans=(), topic=None, solution="9", confidence=0.9, equations=None, unknowns=(),
        solutions=(), solution_values=(), votes=(), n_votes=0, equation_spans=(), agreement="confirmed", template=None,
        template_id=None, alignment=(), equivalent_numbers=(), ambiguous=False, linear=None, lexicon_diversity=1.0,
        nearest_id=None, split="train",
    )  # fmt: skip


@pytest.mark.rows(
    ("license_name", "allowed", "passes"),
    [
        ("CC BY-SA 4.0", (), True),
        (None, (), True),
        ("cc-by-sa-4.0", ("CC BY-SA 4.0",), True),
        ("CC BY 4.0", ("CC BY-SA 4.0",), False),
        (None, ("CC BY-SA 4.0",), False),
    ],
)
def test_license_rule(license_name, allowed, passes):
    fault = license_fault(license_name, allowed)
    assert (fault is None) is passes
    assert fault is None or "release.allowed_licenses" in fault


def test_license_counts():
    assert license_counts([problem("MIT"), problem(None), problem("MIT")]) == {"MIT": 2, "unstated": 1}
