"""The command ``forget``: the next version is without the post, and what brought it does not bring it back."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from benchmarks.synthetic_threads import synthetic_threads
from corpus.workspace import Workspace
from curation.stages.release_stage import problem_id
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
    done = wordquarry("store", "forget", "https://forum.example/q/4", "--data", data)
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


@pytest.mark.slow
def test_a_takedown_ends_in_versions_and_in_the_places_they_were_pushed_to(tmp_path: Path) -> None:
    """Two builds of real posts, each pushed to a place of its own; one of these is away at first."""
    path, data, places = tmp_path / "posts.jsonl", tmp_path / "data", [tmp_path / "here", tmp_path / "there"]
    lines = [json.dumps({**row, "url": f"https://forum.example/{row['id']}"}) for row in synthetic_threads(24)]
    for count, place in zip((14, 24), places, strict=True):
        path.write_text("".join(f"{line}\n" for line in lines[:count]), encoding="utf-8")
        assert wordquarry("ingest", path, "--data", data).returncode == 0
        assert wordquarry("build", "--data", data).returncode == 0
        assert "sent to" in wordquarry("push", "quarry", "--to", place, "--yes", "--data", data).stdout
    post = pq.read_table(places[0] / "posts.parquet")["post_id"][0].as_py()
    (tmp_path / "key").write_text("a" * 32)
    told = wordquarry("store", "forget", post, "--data", data, "--key", tmp_path / "key").stdout
    assert [told.count(f"\n{word}: ") for word in ("version", "left", "still there")] == [2, 2, 0]
    assert all(f"--to {place} --yes" in told for place in places)
    places[0].rename(tmp_path / "away")
    places[0].write_text("in the way")
    failed = wordquarry("store", "forget", post, "--data", data, "--key", tmp_path / "key", "--push")
    assert "a file is where a folder should be" in one_line_failure(failed)
    assert "what is left is done when the command is run again" in failed.stderr
    places[0].unlink()
    (tmp_path / "away").rename(places[0])
    told = wordquarry("store", "forget", post, "--data", data, "--key", tmp_path / "key", "--push").stdout
    assert "line 1 of" in told
    assert "signed" in told
    for place in places:
        tables = [pq.read_table(one) for one in place.rglob("*.parquet")]
        held = {
            name
            for one in tables
            for key in ("post_id", "id")
            if key in one.column_names
            for name in one[key].to_pylist()
        }
        assert held.isdisjoint({post, problem_id(post)})
        assert "every span leads to its characters" in wordquarry("verify", place).stdout
    old, new = sorted(json.loads((place / "manifest.json").read_bytes())["version"] for place in places)
    assert "unchanged" in wordquarry("diff", f"quarry/{old}", f"quarry/{new}", "--data", data).stdout
    assert "was made by forget" in one_line_failure(wordquarry("rebuild", "quarry", "--verify", "--data", data))
    assert "held a forgotten post" in one_line_failure(wordquarry("explain", post, "--data", data))
    (tmp_path / "key").write_text("b" * 32)
    wrong = wordquarry("store", "forget", post, "--data", data, "--key", tmp_path / "key")
    assert "is signed with another key, or was changed" in one_line_failure(wrong)


def test_what_cannot_be_forgotten_is_one_line(tmp_path: Path) -> None:
    assert "is neither a post id nor a URL" in one_line_failure(
        wordquarry("store", "forget", "Ann", "--data", tmp_path)
    )


INGEST = """
import sys
from pathlib import Path
from corpus.post_store.store import PostStore
from corpus.post_store.store import StoreSizes
from benchmarks.synthetic_threads import synthetic_threads
from corpus.workspace import Workspace
from crawlers.dumps.loading import load
from crawlers.dumps.tally import Options

def tell(line):
    print("told", flush=True)
    sys.stdin.readline()

store = PostStore(Workspace(sys.argv[2]).posts.folder, sizes=StoreSizes(deposit_posts=int(sys.argv[3])))
columns = tuple((name, name) for name in ("id", "url", "question", "answers", "retrieved_at"))
load(Path(sys.argv[1]), "jsonl", Options(columns=columns), store, tell)
"""
UPSERT = """
import sys
from pathlib import Path
from benchmarks.synthetic_threads import synthetic_threads
from corpus.post_store.deposit import upsert
from corpus.workspace import Workspace
from crawlers.ingest import read_posts

def given():
    yield from read_posts(Path(sys.argv[1]), skip_bad=True).posts
    print("told", flush=True)
    sys.stdin.readline()

upsert(Workspace(sys.argv[2]).posts, given())
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
        assert wordquarry("store", "forget", name, "--data", data).returncode == 0
        ingest.communicate("go on\n")
    assert ingest.returncode == 0
    assert "Ann has 4 apples" not in stored(data)
    assert "Ann has 5 apples" in stored(data)
    assert list(Workspace(str(data)).posts.posts()) == ["file:5"]
