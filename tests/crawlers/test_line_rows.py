"""Lines of a file give the same, in the same order, whoever reads them."""

import json
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from corpus.errors import CorpusError
from crawlers.thread_records import LineRow, RejectedLine, Sharing, line_rows

SHARED = Sharing(least_bytes=0, chunk_bytes=300)


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    """Forty threads, a few to a chunk, among them a broken line and a thread without a question."""
    lines = [
        json.dumps(
            {"id": f"t{n}", "question": f"Ask me@example.org: what is {n} + 1?", "answers": [{"text": f"{n + 1}"}]}
        )
        for n in range(40)
    ]
    lines[7] = '{"id": "t7", '
    lines[23] = json.dumps({"id": "t23", "question": " ", "answers": []})
    path = tmp_path / "posts.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_several_processes_give_what_one_gives(posts: Path) -> None:
    alone, shared = list(line_rows(posts, "file")), list(line_rows(posts, "file", 2, SHARED))
    assert shared == alone
    assert [one.row["post_id"] for one in shared if isinstance(one, LineRow)] == [
        f"file:t{n}" for n in range(40) if n not in {7, 23}
    ]
    refused = [(one.where, one.record_id) for one in shared if isinstance(one, RejectedLine)]
    assert refused == [(f"{posts}:8", None), (f"{posts}:24", "file:t23")]
    assert sum(one.removed.mails for one in shared if isinstance(one, LineRow)) == 38


def test_a_reader_that_is_killed_is_one_line(posts: Path) -> None:
    posts.write_text(posts.read_text("utf-8") * 100, "utf-8")
    rows = line_rows(posts, "file", 2, replace(SHARED, ahead=1))  # most chunks are still to be read when a reader dies
    next(rows)
    _readers()[0].kill()
    with pytest.raises(CorpusError, match=r"a process that read lines of .*posts\.jsonl was ended from outside"):
        list(rows)


def test_who_stops_reading_leaves_no_process(posts: Path) -> None:
    rows = line_rows(posts, "file", 2, SHARED)
    next(rows)
    assert _readers()
    rows.close()  # type: ignore[attr-defined] - it is a generator
    assert not _readers()


def _readers() -> list[psutil.Process]:
    """The processes that read lines for this one."""
    return [one for one in psutil.Process().children() if "spawn_main" in " ".join(one.cmdline())]
