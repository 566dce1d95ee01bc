"""Rows by post: what is read for one of them, and that damage is named whatever is read."""

import json
from pathlib import Path

import pytest

from audits.inspect.explain import explain
from corpus.canonical import sha256_text
from corpus.errors import DamageError, VersionError
from corpus.outputs import Outputs
from corpus.records import Dropped
from corpus.schema import parquet_bytes, rows_of_post
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.run_rows import FEW, KINDS, WHOLE, RunRows
from curation.stages.registry import STAGES
from tests.worlds import build_world

ROWS = [
    Dropped(
        post_id=f"site:{place:05d}", reason="not_math", detail="".join(sha256_text(f"{place} {n}") for n in range(8))
    )
    for place in range(2_000)
]


def test_kinds_are_those_of_the_stages() -> None:
    assert list(KINDS.items())[1:] == [(stage.name, stage.record) for stage in STAGES]
    assert list(WHOLE) == [stage.name for stage in STAGES if stage.whole or stage.decide_tables]


class _Counted:
    """A file that counts the bytes read from it."""

    def __init__(self, path: Path) -> None:
        self.file, self.count, self.reads, self.closed = path.open("rb"), 0, 0, False

    def read(self, size: int = -1) -> bytes:
        found = self.file.read(size)
        self.count += len(found)
        self.reads += 1
        return found

    def seek(self, *where: int) -> int:
        return self.file.seek(*where)

    def tell(self) -> int:
        return self.file.tell()

    def close(self) -> None:
        self.file.close()
        self.closed = True


def test_one_row_group_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    path.write_bytes(parquet_bytes(ROWS, Dropped, 100))
    file = _Counted(path)
    assert rows_of_post(file, Dropped, "here", "site:01234") == [ROWS[1234]]  # type: ignore[arg-type]
    one, reads = file.count, file.reads
    assert rows_of_post(file, Dropped, "here", "elsewhere:1") == []  # type: ignore[arg-type]
    assert rows_of_post(file, Dropped, "here", "nowhere:1") == []  # type: ignore[arg-type]
    assert file.reads - reads < reads, "a few reads of the footer for each of two posts that no row group can hold"
    assert one < path.stat().st_size / 3
    file.close()


def test_a_damaged_page_is_named_and_another_one_is_not_read(tmp_path: Path) -> None:
    content = bytearray(parquet_bytes(ROWS, Dropped, 100))
    content[1000] ^= 1
    path = tmp_path / "rows.parquet"
    path.write_bytes(content)
    with path.open("rb") as file:
        assert rows_of_post(file, Dropped, "here", ROWS[-1].post_id) == [ROWS[-1]]
        with pytest.raises(DamageError, match=r"here is damaged \(.+\); remove it and run the command again"):
            rows_of_post(file, Dropped, "here", ROWS[0].post_id)


class Large(Workspace):
    """A data folder whose parts are all taken for large."""

    @property
    def outputs(self) -> Outputs:
        return Outputs(super().outputs.folder, whole_bytes=0)


def test_large_parts_are_explained_alike(world: tuple[Workspace, Version]) -> None:
    small = [explain(*world, post_id) for post_id in ("site:p00", "site:p13")]
    assert [explain(Large(world[0].data), world[1], post_id) for post_id in ("site:p00", "site:p13")] == small


def test_a_row_that_is_missing_is_damage_not_a_verdict(tmp_path: Path) -> None:
    """Of a large part only pages have checksums: one that lacks a row is still not what was written."""
    workspace, version = Large(str(tmp_path)), build_world(tmp_path)[1]
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
