"""The card says how sure each split is, by what calibration posts of the same confidence say."""

from collections import Counter

from corpus.versioning.card import precision_lines
from corpus.versioning.release import ReleaseTally

BANDS = [
    {"from": 0.85, "posts": 40, "right": 32, "bound": 0.67},
    {"from": 0.9, "posts": 50, "right": 45, "bound": 0.8},
    {"from": 0.98, "posts": 0, "right": 0, "bound": 0.0},
]


def test_the_expected_precision_weighs_the_bands_by_the_problems_of_a_split() -> None:
    counts: Counter[tuple[str, float]] = Counter({("train", 0.86): 1, ("train", 0.91): 3, ("test", 0.979): 2})
    lines = precision_lines({"bands": BANDS}, ReleaseTally(confidences=counts), ["train", "test"])
    assert lines[-5:] == [
        "| 0.850 | 40 | 80.0 %, at least 67.0 % | 1 | 0 |",
        "| 0.900 | 50 | 90.0 %, at least 80.0 % | 3 | 2 |",
        "| 0.980 | 0 |  | 0 | 0 |",
        "| expected | | | 87.5 % | 90.0 % |",  # (1 x 80 + 3 x 90) / 4, and 90 alone
        "",
    ]


def test_nothing_is_expected_of_a_split_whose_confidence_no_calibration_post_has() -> None:
    counts: Counter[tuple[str, float]] = Counter({("train", 0.99): 1})
    lines = precision_lines({"bands": BANDS}, ReleaseTally(confidences=counts), ["train"])
    assert lines[-2] == "| expected | | |  |"


def test_without_a_promise_nothing_is_expected() -> None:
    assert precision_lines({}, ReleaseTally(), ["train"]) == []
