"""A threshold chosen on one's own labels: those of the bundled site, which the models did not learn from."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import ConfigError, InputError, ModelError
from corpus.lines.jsonl import file_objects
from flows.calibrating import run_calibrate
from flows.pipelines.runs import LABELS, bundled_posts
from models.shipped import shipped_model
from models.storage import load_model, model_bytes
from tests.flows.command import one_line_failure, wordquarry

Rows = list[dict[str, Any]]
PRECISION = 0.8


def written(path: Path, rows: Sequence[object]) -> Path:
    """Rows as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The posts of the bundled site, in a file."""
    rows = [
        {
            "id": post.post_id.partition(":")[2],
            "source": post.source,
            "question": post.question,
            "answers": [{"text": answer.text, "is_best": answer.is_best} for answer in post.answers],
        }
        for post in bundled_posts()
    ]
    return written(tmp_path_factory.mktemp("calibrate") / "posts.jsonl", rows)


@pytest.fixture(scope="module")
def labels() -> Rows:
    """The evaluation labels of the bundled site."""
    return [row for _, row in file_objects(LABELS / "evaluation.jsonl")]


def test_labels_of_a_site_choose_the_threshold_of_its_builds(posts: Path, labels: Rows, tmp_path: Path) -> None:
    asked = ("calibrate", "--labels", LABELS / "evaluation.jsonl", "--posts", posts, "--data", tmp_path)
    asked += ("--precision", PRECISION)
    said = wordquarry(*asked, "--json")
    assert said.returncode == 0, said.stderr
    told = json.loads(said.stdout)
    assert (told["labelled"], told["precision"]) == (len(labels), PRECISION)
    assert told["bound"] >= PRECISION
    assert told["right"] >= PRECISION * told["posts"]
    model, ours = load_model(str(tmp_path / "models" / "publication.json")), shipped_model("publication")
    assert model.head.weights.tolist() == ours.head.weights.tolist()
    assert len(model.calibration) == told["calibration"] > told["posts"]
    assert sum(post.score >= told["threshold"] for post in model.calibration) == told["posts"]


def test_scores_unlike_ours_are_warned_of(posts: Path, labels: Rows, tmp_path: Path) -> None:
    said = wordquarry(
        *("calibrate", "--labels", LABELS / "evaluation.jsonl", "--posts", posts, "--precision", 0.1),
        *("--data", tmp_path, "--json"),
    )
    unlike = json.loads(said.stdout)["p_unlike"]
    plain = wordquarry(
        *("calibrate", "--labels", LABELS / "evaluation.jsonl", "--posts", posts, "--precision", 0.1),
        *("--data", tmp_path),
    )
    assert ("look unlike those of ours" in plain.stderr) is (unlike < 0.01)


@pytest.mark.rows(
    ("change", "error", "said"),
    [
        (lambda rows: [row for row in rows if not row["in_scope"]], InputError, "all 40 labels are out of scope"),
        (
            lambda rows: [*rows, rows[0] | {"gold_answer": ["1"]}],
            InputError,
            "bundled:ages-007 has another label at .*keep one of the two",
        ),
        (
            lambda rows: [rows[0] | {"gold_answer": None}, *rows[1:]],
            InputError,
            "1 labels in scope have no gold_answer; the first is bundled:ages-007: fill it in",
        ),
        (lambda rows: [*rows, rows[0] | {"post_id": "bundled:none"}], InputError, "1 labels are of posts that are not"),
        (lambda rows: rows[::8], ConfigError, "97 % needs at least 99 right of 99; you have [0-9]+: "),
    ],
)
def test_labels_that_cannot_keep_a_promise_end_in_one_line(
    change: Callable[[Rows], Rows], error: type[Exception], said: str, posts: Path, labels: Rows, tmp_path: Path
) -> None:
    path = written(tmp_path / "labels.jsonl", change(labels))
    with pytest.raises(error, match=said) as raised:
        run_calibrate(str(tmp_path / "data"), [path], [posts], 0.97, False)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "data").exists(), "no model is written"


def test_labels_too_few_for_the_promise_are_held_against_the_threshold_in_use(
    posts: Path, labels: Rows, tmp_path: Path
) -> None:
    path = written(tmp_path / "labels.jsonl", labels[::10])
    with pytest.raises(ConfigError) as raised:
        run_calibrate(str(tmp_path / "data"), [path], [posts], 0.9, False)
    said = re.fullmatch(
        r"90 % needs at least 29 right of 29; you have (\d+): .*; "
        r"the threshold in use, (0\.\d{4}), stays: it publishes (\d+) of these posts, (\d+) right",
        str(raised.value),
    )
    assert said is not None, str(raised.value)
    assert float(said[2]) == pytest.approx(shipped_model("publication").promise(0.9).threshold, abs=1e-4)
    assert int(said[1]) >= int(said[3]) >= int(said[4]) > 0


def test_a_model_of_another_form_is_refused_with_what_to_do(posts: Path, tmp_path: Path) -> None:
    path = tmp_path / "models" / "publication.json"
    path.parent.mkdir()
    content = json.loads(model_bytes(shipped_model("publication")))
    path.write_text(json.dumps(content | {"version": 1}), encoding="utf-8")
    with pytest.raises(ModelError, match=r"format version 1; .*refit it with wordquarry train publication"):
        run_calibrate(str(tmp_path), [LABELS / "evaluation.jsonl"], [posts], 0.9, False)


def test_an_old_table_and_a_promise_that_cannot_be_kept_end_a_build_in_one_line(posts: Path, tmp_path: Path) -> None:
    config, data = tmp_path / "build.toml", tmp_path / "data"
    asked = ("build", "--posts", posts, "--config", config, "--data", data)
    config.write_text("[agree]\ndrop_different = false\n", encoding="utf-8")
    assert "the table agree is gone: [publish] precision" in one_line_failure(wordquarry(*asked))
    config.write_text("[publish]\nprecision = 0.9999\n", encoding="utf-8")
    assert "99.99 % needs at least 29956 right of 29956; you have" in one_line_failure(wordquarry(*asked))
    assert not (data / "versions").exists()
