"""The command ``prune``: outputs of earlier builds go, and what is left serves explain and the next build."""

import json
import shutil
from pathlib import Path

import pytest

from corpus.folders.locks import building
from corpus.workspace import Workspace
from tests.flows.command import one_line_failure, wordquarry

ROW = {
    "id": "4", "question": "Ann has 4 apples and buys 3. How many apples does she have?",
    "answers": [{"text": "4 + 3 = 7"}, {"text": "4 + 3 = 7 apples"}],
}  # fmt: skip


def outputs(data: Path) -> int:
    return sum(1 for _ in data.glob("stages/*/*"))


@pytest.mark.slow
def test_what_a_removed_version_came_through_goes(tmp_path: Path) -> None:
    path, earlier, data = tmp_path / "posts.jsonl", tmp_path / "earlier.jsonl", tmp_path / "data"
    path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    earlier.write_text(json.dumps(ROW | {"id": "5"}) + "\n", encoding="utf-8")
    build = ["build", "--posts", path, "--data", data]
    assert wordquarry("build", "--posts", earlier, "--data", data).returncode == 0
    old = Workspace(str(data)).versions.open("quarry")
    assert wordquarry(*build).returncode == 0
    held = outputs(data)
    assert "removed: 0 stage outputs, 0 bytes" in wordquarry("store", "prune", "--data", data).stdout
    shutil.rmtree(old.folder.path)
    dry = wordquarry("store", "prune", "--dry-run", "--data", data).stdout
    assert outputs(data) == held
    done = wordquarry("store", "prune", "--data", data).stdout
    gone = held - outputs(data)
    assert f"to be removed: {gone} stage outputs, " in dry
    assert dry.replace("to be removed", "removed") == done
    assert gone > 0
    assert "published as" in wordquarry("explain", "file:4", "--data", data).stdout
    again = wordquarry(*build).stdout
    assert "stage parts: 9, reused 9" in again
    assert "published before" in again


def test_a_build_under_way_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    with building(Workspace(str(tmp_path)).folder):
        assert "a build is running" in one_line_failure(wordquarry("store", "prune", "--data", tmp_path))
