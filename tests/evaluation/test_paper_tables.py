"""The tables of the papers: ours beside what is printed, from small corpora and a record of our own."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.corpus_figures.paper_figures import figures_of, published_name, values_of
from evaluation.paper_tables import paper_tables
from evaluation.published import printed_share, published_figures
from evaluation.recorded_figures import Measurement, TableData, read_records
from evaluation.table_text import tables_in
from tests.corpus.benchmarks.test_reading import corpus

ROOT = Path(__file__).resolve().parents[2]


def _record(name: str, *rows: tuple[str, str, str]) -> Measurement:
    return Measurement(name, "", {}, "", "", [TableData("figure", ("figure", "value", "target"), rows)])


def _row(text: str, title: str, name: str) -> list[str]:
    (table,) = [table for table in tables_in(text) if table["title"].endswith(title)]
    return next(row for row in table["rows"] if row[1] == name)


def test_ours_stand_beside_what_is_printed() -> None:
    solved = _record("solvers", ("Alg-514: TE, derivation (paper 75.5 %)", "80.54 %", "71.5 %"))
    majority = "majority template as equations are written: equation right"
    probed = _record("probes", (f"ASDiv-A, 5 released folds: {majority} (paper 21.2 %)", "21.18 %", "reported"))
    text = paper_tables([figures_of(corpus("draw"))], {"solvers": solved, "probes": probed}).markdown()
    # three problems, two of them of one template
    assert _row(text, "corpus and Figure 2", "problems") == [
        "DRAW",
        "problems",
        "1000",
        "3",
        "the test part is kept back",
    ]
    assert _row(text, "and Figure 2", "templates of 1 problem")[2:4] == ["a chart", "1, with 33.3 % [6.1, 79.2] (n=3)"]
    assert _row(text, "solvers on Alg-514", "TE, derivation")[2:4] == ["75.5 %", "80.54 %"]
    assert _row(text, "Table 2: ASDiv-A", majority)[2:4] == ["21.2 %", "21.18 %"]
    assert _row(text, "section 4", "KAZB, ZDC and SIM")[2:4] == ["not known", "left out"]


def test_solvers_that_see_less_than_a_problem_stand_side_by_side() -> None:
    told = {"": "50 %", ", question removed": "30 %"}
    rows = [(f"DRAW: ZDC{what}, solution", share, "reported") for what, share in told.items()]
    rows += [("DRAW: TE, solution (paper 52 %)", "63 %", "49 %"), ("DRAW: SIM, bag of words, solution", "9 %", "")]
    table = tables_in(paper_tables([], {"solvers": _record("solvers", *rows)}).markdown())[-1]
    assert table["columns"] == ["corpus", "solver", "whole problems", "question removed", "bag of words"]
    assert table["rows"] == [["DRAW", "ZDC", "50 %", "30 %", ""], ["DRAW", "SIM", "", "", "9 %"]]


def test_parts_are_known_by_their_records() -> None:
    made = figures_of(corpus("draw"))
    named = [("dolphin", 976), ("dolphin", 2752), ("dolphin", 7), ("asdiv", 1218), ("asdiv", 2305), ("gold", 976)]
    assert [published_name(replace(made, origin=origin, records=records)) for origin, records in named] == [
        "Dolphin18K, by hand", "Dolphin18K, automatic", "Dolphin18K", "ASDiv-A", "ASDiv", "",
    ]  # fmt: skip


def test_what_is_left_out_says_why() -> None:
    measured = values_of(figures_of(corpus("draw")))
    found = paper_tables([], read_records(ROOT / "docs" / "figures")).figures
    silent = [one for one in found if not (one.here or one.why or one.label in measured)]
    assert [one for one in silent if one.printed != "not in the paper"] == []
    assert len({(one.table, one.paper, one.corpus, one.label) for one in found}) == len(published_figures())


@pytest.mark.rows(
    ("corpus_name", "label", "share"),
    [
        ("Alg-514", "SIM, solution", 71.2),
        ("DRAW", "TE, solution", 52.0),
        ("ASDiv-A", "SIM, bag of words, solution", None),
        ("ASDiv-A", "poetry", None),
    ],
)
def test_printed_shares(corpus_name: str, label: str, share: float | None) -> None:
    assert printed_share(corpus_name, label) == share
