"""From the queue over a filled-in sheet to a model of one's own, and labels that no model can be fitted on."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.lines.jsonl import file_objects
from corpus.workspace import BUNDLED
from flows.training import TrainingInput, run_train
from tests.flows.command import one_line_failure, wordquarry

POSTS = BUNDLED / "own" / "posts.jsonl"
GOLD = {str(row["post_id"]): str(row["scope_reason"]) for _, row in file_objects(BUNDLED / "own" / "labels.jsonl")}


def rows(path: Path) -> list[dict[str, object]]:
    return [row for _, row in file_objects(path)]


def written(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_queue_sheet_labels_model(tmp_path: Path) -> None:
    sheet, labels = tmp_path / "sheet.jsonl", tmp_path / "labels.jsonl"
    asked = ("sheet", "labels", "--posts", POSTS, "--out", sheet, "--data", tmp_path)
    assert wordquarry(*asked, "--n", 40).returncode == 0
    first = rows(sheet)
    assert len(first) == len({row["post_id"] for row in first}) == 40
    written(sheet, [row | {"scope_reason": GOLD[str(row["post_id"])]} for row in first])

    again = wordquarry(*asked, "--n", 5)
    assert "45 posts, 40 of them labelled" in again.stdout
    assert [row["scope_reason"] for row in rows(sheet)][:40] == [GOLD[str(row["post_id"])] for row in first]

    imported = wordquarry("sheet", "import", sheet, "--out", labels)
    assert "40 labels" in imported.stdout
    assert "5 rows are not labelled yet" in imported.stdout
    trained = wordquarry("train", "posts", "--labels", labels, "--posts", POSTS, "--data", tmp_path)
    assert trained.returncode == 0, trained.stderr
    assert (tmp_path / "models" / "posts.json").is_file()


def test_tasks_of_label_studio_come_with_their_interface(tmp_path: Path) -> None:
    tasks, labels = tmp_path / "tasks.json", tmp_path / "labels.jsonl"
    made = wordquarry("sheet", "labels", "--posts", POSTS, "--out", tasks, "--n", 3, "--data", tmp_path)
    assert made.returncode == 0, made.stderr
    assert '<Choice value="not_math"/>' in (tmp_path / "tasks.xml").read_text(encoding="utf-8")
    content = json.loads(tasks.read_text(encoding="utf-8"))
    for task in content:
        task["annotations"] = [{"result": task["predictions"][0]["result"]}]
    tasks.write_text(json.dumps(content), encoding="utf-8")
    assert wordquarry("sheet", "import", tasks, "--out", labels).returncode == 0
    assert [row["post_id"] for row in rows(labels)] == sorted(task["data"]["post_id"] for task in content)


NINE = sorted(GOLD)[:9]
GENERAL = [post_id for post_id in sorted(GOLD) if GOLD[post_id] == "general"]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([{"post_id": name, "scope_reason": GOLD[name]} for name in NINE], "9 labels with an outcome; at least 10"),
        ([{"post_id": name, "in_scope": False} for name in GENERAL], "all labels are of one kind"),
        ([{"post_id": "own:nobody", "in_scope": True}], "1 labels are of posts that are not there"),
        ([{"post_id": NINE[0], "in_scope": True}, {"post_id": NINE[0], "in_scope": False}], "has another label at"),
        ([{"post_id": NINE[0], "in_scope": True, "scope_reason": "general"}], "says in_scope True, scope_reason"),
        ([{"post_id": NINE[0]}], "label field in_scope: required"),
    ],
    ids=["fewer than ten", "one class", "unknown post", "contradiction", "within a label", "nothing said"],
)
def test_labels_that_are_refused(labels: list[object], said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "labels.jsonl", labels)
    with pytest.raises(InputError, match=said):
        run_train("posts", TrainingInput(str(tmp_path / "data"), (path,), (POSTS,)))
    assert not (tmp_path / "data").exists()


def test_nothing_to_label_and_nothing_labelled(tmp_path: Path) -> None:
    everything = BUNDLED / "own" / "labels.jsonl"
    sheet = tmp_path / "sheet.jsonl"
    asked = ("sheet", "labels", "--posts", POSTS, "--labels", everything, "--out", sheet, "--data", tmp_path)
    assert "nothing to label: 586 posts, 586 labels" in one_line_failure(wordquarry(*asked))
    written(sheet, [{"post_id": "f:1", "question": "Why?"}])
    said = one_line_failure(wordquarry("sheet", "import", sheet, "--out", tmp_path / "labels.jsonl"))
    assert "none of its 1 rows is labelled" in said


def test_a_drawn_sample_is_of_what_may_be_published_and_its_answers_become_labels(tmp_path: Path) -> None:
    sheet, labels = tmp_path / "sheet.jsonl", tmp_path / "labels.jsonl"
    asked = ("sheet", "labels", "--posts", POSTS, "--out", sheet, "--data", tmp_path, "--n", 20, "--drawn")
    assert wordquarry(*asked).returncode == 0
    drawn = rows(sheet)
    assert len(drawn) == 20
    assert wordquarry(*asked[:5], tmp_path / "few.jsonl", *asked[6:9], 5, "--drawn").returncode == 0
    assert rows(tmp_path / "few.jsonl") == drawn[:5], "the first of a sample are a sample"
    assert all(float(str(row["probability"])) > 0.5 for row in drawn), "no build publishes a post out of scope"
    assert all(row["answers"] for row in drawn), "nor one without an answer"
    written(sheet, [drawn[0] | {"scope_reason": "ok", "gold_answer": ["7/2"]}, *drawn[1:]])
    assert wordquarry("sheet", "import", sheet, "--out", labels).returncode == 0
    assert [(row["post_id"], row["gold_answer"]) for row in rows(labels)] == [(drawn[0]["post_id"], ["7/2"])]
    assert wordquarry(*asked).returncode == 0
    again = rows(sheet)
    assert len(again) == 21
    assert again[0]["gold_answer"] == ["7/2"]
