"""What a command opens as a file is one: pipes, sockets and devices are refused without a wait."""

import ast
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.code import ROOT
from corpus.folders.open_files import open_file, read_file

PACKAGES = ("audits", "corpus", "crawlers", "curation", "evaluation", "flows", "models", "wordquarry")
OWN = {
    "audits/rendering.py",
    "corpus/code.py",
    "corpus/folders/open_files.py",
    "crawlers/new.py",
    "evaluation/recorded_figures.py",
}
"""Modules that read nothing but what comes with the code."""
WRITES = set("wax+")


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\n")
    (tmp_path / "link").symlink_to(path)
    assert read_file(path) == read_file(str(tmp_path / "link")) == b"a\nb\n"
    with open_file(path) as file:
        assert list(file) == [b"a\n", b"b\n"]
        assert (str(file.name), os.get_blocking(file.fileno())) == (str(path), True)
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        open_file(tmp_path)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("writer", [False, True])
def test_a_named_pipe_is_refused_without_a_wait(tmp_path: Path, stream: bool, writer: bool) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR) if writer else None
    (tmp_path / "link").symlink_to(path)
    for name in (path, tmp_path / "link"):
        with pytest.raises(OSError, match="it is a named pipe, and a regular file is needed"):
            open_file(name, stream=stream)
    if held is not None:
        os.close(held)


def test_sockets_and_devices_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        with pytest.raises(OSError, match="No such device or address"):
            open_file(tmp_path / "socket")
    for device in ("/dev/zero", "/dev/null", "/dev/tty", "/dev/ptmx"):
        with pytest.raises(OSError, match=r"it is a device|No such device"):
            open_file(device, stream=True)


def test_a_pipe_that_was_handed_over_is_read_where_once_is_enough() -> None:
    ours, theirs = os.pipe()
    with pytest.raises(OSError, match="it is a stream, which can be read only once"):
        open_file(f"/dev/fd/{ours}")
    with open_file(f"/dev/fd/{ours}", stream=True) as file:
        threading.Timer(0.2, lambda: (os.write(theirs, b"late"), os.close(theirs))).start()
        assert file.read() == b"late", "it is waited for, as standard input is"
    os.close(ours)


def other_openers() -> Iterator[str]:
    """Calls that open a file to be read, by file and line."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _opens(node):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}"


def _opens(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in ("read_bytes", "read_text") and isinstance(call.func, ast.Attribute):
        return not call.args
    if name != "open":
        return False
    place = 0 if isinstance(call.func, ast.Attribute) else 1
    given = [*call.args[place : place + 1], *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if isinstance(call.func, ast.Attribute) and call.args and not modes:
        return False  # a version, a member of an archive
    return not any(WRITES & set(mode) for mode in modes)


def test_no_other_way_to_read_a_file_is_used() -> None:
    assert {place for place in other_openers() if place.rpartition(":")[0] not in OWN} == set()
