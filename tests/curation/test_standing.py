"""Whether a build would change nothing: every doubt is a no."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.post_store.deposit import upsert
from corpus.post_store.store import Snapshot
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import POSTS, run_of
from curation.building.standing import Standing, Wanted, standing
from curation.stages.registry import BuildConfig
from tests.curation.test_growing_builds import built, thread

SHARDS = 2


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a build of a few posts."""
    data = tmp_path_factory.mktemp("made") / "data"
    upsert(Workspace(str(data)).posts, [thread(number) for number in range(8)])
    built(data, SHARDS)
    return data


@pytest.fixture
def asked(made: Path, tmp_path: Path) -> tuple[Workspace, Version, Wanted]:
    """A copy of it, which tests may damage, and the build that made it."""
    workspace = Workspace(str(shutil.copytree(made, tmp_path / "data")))
    version = workspace.versions.open("grown")
    snapshot = Snapshot(version.manifest["snapshot"], (), version.manifest["posts"])
    return workspace, version, Wanted(version.name, "posts", snapshot, BuildConfig(), SHARDS)


def test_the_same_build_finds_its_version(asked: tuple[Workspace, Version, Wanted]) -> None:
    workspace, version, wanted = asked
    found = standing(workspace, wanted)
    assert isinstance(found, Standing)
    assert found.version.label == version.label
    assert found.parts == run_of(workspace, version).parts


def test_another_build_is_not_the_same(asked: tuple[Workspace, Version, Wanted]) -> None:
    workspace, version, wanted = asked
    assert standing(workspace, wanted) is not None
    assert standing(workspace, replace(wanted, name="other")) is None
    assert standing(workspace, replace(wanted, snapshot=Snapshot("0" * 32, (), 8))) is None
    assert standing(workspace, replace(wanted, shards=SHARDS + 1)) is None
    assert standing(workspace, replace(wanted, lacks={"lost": [{"batch": "a", "posts": 1}]})) is None
    other = BuildConfig.model_validate({"read": {"min_votes": 2}})
    assert standing(workspace, replace(wanted, config=other)) is None
    name = f"runs/{version.label}.json"
    run, code = workspace.folder.read(name), run_of(workspace, version).code
    workspace.folder.write(name, run.replace(code.encode(), b"0" * len(code)))
    assert run_of(workspace, version).code != code, "of other code that publishes"
    assert standing(workspace, wanted) is None


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], None]] = {
    "flipped": _flip,
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("what", ["posts", "kept", "dropped", "mark", "data", "card", "manifest", "run"])
def test_damage_anywhere_is_noticed(asked: tuple[Workspace, Version, Wanted], what: str, how: str) -> None:
    workspace, version, wanted = asked
    run = run_of(workspace, version)
    data = Path(workspace.data)
    posts, part = (data / "stages" / one.stage / one.key for one in (run.parts[POSTS][1], run.parts["read"][1]))
    place = data / "versions" / version.label
    places = {
        "posts": posts / "kept.parquet",
        "kept": part / "kept.parquet",
        "dropped": part / "dropped.parquet",
        "mark": part / "part.json",
        "data": next((place / "data").iterdir()),
        "card": place / "README.md",
        "manifest": place / "manifest.json",
        "run": data / "runs" / f"{version.label}.json",
    }
    DAMAGE[how](places[what])
    assert standing(workspace, wanted) is None
