"""The command ``forget``: the next version is without the post, and what brought it does not bring it back."""

import json
from pathlib import Path

import pytest

from tests.flows.command import one_line_failure, wordquarry

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
    assert "0 new" in again.stdout
    assert "apples" in wordquarry("export", "posts", "--data", data).stdout
    assert "file:4" not in wordquarry("export", "posts", "--data", data).stdout
    built = wordquarry("build", "--data", data)
    assert built.returncode == 0, built.stderr
    row = next(line.split() for line in built.stdout.splitlines() if " clean " in f" {line} ")
    assert "1" in row
    assert "2" not in row


def test_what_cannot_be_forgotten_is_one_line(tmp_path: Path) -> None:
    assert "is no post id and no address" in one_line_failure(wordquarry("forget", "Ann", "--data", tmp_path))
