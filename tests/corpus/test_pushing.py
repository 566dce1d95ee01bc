"""A version is sent whole: into a folder, into a bucket, to a hub; what is another's stays as it is."""

import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from corpus.delivery.push_places import FolderTarget, HubTarget, place_of
from corpus.delivery.pushing import UNDER_WAY, PushPlan, PushTarget, push, push_plan
from corpus.errors import StoreError, VersionError
from corpus.folders.files import Folder
from corpus.versioning.latest import Turns
from corpus.versioning.manifest import MANIFEST, file_facts, pretty_json, sealed, version_id_of
from corpus.versioning.row_groups import Cuts
from corpus.versioning.version_tables import PROBLEMS
from corpus.versioning.versions import Version, Versions
from corpus.workspace import Workspace
from flows.command_line.look_commands import push as push_command
from tests.corpus.samples import memory_folder, problems, release, source_answers, source_post, tree
from tests.hub import Hub, hub_server
from tests.s3 import new_bucket, s3_server


class SmallFiles(Workspace):
    """A data folder whose versions have three rows a file."""

    @property
    def versions(self) -> Versions:
        return Versions(self.folder / "versions", Turns(self.folder / "turns"), cuts=Cuts(file=3))


THREE = tuple(f"{folder}/train-{number:05d}-of-00003.parquet" for folder in PROBLEMS for number in range(3))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return SmallFiles(str(tmp_path / "data"))


@pytest.fixture
def version(workspace: Workspace) -> Version:
    return workspace.versions.publish(release())[0]


def sent(workspace: Workspace, version: Version, place: PushTarget) -> PushPlan:
    return push(workspace, version, place)[0]


def published(version: Version) -> dict[str, bytes]:
    return {path: version.folder.read(path) for path in (*version.manifest["files"], MANIFEST)}


def lying(folder: Folder) -> dict[str, bytes]:
    return {path: folder.read(path) for path in FolderTarget(folder).names()}


def fewer(workspace: Workspace) -> Version:
    """The version after it: four problems, so that one train file is enough."""
    chosen = problems()[:2] + problems()[7:]
    posts = [source_post(row) for row in chosen]
    answers = [answer for row in chosen for answer in source_answers(row)]
    return workspace.versions.publish(release(rows=chosen, posts=posts, answers=answers))[0]


