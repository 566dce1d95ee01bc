"""Versions of manifest form 2, whose rows held the keys of stages and whose id followed them, are read as before."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audits.inspect.differences import diff
from corpus.benchmarks.reading import read_corpus
from corpus.canonical import canonical_json
from corpus.errors import VersionError
from corpus.files import Folder
from corpus.integrity import DATA
from corpus.manifest import MANIFEST, file_facts, pretty_json, sealed, version_id_of
from corpus.schema import read_table, row_count
from corpus.versions import Version
from corpus.workspace import Workspace
from tests.worlds import build_world

KEYS = pa.list_(pa.struct([pa.field("stage", pa.string(), False), pa.field("key", pa.string(), False)]))


def _with_keys(content: bytes) -> bytes:
    """A data file as it was: each row names the keys of the stages that made it."""
    table = read_table(content)
    keys = pa.array([[{"stage": "clean", "key": "k1"}]] * len(table), KEYS)
    sink = pa.BufferOutputStream()
    pq.write_table(table.append_column(pa.field("stage_keys", KEYS, nullable=False), keys), sink)
    return bytes(sink.getvalue())


def _as_form_2(version: Version, place: Folder) -> dict[str, Any]:
    """Write a version as this project did when its manifests were of form 2; returns the manifest."""
    files: dict[str, Any] = dict(version.manifest["files"])
    for path in files:
        content = version.folder.read(path)
        if path.startswith(f"{DATA}/"):
            content = _with_keys(content)
            files[path] = file_facts(content, row_count(content))
        place.write(path, content)
    manifest = {**version.manifest, "format": 2, "files": files}
    manifest["version"] = version_id_of(manifest)
    place.write(MANIFEST, pretty_json(sealed(manifest)))
    return manifest


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Workspace, Version, Version]:
    """A version as it is made now, and one with the same problems as it was made."""
    workspace, now = build_world(tmp_path)
    manifest = _as_form_2(now, workspace.versions.folder / now.name / "older")
    home = Path(str(workspace.versions.folder / now.name))
    (home / "older").rename(home / manifest["version"])
    return workspace, now, workspace.versions.open(f"{now.name}/{manifest['version']}")


def test_its_problems_are_those_of_today(versions: tuple[Workspace, Version, Version]) -> None:
    workspace, now, then = versions
    assert then.version_id != now.version_id
    assert then.problems() == now.problems()
    found = diff(workspace, then, now)
    assert (found.added, found.removed, found.changed, found.unchanged) == ((), (), (), len(now.problems()))


def test_its_id_still_answers_for_how_it_was_made(versions: tuple[Workspace, Version, Version]) -> None:
    workspace, _, then = versions
    forged = json.loads(canonical_json(then.manifest))
    forged["stages"][0]["code"] = "another"
    then.folder.write(MANIFEST, pretty_json(sealed(forged)))
    with pytest.raises(VersionError, match=r"its content is not that of version"):
        workspace.versions.open(then.label)


def test_an_export_of_it_is_read(versions: tuple[Workspace, Version, Version], tmp_path: Path) -> None:
    workspace, now, _ = versions
    path = tmp_path / "export.jsonl"
    rows = [{**row.model_dump(mode="json"), "stage_keys": [{"stage": "clean", "key": "k1"}]} for row in now.problems()]
    path.write_text("".join(canonical_json(row) + "\n" for row in rows), encoding="utf-8")
    corpus = read_corpus(f"problems:{path}", workspace)
    assert len(corpus.problems) == len(rows)
    assert not corpus.refused
