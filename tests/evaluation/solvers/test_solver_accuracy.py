"""Accuracies of predictions against gold problems; the expected verdicts were worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.benchmarks.gold_problems import Corpus
from corpus.benchmarks.reading import read_corpus
from corpus.errors import StoreError
from evaluation.solvers.equivalences import derivations, templates
from evaluation.solvers.predictions import Prediction, read_predictions
from evaluation.solvers.solver_accuracy import Accuracy, judge_prediction, solver_accuracy
from tests.corpus.benchmarks.test_reading import FILES
from tests.flows.command import wordquarry

GOLD = f"draw:{FILES / 'draw.json'}"
TICKETS = {
    "id": 7001,
    "template": ["n = a - m", "b * m + c * n = d"],
    "alignment": [
        {"slot": "a", "start": 10, "end": 12},
        {"slot": "b", "start": 42, "end": 43},
        {"coeff": "c", "SentenceId": 1, "TokenId": 11},
        {"coeff": "d", "SentenceId": 2, "TokenId": 6},
    ],
}
TWICE = {"id": "7002", "equations": ["x = 21/3"], "solutions": [7]}


def _file(folder: Path, *records: Any) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def _judged(folder: Path, *records: Any) -> Accuracy:
    return solver_accuracy(read_corpus(GOLD), read_predictions(_file(folder, *records)))


def _verdicts(folder: Path, record: dict[str, Any]) -> dict[str, str]:
    (first, *_) = _judged(folder, record).judged
    return dict(first.verdicts)


def test_an_equivalent_derivation_is_right_in_every_measure(tmp_path: Path) -> None:
    assert _verdicts(tmp_path, TICKETS) == {
        "derivation": "",
        "equation": "",
        "solution, relaxed": "",
        "solution, strict": "",
    }


def test_equivalent_numbers_count_as_one(tmp_path: Path) -> None:
    moved = [{"coeff": "a", "SentenceId": 2, "TokenId": 3}, *TICKETS["alignment"][1:]]
    assert not any(_verdicts(tmp_path, TICKETS | {"alignment": moved}).values())


def test_a_place_that_holds_several_numbers_is_aligned_to_none(tmp_path: Path) -> None:
    # All of "An adult ticket is 6 dollars and a child ticket is 2.5": the 6 stands in it, and so does 2.5.
    wide = [TICKETS["alignment"][0], {"slot": "b", "start": 23, "end": 78}, *TICKETS["alignment"][2:]]
    assert _verdicts(tmp_path, TICKETS | {"alignment": wide})["derivation"] == "slot b is aligned to several numbers"
    words = [TICKETS["alignment"][0], {"slot": "b", "start": 23, "end": 50}, *TICKETS["alignment"][2:]]
    assert not any(_verdicts(tmp_path, TICKETS | {"alignment": words}).values())


def test_a_second_prediction_by_the_native_id_is_named(tmp_path: Path) -> None:
    found = _judged(tmp_path, {"id": "7001", "solutions": [1]}, {"id": "draw:7001", "solutions": [20, 20]}, TWICE)
    assert found.judged[0].verdicts["solution, strict"] == ""
    assert found.refused == ("a second prediction by the native id 7001; the one by the problem's own id counts",)
    # 7002 is the native id of two problems; one of them has a prediction of its own, too.
    found = _judged(tmp_path, TWICE, {"id": "draw:7002", "solutions": [1]})
    assert found.refused == ()
    assert [one.verdicts["solution, strict"] for one in found.judged[1:]] == ["other values: 1", ""]


def test_another_number_is_another_derivation_and_another_system(tmp_path: Path) -> None:
    swapped = [
        TICKETS["alignment"][3] | {"coeff": "a"},
        *TICKETS["alignment"][1:3],
        {"slot": "d", "start": 10, "end": 12},
    ]
    found = _verdicts(tmp_path, TICKETS | {"alignment": swapped})
    assert found["derivation"] == "the templates are equivalent, but their slots stand for other numbers"
    assert found["equation"] == "the equations are not equivalent"
    # m + n = 170 and 6 m + 2.5 n = 40: m = -110
    assert found["solution, relaxed"] == "other values: 280, -110"


@pytest.mark.parametrize(
    ("solutions", "relaxed", "strict"),
    [
        pytest.param([20, 20], True, True, id="the gold values"),
        pytest.param(["40/2"], True, False, id="one of two equal values is missing"),
        pytest.param([20, 20, 50], True, False, id="one too many"),
        pytest.param([20.5, 20.5], False, False, id="not within the rounding"),
        pytest.param([], False, False, id="none"),
    ],
)
def test_solution_accuracy(tmp_path: Path, solutions: list[Any], relaxed: bool, strict: bool) -> None:
    found = _verdicts(tmp_path, {"id": "7001", "solutions": solutions})
    assert (found["solution, relaxed"] == "", found["solution, strict"] == "") == (relaxed, strict)
    assert found["derivation"] == "no template was predicted"
    assert found["equation"].startswith("no equations were predicted")


def test_equations_know_numbers_by_value_only() -> None:
    problem = read_corpus(GOLD).problems[1]
    right = Prediction(equations=("21 - 3*k = 0",))
    assert judge_prediction(problem, right).verdicts["equation"] == ""
    constant = Prediction(equations=("(2 + 1)*k = 21",))
    assert judge_prediction(problem, constant).verdicts["equation"] == "the equations are not equivalent"
    unread = Prediction(equations=("k = = 2",))
    assert judge_prediction(problem, unread).verdicts["equation"].startswith("the equations cannot be read")


def test_everything_is_counted_and_named(tmp_path: Path) -> None:
    far = {"id": "7001", "template": ["m = a"], "alignment": [{"slot": "a", "start": 900, "end": 901}]}
    found = _judged(
        tmp_path, far, {"id": "9"}, {"id": "8", "solutions": [1]}, [1], far, {"id": "7002", "solutions": ["x"]}
    )
    assert (found.predictions, found.unknown) == (2, ("8",))
    assert found.missing == ("draw:7002", "draw:7002#2")
    assert [line.split(": ", 1)[0] for line in found.refused] == [f"predictions.jsonl:{n}" for n in (2, 4, 5, 6)]
    assert "nothing is predicted" in found.refused[0]
    assert "the first one counts" in found.refused[2]
    assert found.judged[0].verdicts["derivation"] == "slot a is aligned outside of the question"
    # 7002#2 has no gold alignment: its derivation is not judged.
    assert [found.share(measure).n for measure in ("derivation", "equation", "solution, strict")] == [2, 3, 3]
    assert [found.share(measure).hits for measure in ("derivation", "equation", "solution, strict")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"solutions": [1]}, "field 'id'"),
        ({"id": 1, "template": "m = a"}, "field 'template' must be a list"),
        ({"id": 1, "template": ["m = a"], "alignment": [{"slot": "a"}]}, "alignment entries are"),
        (
            {"id": 1, "template": [], "alignment": [{"slot": "a", "start": 0, "end": n} for n in (1, 2)]},
            "slot a is aligned to two numbers",
        ),
        ({"id": 1, "solutions": [True]}, "solutions are one list of numbers"),
        ({"id": 1, "solutions": [{"x": "7"}]}, 'texts such as 7/2: [3, "7/2"]'),
        ({"id": 1, "solutions": ["1" * 20_000]}, "is not a number"),
        ({"id": 1, "equations": ["x = 1"] * 100}, "at most 64"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    (refused,) = read_predictions(_file(tmp_path, record)).refused
    assert refused.startswith("predictions.jsonl:1: ")
    assert message in refused


def test_gold_alignments_that_contradict_themselves_are_not_judged(tmp_path: Path) -> None:
    good = read_corpus(GOLD).problems[0]
    one, *others = good.alignment
    bad = {
        "twice": (one, *good.alignment),
        "short": tuple(others),
        "extra": (one.model_copy(update={"slot": "z"}), *good.alignment),
    }
    rows = [good.model_copy(update={"problem_id": name, "native_id": name, "alignment": a}) for name, a in bad.items()]
    found = solver_accuracy(Corpus("made", "draw", 4, (good, *rows)), read_predictions(_file(tmp_path, {"id": "x"})))
    assert found.share("derivation").n == 1
    assert found.share("equation").n == 4
    assert found.unaligned == ("twice", "short", "extra")
    assert found.as_dict()["unaligned_gold"] == ["twice", "short", "extra"]
    assert found.text().splitlines()[0].endswith("3 gold alignments that contradict themselves or leave slots out")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        read_predictions(tmp_path / "none.jsonl")


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "wrong.jsonl"
    path = _file(tmp_path, TICKETS, TWICE | {"solutions": [8]}, {"id": "x", "solutions": [1]})
    result = wordquarry("score", path, "--gold", GOLD, "--disagreements", out, "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    assert "no problem of the corpus: x" in result.stderr
    lines = result.stdout.splitlines()
    assert "3 problems, 3 predictions, 0 missing, 1 for no problem of the corpus, 0 lines refused" in lines[0]
    assert lines[1].startswith("derivation accuracy: 50.0 % [")
    assert lines[2].startswith("equation accuracy: 100.0 % [")
    assert lines[4].endswith("(n=3)")
    wrong = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in wrong] == ["draw:7002", "draw:7002#2"]
    assert wrong[0]["wrong"]["solution, strict"] == "other values: 8"
    assert wrong[0]["gold"]["solutions"] == [["7"]]


@pytest.mark.shared
@pytest.mark.full
def test_changed_gold_derivations(shared_data: Path) -> None:
    found = {share.name: share.proportion for share in derivations(shared_data, ["Alg-514"]).shares}
    for case in ("gold against itself", "rewritten: renamed, reordered, rows added, rescaled"):
        assert found[f"Alg-514, {case}: judged equivalent"].hits == 514
    equivalent = found["Alg-514, an equivalent token (EquivTNum): judged equivalent"]
    assert equivalent.hits == equivalent.n > 70
    other = found["Alg-514, another token of the same value: judged equivalent (must be 0 %)"]
    assert other.hits == 0 < other.n


@pytest.mark.shared
@pytest.mark.full
def test_regenerated_templates_reach_their_targets(shared_data: Path) -> None:
    shares = templates(shared_data, ["Alg-514"]).shares
    assert [share.name for share in shares if not share.met] == []
    assert any(share.name.endswith("(paper 24)") and share.proportion.hits == 24 for share in shares)
