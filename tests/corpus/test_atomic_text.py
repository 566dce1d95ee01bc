"""Outputs take the place of a file when they are complete: a failure leaves what was there, and so does a refusal."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from corpus.code import ROOT
from corpus.errors import InputError, StoreError
from corpus.folders.local_files import atomic_text
from flows.stage_command import StageOptions, StrictError, run_stage_command
from tests.corpus.samples import leftovers

OPTIONS = StageOptions("none", None, 2, strict=True)


def test_what_was_written_is_written_again_until_somebody_changes_it(tmp_path: Path) -> None:
    path, out = tmp_path / "lines.jsonl", tmp_path / "out.jsonl"
    for value in ("3/4", "7"):
        path.write_text(f'{{"id":1,"text":"{value}"}}\n', encoding="utf-8")
        run_stage_command("parse-answer", (path, out), OPTIONS)
        assert out.read_text(encoding="utf-8") == f'{{"alternatives":[["{value}"]],"id":1}}\n'
    out.write_text("mine", encoding="utf-8")
    for changed in (path, out):
        with pytest.raises(InputError, match=f"^{changed} is there, and is not as this tool wrote it; "):
            run_stage_command("parse-answer", (path, changed), OPTIONS)
    assert out.read_text(encoding="utf-8") == "mine"


def test_after_an_error_the_old_file_stays_and_nothing_else(tmp_path: Path) -> None:
    path, out = tmp_path / "lines.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"id":1,"text":"3"}\n', encoding="utf-8")
    run_stage_command("parse-answer", (path, out), OPTIONS)
    before = out.read_bytes()
    path.write_text('{"id":1,"text":"4"}\nno json\n', encoding="utf-8")
    with pytest.raises(StrictError, match=r"lines\.jsonl:2: not a JSON object"):
        run_stage_command("parse-answer", (path, out), OPTIONS)
    assert out.read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["lines.jsonl", "out.jsonl"]


def test_after_a_kill_the_old_file_stays_and_the_next_write_sweeps(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")
    child = os.fork()
    if not child:
        with atomic_text(path) as sink:
            sink.write("half")
            sink.flush()
            os._exit(9)
    os.waitpid(child, 0)
    assert path.read_text(encoding="utf-8") == "old"
    assert len(leftovers(tmp_path)) == 1
    with atomic_text(path) as sink:
        sink.write("new")
    assert path.read_text(encoding="utf-8") == "new"
    assert leftovers(tmp_path) == []


def test_links_and_modes_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to("target")
    with atomic_text(link) as sink:
        sink.write("new\r\n")
    assert link.is_symlink()
    assert target.read_bytes() == b"new\r\n"
    assert target.stat().st_mode & 0o7777 == 0o640


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    with atomic_text(pipe) as sink:
        sink.write("through")
    reader.join(10)
    assert read == ["through"]
    assert pipe.is_fifo()


def test_standard_output_by_its_name() -> None:
    lines = (
        "from pathlib import Path",
        "from corpus.folders.local_files import atomic_text",
        "with atomic_text(Path('/dev/stdout')) as sink:",
    )
    script = "\n".join([*lines, "    sink.write('out')"])
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "out"


@pytest.mark.parametrize("name", ["folder", "none/such"])
def test_where_no_file_can_be(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match=f"^cannot write {tmp_path / name}: "), atomic_text(tmp_path / name):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]
