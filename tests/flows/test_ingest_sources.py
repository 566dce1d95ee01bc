"""The command ``ingest`` over every source; the whole way from each to a version is in test_pipeline_sources."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.crawlers.dump_files import L6_DOCUMENT, gzipped, l6_xml, page_record, posts_xml, thread_rows
from tests.crawlers.forms import FORMS, made
from tests.flows.command import one_line_failure, wordquarry

SITE = "math.stackexchange.com"


def sources(folder: Path) -> dict[str, list[object]]:
    """A small file of each source, and the command's words for it."""
    (folder / "Posts.xml").write_bytes(posts_xml(*thread_rows()))
    (folder / "l6.xml").write_bytes(l6_xml(L6_DOCUMENT))
    item = {"id": "5", "question": "How old is Ann if she is twice 9?", "nbestanswers": ["2*9 = 18"], "answer": "18"}
    (folder / "nfl6.json").write_text(json.dumps([item]), encoding="utf-8")
    rows = [{"qid": "1", "title": "How old is Ann if she is twice 9?", "replies": ["x = 2*9 = 18", "18"]}]
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    page = gzipped(page_record("https://forum.example/t/9", FORMS["qapage-linked"](made(9)).encode()))
    (folder / "a.warc.gz").write_bytes(page)
    entry = {"url": "https://forum.example/t/9", "filename": "a.warc.gz", "offset": "0", "length": str(len(page))}
    (folder / "index.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    return {
        "stackexchange": [folder / "Posts.xml", "--format", "stackexchange", "--source", SITE, "--tag", "algebra"],
        "yahoo": [folder / "l6.xml", "--format", "yahoo", "--tag", "mathematics"],
        "nfl6": [folder / "nfl6.json", "--format", "yahoo"],
        "parquet": [
            folder / "rows.parquet",
            "--format",
            "parquet",
            "--columns",
            "id=qid,question=title,answers=replies",
        ],
        "warc": [folder / "a.warc.gz", "--format", "warc"],
        "cc-index": [folder / "index.jsonl", "--format", "cc-index", "--archives", folder],
    }


@pytest.mark.slow
def test_the_command_reads_every_source(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name, words in sources(tmp_path).items():
        done = wordquarry("ingest", *words, "--data", data)
        assert done.returncode == 0, (name, done.stderr)
        new = 0 if name == "cc-index" else 1  # the page of the archive again
        assert f"1 posts ({new} new, 0 changed, {1 - new} unchanged)" in done.stdout, name


def test_a_dump_cut_short_is_an_error_and_its_whole_threads_stay(tmp_path: Path) -> None:
    path, data = tmp_path / "Posts.xml", tmp_path / "data"
    whole = posts_xml(*thread_rows(), *thread_rows(8))
    path.write_bytes(whole[:-60])
    words = ["ingest", path, "--format", "stackexchange", "--source", SITE, "--data", data]
    cut = wordquarry(*words)
    assert f"{path}:10: damaged or cut short" in one_line_failure(cut)
    assert "1 posts (1 new" in cut.stdout
    path.write_bytes(whole)
    again = wordquarry(*words)
    assert again.returncode == 0, again.stderr
    assert "2 posts (1 new, 0 changed, 1 unchanged)" in again.stdout
    assert "records: 8 read, 8 used, refused: none" in again.stdout


def test_damaged_records_are_an_error_unless_they_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_bytes(posts_xml(thread_rows()[0], *thread_rows(8)))
    words = ["ingest", path, "--format", "stackexchange", "--source", SITE, "--data", tmp_path / "data"]
    message = one_line_failure(wordquarry(*words))
    assert f"{path}:3: question 4 announces 3 answers, the dump holds 0; 1 such faults in all" in message
    allowed = wordquarry(*words, "--skip-bad")
    assert allowed.returncode == 0
    assert "1 posts (0 new, 0 changed, 1 unchanged)" in allowed.stdout
    assert "refused: wrong_count 1" in allowed.stdout
    assert "announces 3 answers" in allowed.stderr


def test_wrong_options_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(posts_xml())
    data = ["--data", tmp_path / "data"]
    assert "give it, as in --source" in one_line_failure(wordquarry("ingest", path, "--format", "stackexchange", *data))
    empty = ["ingest", path, "--format", "stackexchange", "--source", SITE, *data]
    assert "holds no records" in one_line_failure(wordquarry(*empty))
    columns = ["ingest", path, "--format", "parquet", "--columns", "x", *data]
    assert "is not field=column" in one_line_failure(wordquarry(*columns))
    assert wordquarry("ingest", path, "--format", "csv", *data).returncode == 2
