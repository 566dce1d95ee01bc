"""The tutorial, word for word, on a forum of our own whose labels are known."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import wordquarry as wq
from corpus.code import ROOT
from corpus.lines.jsonl import file_objects
from flows.pipelines.runs import LABELS, bundled_posts
from tests.flows.command import wordquarry

TUTORIAL = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines."""
    return [row for _, row in file_objects(path)]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Rows as JSON Lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def fill_in(sheet: Path) -> None:
    """What a person would say of each post."""
    labels = {row["post_id"].partition(":")[2]: row for name in ("train", "evaluation") for row in labels_of(name)}
    rows = rows_of(sheet)
    for row in rows:
        label = labels[row["post_id"].partition(":")[2]]
        row |= {name: label[name] for name in ("scope_reason", "gold_answer")}
    write(sheet, rows)


def labels_of(name: str) -> list[dict[str, Any]]:
    """The labels of the bundled site."""
    return rows_of(LABELS / f"{name}.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the tutorial has been followed, with what each command said in ``said.json``."""
    place = tmp_path_factory.mktemp("tutorial")
    threads = [
        {
            "id": post.post_id.partition(":")[2],
            "url": post.url,
            "license": post.license,
            "question": post.question,
            "answers": [{"text": one.text, "is_best": one.is_best} for one in post.answers],
        }
        for post in bundled_posts()
    ]
    write(place / "threads.jsonl", threads)
    (toml,) = re.findall(r"```toml\n(.*?)```", TUTORIAL, re.DOTALL)
    (place / "forum.toml").write_text(toml, encoding="utf-8")
    said: dict[str, str] = {}
    for line in re.findall(r"^\$ wordquarry (.*)$", TUTORIAL, re.MULTILINE):
        if line.startswith("sheet import"):
            fill_in(place / "sheet.jsonl")
        done = wordquarry(*shlex.split(line), where=place)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        said[line] = done.stdout
    (place / "said.json").write_text(json.dumps(said), encoding="utf-8")
    return place


def test_the_tutorial_ends_with_a_dataset_that_holds_its_promise(folder: Path) -> None:
    said = json.loads((folder / "said.json").read_text(encoding="utf-8"))
    assert [line.split()[0] for line in said] == [
        *("ingest", "build", "explain", "sheet", "sheet", "calibrate", "build", "stats", "sheet", "push"),
    ]
    frame = wq.load("forum", data=str(folder / "forum"), full=True)
    gold = {row["post_id"].partition(":")[2]: row for name in ("train", "evaluation") for row in labels_of(name)}
    assert len(frame) > 100
    assert published_right(frame, gold) >= 0.85
    assert (folder / "shared/forum/README.md").read_text(encoding="utf-8").count(
        "chosen on labels (200 labels given)"
    ) == 1


def published_right(frame: pd.DataFrame, gold: dict[str, dict[str, Any]]) -> float:
    """The share of published rows whose values are the gold values."""
    pairs = zip(frame["url"], frame["answer_exact"], strict=True)
    return sum(
        sorted(gold[url.rpartition("/")[2]]["gold_answer"] or ()) == sorted(values) for url, values in pairs
    ) / len(frame)


def test_nothing_is_read_again_after_calibrate(folder: Path) -> None:
    said = json.loads((folder / "said.json").read_text(encoding="utf-8"))
    (last,) = (text for line, text in said.items() if "--config" in line)
    assert int(re.findall(r"stage parts: 36, reused (\d+)", last)[0]) == 12