@pytest.fixture(params=["local", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    return Folder.at(tmp_path / "there") if request.param == "local" else memory_folder()


@pytest.fixture(scope="module")
def buckets() -> Iterator[None]:
    with s3_server():
        yield


@pytest.fixture(params=["local", "memory", pytest.param("s3", marks=pytest.mark.full)])
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    if request.param == "s3":
        request.getfixturevalue("buckets")
        return Folder.at(f"{new_bucket()}/there")
    return Folder.at(tmp_path / "there") if request.param == "local" else memory_folder()


def test_a_folder_gets_every_file_and_the_next_version_replaces_it(
    anywhere: Folder, version: Version, workspace: Workspace
) -> None:
    place = FolderTarget(anywhere)
    plan = sent(workspace, version, place)
    assert (plan.before, plan.changed, plan.same, plan.gone) == (None, (), (), ())
    assert lying(anywhere) == published(version)
    assert sent(workspace, version, place).new == ()
    other = fewer(workspace)
    plan = sent(workspace, other, place)
    assert plan.before == version.label
    assert plan.gone == THREE
    kept = [f"{folder}/{split}-00000-of-00001.parquet" for folder in PROBLEMS for split in ("test", "validation")]
    assert plan.same == (*kept, "provenance.parquet"), "provenance has no rows in these samples"
    assert lying(anywhere) == published(other)


@dataclass(frozen=True)
class Dying(Folder):
    """A folder that fails before the step that is due."""

    left: list[int]

    def _step(self) -> None:
        self.left[0] -= 1
        if self.left[0] < 0:
            raise StoreError("the connection broke off")

    def write(self, name: str, content: bytes) -> None:
        self._step()
        super().write(name, content)

    def remove(self, name: str) -> None:
        self._step()
        super().remove(name)


def test_a_push_that_is_cut_short_never_passes_off_a_mixture_and_is_completed_by_the_next(
    anywhere: Folder, version: Version, workspace: Workspace
) -> None:
    other = fewer(workspace)
    for steps in (*range(1, 16, 1 if anywhere.local else 7), 16):
        sent(workspace, version, FolderTarget(anywhere))
        dying = FolderTarget(Dying(anywhere.fs, anywhere.path, [steps]))
        if steps > 15:
            assert sent(workspace, other, dying).before == version.label
            break  # the mark, six files, six to remove, the manifest twice, and the mark again
        with pytest.raises(StoreError, match="broke off"):
            push(workspace, other, dying)
        there = lying(anywhere)
        rest = {path: there[path] for path in set(there) - {UNDER_WAY}}
        assert UNDER_WAY in there
        assert MANIFEST not in there or rest in [published(one) for one in (version, other)]
        again = version if steps % 2 else other
        assert sent(workspace, again, FolderTarget(anywhere)).unfinished
        assert lying(anywhere) == published(again)
    assert lying(anywhere) == published(other)


def test_a_file_that_was_emptied_or_cut_short_there_is_sent_again(
    folder: Folder, version: Version, workspace: Workspace
) -> None:
    place, whole = FolderTarget(folder), published(version)
    sent(workspace, version, place)
    for path in whole:
        for rest in (b"", whole[path][:20]):
            folder.write(path, rest)
            if path != MANIFEST or not rest:
                plan = sent(workspace, version, place)
                assert plan.changed == (path,)
                assert lying(folder) == whole
    folder.write(MANIFEST, whole[MANIFEST])
    for path in set(whole) - {MANIFEST}:
        changed = bytes([whole[path][0] ^ 1]) + whole[path][1:]
        folder.write(path, changed)
        with pytest.raises(VersionError, match=f"{path} lies there and is no file that was sent there from a version"):
            push(workspace, version, place)
        assert folder.read(path) == changed
        folder.write(path, whole[path])


def forged(version: Version, **files: bytes) -> bytes:
    """A manifest in order, which names more files than the version has."""
    named = {name.replace("_", "."): file_facts(content) for name, content in files.items()}
    manifest = {**version.manifest, "files": {**version.manifest["files"], **named}}
    manifest["version"] = version_id_of(manifest)
    return pretty_json(sealed(manifest))


def test_a_manifest_that_lies_there_takes_nothing_away(folder: Folder, version: Version, workspace: Workspace) -> None:
    sent(workspace, version, FolderTarget(folder))
    folder.write("mine.txt", b"mine")
    folder.write(MANIFEST, forged(version, mine_txt=b"mine"))
    with pytest.raises(VersionError, match=r"lies there, which this data folder has neither built nor sent"):
        sent(workspace, version, FolderTarget(folder))
    folder.remove(MANIFEST)
    assert sent(workspace, fewer(workspace), FolderTarget(folder)).gone == THREE
    assert folder.read("mine.txt") == b"mine"


def test_what_was_sent_and_is_another_file_now_is_not_taken_away(
    folder: Folder, version: Version, workspace: Workspace
) -> None:
    sent(workspace, version, FolderTarget(folder))
    path = "data/train-00001-of-00003.parquet"
    folder.write(path, b"mine")
    with pytest.raises(VersionError, match=f"{path} lies there and is no file that was sent there"):
        sent(workspace, fewer(workspace), FolderTarget(folder))
    assert lying(folder) == {**published(version), path: b"mine"}


def test_two_datasets_of_one_name_do_not_replace_each_other(
    folder: Folder, version: Version, workspace: Workspace, tmp_path: Path
) -> None:
    elsewhere = Workspace(str(tmp_path / "elsewhere"))
    theirs, _ = elsewhere.versions.publish(release(title="Another"))
    sent(elsewhere, theirs, FolderTarget(folder))
    for cut_short in (False, True):
        told = r"push-under-way\.txt lies there" if cut_short else f"{theirs.label} lies there, which this data folder"
        if cut_short:
            folder.remove(MANIFEST)
            for path in version.manifest["files"]:
                folder.remove(path)
            folder.remove("data")
            folder.remove("full")
            folder.write(UNDER_WAY, b"A push of another is under way here.")
        before = lying(folder)
        with pytest.raises(VersionError, match=told):
            sent(workspace, version, FolderTarget(folder))
        assert lying(folder) == before


def test_what_was_sent_is_known_though_its_version_is_gone_or_was_judged_since(
    folder: Folder, version: Version, workspace: Workspace
) -> None:
    place = FolderTarget(folder)
    sent(workspace, version, place)
    workspace.versions.attach_audit(version, {"sheet_id": "a", "stage": "answers", "precision": {"value": 0.5}})
    judged = workspace.versions.open(version.label)
    assert sent(workspace, judged, place).changed == (MANIFEST,)
    other = fewer(workspace)
    shutil.rmtree(version.folder.path)
    assert sent(workspace, other, place).before == version.label
    assert lying(folder) == published(other)


def test_what_a_version_of_this_folder_holds_is_its_own_wherever_it_was_sent_from(
    folder: Folder, version: Version, workspace: Workspace
) -> None:
    sent(workspace, version, FolderTarget(folder))
    workspace.folder.remove("pushes")
    other = fewer(workspace)
    assert sent(workspace, other, FolderTarget(folder)).before == version.label
    assert lying(folder) == published(other)


def test_a_damaged_note_of_what_was_sent_is_one_line(version: Version, workspace: Workspace, tmp_path: Path) -> None:
    place = FolderTarget(Folder.at(tmp_path / "there"))
    sent(workspace, version, place)
    (note,) = (tmp_path / "data" / "pushes").glob("*.json")
    note.write_bytes(b"[]")
    with pytest.raises(StoreError, match=rf"{note} is damaged; remove it, and what it noted that lies at .*/there has"):
        sent(workspace, version, place)


def test_a_place_in_a_store_is_refused(version: Version, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "data" / "posts").mkdir()
    (tmp_path / "data" / "posts" / "batches.jsonl").touch()
    (tmp_path / "link").symlink_to(tmp_path / "data" / "versions")
    store = Path(version.folder.path)
    elsewhere = Workspace(str(tmp_path / "elsewhere"))
    before = tree(tmp_path)
    inside = [workspace.data, store, store.parent / "other", tmp_path, tmp_path / "link" / "demo" / "other"]
    for given in (workspace, elsewhere):
        for place in inside:
            with pytest.raises(StoreError, match=r"leads into the store .*, which a push must not touch; give another"):
                place_of(str(place), given, version)
    assert tree(tmp_path) == before
    bucket = str(memory_folder())
    there = Workspace(f"{bucket}/data")
    stored, _ = there.versions.publish(release())
    for given in (there, elsewhere):
        for name in ("data", "data/versions/demo/other", ""):
            with pytest.raises(StoreError, match="leads into the store"):
                place_of(f"{bucket}/{name}".rstrip("/"), given, stored)
    assert place_of(f"{bucket}/database", there, stored).names() == []


@pytest.mark.parametrize(
    "to",
    ["", " ", "s3://", "s3:///there", "s3://bucket/../evil", "s3://bucket/a/./b", "s3://bucket//there", "s3://..",
     "memory://a/../b", "simplecache::s3://bucket/there", "s3://bucket/there::file:///x", "hf://datasets/ann/..",
     "hf://datasets//demo", "s3://bucket/%2e%2e/evil"],
)  # fmt: skip
def test_what_is_no_place(to: str, version: Version, workspace: Workspace) -> None:
    with pytest.raises(StoreError, match="is no place to send a version to; give a folder, s3://BUCKET/PREFIX or hf"):
        place_of(to, workspace, version)


@pytest.mark.parametrize("path", ["../evil.txt", "/evil.txt", "data/../../evil.txt", "data/x/y.txt", ".hidden", "a\nb"])
def test_a_version_that_names_files_elsewhere_is_none(path: str, version: Version, workspace: Workspace) -> None:
    files = {**version.manifest["files"], path: file_facts(b"evil")}
    manifest = {**version.manifest, "files": files}
    version.folder.write(MANIFEST, pretty_json(sealed(manifest)))
    with pytest.raises(VersionError, match=r"manifest\.json is damaged"):
        workspace.versions.open(version.label)


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        (
            "README.md",
            b"mine",
            r"README\.md lies there and is no file that was sent there from a version of demo; move",
        ),
        ("data/extra.parquet", b"mine", r"data/extra\.parquet lies there and is no file that was sent there"),
        ("data/deep/extra.parquet", b"mine", r"data/deep/extra\.parquet lies there and is no file that was sent there"),
        (MANIFEST, b"{}", r"the manifest\.json that lies there is not one of a version; move it away"),
        (MANIFEST, b'{"name":"a\\nb","version":"y"}', r"the manifest\.json that lies there is not one of a version"),
        (MANIFEST, b'{"name":"x","version":"y","files":{}}', "x/y lies there, another dataset than demo"),
    ],
)
def test_what_is_anothers_stays(
    path: str, content: bytes, told: str, version: Version, workspace: Workspace, tmp_path: Path
) -> None:
    folder = Folder.at(tmp_path / "there")
    folder.write(path, content)
    with pytest.raises(VersionError, match=told):
        push_plan(workspace, version, FolderTarget(folder))
    assert folder.read(path) == content


