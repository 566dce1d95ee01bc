"""Findings with their probabilities, the report, the sheet and the clean copy; and how planted faults are counted."""

import csv
import io
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus
from evaluation.doctor.doctor_accuracy import (
    FOUND_BY,
    DoctorAccuracy,
    Fault,
    Trial,
    doctor_accuracy,
    planted,
    shares_of,
)
from evaluation.doctor.examination import COLUMNS, SHARES, examine, probability_of
from evaluation.doctor.signs import FaultKind, Sign, signs_of
from tests.evaluation.doctor.test_signs import WORKED, row

SMALL = Corpus(
    "small", "own", 3, (
        row(id="own:1", rationale=WORKED),
        row("=Ann buys pens. How much does she pay?", "nan", (), id="own:2"),
        row("Bob has 5 figs and eats 2. How many figs are left?", "3", id="own:3"),
    ),
)  # fmt: skip
FORMULA = Sign(FaultKind.CONTRADICTS_EQUATIONS, "formula: another number than the answer", "equations", "")
LIKELY = Sign(FaultKind.SENTINEL, "s", "answer", "")


def test_a_probability_is_a_share_with_half_a_row_of_either_kind() -> None:
    assert probability_of(LIKELY, {"s": (9, 9)}) == 0.5  # (9 + 1/2) of (9 + 1/2 + 19/2)
    assert probability_of(LIKELY, {"s": (100, 119)}) == 0.7791
    assert probability_of(LIKELY, {}) == 0.05, "one row in twenty, where nothing is known of a sign"


def test_findings_report_sheet_and_clean_copy() -> None:
    found = examine(SMALL, least=0.5)
    assert [(one.row, one.kind) for one in found.findings] == [(2, "sentinel"), (2, "no_numbers")]
    assert [one.problem_id for one in found.cleaned()] == ["own:1", "own:3"]
    assert found.text().splitlines()[0] == (
        "small: 3 problems read, 0 records not read; 2 findings in 1 problems at 0.5 or above, 0 below"
    )
    assert found.text().splitlines()[-2].endswith("answer: a placeholder; answer: nan")
    sheet = list(csv.DictReader(io.StringIO(found.sheet())))
    assert tuple(sheet[0]) == COLUMNS
    assert (sheet[0]["id"], sheet[0]["wrong"], sheet[0]["question"][:2]) == ("own:2", "", "'=")
    assert found.as_dict()["findings"][0]["probability"] == found.findings[0].probability
    assert examine(SMALL, least=1.0).findings == ()


@pytest.mark.rows("fault", list(Fault))
def test_every_fault_is_planted_and_found(fault: Fault) -> None:
    other = row("Bob has 5 figs, and if he eats 2, how many figs are left?", "3", id="own:2")
    worked = f"First 1+2 = 3 pens are bought. {WORKED}"
    options = {"options": ("12", "7"), "correct": 0} if fault is Fault.OPTION else {}
    tried = [planted(row(id=f"own:{n}", rationale=worked, **options), other) for n in range(100)]
    (made, *_) = [one[1] for one in tried if one is not None and one[0] is fault]
    if fault is Fault.DUPLICATE:
        assert made.answer == other.answer
        assert made.question != other.question
    else:
        assert {sign.kind for sign in signs_of(made)} & FOUND_BY[fault]


def _trial(number: int, fault: Fault | None, *signs: Sign) -> Trial:
    return Trial("own", f"own:{number}", fault, signs)


def test_a_sound_row_counts_as_often_as_there_are_sound_rows() -> None:
    trials = [_trial(1, Fault.SENTINEL, LIKELY), _trial(2, Fault.DIGIT, LIKELY), _trial(3, None, LIKELY)]
    assert shares_of(trials) == {"s": (1, 1 + 1 + 19)}
    assert shares_of([_trial(1, None, FORMULA), _trial(1, Fault.DIGIT, FORMULA)]) == {FORMULA.name: (1, 1)}


def test_precision_is_that_of_a_corpus_with_one_faulty_row_in_twenty() -> None:
    trials = [_trial(n, Fault.SENTINEL, *([LIKELY] if n < 8 else [])) for n in range(10)]
    trials += [_trial(n, None, *([LIKELY] if n < 1 else [])) for n in range(100)]
    tables = DoctorAccuracy(trials, {"s": (99, 99)}, {}, 0).markdown()
    # 8 of 10 faulty rows and 1 of 100 sound ones: 0.05 * 0.8 of 0.05 * 0.8 + 0.95 * 0.01
    assert "| all | 80.8 %" in tables
    assert "| 80.0 % [49.0, 94.3] (n=10) | 1 of 100 | 0 |" in tables


@pytest.mark.full
@pytest.mark.shared
def test_the_shares_that_ship_are_those_that_are_measured(shared_data: Path) -> None:
    assert doctor_accuracy(shared_data).shares == SHARES
