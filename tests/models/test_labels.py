"""The bundled labels: their files, and that no asker is in both parts."""

import json
from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.lines.labels import label_lines, read_labels
from corpus.records import Label
from models.label_split import join_threads
from tests.models.samples import label

HELD_OUT_FAMILIES = ("geometry", "work")
FOLDER = Path(__file__).resolve().parents[2] / "data" / "labels"


def committed(part: str) -> list[Label]:
    return read_labels([FOLDER / f"{part}.jsonl"])


def test_committed_parts_are_canonical() -> None:
    train, evaluation = committed("train"), committed("evaluation")
    assert (len(train), len(evaluation)) == (261, 196)
    for part, labels in (("train", train), ("evaluation", evaluation)):
        assert label_lines(labels) == (FOLDER / f"{part}.jsonl").read_text(encoding="utf-8")


def test_no_asker_and_no_held_out_family_in_both_parts() -> None:
    train, evaluation = committed("train"), committed("evaluation")
    assert not {label.author for label in train} & {label.author for label in evaluation}
    assert not {label.family for label in train} & set(HELD_OUT_FAMILIES)
    assert {label.family for label in evaluation} >= {label.family for label in train}


def test_labels_name_the_threads_of_the_site() -> None:
    threads = FOLDER.parent / "site" / "threads"
    files = sorted(threads.glob("*.jsonl"))
    ids = [json.loads(line)["id"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    labels = [*committed("train"), *committed("evaluation")]
    assert sorted(f"bundled:{thread}" for thread in ids) == sorted(label.post_id for label in labels)


def test_unknown_posts_are_refused() -> None:
    with pytest.raises(InputError, match="1 labels are of posts that are not there; the first is b"):
        join_threads([("a", "q", ["x"])], [label("a", "ok"), label("b", "ok")])
