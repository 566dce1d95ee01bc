"""Trouble from outside: full disks, ports in use, sites and servers that fail, interrupts, damaged files."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from tests.flows.command import ROOT, one_line_failure, shared_server, start, wordquarry
from tests.flows.small_disks import fill, small_disk_at
from tests.flows.test_main_job import version_of
from tests.tiers import tier

pytestmark = pytest.mark.slow

PICKED = "{who} picked {n} plums in the morning and 9 more after lunch. How many plums did {who} pick in all?"


def threads(path: Path, count: int = 6) -> Path:
    """So many threads that are sure to be kept or dropped for reasons of their own, not for their form."""
    rows = []
    for n in range(10, 10 + count):
        answers = [f"{n} + 9 = {n + 9} plums. So the answer is {n + 9}.", f"x = {n} + 9, x = {n + 9}", f"{n + 9} plums"]
        question = PICKED.format(who="Rita" if n % 2 else "Omar", n=n)
        rows.append({"id": f"t{n}", "question": question, "answers": [{"text": text} for text in answers]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A posts file, the data folder of a build from it, with a space in its path, and the version."""
    folder = tmp_path_factory.mktemp("trouble") / "with a space"
    folder.mkdir()
    posts = threads(folder / "posts.jsonl")
    result = wordquarry("build", "--posts", posts, "--data", folder / "data")
    assert result.returncode == 0, result.stderr
    return posts, folder / "data", version_of(result.stdout)


def copied(built: tuple[Path, Path, str], tmp_path: Path) -> tuple[Path, Path, str]:
    """The same in a folder that a test may damage."""
    shutil.copytree(built[1], tmp_path / "data")
    return built[0], tmp_path / "data", built[2]


