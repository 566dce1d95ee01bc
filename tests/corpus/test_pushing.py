"""A version is sent whole: into a folder, into a bucket, to a hub; what is another's stays as it is."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import StoreError, VersionError
from corpus.files import Folder
from corpus.hub import HubTarget
from corpus.manifest import MANIFEST
from corpus.pushing import FolderTarget, PushPlan, PushTarget, push_plan
from corpus.row_groups import Cuts
from corpus.versions import Version, Versions
from flows.inspection import run_push
from tests.corpus.samples import memory_folder, problems, release
from tests.hub import Hub, hub_server
from tests.s3 import new_bucket, s3_server


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(Folder.at(tmp_path / "versions"), cuts=Cuts(file=3))


@pytest.fixture
def version(versions: Versions) -> Version:
    return versions.publish(release())[0]


def sent(version: Version, place: PushTarget) -> PushPlan:
    plan, contents = push_plan(version, place)
    place.send(contents, plan.gone, version.label)
    return plan


def published(version: Version) -> dict[str, bytes]:
    return {path: version.folder.read(path) for path in (*version.manifest["files"], MANIFEST)}


def fewer(versions: Versions) -> Version:
    """The version after it: four problems, so that one train file is enough."""
    given = release()
    kept = {row.problem_id for row in problems()[:2] + problems()[7:]}
    rows = [[one for one in found if one.problem_id in kept] for found in (given.posts, given.answers)]
    chosen = [row for row in problems() if row.problem_id in kept]
    return versions.publish(replace(given, problems=chosen, posts=rows[0], answers=rows[1]))[0]


@pytest.fixture(params=["local", "memory", "s3"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Folder]:
    if request.param == "s3":
        with s3_server():
            yield Folder.at(f"{new_bucket()}/there")
    else:
        yield Folder.at(tmp_path / "there") if request.param == "local" else memory_folder()


def test_a_folder_gets_every_file_and_the_next_version_replaces_it(
    folder: Folder, version: Version, versions: Versions
) -> None:
    place = FolderTarget(folder)
    plan = sent(version, place)
    assert (plan.before, plan.changed, plan.same, plan.gone) == (None, (), (), ())
    assert {path: folder.read(path) for path in place.names()} == published(version)
    assert sent(version, place).new == ()
    other = fewer(versions)
    plan = sent(other, place)
    assert plan.before == version.label
    assert plan.gone == tuple(f"data/train-{number:05d}-of-00003.parquet" for number in range(3))
    same = ("data/test-00000-of-00001.parquet", "data/validation-00000-of-00001.parquet", "provenance.parquet")
    assert plan.same == same, "provenance has no rows in these samples"
    assert {path: folder.read(path) for path in place.names()} == published(other)


def test_a_push_that_was_cut_short_is_completed(version: Version, tmp_path: Path) -> None:
    place = FolderTarget(Folder.at(tmp_path / "there"))
    contents = published(version)
    half = dict(sorted(contents.items())[:4])
    place.send(half, (), "")
    assert MANIFEST not in half
    plan = sent(version, place)
    assert plan.same == tuple(sorted(half))
    assert {path: place.read(path) for path in place.names()} == contents


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        ("README.md", b"mine", r"README\.md lies there and is no file of a version of demo; move it away"),
        ("data/extra.parquet", b"mine", r"data/extra\.parquet lies there and is no file of a version of demo"),
        (MANIFEST, b"{}", r"the manifest\.json that lies there is not one of a version; move it away"),
        (MANIFEST, b'{"name":"x","version":"y","files":{}}', "x/y lies there, another dataset than demo"),
    ],
)
def test_what_is_anothers_stays(path: str, content: bytes, told: str, version: Version, tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "there")
    folder.write(path, content)
    with pytest.raises(VersionError, match=told):
        push_plan(version, FolderTarget(folder))
    assert folder.read(path) == content


def test_candidates_and_damaged_versions_are_not_sent(versions: Versions, tmp_path: Path) -> None:
    gate = {"answers": {"min_precision": 0.97, "error": 0.05, "expected": 0.99}}
    version, _ = versions.publish(release(), gate)
    place = FolderTarget(Folder.at(tmp_path / "there"))
    with pytest.raises(VersionError, match=r"is a candidate \(answers not accepted\); judge it .* with --candidate"):
        push_plan(version, place)
    assert len(push_plan(version, place, candidate=True)[1]) == 11
    version.folder.write("posts.parquet", b"x")
    with pytest.raises(VersionError, match=r"posts\.parquet is not the file that was published"):
        push_plan(version, place, candidate=True)


def test_a_hub_gets_one_commit(version: Version, versions: Versions) -> None:
    with hub_server() as hub:
        place = HubTarget("hf://datasets/ann/demo")
        sent(version, place)
        assert hub.files["ann/demo"] == {".gitattributes": b""} | published(version)
        assert (hub.commits, hub.private) == ([version.label], {"ann/demo"})
        other = fewer(versions)
        plan = sent(other, place)
        assert plan.before == version.label
        assert hub.files["ann/demo"] == {".gitattributes": b""} | published(other)
        assert hub.commits == [version.label, other.label]


def test_what_a_hub_refuses_is_one_line(version: Version) -> None:
    with hub_server(token="another") as hub:
        with pytest.raises(StoreError, match=r"^cannot write hf://datasets/ann/demo: .*401.*; check the name"):
            sent(version, HubTarget("hf://datasets/ann/demo"))
        assert hub.files == {}
    with pytest.raises(StoreError, match=r"^cannot list hf://datasets/ann/demo: "):
        push_plan(version, refused_target(hub))
    for address in ("hf://datasets/ann", "hf://models/ann/demo", "hf://datasets/ann/demo/data"):
        with pytest.raises(StoreError, match=r"is no dataset repository; give hf://datasets/OWNER/NAME"):
            HubTarget(address)


def test_a_hub_that_is_not_to_be_had_is_told_at_once(
    version: Version, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with hub_server() as hub:
        place = refused_target(hub)
    begun = time.monotonic()
    with pytest.raises(StoreError, match=r"^cannot list hf://datasets/ann/demo: .*; check the name, the network"):
        push_plan(version, place)
    assert time.monotonic() - begun < 10  # every further try would wait 1, 2, 4, 8 and 8 seconds
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
        run_push(str(tmp_path), version.label, str(there), (yes, False, False))
        return capsys.readouterr().out.splitlines()

    first = said(yes=False)
    assert first[0] == f"{version.label}: nothing lies there; 0 files are the same"
    assert "+ data/train-00000-of-00003.parquet" in first
    assert first[-1] == "nothing was sent; --yes sends it"
    assert not there.exists()
    assert said(yes=True)[-1] == f"sent to {there}"
    assert said(yes=True)[-1] == f"{there} has {version.label} already"
