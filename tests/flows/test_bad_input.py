"""Bad input: one line saying what, where and what to do, exit status 1 (2 for wrong usage), nothing half-published."""

import json
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.flows.command import one_line_failure, wordquarry

pytestmark = pytest.mark.slow

GOOD = {"id": "a", "question": "Tom has 3 pens and buys 4. How many pens has he?", "answers": [{"text": "3+4=7"}]}


def lines(path: Path, *records: object) -> Path:
    """A file with one record per line; strings are written as they are."""
    rows = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (["not json"], ["posts.jsonl:1", "JSON"]),
        ([GOOD, '["a list"]'], ["posts.jsonl:2", "list"]),
        ([GOOD, {"id": "b", "question": None, "answers": []}], ["posts.jsonl:2", "question"]),
        ([GOOD, {"id": "b", "question": "How many?"}], ["posts.jsonl:2", "answers"]),
        ([GOOD, GOOD | {"question": "Another text?"}], ["posts.jsonl:2", "file:a"]),
        ([GOOD, '{"id": "b", "question": NaN, "answers": []}'], ["posts.jsonl:2", "NaN"]),
    ],
    ids=["not JSON", "not an object", "no text", "no answers", "same id, other content", "NaN"],
)
def test_posts_that_cannot_be_read(tmp_path: Path, records: Sequence[object], expected: Sequence[str]) -> None:
    path = lines(tmp_path / "posts.jsonl", *records)
    message = one_line_failure(wordquarry("ingest", path, "--data", tmp_path / "data"))
    assert all(part in message for part in expected), message
    assert not (tmp_path / "data" / "posts").exists()


def test_rejected_lines_are_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = lines(tmp_path / "posts.jsonl", GOOD, "broken", {**GOOD, "id": "c"})
    result = wordquarry("ingest", path, "--skip-bad", "--data", tmp_path / "data")
    assert result.returncode == 0, result.stderr
    assert "2 posts" in result.stdout
    assert "1 lines rejected" in result.stdout
    assert "posts.jsonl:2" in result.stderr


@pytest.mark.parametrize("command", ["build", "ingest"])
def test_missing_file(tmp_path: Path, command: str) -> None:
    option = ["--posts"] if command == "build" else []
    message = one_line_failure(wordquarry(command, *option, tmp_path / "no.jsonl", "--data", tmp_path / "data"))
    assert "no.jsonl" in message
    assert not (tmp_path / "data").exists()


def test_unknown_config_key(tmp_path: Path) -> None:
    config = tmp_path / "build.toml"
    config.write_text("[read]\nmin_confidense = 0.9\n", encoding="utf-8")
    message = one_line_failure(wordquarry("build", "--config", config, "--data", tmp_path / "data"))
    assert "build.toml: read: unknown field 'min_confidense'; did you mean 'min_confidence'?" in message


def test_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a folder should be", encoding="utf-8")
    path = lines(tmp_path / "posts.jsonl", GOOD)
    for arguments in (["ingest", path], ["build", "--posts", path]):
        message = one_line_failure(wordquarry(*arguments, "--data", tmp_path / "data"))
        assert str(tmp_path / "data") in message


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["stats", "nothing"], "no dataset nothing"),
        (["explain", "file:a"], "no datasets; run wordquarry build"),
        (["rebuild", "../etc"], "cannot name a dataset"),
        (["crawl", "nowhere", "--url", "http://127.0.0.1:9"], "unknown source"),
        (["crawl", "bundled", "--url", "ftp://example.org"], "not a site address"),
        (["crawl", "pages", "--urls", "no-list.txt"], "cannot read no-list.txt"),
        (["crawl", "pages"], "needs an address; give it with --url, or a file of thread addresses with --urls"),
        (["schedule", "--cron", "every day"], "cron"),
        (["audit", "no-sheet.jsonl"], "no-sheet.jsonl"),
        (["train", "posts", "--labels", "no-labels.jsonl"], "no-labels.jsonl"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_things_that_are_not_there(tmp_path: Path, arguments: Sequence[str], expected: str) -> None:
    assert expected in one_line_failure(wordquarry(*arguments, "--data", tmp_path / "data"))


@pytest.mark.rows(
    "arguments",
    [
        ["stage", "nonsense"],
        ["build", "--shards", "0"],
        ["ingest", "x", "--format", "csv"],
        ["no-such-command"],
        ["crawl", "pages", "--url", "http://a.example", "--urls", "x"],
    ],
    ids=["stage", "option", "format", "command", "both"],
)
def test_wrong_usage_exits_with_2(arguments: Sequence[str]) -> None:
    result = wordquarry(*arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.full
def test_site_that_is_not_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    message = one_line_failure(wordquarry("crawl", "bundled", "--url", url, "--data", tmp_path / "data"))
    assert "cannot be reached" in message


def test_nothing_left_to_publish(tmp_path: Path) -> None:
    chat = {"id": "a", "question": "Who is your favourite singer?", "answers": [{"text": "nobody"}]}
    path = lines(tmp_path / "posts.jsonl", chat)
    message = one_line_failure(wordquarry("build", "--posts", path, "--data", tmp_path / "data"))
    assert "no problem left to publish" in message
    assert not (tmp_path / "data" / "versions").exists()