def test_two_files_with_one_id_and_different_content(tmp_path: Path) -> None:
    for name, question in (("a", "How many?"), ("b", "How much?")):
        row = {"id": "same", "question": question, "answers": [{"text": "7"}]}
        (tmp_path / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    arguments = ["--posts", tmp_path / "a", "--posts", tmp_path / "b", "--data", tmp_path / "data"]
    message = one_line_failure(wordquarry("build", *arguments))
    assert "file:same comes twice with different content" in message
    assert not (tmp_path / "data" / "versions").exists()


def test_version_folder_that_cannot_be_written(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    posts, data, _ = copied(built, tmp_path)
    shutil.rmtree(data / "versions")
    (data / "versions").write_text("a file", encoding="utf-8")
    message = one_line_failure(wordquarry("build", "--posts", posts, "--data", data))
    assert f"{data}/versions" in message
    assert (data / "versions").read_text(encoding="utf-8") == "a file"


def test_existing_version_with_other_bytes(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    posts, data, label = copied(built, tmp_path)
    table = next((data / "versions" / label / "data").iterdir())
    table.write_bytes(b"something else")
    message = one_line_failure(wordquarry("build", "--posts", posts, "--data", data))
    assert "exists already with another" in message
    assert table.read_bytes() == b"something else"


@pytest.mark.parametrize(
    ("pattern", "content", "named"),
    [
        ("part.json", "{}", "part.json is damaged (no part)"),
        ("kept.parquet", "PAR1 no more", "kept.parquet is damaged (its bytes are not those that were written)"),
    ],
    ids=["mark", "rows"],
)
def test_damage_that_can_be_made_good_is_and_is_named(
    built: tuple[Path, Path, str], tmp_path: Path, pattern: str, content: str, named: str
) -> None:
    posts, data, label = copied(built, tmp_path)
    for path in data.rglob(pattern):
        path.write_text(content, encoding="utf-8")
    for path in data.glob("runs/**/*.json"):
        path.write_text("[]", encoding="utf-8")
    parts = {path.parent for path in data.rglob("part.json")}
    result = wordquarry("build", "--posts", posts, "--data", data)
    assert result.returncode == 0, result.stderr
    assert version_of(result.stdout) == label
    lines = [line for line in result.stderr.splitlines() if "was made again" in line]
    told = [f"{part}/{named}; this part of stage {part.parent.name} was made again" for part in parts]
    assert sorted(lines) == sorted(told)
    assert wordquarry("explain", "file:t10", "--data", data).returncode == 0


def test_an_emptied_version_is_not_identical(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    _, data, label = copied(built, tmp_path)
    good = wordquarry("verify", label, "--data", data)
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith(f"{label}: 8 files as published, ")
    place = data / "versions" / label
    table = next((place / "data").iterdir())
    size = table.stat().st_size
    table.write_bytes(b"")
    manifest = (place / "manifest.json").read_text(encoding="utf-8")
    (place / "manifest.json").write_text(manifest.replace('\n  "rows": ', '\n  "rows": 1', 1), encoding="utf-8")
    message = one_line_failure(wordquarry("rebuild", label, "--verify", "--data", data))
    said = f"{label} differs: data/{table.name}, empty instead of {size} bytes, changed since it was published"
    assert message.startswith(f"wordquarry: {said}; different as well: manifest.json; every stage kept the same rows")
    refused = wordquarry("verify", label, "--data", data)
    assert "manifest.json is not as published: its content does not match" in one_line_failure(refused)
    assert refused.stdout == ""


def test_damaged_posts_are_named(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    posts, data, _ = copied(built, tmp_path)
    batch = next(data.glob("inputs/*/batches/*.parquet"))
    batch.write_bytes(batch.read_bytes()[:-20])
    assert str(batch) in one_line_failure(wordquarry("build", "--posts", posts, "--data", data))


def test_a_build_that_changes_nothing_needs_no_server(built: tuple[Path, Path, str]) -> None:
    posts, data, label = built
    said = [
        wordquarry("build", "--posts", posts, "--data", data, "--json", env=address)
        for address in (None, {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    ]
    found = json.loads(said[1].stdout)
    assert (found["version"], found["new"], found["reused"]) == (label, False, found["parts"])
    assert said[0].stdout == said[1].stdout
    assert said[1].stderr.splitlines()[0] == "clean: 1/1 (kept 6, reused 1)"
    shown = wordquarry("build", "--posts", posts, "--data", data, env={"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    assert f"version: {label} (" in shown.stdout
    assert found["latest"] == label


def test_a_dead_prefect_server_is_one_line(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    address = {"PREFECT_API_URL": "http://127.0.0.1:9/api"}
    result = wordquarry("build", "--posts", built[0], "--data", tmp_path / "data", env=address)
    assert "PREFECT_API_URL" in one_line_failure(result)
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.full
def test_an_interrupted_build_leaves_nothing_running(tmp_path: Path, workers: int) -> None:
    posts, data = threads(tmp_path / "posts.jsonl", 300), tmp_path / "data"
    server = shared_server() if workers == 1 else {}
    process = start("build", "--posts", posts, "--data", data, "--workers", workers, "--runner", "process", env=server)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("clean")
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    _, alive = psutil.wait_procs(family, timeout=10)
    assert process.returncode == 130, stderr
    assert stderr.splitlines()[-1] == "wordquarry: interrupted"
    assert "Traceback" not in stderr
    assert alive == []
    assert not list(data.rglob(".tmp-*"))
    assert not (data / "versions").exists()


@pytest.mark.full
def test_two_builds_at_once_in_one_folder(built: tuple[Path, Path, str], tmp_path: Path) -> None:
    build = ["build", "--posts", built[0], "--data", tmp_path / "data", "--runner", "process"]
    both = [start(*build, first_start=True) for _ in range(2)]
    for process in both:
        stdout, stderr = process.communicate(timeout=120)
        assert process.returncode == 0, stderr
        assert version_of(stdout) == built[2]


def test_a_port_in_use(built: tuple[Path, Path, str]) -> None:
    sampled = wordquarry("sheet", "verdicts", "quarry", "--n", 2, "--data", built[1])
    assert sampled.returncode == 0, sampled.stderr
    sheet = sampled.stdout.partition("sheet: ")[2].partition(" (")[0]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert str(port) in one_line_failure(wordquarry("sheet", "serve", sheet, "--port", port))
        site = subprocess.run(
            [sys.executable, "-m", "crawlers.bundled_site", "--port", str(port)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
    assert site.returncode == 1
    assert str(port) in site.stderr
    assert len(site.stderr.splitlines()) == 1


@pytest.fixture
def refusing_site(request: pytest.FixtureRequest) -> Iterator[str]:
    """A site that answers one status, or with status 0 accepts connections and never answers."""
    status = int(request.param)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(404 if self.path == "/robots.txt" else status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    if not status:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            yield f"http://127.0.0.1:{silent.getsockname()[1]}"
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("refusing_site", "expected"),
    [(429, "answers only 429"), (0, "never answered within 0.5 s")],
    indirect=["refusing_site"],
    ids=["429", "never"],
)
@pytest.mark.full
def test_sites_that_refuse(refusing_site: str, expected: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    result = wordquarry("crawl", "bundled", "--url", refusing_site, "--timeout", "0.5", "--data", data)
    assert expected in one_line_failure(result)
    assert not (data / "posts").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MiB of its own."""
    with small_disk_at(tmp_path / "disk", 24) as made:
        if not made:
            pytest.skip("needs the right to mount a small tmpfs")
        yield tmp_path / "disk"


@pytest.mark.parametrize("free", tier([0, 2_000_000], [0]))
def test_full_disk_from_the_start(small_disk: Path, tmp_path: Path, free: int) -> None:
    posts = threads(tmp_path / "posts.jsonl")
    fill(small_disk, free)
    command = ["build", "--posts", posts, "--data", small_disk / "data", "--runner", "process"]
    build = wordquarry(*command, own_server=True)
    assert "No space left" in one_line_failure(build)
    if not free:
        ingest = wordquarry("ingest", posts, "--data", small_disk / "data")
        assert "No space left" in one_line_failure(ingest)
    assert not list(small_disk.rglob(".tmp-*"))


def test_disk_that_fills_up_during_a_build(small_disk: Path, tmp_path: Path) -> None:
    posts = threads(tmp_path / "posts.jsonl", 60)
    process = start("build", "--posts", posts, "--data", small_disk / "data")
    assert process.stderr is not None
    while (line := process.stderr.readline()) and not line.startswith("diversity"):
        pass
    fill(small_disk)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 1, stderr
    assert "Traceback" not in stderr
    assert "No space left" in stderr.splitlines()[-1]
    assert not (small_disk / "data" / "versions" / "quarry" / "latest").exists()
    (small_disk / "ballast").unlink()
    again = wordquarry("build", "--posts", posts, "--data", small_disk / "data")
    assert again.returncode == 0, again.stderr
    assert not list(small_disk.rglob(".tmp-*"))