def test_candidates_and_damaged_versions_are_not_sent(workspace: Workspace, tmp_path: Path) -> None:
    gate = {"answers": {"min_precision": 0.97, "error": 0.05, "expected": 0.99}}
    version, _ = workspace.versions.publish(release(), gate)
    place = FolderTarget(Folder.at(tmp_path / "there"))
    with pytest.raises(VersionError, match=r"is a candidate \(answers not accepted\); judge it .* with --candidate"):
        push_plan(workspace, version, place)
    assert len(push_plan(workspace, version, place, candidate=True).files) == 16
    version.folder.write("posts.parquet", b"x")
    with pytest.raises(VersionError, match=r"posts\.parquet is not the file that was published"):
        push_plan(workspace, version, place, candidate=True)


def test_a_hub_gets_one_commit(version: Version, workspace: Workspace) -> None:
    with hub_server() as hub:
        place = HubTarget("hf://datasets/ann/demo")
        sent(workspace, version, place)
        assert hub.files["ann/demo"] == {".gitattributes": b""} | published(version)
        assert (hub.commits, hub.private) == ([version.label], {"ann/demo"})
        hub.files["ann/demo"]["README.md"] = b""
        assert sent(workspace, version, place).changed == ("README.md",)
        hub.files["ann/demo"]["mine.txt"] = b"mine"
        hub.files["ann/demo"][MANIFEST] = forged(version, mine_txt=b"mine")
        with pytest.raises(VersionError, match=r"lies there, which this data folder has neither built nor sent"):
            sent(workspace, version, place)
        hub.files["ann/demo"][MANIFEST] = published(version)[MANIFEST]
        other = fewer(workspace)
        plan = sent(workspace, other, place)
        assert plan.before == version.label
        assert hub.files["ann/demo"] == {".gitattributes": b"", "mine.txt": b"mine"} | published(other)
        assert hub.commits == [version.label, version.label, other.label]


