"""Explanations written by hand for records that are not read right; no text of a record is repeated."""

from typing import Final

MISREAD_POSTS: Final[dict[str, tuple[str, str]]] = {
    "ya-train-2526": (
        "missed: steps in words, signs without an operation",
        "the inverse is the only equality that is shown, the sign is changed in words; there is no model equation",
    ),
    "ya-train-3555": (
        "missed: the asked number is derived in prose",
        "the growth factor is read and solved, but the answer ends with the percentage that follows from it in words; "
        "the system without that line is rejected as the answer announces another value",
    ),
    "ya-train-3620": (
        "missed: no equation",
        "the answer is a bare fraction with a unit",
    ),
    "pg-025": (
        "missed: an unfinished answer",
        "a hint: the two sums are described, their right-hand sides are never written",
    ),
    "pg-048": (
        "missed: formulas lost by the page",
        "three answers whose formulas were images; no number of the working is left",
    ),
    "pg-058": (
        "missed: no equation",
        "digits found by reasoning in prose",
    ),
    "pg-059": (
        "missed: the answer is wrong",
        "written for another sum than the question gives; rejected, as one equation has only numbers that the question "
        "does not hold",
    ),
    "pg-074": (
        "missed: signs lost by the page",
        "a triangle stands for the division sign and the brackets of the divisor are gone: no reading of the line is "
        "true",
    ),
    "pg-096": (
        "missed: no answer",
        "the page holds the question only",
    ),
    "pg-109": (
        "missed: no answer",
        "the page holds the question only",
    ),
}
"""Real posts: id -> class, and why no system or a wrong one is returned."""
