"""A version against its rebuild: the published files are read, and the first difference is named with its place."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audits.inspect.rebuilding import RebuildVerdict, compare_rebuild, first_byte, first_difference
from audits.sheets.audit_sheets import read_sheet
from audits.sheets.drawing import Draw, write_sample
from audits.sheets.precision import attach, report_of
from corpus.errors import VersionError
from corpus.records import Problem, Provenance
from corpus.schema import read_parquet
from corpus.versioning.croissant import with_retrieval
from corpus.versioning.manifest import METADATA, file_facts, pretty_json, sealed
from corpus.versioning.release import provenance_facts
from corpus.versioning.version_tables import PROVENANCE
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from flows.command_line.look_commands import diff, export, verify
from tests.corpus.samples import parquet_bytes
from tests.worlds import Plan, build_world

TRAIN = "data/train-00000-of-00001.parquet"


@pytest.fixture
def built(world: tuple[Workspace, Version], tmp_path: Path) -> tuple[Workspace, Version, Version]:
    """A workspace of its own with a version in it, and a rebuild of it that nobody touches."""
    data = tmp_path / "data"
    shutil.copytree(world[0].data, data)
    workspace = Workspace(str(data))
    return workspace, workspace.versions.open(world[1].label), world[1]


def verdict(workspace: Workspace, old: Version, new: Version) -> RebuildVerdict:
    """What a rebuild says of a version as its files are now."""
    return compare_rebuild(workspace.versions.open(old.label, unchecked=True), new)


def test_an_untouched_version_is_identical_file_by_file(built: tuple[Workspace, Version, Version]) -> None:
    found = verdict(*built)
    files = len(built[1].manifest["files"]) + 1
    assert found.sentence(built[1]) == f"{built[1].label}: identical, {files} files byte for byte"


def data_file(version: Version) -> str:
    """The largest data file of a version."""
    paths = [path for path in version.manifest["files"] if path.startswith("full/")]
    return max(paths, key=lambda path: int(version.manifest["files"][path]["rows"]))


def test_every_file_is_read_and_its_first_difference_named(built: tuple[Workspace, Version, Version]) -> None:
    workspace, old, new = built
    for path in [*old.manifest["files"], "manifest.json"]:
        file = Path(str(old.folder)) / path
        content = file.read_bytes()
        known = {"manifest.json": b'"rows_sha256": "'}  # a byte of a digest
        place = content.index(b"forum") if path.startswith("data/") else len(content) // 2
        place = content.index(known[path]) + 20 if path in known else place
        flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        damages = [flipped] if path == "manifest.json" else [b"", flipped, None]
        for damage in damages:
            file.unlink()
            if damage is not None:
                file.write_bytes(damage)
            try:
                found = verdict(workspace, old, new)
            except VersionError as error:
                assert "manifest.json is damaged" in str(error)  # noqa: PT017 - a flipped byte may leave no JSON
                continue
            assert [one.path for one in found.differences] == [path]
            said = found.differences[0].place
            if damage is None:
                assert said == "is gone"
            elif not damage:
                assert said == f"empty instead of {len(content)} bytes, changed since it was published"
            else:
                assert f"byte {place}" in said or "column" in said, said
        file.write_bytes(content)
    assert verdict(workspace, old, new).identical


def test_a_value_is_named_by_row_and_column(built: tuple[Workspace, Version, Version]) -> None:
    workspace, old, new = built
    path = data_file(old)
    rows = read_parquet(old.folder.read(path), Problem, path)
    other = [*rows[:1], rows[1].model_copy(update={"answer_exact": ("1",), "votes": ("9",)}), *rows[2:]]
    old.folder.write(path, parquet_bytes(other, Problem))
    found = verdict(workspace, old, new)
    was = f"['{rows[1].answer_exact[0]}', '{rows[1].answer_exact[1]}']"
    assert found.differences[0].place == (
        f'row 2 ({rows[1].problem_id}), column answer_exact: "[\'1\']" instead of "{was}", '
        "changed since it was published"
    )
    assert found.sentence(old).startswith(f"{old.label} differs: {path}, row 2 ")
    old.folder.write(path, parquet_bytes(rows[:-1], Problem))
    assert f"row {len(rows)}: {len(rows) - 1} rows instead of {len(rows)}" in verdict(*built).differences[0].place


def changed_manifest(version: Version, change: Callable[[dict[str, Any]], None], *, seal: bool = True) -> None:
    """Change the published manifest, with its digest made anew or not."""
    manifest = json.loads(version.folder.read("manifest.json"))
    change(manifest)
    version.folder.write("manifest.json", pretty_json(sealed(manifest) if seal else manifest))


@pytest.mark.parametrize("seal", [False, True])
def test_a_manifest_with_another_row_count_differs_by_that_line(
    built: tuple[Workspace, Version, Version], seal: bool
) -> None:
    workspace, old, new = built
    rows = old.manifest["rows"]
    changed_manifest(old, lambda manifest: manifest.update(rows=rows - 1), seal=seal)
    (one,) = verdict(workspace, old, new).differences
    lines = old.folder.read("manifest.json").decode().splitlines()
    line = lines.index(f'  "rows": {rows - 1},') + 1
    assert one.path == "manifest.json"
    assert one.place.startswith(f"line {line}, byte ")
    assert one.place.endswith(f": '\"rows\": {rows - 1},' instead of '\"rows\": {rows},'")


def test_audits_are_no_difference_unless_the_seal_is_broken(built: tuple[Workspace, Version, Version]) -> None:
    workspace, old, new = built
    workspace.versions.attach_audit(old, {"sheet_id": "a", "precision": 0.5})
    assert verdict(workspace, old, new).identical
    changed_manifest(old, lambda manifest: manifest["audits"][0].update(precision=1.0), seal=False)
    (one,) = verdict(workspace, old, new).differences
    assert one.place == "manifest_sha256 is not the digest of its content: its audits were changed"


def test_a_file_that_nobody_published_is_a_difference(built: tuple[Workspace, Version, Version]) -> None:
    built[1].folder.write("data/train-00009-of-00010.parquet", b"x")
    (one,) = verdict(*built).differences
    assert (one.path, one.place) == ("data/train-00009-of-00010.parquet", "is not among the files of its manifest")


def test_another_retrieval_is_no_difference_and_other_terms_are(built: tuple[Workspace, Version, Version]) -> None:
    workspace, old, new = built

    def republished(**update: object) -> RebuildVerdict:
        rows = read_parquet(new.folder.read(PROVENANCE), Provenance, PROVENANCE)
        rows = [rows[0].model_copy(update=update), *rows[1:]]
        content = parquet_bytes(rows, Provenance)

        def change(manifest: dict[str, Any]) -> None:
            manifest["files"][PROVENANCE] = file_facts(content, len(rows))
            manifest["provenance"] = provenance_facts(rows)
            metadata = with_retrieval(new.folder.read(METADATA), manifest)
            manifest["files"][METADATA] = file_facts(metadata)
            old.folder.write(METADATA, metadata)

        old.folder.write(PROVENANCE, content)
        changed_manifest(old, change)
        return verdict(workspace, old, new)

    found = republished(retrieved_at="2020-01-01T00:00:00Z")
    assert found.identical
    assert found.sentence(old).endswith("; 1 rows of provenance.parquet name another retrieval")
    found = republished(license="MIT")
    assert [one.path for one in found.differences] == [PROVENANCE, METADATA, "manifest.json"]
    assert "column license: 'MIT' instead of 'CC-BY-4.0'" in found.differences[0].place


def test_posts_that_changed_name_the_stage_and_the_cause(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    _, other = build_world(tmp_path, Plan(answers={"site:p01": ("22",)}))
    found = compare_rebuild(world[1], other)
    assert not found.identical
    assert found.stage == "read"
    del (broken := dict(world[1].manifest))["snapshot"]
    old = Version(world[1].name, world[1].version_id, world[1].folder, broken)
    assert compare_rebuild(old, other).causes == ("its manifest does not say how it was made",)


def test_an_emptied_version_is_refused_by_everything_that_reads_it(
    built: tuple[Workspace, Version, Version], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from flows.corpora import run_stats

    workspace, old, _ = built
    verify(old.label, data=workspace.data)
    files = len(old.manifest["files"]) + 1
    assert f"{old.label}: {files} files as published, {old.manifest['rows']} rows, " in capsys.readouterr().out
    written = write_sample(workspace, old, Draw("answers", 3, 7), tmp_path)
    sheet = read_sheet(written[0])
    sheet = sheet.with_verdict(sheet.rows[0].post_id, "right", "")
    path = data_file(old)
    (Path(str(old.folder)) / path).write_bytes(b"")
    (Path(str(old.folder)) / "README.md").write_bytes(b"")
    reads: dict[str, Callable[[], object]] = {
        "diff": lambda: diff(old.label, old.label, data=workspace.data),
        "stats": lambda: run_stats(workspace.data, [old.label], (None, False), "text", None),
        "export": lambda: export(old.label, data=workspace.data),
        "sample": lambda: write_sample(workspace, old, Draw("answers", 3, 8), tmp_path),
        "report": lambda: attach(workspace, report_of(sheet)),
    }
    for name, read in reads.items():
        with pytest.raises(VersionError, match=r"README\.md is empty; \d+ bytes were published; restore the"):
            read()
        assert capsys.readouterr().out == "", name
    message = rf"^{old.label} is not what was published: README\.md is empty; .*; {path} is empty; .* build again"
    with pytest.raises(VersionError, match=message):
        verify(old.label, data=workspace.data)


@pytest.mark.rows(
    ("found", "wanted", "byte"), [(b"abc", b"abd", 2), (b"xbc", b"abc", 0), (b"ab", b"abc", 2), (b"", b"a", 0)]
)
def test_the_first_byte_that_differs(found: bytes, wanted: bytes, byte: int) -> None:
    assert first_byte(found, wanted) == first_byte(wanted, found) == byte
    assert first_byte(b"0" * 1000 + found, b"0" * 1000 + wanted) == 1000 + byte


def test_the_end_of_a_text_is_a_place() -> None:
    assert first_difference("README.md", b"a\nb\n", b"a\nb\nc\n") == "line 3, byte 4: the end instead of 'c'"
    assert first_difference("README.md", b"a\nb\nc\n", b"a\nb\n") == "line 3, byte 4: 'c' instead of the end"
