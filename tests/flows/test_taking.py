"""Posts files that were read before are found by their bytes; what has changed since is noticed."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import DamageError, InputError
from corpus.workspace import Workspace
from flows.pipelines import taking
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import take_posts


def _lines(path: Path, *names: str) -> Path:
    rows = ({"id": name, "question": f"How many for {name}?", "answers": [{"text": "7"}]} for name in names)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are read, in their order."""
    found: list[Path] = []
    plain = taking.deposit_posts

    def counted(path: Path, *how: Any) -> object:
        found.append(path)
        return plain(path, *how)

    monkeypatch.setattr(taking, "deposit_posts", counted)
    return found


def test_the_same_bytes_are_read_once(tmp_path: Path, read: list[Path]) -> None:
    first, second = _lines(tmp_path / "a", "p1", "p2"), _lines(tmp_path / "b", "p1", "p2")
    asked = [BuildRequest(data=str(tmp_path / "data"), name="quarry", posts=(str(path),)) for path in (first, second)]
    taken = [take_posts(request) for request in (*asked, asked[0])]
    assert taken[0] == taken[1] == taken[2]
    assert read == [first]
    _lines(first, "p1", "p3")
    assert take_posts(asked[0]) != taken[0]
    assert read == [first, first]


def test_what_is_forgotten_or_lost_since_is_read_again(tmp_path: Path, read: list[Path]) -> None:
    path = _lines(tmp_path / "a", "p1", "p2")
    request = BuildRequest(data=str(tmp_path / "data"), name="quarry", posts=(str(path),))
    store, snapshot = take_posts(request)
    workspace = Workspace(request.data)
    for note in (tmp_path / "data" / "taken").iterdir():
        note.write_bytes(note.read_bytes().replace(snapshot.snapshot_id.encode(), b"0" * 32))
    assert take_posts(request) == (store, snapshot)
    workspace.folder.remove(store)
    assert take_posts(request)[1].snapshot_id == snapshot.snapshot_id
    for note in (tmp_path / "data" / "taken").iterdir():
        note.write_bytes(b"[]")
    assert take_posts(request)[1].snapshot_id == snapshot.snapshot_id
    assert read == [path] * 4
    batch = next((tmp_path / "data" / store / "batches").iterdir())
    batch.write_bytes(batch.read_bytes()[:-20])
    with pytest.raises(DamageError, match="damaged"):
        take_posts(request)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    request = BuildRequest(data=str(tmp_path / "data"), name="quarry", posts=(str(tmp_path),))
    with pytest.raises(InputError, match=r"cannot read .+; check the path"):
        take_posts(request)
