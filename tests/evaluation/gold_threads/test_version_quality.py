"""Quality of a whole run against labels, counted by hand on the small world."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError
from corpus.records import Label
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from evaluation.gold_threads.version_quality import asked_solutions, quality_of_run, quality_of_threads
from evaluation.metrics.gold_scores import QualityReport
from tests.corpus.samples import problems
from tests.worlds import Plan, build_world, numbers_of


def _label(post_id: str, *, in_scope: bool = True, gold: tuple[str, ...] | None = None) -> Label:
    values = gold or tuple(str(value) for value in numbers_of(post_id))
    reason = "ok" if in_scope else "college"
    return Label(post_id=post_id, in_scope=in_scope, scope_reason=reason, gold_answer=values)


LABELS = [
    _label("site:p00"),
    _label("site:p01", gold=("1", "2")),
    _label("site:p02", in_scope=False),
    _label("site:p11", in_scope=False),
    _label("site:p12"),
    _label("site:p14"),
    _label("elsewhere:p01", gold=("1",)),
]


def _scores(report: QualityReport, part: str, system: str) -> dict[str, Any]:
    (row,) = [row for row in report.rows if (row.part, row.system) == (part, system)]
    return row.score.as_dict()


def test_run_against_labels(world: tuple[Workspace, Version]) -> None:
    report = quality_of_run(*world, LABELS)
    scope = _scores(report, "in scope", "stage classify")
    # let through: p00, p01, p02 (wrongly), p12, p14; kept back: p11 (rightly)
    assert (scope["precision"]["hits"], scope["precision"]["n"], scope["recall"]["n"]) == (4, 5, 4)
    published = _scores(report, "answers", "published")
    # published: p00 right, p01 wrong, p02 out of scope and so wrong; with gold: p00, p01, p12, p14
    assert (published["precision"]["hits"], published["precision"]["n"]) == (1, 3)
    assert (published["coverage"]["hits"], published["coverage"]["n"]) == (2, 4)
    ranked = _scores(report, "answers", "stage read")
    # p14 is answered rightly and dropped only later
    assert (ranked["precision"]["hits"], ranked["precision"]["n"]) == (2, 4)
    equations = _scores(report, "equations", "stage read")
    assert (equations["precision"]["hits"], equations["precision"]["n"]) == (2, 4)
    assert report.notes == ("1 of 7 labelled threads are not among the posts of this version.",)


def test_floor_rows_stand_beside(world: tuple[Workspace, Version]) -> None:
    report = quality_of_run(*world, LABELS)
    floors = [row.system for row in report.rows if row.part == "answers" and row.system.startswith("floor")]
    assert len(floors) == 6
    everything = _scores(report, "in scope", "floor: everything is in scope")
    assert (everything["precision"]["hits"], everything["precision"]["n"]) == (4, 6)


def test_tables_hold_n_and_interval(world: tuple[Workspace, Version]) -> None:
    report = quality_of_run(*world, LABELS)
    assert "| published | 33.3 % [6.1, 79.2] (n=3) |" in report.markdown()
    assert "33.3 % [6.1, 79.2] (n=3)" in report.text()
    assert "version:quarry/" in report.signature


def test_threads_with_gold_of_their_own(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path / "data", Plan(texts={"site:p00": "The answer is 20 and 5."}))
    lines = [
        {"id": "p00", "source": "site", "gold_answer": "20; 5"},
        {"id": "p01", "source": "site", "gold_answer": ["22", "7"], "in_scope": True},
        {"id": "p13", "source": "site", "gold_answer": "1,000"},
        {"id": "p11", "source": "site", "gold_answer": "3", "in_scope": False},
    ]
    path = tmp_path / "threads.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    report = quality_of_threads(workspace, version, [path])
    published = _scores(report, "answers", "published")
    assert (published["precision"]["hits"], published["precision"]["n"], published["coverage"]["n"]) == (1, 2, 3)
    scope = _scores(report, "in scope", "stage classify")
    assert scope["n"] == 2


def test_unreadable_gold(tmp_path: Path, world: tuple[Workspace, Version]) -> None:
    with pytest.raises(InputError, match=r"label of site:p00: gold_answer .* cannot be read"):
        quality_of_run(*world, [_label("site:p00", gold=("what",))])
    path = tmp_path / "threads.jsonl"
    path.write_text('{"id": "p00", "gold_answer": 7}\n')
    with pytest.raises(InputError, match=r"threads.jsonl:1: in_scope must be true or false"):
        quality_of_threads(*world, [path])


def test_what_is_asked_belongs_to_the_solutions() -> None:
    solution = ("5000",)
    problem = next(one for one in problems() if one.equations)
    asked = problem.model_copy(update={"unknowns": ("x",), "solutions": (solution,), "asked": ("x", "12000-x")})
    assert asked_solutions(asked) == ((5000, 5000, 7000),)
    assert asked_solutions(
        problem.model_copy(update={"unknowns": ("x",), "solutions": (solution,), "asked": None})
    ) == ((5000,),)
