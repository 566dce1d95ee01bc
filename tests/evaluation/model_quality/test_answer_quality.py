"""The answer model's tables and pictures on scores made by hand, and from labels to tables."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from evaluation.charts import Chart
from evaluation.gold_threads.labelled_threads import without_option_letters
from evaluation.model_quality.answer_quality import SiteScores, answer_quality
from models.answer_training import Choice, Other, no_solutions
from models.label_split import LabelledThread, fold_of
from tests.models.samples import labelled


@pytest.fixture
def site() -> SiteScores:
    found = [
        (Choice("a", 0.95, True), True),
        (Choice("b", 0.85, True), True),
        (Choice("c", 0.82), False),
        (Choice("d", 0.0, found=False), False),
    ]
    return SiteScores("site", found, ())


def test_curve_counts_what_reaches_the_confidence(site: SiteScores) -> None:
    assert [site.at(step) for step in (0.8, 0.84, 0.9, 0.99)] == [(2, 3), (2, 2), (1, 1), (0, 0)]
    assert [site.surest(share) for share in (0.25, 0.5, 1.0)] == [(1, 1), (2, 2), (2, 3)]


def test_calibration_error_is_the_gap_by_tenths(site: SiteScores) -> None:
    # tenth 0.8: mean confidence 0.835 and half right, two of three; tenth 0.9: 0.95 and all right, one of three
    assert site.calibration.error == pytest.approx(100 * (2 * 0.335 + 0.05) / 3)


def of_sets(count: int, *sets: str) -> list[LabelledThread]:
    """Small threads, in turn of these sets of real posts."""
    threads = labelled(count)
    labels = [one.label.model_copy(update={"family": sets[place % len(sets)]}) for place, one in enumerate(threads)]
    return [replace(thread, label=label) for thread, label in zip(threads, labels, strict=True)]


def test_tables_from_labels() -> None:
    elsewhere = {"elsewhere": Other(labelled(30)[20:], 0.5)}
    report = answer_quality(of_sets(20, "A", "D"), no_solutions, elsewhere, {"unseen": labelled(34)[30:]})
    assert [(site.name, site.n) for site in report.sites] == [
        ("real posts, set A", 10),
        ("real posts, set D", 10),
        ("elsewhere", 10),
        ("unseen", 4),
    ]
    text = report.markdown()
    for part in ("ceiling: gold among the candidates", "What more labels buy: set D", "words and signs for"):
        assert part in text
    assert "| last number of the first answer" not in text
    assert "test:" not in text, "no post is named"
    pictures = report.pictures()
    assert set(pictures) == {"answers-precision.svg", "answers-reliability.svg"}
    assert all(ET.fromstring(picture).tag.endswith("svg") for picture in pictures.values())


def test_more_labels_are_whole_askers_and_judged_on_set_d_alone() -> None:
    threads = of_sets(20, "A", "D")
    curve = answer_quality(threads, no_solutions).curve
    learned = [sum(fold_of(thread, 4) < most for thread in threads) for most in (1, 2, 4)]
    assert [(name, n) for name, n, _ in curve] == list(zip(["a quarter", "half", "all"], learned, strict=True))
    assert {scores.n for _, _, scores in curve} == {10}
    assert answer_quality(of_sets(20, "A"), no_solutions).curve == []


def test_chart_places_points() -> None:
    chart = Chart("A < B", "x", "y", (0.0, 1.0), (0.0, 1.0), {"line": [(0.0, 0.0), (1.0, 1.0), (2.0, 1.0)]})
    # 560 by 320 with a border of 52: the last point lies outside and is drawn at the border
    assert 'points="52.0,268.0 508.0,52.0 508.0,52.0"' in chart.svg()
    assert "A &lt; B" in chart.svg()


@pytest.mark.rows(
    ("text", "left"),
    [
        ("x = 7\nAnswer: C", "x = 7"),
        ("so it is 7. Hence the correct answer is (B).", "so it is 7."),
        ("240/24 = 10 columns.\nAnswer is E", "240/24 = 10 columns."),
        ("7 km\nD", "7 km"),
        ("share of A = 5 x 3 = 15", "share of A = 5 x 3 = 15"),
        ("5 + 2A = 9, the answer: 2", "5 + 2A = 9, the answer: 2"),
    ],
)
def test_option_letters_go_and_values_stay(text: str, left: str) -> None:
    assert without_option_letters(text) == left
