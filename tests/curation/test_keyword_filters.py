"""DRAW's keyword filters: off by default, each by itself, with reason and evidence."""

import pytest

from curation.stages.classify_stage import (
    ClassifyConfig,
    ClassifyReason,
    keyword_refusal,
    uses_unknown,
)

LINEAR, CURVED = "Two numbers add to 24. Find them.", "The product of two numbers is 24. Find them."
BOTH = ClassifyConfig(drop_non_linear_wording=True, require_unknown_in_answers=True)


@pytest.mark.rows(
    ("question", "keyword"),
    [
        (LINEAR, None),
        (CURVED, "product"),
        ("a number squared is 9", "squared"),
        ("Solve x^2 = 9", "^2"),
        ("Solve x^25 = 9", "^25"),
        ("x² = 9", "x²"),
        ("The area is 12", "area"),
        ("production of 12 cars", None),
        ("10^1 of them", None),
    ],
)
def test_non_linear_wording(question: str, keyword: str | None) -> None:
    refused = keyword_refusal(question, ["x = 7"], ClassifyConfig(drop_non_linear_wording=True))
    assert (question[slice(*refused.span)] if refused and refused.span else None) == keyword


@pytest.mark.rows(
    ("answer", "used"),
    [("x = 7", True), ("5X + 2 = 9", True), ("4 x 5 = 20", False), ("a box", False), ("(2)x(3)", False), ("", False)],
)
def test_unknown_in_the_explanation(answer: str, used: bool) -> None:
    assert uses_unknown(answer) is used


def test_the_rules_are_off_unless_asked_for() -> None:
    assert keyword_refusal(CURVED, ["24"], ClassifyConfig()) is None


def test_each_rule_by_itself() -> None:
    wording = keyword_refusal(CURVED, ["24"], ClassifyConfig(drop_non_linear_wording=True))
    assert wording is not None
    assert (wording.reason, wording.span) == (ClassifyReason.NON_LINEAR_WORDING, (4, 11))
    unknown = keyword_refusal(CURVED, ["24"], ClassifyConfig(require_unknown_in_answers=True))
    assert unknown is not None
    assert (unknown.reason, unknown.span) == (ClassifyReason.NO_UNKNOWN_IN_ANSWERS, None)
    assert keyword_refusal(LINEAR, ["dunno", "x + y = 24"], BOTH) is None
