"""A version answers for its files: whatever is changed, emptied, gone or added is named, and nothing reads on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import VersionError
from corpus.folders.files import Folder
from corpus.versioning.manifest import faults, sealed
from corpus.versioning.versions import Version, Versions
from tests.corpus.samples import memory_folder, problems, release, tree

TRAIN, TEST = "data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet"
VALIDATION = "data/validation-00000-of-00001.parquet"
WHOLE = [path.replace("data", "full") for path in (TEST, TRAIN, VALIDATION)]
BESIDE = ["posts.parquet", "provenance.parquet"]
FILES = ["README.md", "answers.parquet", "croissant.json", TEST, TRAIN, VALIDATION, *WHOLE, *BESIDE]


@pytest.fixture
def version(tmp_path: Path) -> Version:
    """A published version, in a folder of its own."""
    return Versions(Folder.at(tmp_path)).publish(release())[0]


def found(version: Version) -> list[str]:
    """What is wrong with the files of a version."""
    return faults(version.folder, version.manifest)


@pytest.mark.parametrize("folder", ["local", "memory"])
def test_a_version_as_published_has_no_fault(tmp_path: Path, folder: str) -> None:
    versions = Versions(Folder.at(tmp_path) if folder == "local" else memory_folder())
    version, _ = versions.publish(release())
    assert sorted(version.manifest["files"]) == FILES
    assert found(version) == []
    for folder_of_rows in ("data", "full"):
        version.folder.write(f"{folder_of_rows}/stray.parquet", b"x")
    said = "is not among the files of its manifest"
    assert found(version) == [f"data/stray.parquet {said}", f"full/stray.parquet {said}"]


@pytest.mark.parametrize("path", FILES)
def test_a_file_that_is_emptied_gone_or_flipped_is_named_and_nothing_is_read(
    version: Version, tmp_path: Path, path: str
) -> None:
    file = tmp_path / version.label / path
    content = file.read_bytes()
    flipped = content[:99] + bytes([content[99] ^ 1]) + content[100:]
    for damage, what in ((b"", "is empty; "), (flipped, "is not the file that was published"), (None, "is gone")):
        file.unlink()
        if damage is not None:
            file.write_bytes(damage)
        (fault,) = found(version)
        assert fault.startswith(f"{path} {what}")
        with pytest.raises(VersionError, match=f"{path} {what}"):
            version.problems()


def test_the_place_of_damage_is_told_where_it_shows(version: Version, tmp_path: Path) -> None:
    folder = tmp_path / version.label
    content = (folder / TRAIN).read_bytes()
    place = content.index(b"(\xb5/\xfd") + 12  # within the first compressed page
    (folder / TRAIN).write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
    (folder / TEST).write_bytes((folder / TEST).read_bytes()[:-3])
    (folder / "croissant.json").write_text('{\n "a": 1\n "b": 2}')
    (folder / "README.md").write_bytes(b"card \xff")
    card, metadata, cut, flipped = found(version)
    assert card.endswith(" were published; byte 5 is not UTF-8)")
    assert metadata.endswith("Expecting ',' delimiter: line 3 column 2 (char 11))")
    assert "cannot be read as parquet: " in cut
    assert "(column id cannot be read: " in flipped


@pytest.mark.parametrize("name", ["notes.txt", "more/a.txt", "data/train-00001-of-00002.parquet", "data/x/y"])
def test_what_the_manifest_does_not_know_is_named(version: Version, tmp_path: Path, name: str) -> None:
    file = tmp_path / version.label / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes((tmp_path / version.label / TRAIN).read_bytes())
    (fault,) = found(version)
    shown = {"more/a.txt": "more/", "data/x/y": "data/x/"}.get(name, name)
    assert fault == f"{shown} is not among the files of its manifest"
    if name.startswith("data/"):
        with pytest.raises(VersionError, match="is not among the files of its manifest; restore the version's files"):
            version.problems()
    else:
        assert len(version.problems()) == len(problems())


def rewritten(file: Path, change: Callable[[dict[str, Any]], None], seal: bool) -> None:
    """Change a manifest by hand, with its digest made anew or not."""
    manifest = json.loads(file.read_text(encoding="utf-8"))
    change(manifest)
    whole = sealed(manifest) if seal else manifest
    file.write_text(json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False), encoding="utf-8")


def fewer_rows(manifest: dict[str, Any]) -> None:
    """Says one row less than there are."""
    manifest["rows"] -= 1


def other_card(manifest: dict[str, Any]) -> None:
    """Says another digest of the card."""
    manifest["files"]["README.md"]["sha256"] = "0" * 64


def other_funnel(manifest: dict[str, Any]) -> None:
    """Says that less was dropped."""
    manifest["funnel"][0]["dropped"] = {}


@pytest.mark.parametrize("change", [fewer_rows, other_card, other_funnel])
@pytest.mark.parametrize(
    ("seal", "why"), [(False, "its content does not match the digest"), (True, "its content is not that of version ")]
)
def test_a_changed_manifest_opens_no_version(
    version: Version, tmp_path: Path, change: Callable[[dict[str, Any]], None], seal: bool, why: str
) -> None:
    rewritten(tmp_path / version.label / "manifest.json", change, seal)
    for label in ("demo", str(tmp_path / version.label)):
        with pytest.raises(VersionError, match=rf"manifest\.json is not as published: {why}.*; restore the file, or"):
            Versions(Folder.at(tmp_path)).open(label)
    before = tree(tmp_path)
    with pytest.raises(VersionError, match="is not as published"):
        Versions(Folder.at(tmp_path)).attach_audit(version, {"sheet_id": "a"})
    assert tree(tmp_path) == before, "an audit does not put a seal on it"


def test_one_byte_of_the_manifest_is_noticed_wherever_it_stands(version: Version, tmp_path: Path) -> None:
    file = tmp_path / version.label / "manifest.json"
    content = file.read_bytes()
    for place in (*range(0, len(content), 37), len(content) - 1):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(VersionError, match=r"manifest\.json is "):
            Versions(Folder.at(tmp_path)).open(version.label)
    file.write_bytes(content.replace(b"\n  ", b"\n   ", 1))
    with pytest.raises(VersionError, match="line 2 is not as it was written"):
        Versions(Folder.at(tmp_path)).open(version.label)


def test_row_counts_are_held_against_the_files(version: Version, tmp_path: Path) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["files"][TRAIN]["rows"] = 6

    rewritten(tmp_path / version.label / "manifest.json", change, seal=True)
    opened = Versions(Folder.at(tmp_path)).open("demo")
    assert found(opened) == [
        f"{TRAIN} has 7 rows, the manifest says 6",
        "manifest.json says 11 rows, its files in data have 10",
    ]


def test_the_manifest_of_another_version_is_noticed(version: Version, tmp_path: Path) -> None:
    other, _ = Versions(Folder.at(tmp_path)).publish(release(title="Another"))
    manifest = (tmp_path / other.label / "manifest.json").read_bytes()
    (tmp_path / version.label / "manifest.json").write_bytes(manifest)
    with pytest.raises(VersionError, match=f"is not as published: it is that of {other.label}; "):
        Versions(Folder.at(tmp_path)).open(version.label)


def test_a_version_without_manifest_and_one_of_the_earlier_form_are_told(version: Version, tmp_path: Path) -> None:
    place = tmp_path / version.label
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    del manifest["format"]
    manifest["files"] = {path: facts["sha256"] for path, facts in manifest["files"].items() if "data" in path}
    (place / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(
        VersionError,
        match=r"is of an earlier form, built before rows had their columns of today .*; build demo again, or",
    ):
        Versions(Folder.at(tmp_path)).open(version.label)
    (place / "manifest.json").unlink()
    with pytest.raises(VersionError, match=rf"{place} has no manifest\.json; restore it, or move .* and build again"):
        Versions(Folder.at(tmp_path)).open("demo")
