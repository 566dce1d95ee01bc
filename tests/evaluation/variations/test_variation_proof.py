"""The check finds what is wrong with variations that were spoiled by hand."""

from typing import Any

import pytest

from corpus.records import SlotAlignment
from evaluation.variations.variation_proof import faults
from evaluation.variations.varying import kinds_named, vary
from tests.evaluation.variations.samples import LISTED_PROBLEM, ROPE, STOCK_PROBLEM, problem

SWAPPED = vary([STOCK_PROBLEM], kinds_named(["other_numbers"]), 3).made[0].varied
ADDED = vary([STOCK_PROBLEM], kinds_named(["irrelevant_information"]), 3).made[0].varied
MISSING = vary([STOCK_PROBLEM], kinds_named(["missing_information"]), 3).made[0].varied


def _moved(slot: SlotAlignment) -> SlotAlignment:
    return slot.model_copy(update={"start": slot.start + 1, "end": slot.end + 1})


@pytest.mark.rows(
    ("changes", "fault"),
    [
        ({"gold": (("1",),)}, "the gold answer is not in the solution"),
        ({"equations": ("x=14+5",)}, "the template is not the declared one"),
        (
            {"alignment": tuple(map(_moved, SWAPPED.alignment))},
            "a slot is not the number that stands there",
        ),
        ({"alignment": SWAPPED.alignment[:1]}, "slots without a number"),
        ({"template": ("m = a + b",)}, "the template is not the declared one"),
        ({"question": f"{SWAPPED.question} Omar has 3 dogs."}, "a number is neither used nor declared"),
        ({"question": SWAPPED.question.replace("had 1", "had -1")}, "a slot is not the number that stands there"),
        ({"equations": ("x+y=3",), "unknowns": ("x", "y")}, "not one solution: underdetermined, 0"),
        ({"equations": ("x=",)}, "not read: expected a number, a name or a bracket at token 3 (the end)"),
    ],
)
def test_a_spoiled_variation_has_a_fault(changes: dict[str, Any], fault: str) -> None:
    assert faults(STOCK_PROBLEM, SWAPPED) == ()
    assert fault in faults(STOCK_PROBLEM, SWAPPED.model_copy(update=changes))


def test_a_distractor_is_declared() -> None:
    assert faults(STOCK_PROBLEM, ADDED) == ()
    silent = ADDED.model_copy(update={"details": {**ADDED.details, "distractors": []}})
    assert faults(STOCK_PROBLEM, silent) == ("a number is neither used nor declared",)


def test_a_problem_without_an_answer_has_none() -> None:
    assert faults(STOCK_PROBLEM, MISSING) == ()
    solvable = SWAPPED.model_copy(update={"gold": ()})
    assert faults(STOCK_PROBLEM, solvable)[0] == "it is not proved to have no answer"


def test_kinds_of_numbers_are_those_of_the_original() -> None:
    rope = problem(ROPE, "x=23-9", "14")
    half = vary([rope], kinds_named(["decimals"]), 4).made[0].varied
    assert faults(rope, half) == ()
    other = half.model_copy(update={"details": {**half.details, "variation": "other_numbers"}})
    assert "a number is not whole" in faults(rope, other)


def test_a_structure_that_ought_to_differ_differs() -> None:
    varied = vary([LISTED_PROBLEM], kinds_named(["same_object_different_structure"]), 1).made[0].varied
    assert faults(LISTED_PROBLEM, varied) == ()
    assert "the template is the original's" in faults(STOCK_PROBLEM, varied)
