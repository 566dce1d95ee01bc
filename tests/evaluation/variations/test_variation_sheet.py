"""The sheet for a person, and the figure, on problems of our own."""

import csv
import io
import shutil
from collections import Counter
from pathlib import Path

import pytest

from corpus.benchmarks.single_answers import write_svamp
from corpus.errors import InputError
from evaluation.variations.variation_sheet import COLUMNS, drawn, filled_sheet, sheet_text
from evaluation.variations.varying import kinds_named, variation_table, vary
from tests.corpus.benchmarks.test_reading import FILES
from tests.evaluation.variations.samples import LISTED_PROBLEM, STOCK_PROBLEM, problem

MADE = vary([STOCK_PROBLEM, LISTED_PROBLEM], kinds_named(["all"]), 2).made


def test_a_sheet_is_drawn_evenly_over_the_kinds() -> None:
    kinds = Counter(one.kind for one in MADE)
    assert kinds["other_numbers"] == 2
    assert kinds["invert_operation"] == 1
    few = drawn(MADE, len(kinds), 1)
    assert Counter(one.kind for one in few) == dict.fromkeys(kinds, 1)
    assert few == drawn(MADE, len(kinds), 1)
    assert sorted(map(repr, drawn(MADE, 1_000, 1))) == sorted(map(repr, MADE))


def test_a_sheet_shows_both_texts_and_asks_for_a_verdict() -> None:
    rows = list(csv.DictReader(io.StringIO(sheet_text(MADE))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == len(MADE)
    assert rows[0]["original"] in (STOCK_PROBLEM.question, LISTED_PROBLEM.question)
    assert {row["right"] + row["natural"] + row["note"] for row in rows} == {""}
    (missing,) = [row for row in rows if row["kind"] == "missing_information" and "shells" in row["variation"]]
    assert missing["answer"] == "none"
    formula = problem("=1+1 is what Nora wrote. What is it for 14 and 5?", "x=14+5", "19")
    text = sheet_text([MADE[0]._replace(original=formula)])
    assert ",'=1+1 is what" in text, "no spreadsheet reckons with a text"


def _filled(path: Path, verdicts: list[tuple[str, str]]) -> Path:
    rows = list(csv.DictReader(io.StringIO(sheet_text(MADE))))
    for row, (right, natural) in zip(rows, verdicts, strict=False):
        row |= {"right": right, "natural": natural, "note": "odd,\nbut so"}
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        sheet = csv.DictWriter(file, COLUMNS)
        sheet.writeheader()
        sheet.writerows(rows)
    return path


def test_a_filled_sheet_gives_shares(tmp_path: Path) -> None:
    told = [("yes", "yes"), ("Yes", " no"), ("no", "yes"), ("no", "no"), ("yes", "yes"), ("yes", ""), ("", "no")]
    found = filled_sheet(_filled(tmp_path / "sheet.csv", told))
    both, right, natural, *kinds = found.shares
    assert [(one.proportion.hits, one.proportion.n) for one in (both, right, natural)] == [(2, 5), (3, 5), (3, 5)]
    assert found.open == len(MADE) - 5
    assert sum(kind.proportion.hits for kind in kinds) == 2
    assert kinds[0].name == f"{MADE[0].kind}: right and natural"
    assert found.text().startswith("right and natural: 40.0 % [11.8, 76.9] (n=5)\n")
    assert found.as_dict()["natural"]["hits"] == 3


def test_a_sheet_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rows and no verdict; write yes or no into right and natural"):
        filled_sheet(_filled(tmp_path / "open.csv", []))
    with pytest.raises(InputError, match=r"line 3: the verdict is 'maybe'; write yes or no"):
        filled_sheet(_filled(tmp_path / "strange.csv", [("maybe", "yes")]))
    other = tmp_path / "other.csv"
    other.write_text("id;kind\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no sheet of variations: its first line has to name id, kind, original"):
        filled_sheet(other)
    other.write_text(sheet_text(MADE) + 'x,"y"z', encoding="utf-8")
    with pytest.raises(InputError, match="save the sheet as CSV with commas"):
        filled_sheet(other)


def test_svamp_holds_a_variation() -> None:
    (one,) = [one for one in MADE if one.kind == "invert_operation"]
    assert write_svamp(one.varied, False) == {
        "ID": "own:1:invert_operation:2",
        "Body": "Nora had 14 shells. She lost some of them. Nora has 9 shells left.",
        "Question": "How many shells did she lose?",
        "Equation": "( 14.0 - 9.0 )",
        "Answer": 5.0,
        "Type": "Subtraction",
    }


def test_the_figure(tmp_path: Path) -> None:
    places = {"alg514/kushman.json": "draw.json", "draw/draw.json": "draw.json", "asdiv/ASDiv.xml": "asdiv.xml"}
    for place, sample in places.items():
        (tmp_path / place).parent.mkdir()
        shutil.copy(FILES / sample, tmp_path / place)
    report = variation_table(tmp_path, enough=20)
    sound, passed, *kinds = report.shares
    assert sound.met
    assert sound.proportion.hits == sound.proportion.n >= 20
    assert passed.proportion.hits == sound.proportion.n
    assert report.failures == ()
    assert sum(kind.proportion.hits for kind in kinds) == sound.proportion.n
    assert "seeds 1 to " in report.markdown()
