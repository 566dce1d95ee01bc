"""Rows by post: what is read for one of them, and that damage is named whatever is read."""

import json
from pathlib import Path

import pytest

from audits.inspect.explain import explain
from corpus.errors import DamageError, VersionError
from corpus.outputs import Outputs
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import FEW, KINDS, RunRows
from tests.corpus.samples import parquet_bytes
from tests.worlds import build_world


def test_a_row_that_is_missing_is_damage_not_a_verdict(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path)
    rows = RunRows.of(workspace, version)
    for stage, kind in (("read", KINDS["read"]), ("posts", KINDS["posts"])):
        for part in rows.run.parts[stage]:
            place = tmp_path / "stages" / stage / part.key / "kept.parquet"
            place.write_bytes(parquet_bytes([], kind))
        with pytest.raises(DamageError, match=rf"stages/{stage}/\S+/kept.parquet is damaged"):
            explain(workspace, version, "site:p00")


def test_many_posts_of_a_part_are_read_at_once(
    world: tuple[Workspace, Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = Outputs.kept

    def counted(self: Outputs, *arguments: object) -> object:
        read.append("whole")
        return whole(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Outputs, "kept", counted)
    rows = RunRows.of(*world)
    posts = [rows.post(f"site:p{place:02d}") for place in range(19)]
    assert [post.post_id for post in posts if post] == [f"site:p{place:02d}" for place in range(19)]
    assert 0 < len(read) <= len(rows.run.parts["posts"])
    assert 19 / len(rows.run.parts["posts"]) > FEW


def test_a_run_of_other_stages_is_refused(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path)
    name = f"runs/{version.label}.json"
    record = json.loads(workspace.folder.read(name))
    record["parts"]["equations"] = record["parts"].pop("read")
    workspace.folder.write(name, json.dumps(record).encode())
    with pytest.raises(VersionError, match=r"was built with other stages \(equations, read\); build quarry again$"):
        RunRows.of(workspace, version)
