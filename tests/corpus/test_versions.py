"""Versions: published once, recognised, never overwritten, opened by name, id or folder."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml

from corpus.code import ROOT
from corpus.errors import VersionError
from corpus.folders.files import Folder
from corpus.records import Problem, Provenance
from corpus.versioning import versions as module
from corpus.versioning.card import dataset_card
from corpus.versioning.manifest import sealed
from corpus.versioning.release import BesideStreams, Release, ReleaseTally
from corpus.versioning.row_groups import Cuts
from corpus.versioning.version_tables import BESIDE, in_problems
from corpus.versioning.versions import Versions, data_files
from tests.corpus.samples import FUNNEL, bare_release, leftovers, memory_folder, problem, problems, release, tree
from tests.tiers import tier


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(Folder.at(tmp_path))


@pytest.fixture(params=["local", "memory"])
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Versions:
    return Versions(Folder.at(tmp_path) if request.param == "local" else memory_folder())


def test_a_published_version_holds_its_problems(anywhere: Versions) -> None:
    version, new = anywhere.publish(release())
    assert new
    assert version.label == f"demo/{version.version_id}"
    assert len(version.version_id) == 12
    assert {path: facts.get("rows") for path, facts in version.manifest["files"].items()} == {
        "README.md": None,
        "answers.parquet": 16,
        "croissant.json": None,
        "data/test-00000-of-00001.parquet": 2,
        "data/train-00000-of-00001.parquet": 7,
        "data/validation-00000-of-00001.parquet": 2,
        "full/test-00000-of-00001.parquet": 2,
        "full/train-00000-of-00001.parquet": 7,
        "full/validation-00000-of-00001.parquet": 2,
        "posts.parquet": 11,
        "provenance.parquet": 0,
    }
    for path, facts in version.manifest["files"].items():
        content = version.folder.read(path)
        assert (facts["bytes"], facts["sha256"]) == (len(content), hashlib.sha256(content).hexdigest()), path
    assert version.manifest["rows"] == 11
    assert version.manifest["licenses"] == ["CC-BY-SA-4.0"]
    assert version.manifest["funnel"] == FUNNEL
    assert version.manifest["audits"] == []
    assert sorted(version.problems(), key=lambda row: row.problem_id) == problems()
    assert [row.id for row in version.training_rows()] == [row.problem_id for row in version.problems()]
    beside = ["manifest.json", "posts.parquet", "provenance.parquet"]
    assert version.folder.names() == ["README.md", "answers.parquet", "croissant.json", "data", "full", *beside]


def test_the_same_content_is_recognised(versions: Versions, tmp_path: Path) -> None:
    first, _ = versions.publish(release())
    before = tree(tmp_path)
    shuffled = release(rows=problems()[::-1])
    second, new = versions.publish(shuffled)
    assert (second.version_id, new) == (first.version_id, False)
    assert tree(tmp_path) == before
    assert leftovers(tmp_path) == []


def provenance(retrieved_at: str, license_name: str = "CC BY-SA 4.0") -> list[Provenance]:
    """The question of the first problem and one answer it rests on."""
    question = Provenance(
        problem_id="p0000",
        post_id="forum:0",
        answer_id=None,
        url="https://forum.example/0",
        license="CC BY-SA 3.0",
        attribution=None,
        retrieved_at=retrieved_at,
        response_sha256="a" * 64,
        parser="pages@1",
    )
    return [question, question.model_copy(update={"answer_id": "1", "license": license_name})]


def test_provenance_is_published_and_its_times_make_no_other_version(versions: Versions, tmp_path: Path) -> None:
    first, _ = versions.publish(release(provenance=provenance("2024-01-01T00:00:00Z")))
    before = tree(tmp_path)
    assert first.provenance() == provenance("2024-01-01T00:00:00Z")
    assert first.manifest["licenses"] == ["CC BY-SA 3.0", "CC BY-SA 4.0", "CC-BY-SA-4.0"]
    said = first.manifest["provenance"]
    assert said["rows_by_license"] == {"CC BY-SA 3.0": 1, "CC BY-SA 4.0": 1}
    assert said["posts_by_parser"] == {"pages@1": 1}
    assert said["retrieved"] == ["2024-01-01T00:00:00Z"] * 2
    assert "| CC BY-SA 4.0 | 1 |" in first.folder.read("README.md").decode()
    again, new = versions.publish(release(provenance=provenance("2025-01-01T00:00:00Z")))
    assert (again.version_id, new, tree(tmp_path)) == (first.version_id, False, before)
    other, _ = versions.publish(release(provenance=provenance("2024-01-01T00:00:00Z", "CC BY 4.0")))
    assert other.version_id != first.version_id, "terms are content"


@pytest.mark.parametrize(("damage", "what"), [(b"x", "is not the file that was published"), (None, "is gone")])
def test_provenance_that_is_not_as_published_is_never_read(
    versions: Versions, tmp_path: Path, damage: bytes | None, what: str
) -> None:
    version, _ = versions.publish(release())
    file = tmp_path / version.label / "provenance.parquet"
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    for read in (version.provenance, version.problems, version.check):
        with pytest.raises(VersionError, match=f"provenance.parquet {what}.*; restore the version's files, or move "):
            read()
    with pytest.raises(VersionError, match=f"provenance.parquet {what}"):
        versions.publish(release())


def with_rows(rows: list[Problem]) -> Release:
    return bare_release(rows)


def one_value_changed() -> list[Problem]:
    first, *others = problems()
    return [first.model_copy(update={"answer_confidence": 0.876}), *others]


@pytest.mark.parametrize(
    "other",
    [release(title="Another"), release(snapshot="s2"), with_rows(problems()[1:]), with_rows(one_value_changed())],
    ids=["title", "making", "rows", "value"],
)
def test_other_content_is_another_version_and_the_latest(versions: Versions, other: Release) -> None:
    first, _ = versions.publish(release())
    second, new = versions.publish(other)
    assert new
    assert second.version_id != first.version_id
    assert versions.ids("demo") == sorted([first.version_id, second.version_id])
    assert versions.open("demo").version_id == second.version_id
    assert versions.open("demo/latest").version_id == second.version_id
    assert versions.open(first.label).version_id == first.version_id


def test_a_changed_card_is_another_version_and_no_conflict(versions: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = versions.publish(release())
    monkeypatch.setattr(module, "dataset_card", lambda *arguments: dataset_card(*arguments) + "One more line.\n")
    second, new = versions.publish(release())
    assert new
    assert second.version_id != first.version_id


@pytest.mark.parametrize("path", ["data/train-00000-of-00001.parquet", "README.md", "croissant.json"])
@pytest.mark.parametrize("damage", [b"other bytes", None], ids=["changed", "gone"])
def test_other_bytes_under_the_same_id_are_refused(versions: Versions, tmp_path: Path, path: str, damage: Any) -> None:
    version, _ = versions.publish(release())
    file = tmp_path / version.label / path
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)
    before = tree(tmp_path)
    with pytest.raises(VersionError) as refused:
        versions.publish(release())
    place = tmp_path / version.label
    expected = f"version {place} exists already with another {path}; move that folder away and build again"
    assert str(refused.value) == expected
    assert tree(tmp_path) == before


def test_a_file_that_is_not_as_published_is_never_read(versions: Versions, tmp_path: Path) -> None:
    version, _ = versions.publish(release())
    file = tmp_path / version.label / "data/test-00000-of-00001.parquet"
    file.write_bytes((tmp_path / version.label / "data/train-00000-of-00001.parquet").read_bytes())
    with pytest.raises(VersionError, match=r"test-00000-of-00001.parquet is not the file .*; restore the"):
        version.problems()
    file.unlink()
    with pytest.raises(VersionError, match=r"test-00000-of-00001.parquet is gone; restore the version's files"):
        version.problems()


PUBLISH = """
import sys
from corpus.folders.files import Folder
from corpus.records import Problem
from corpus.versioning.versions import Versions
from tests.corpus.samples import release
print(Versions(Folder.at(sys.argv[1])).publish(release())[0].version_id)
"""


def test_ids_and_bytes_are_equal_across_processes_and_hash_seeds(tmp_path: Path) -> None:
    seeds = tier(("0", "1", "4242"), ("0", "4242"))
    for seed in seeds:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", PUBLISH, str(tmp_path / seed)]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    assert all(tree(tmp_path / seed) == tree(tmp_path / "0") for seed in seeds)
    assert len(tree(tmp_path / "0")) == 13


def test_a_version_is_opened_by_name_by_id_and_by_folder(
    versions: Versions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version, _ = versions.publish(release())
    folder = tmp_path / version.label
    monkeypatch.chdir(tmp_path)
    labels = ["demo", "demo/", version.label, str(folder), f"{folder}/", f"./{version.label}", f"file://{folder}"]
    for label in labels:
        opened = versions.open(label)
        assert (opened.label, str(opened.folder)) == (version.label, str(folder)), label
    elsewhere = Versions(Folder.at(tmp_path / "elsewhere"))
    assert elsewhere.open(str(folder)).problems() == version.problems()
    monkeypatch.chdir(tmp_path.parent)
    assert elsewhere.open(f"{tmp_path.name}/{version.label}").label == version.label


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("other", "no dataset other in {}; there are: demo"),
        ("demo/0123456789ab", "no version 0123456789ab of demo; there are: {id}"),
        ("demo/latest2", "no version latest2 of demo; there are: {id}"),
        ("Demo", "'Demo' cannot name a dataset; use up to 64 lower-case letters, digits, - and _"),
        ("", "'' cannot name a dataset; use up to 64 lower-case letters, digits, - and _"),
        ("a\nb", "'a\\nb' cannot name a dataset; use up to 64 lower-case letters, digits, - and _"),
        ("demo/X y", "no version X y of demo; there are: {id}"),
        ("/nowhere", "'/nowhere' cannot name a dataset, and there is no manifest.json in /nowhere; "
                            "give NAME, NAME/ID or a version's folder"),
    ],
)  # fmt: skip
def test_what_is_no_version(versions: Versions, tmp_path: Path, label: str, message: str) -> None:
    version, _ = versions.publish(release())
    with pytest.raises(VersionError) as refused:
        versions.open(label)
    assert str(refused.value) == message.replace("{}", str(tmp_path)).replace("{id}", version.version_id)


def test_no_versions_at_all(versions: Versions) -> None:
    assert versions.names() == []
    assert versions.ids("demo") == []
    with pytest.raises(VersionError, match=r"^no dataset demo in .*; there are: none$"):
        versions.open("demo")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../etc", b"two\nlines"])
def test_a_damaged_latest_is_named_and_mended_by_the_next_build(
    versions: Versions, tmp_path: Path, content: bytes
) -> None:
    version, _ = versions.publish(release())
    (tmp_path / "demo/latest").write_bytes(content)
    with pytest.raises(VersionError) as refused:
        versions.open("demo")
    assert str(refused.value) == f"{tmp_path}/demo/latest is damaged; remove it and build demo again"
    versions.publish(release())
    assert versions.open("demo").label == version.label


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"{", "Expecting property name"),
        (b"[]", "a field is missing or of another kind"),
        (b"null", "a field is missing or of another kind"),
        (b"{}", "a field is missing or of another kind"),
        (b"\xff", "codec can't decode byte 0xff"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"rows": 1, "rows": 2}', 'the key "rows" comes twice in one object'),
    ],
    ids=["empty", "cut", "list", "null", "bare", "not utf-8", "deep", "doubled"],
)
def test_a_damaged_manifest_is_named_in_one_line(versions: Versions, tmp_path: Path, content: bytes, why: str) -> None:
    version, _ = versions.publish(release())
    place = tmp_path / version.label
    (place / "manifest.json").write_bytes(content)
    with pytest.raises(VersionError) as refused:
        versions.open("demo")
    message = str(refused.value)
    assert message.startswith(f"{place}/manifest.json is damaged (")
    assert why in message
    assert message.endswith(f"); move {place} away and rebuild the version")
    assert "\n" not in message


@pytest.mark.parametrize(("field", "value"), [("files", []), ("audits", [1]), ("rows", "11"), ("funnel", None)])
def test_a_manifest_with_a_field_of_another_kind_is_damaged(
    versions: Versions, tmp_path: Path, field: str, value: object
) -> None:
    version, _ = versions.publish(release())
    file = tmp_path / version.label / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), field: value}))
    with pytest.raises(VersionError, match=r"manifest\.json is damaged \(a field is missing or of another"):
        versions.open("demo")


def test_an_audit_goes_into_the_manifest_and_nowhere_else(anywhere: Versions) -> None:
    version, _ = anywhere.publish(release())

    def others() -> dict[str, bytes]:
        names = [*version.manifest["files"], "README.md", "croissant.json"]
        return {name: version.folder.read(name) for name in names}

    before = others()
    anywhere.attach_audit(version, {"sheet_id": "b", "precision": 0.5})
    anywhere.attach_audit(version, {"sheet_id": "a", "precision": 0.25})
    anywhere.attach_audit(version, {"sheet_id": "b", "precision": 0.75})
    again = anywhere.open("demo")
    held = [(audit["sheet_id"], audit["precision"]) for audit in again.manifest["audits"]]
    assert held == [("a", 0.25), ("b", 0.75)]
    assert others() == before
    assert sealed({**again.manifest, "audits": []}) == version.manifest
    assert anywhere.publish(release())[1] is False
    assert anywhere.open("demo").manifest["audits"] == again.manifest["audits"]


def test_an_audit_that_json_cannot_hold_changes_nothing(versions: Versions, tmp_path: Path) -> None:
    version, _ = versions.publish(release())
    before = tree(tmp_path)
    with pytest.raises(VersionError, match=r"^cannot write manifest\.json: .*; every number in it must be finite$"):
        versions.attach_audit(version, {"sheet_id": "a", "precision": float("nan")})
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (bare_release([]), "no problem left to publish as demo; the funnel shows which"),
        (bare_release(problems(), "De/mo"), "'De/mo' cannot name a dataset"),
        (
            bare_release([*problems(), problem(3, "test")]),
            "problem p0003 comes 2 times",
        ),
    ],
    ids=["nothing", "name", "doubled"],
)
def test_what_is_not_published(versions: Versions, tmp_path: Path, bad: Release, message: str) -> None:
    with pytest.raises(VersionError, match=f"^{message}"):
        versions.publish(bad)
    assert tree(tmp_path) == {}


def test_an_interrupted_publication_on_an_object_store_does_not_count() -> None:
    versions = Versions(memory_folder())
    version, _ = versions.publish(release())
    version.folder.remove("manifest.json")
    version.folder.write("data/train-00000-of-00009.parquet", b"rest of something")
    assert versions.ids("demo") == []
    again, new = versions.publish(release())
    assert (again.version_id, new) == (version.version_id, True)
    data = sorted(Path(path).name for path in version.manifest["files"] if path.startswith("data/"))
    assert (again.folder / "data").names() == data


def test_large_splits_have_several_files(versions: Versions) -> None:
    versions = Versions(versions.folder, cuts=Cuts(file=3))
    names = list(data_files(release().problem_tables(), Cuts(file=3)))
    assert names[2:8:2] == [f"data/train-{number:05d}-of-00003.parquet" for number in range(3)]
    assert names[3:9:2] == [f"full/train-{number:05d}-of-00003.parquet" for number in range(3)]
    version, _ = versions.publish(release())
    assert [row.problem_id for row in version.problems() if row.split == "train"] == [f"p{n:04d}" for n in range(7)]


def test_a_version_that_is_streamed_has_the_same_files(versions: Versions) -> None:
    versions, given = Versions(versions.folder, cuts=Cuts(file=3, least=2, often=2, most=4)), release()
    whole, _ = versions.publish(given)

    def pieces(table: pa.Table) -> Iterator[pa.Table]:
        return (table.slice(start, 2) for start in range(0, len(table), 2))

    (rows,), streams = given.problem_tables(), [list(stream) for stream in given.beside()]

    def beside() -> BesideStreams:
        return BesideStreams(*(pieces(table) for (table,) in streams))

    read = Release("streamed", given.title, given.making, given.rows_sha256, lambda: pieces(rows), beside)
    streamed, _ = versions.publish(read)
    for path in (*(name for name in whole.manifest["files"] if in_problems(name)), *BESIDE):
        assert streamed.folder.read(path) == whole.folder.read(path), path
    assert streamed.manifest["provenance"] == whole.manifest["provenance"]
    backwards = replace(read, problem_tables=lambda: iter([rows.slice(5), rows.slice(0, 5)]))
    with pytest.raises(VersionError, match=r"^problem p0000 comes after p\d+; this is a bug in the release$"):
        versions.publish(backwards)


def test_the_card_shows_systems_as_mathematics(versions: Versions) -> None:
    card = versions.publish(release())[0].folder.read("README.md").decode()
    system = r"$$\begin{aligned}x + 2 & = 9\end{aligned}$$"
    shown = sorted(problem.problem_id for problem in problems() if problem.equations)[:3]
    for problem_id in shown:
        assert f"\n`{problem_id}`: {system}\n" in card
    assert card.count("$$") == 2 * len(shown)


def test_a_title_cannot_break_the_card(versions: Versions) -> None:
    version, _ = versions.publish(release(title="Ages: a | b # c\n---\nlicense: MIT"))
    card = version.folder.read("README.md").decode()
    assert card.count("\n---\n") == 1
    front = yaml.safe_load(card.split("\n---\n")[0].removeprefix("---\n"))
    assert (front["pretty_name"], front["license"]) == ("Ages: a | b # c\n---\nlicense: MIT", "other")
    assert "title = {Ages: a b c --- license: MIT}," in card
    assert "\n# Ages: a \\| b # c --- license: MIT\n" in card


def test_a_license_cannot_put_markup_into_the_card(versions: Versions) -> None:
    evil = "<script>alert(1)</script> [free](javascript:x) `a` **b** | c\n\n# d \u202e $e$ \ud83d"
    rows = [row.model_copy(update={"license": evil.replace("\ud83d", "")}) for row in problems()]
    card = versions.publish(with_rows(rows))[0].folder.read("README.md").decode()
    shown = r"| &lt;script&gt;alert(1)&lt;/script&gt; \[free\](javascript:x) \`a\` \*\*b\*\* \| c # d  \$e\$ | 11 |"
    assert shown in card.splitlines()
    assert "<script" not in card
    text = dataset_card("t \ud83d\u2028", ReleaseTally(rows=1, licenses=Counter([evil])), [], {"funnel": FUNNEL})
    assert yaml.safe_load(text.split("---\n")[1])["pretty_name"] == "t ?\u2028", "half a character is written, too"