def test_the_digest_that_a_hub_keeps_of_a_large_file_is_taken(version: Version, workspace: Workspace) -> None:
    with hub_server() as hub:
        place = HubTarget("hf://datasets/ann/demo")
        sent(workspace, version, place)
        hub.large.add("posts.parquet")
        assert sent(workspace, version, place).files == {}
        assert hub.read_since == set(published(version)) - {"posts.parquet"}


def test_what_a_hub_refuses_is_one_line(version: Version, workspace: Workspace) -> None:
    with hub_server(token="another") as hub:
        with pytest.raises(StoreError, match=r"^cannot write hf://datasets/ann/demo: .*401.*; check the name"):
            sent(workspace, version, HubTarget("hf://datasets/ann/demo"))
        assert hub.files == {}
    with pytest.raises(StoreError, match=r"^cannot list hf://datasets/ann/demo: "):
        push_plan(workspace, version, refused_target(hub))
    for address in ("hf://datasets/ann", "hf://models/ann/demo", "hf://datasets/ann/demo/data"):
        with pytest.raises(StoreError, match=r"is no dataset repository; give hf://datasets/OWNER/NAME"):
            HubTarget(address)


def test_a_hub_that_is_not_to_be_had_is_told_at_once(
    version: Version,
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits, sleep, here = [], time.sleep, threading.get_ident()

    def noted(seconds: float) -> None:
        waits.append(seconds) if threading.get_ident() == here else sleep(seconds)

    with hub_server() as hub:
        place = refused_target(hub)
    monkeypatch.setattr(time, "sleep", noted)
    with pytest.raises(StoreError, match=r"^cannot list hf://datasets/ann/demo: .*; check the name, the network"):
        push_plan(workspace, version, place)
    assert waits == [], "before every further try it would wait"
    assert caplog.records == []
    assert "".join(capsys.readouterr()) == ""


def refused_target(hub: Hub) -> HubTarget:
    """A place on a hub that has ended."""
    place = HubTarget("hf://datasets/ann/demo")
    place._api.endpoint = hub.address
    return place


def test_the_command_shows_first_and_sends_when_told(
    version: Version, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there"

    def said(yes: bool) -> list[str]:
        push_command(version.label, str(there), yes, data=str(tmp_path / "data"))
        return capsys.readouterr().out.splitlines()

    first = said(yes=False)
    assert first[0] == f"{version.label}: nothing lies there; 0 files are the same"
    assert "+ data/train-00000-of-00003.parquet" in first
    assert first[-1] == "nothing was sent; --yes sends it"
    assert not there.exists()
    assert said(yes=True)[-1] == f"sent to {there}"
    assert said(yes=True)[-1] == f"{there} has {version.label} already"
