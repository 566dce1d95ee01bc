"""The command ``forget``: the next version is without the post, and what brought it does not bring it back."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from corpus.workspace import Workspace
from tests.flows.command import ROOT, environment, one_line_failure, wordquarry
from tests.tiers import in_turn

ROWS = [
    {"id": str(number), "url": f"https://forum.example/q/{number}", "question": f"Ann has {number} apples and buys 3. "
     "How many apples does she have?", "answers": [{"text": f"{number} + 3 = {number + 3}"}] * 2}
    for number in (4, 5)
]  # fmt: skip


@pytest.mark.slow
def test_a_forgotten_post_is_in_no_later_version(tmp_path: Path) -> None:
    path, data = tmp_path / "posts.jsonl", tmp_path / "data"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    ingest = ["ingest", path, "--data", data]
    assert "2 new" in wordquarry(*ingest).stdout
    assert wordquarry("build", "--data", data).returncode == 0
    done = wordquarry("forget", "https://forum.example/q/4", "--data", data)
    assert "forgotten: file:4" in done.stdout, done.stderr
    again = wordquarry(*ingest)
    assert "posts.jsonl: 1 posts (0 new, 0 changed, 1 unchanged), 1 forgotten before, 0 duplicates" in again.stdout
    assert "apples" in wordquarry("export", "posts", "--data", data).stdout
    assert "file:4" not in wordquarry("export", "posts", "--data", data).stdout
    built = wordquarry("build", "--data", data)
    assert built.returncode == 0, built.stderr
    row = next(line.split() for line in built.stdout.splitlines() if " clean " in f" {line} ")
    assert "1" in row
    assert "2" not in row


def test_what_cannot_be_forgotten_is_one_line(tmp_path: Path) -> None:
    assert "is neither a post id nor a URL" in one_line_failure(wordquarry("forget", "Ann", "--data", tmp_path))


INGEST = """
import sys
from pathlib import Path
from corpus.store import PostStore
from corpus.view import StoreSizes
from corpus.workspace import Workspace
from crawlers.dumps.loading import load
from crawlers.dumps.tally import Options

def tell(line):
    print("told", flush=True)
    sys.stdin.readline()

store = PostStore(Workspace(sys.argv[2]).posts.folder, sizes=StoreSizes(intake_posts=int(sys.argv[3])))
columns = tuple((name, name) for name in ("id", "url", "question", "answers", "retrieved_at"))
load(Path(sys.argv[1]), "jsonl", Options(columns=columns), store, tell)
"""
UPSERT = """
import sys
from pathlib import Path
from corpus.workspace import Workspace
from crawlers.ingest import read_posts

def given():
    yield from read_posts(Path(sys.argv[1]), skip_bad=True).posts
    print("told", flush=True)
    sys.stdin.readline()

Workspace(sys.argv[2]).posts.upsert(given())
"""


def stored(data: Path) -> str:
    """What the files of the store hold, tombstones aside."""
    files = [path for path in data.rglob("*.parquet") if not path.name.startswith("gone-")]
    return "".join(str(pq.read_table(path).to_pylist()) for path in files)


@pytest.mark.slow
@pytest.mark.parametrize("name", in_turn(["https://forum.example/q/4", "file:4"], 2))
@pytest.mark.parametrize(("script", "batch"), in_turn([(INGEST, 5_000), (INGEST, 1), (UPSERT, 0)], 3))
def test_what_is_forgotten_beside_a_running_ingest_is_not_written_back(
    name: str, script: str, batch: int, tmp_path: Path
) -> None:
    """The ingest has read the post when it comes to a line that it stumbles over; there it waits for the forgetting.

    Behind that line the post comes once more, retrieved later.
    """
    path, data = tmp_path / "posts.jsonl", tmp_path / "data"
    rows = [row | {"retrieved_at": "2024-01-01T00:00:00Z"} for row in ROWS]
    again = {**rows[0], "retrieved_at": "2024-01-02T00:00:00Z"}
    lines = [*map(json.dumps, rows), "{}", *([] if script is UPSERT else [json.dumps(again)])]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    arguments = [sys.executable, "-c", script, path, data, batch]
    with subprocess.Popen(
        list(map(str, arguments)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment(), text=True
    ) as ingest:
        assert ingest.stdout is not None
        assert ingest.stdout.readline() == "told\n"
        assert wordquarry("forget", name, "--data", data).returncode == 0
        ingest.communicate("go on\n")
    assert ingest.returncode == 0
    assert "Ann has 4 apples" not in stored(data)
    assert "Ann has 5 apples" in stored(data)
    assert list(Workspace(str(data)).posts.posts()) == ["file:5"]
