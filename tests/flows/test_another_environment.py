"""The same posts, fetched at another time and built with another library: the same version, to the byte of its rows."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audits.inspect.explain import explain
from audits.inspect.rebuilding import compare_rebuild
from corpus.folders.files import Folder
from corpus.versioning.manifest import MANIFEST, pretty_json, sealed
from corpus.versioning.version_tables import ANSWERS, POSTS, PROVENANCE, in_problems
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import run_of
from curation.config_file import load_config
from flows.pipelines.build_steps import build_here, unchanged
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import take_posts
from tests.flows.command import FRESH, ROOT, environment

SUM = "The sum of two numbers is {} and one of them is {} more than the other. Find the numbers."
CONFIG = "[classify]\nmin_probability = 0.0\n[read]\nmin_confidence = 0.0\n[diversity]\nld_min = 0.0\n"
SAME = ("README.md", POSTS, ANSWERS)
"""Files that do not tell when posts were fetched."""


def _post(number: int, day: str, digit: str) -> dict[str, Any]:
    smaller, more = 10 + number, 3 + number
    text = f"x + y = {2 * smaller + more}\nx - y = {more}\nx = {smaller + more} and y = {smaller}"
    return {
        "id": number,
        "question": SUM.format(2 * smaller + more, more),
        "answers": [{"text": text}],
        "retrieved_at": f"{day}T00:00:00Z",
        "response_sha256": digit * 64,
        "parser": f"forum@{digit * 12}",
    }


def _built(data: Path, day: str, digit: str, libraries: Path | None) -> Version:
    """The version of posts as fetched on a day; ``libraries`` is where versions of libraries are found first."""
    data.mkdir(exist_ok=True)
    posts, config = data / f"{digit}.jsonl", data / "config.toml"
    posts.write_text("".join(json.dumps(_post(number, day, digit)) + "\n" for number in range(3)), encoding="utf-8")
    config.write_text(CONFIG, encoding="utf-8")
    if libraries is None:
        build_here(_asked(data, digit))
    else:
        command = [*FRESH, "build", "--posts", posts, "--config", config, "--data", data, "--runner", "here"]
        env = environment({"PYTHONPATH": str(libraries)})
        subprocess.run(list(map(str, command)), cwd=ROOT, env=env, check=True, capture_output=True)
    return Workspace(str(data)).versions.open("quarry")


def _asked(data: Path, digit: str) -> BuildRequest:
    config = load_config(data / "config.toml")
    return BuildRequest(data=str(data), name="quarry", posts=(str(data / f"{digit}.jsonl"),), config=config)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which numpy is said to be of another version."""
    folder = tmp_path_factory.mktemp("libraries")
    told = folder / "numpy-99.9.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 99.9\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory, libraries: Path) -> tuple[Version, Version]:
    """The version of one environment, and that of another in a data folder of its own."""
    folder = tmp_path_factory.mktemp("environments")
    return _built(folder / "a", "2026-01-01", "a", None), _built(folder / "b", "2026-02-02", "b", libraries)


def test_the_id_and_the_bytes_of_the_rows_follow_the_content(versions: tuple[Version, Version]) -> None:
    here, there = versions
    assert here.label == there.label
    assert here.manifest["rows_sha256"] == there.manifest["rows_sha256"]
    data = [path for path in here.manifest["files"] if in_problems(path)]
    assert data
    for path in (*data, *SAME):
        assert here.folder.read(path) == there.folder.read(path), path
    assert here.folder.read(PROVENANCE) != there.folder.read(PROVENANCE)


def test_how_a_version_was_made_stands_in_its_manifest(versions: tuple[Version, Version]) -> None:
    made = [{stage["stage"]: stage for stage in version.manifest["stages"]} for version in versions]
    assert all(made[0][name]["code"] != made[1][name]["code"] for name in made[0])
    assert all(made[0][name]["key"] != made[1][name]["key"] for name in made[0])
    assert [version.manifest["provenance"]["retrieved"] for version in versions] == [
        ["2026-01-01T00:00:00Z"] * 2,
        ["2026-02-02T00:00:00Z"] * 2,
    ]


def test_the_other_environment_rebuilds_it_and_says_that_it_was_made_otherwise(
    versions: tuple[Version, Version],
) -> None:
    here, there = versions
    verdict = compare_rebuild(there, here)
    assert verdict.identical, verdict.differences
    assert re.search(r": identical, .*; made otherwise: code of stage clean changed, ", verdict.sentence(there))
    assert compare_rebuild(here, there).identical


def test_a_configuration_that_was_changed_in_a_manifest_is_a_difference(
    versions: tuple[Version, Version], tmp_path: Path
) -> None:
    here, there = versions
    forged = json.loads(json.dumps(there.manifest))
    forged["stages"][0]["config"]["max_characters"] = 3999
    place = Folder.at(tmp_path)
    for path in there.manifest["files"]:
        place.write(path, there.folder.read(path))
    place.write(MANIFEST, pretty_json(sealed(forged)))
    verdict = compare_rebuild(replace(there, folder=place, manifest=sealed(forged)), here)
    assert [one.path for one in verdict.differences] == [MANIFEST]


def test_a_version_stays_where_another_environment_builds_it_again(versions: tuple[Version, Version]) -> None:
    """What is said of it, such as the keys that explain shows, is of the last build."""
    there = versions[1]
    data = Path(str(there.folder)).parents[2]
    before = {path: there.folder.read(path) for path in (*there.manifest["files"], MANIFEST)}
    again = _built(data, "2026-03-03", "c", None)
    assert again.label == there.label
    assert {path: again.folder.read(path) for path in before} == before
    workspace, asked = Workspace(str(data)), _asked(data, "c")
    keys = run_of(workspace, again).keys
    assert {step.stage: step.key for step in explain(workspace, again, "file:0").steps} == keys
    assert keys != {stage["stage"]: stage["key"] for stage in again.manifest["stages"]}
    assert unchanged(asked, *take_posts(asked)) is not None
