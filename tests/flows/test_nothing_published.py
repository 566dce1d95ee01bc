"""A build that drops every post: what it says, and what explain says of each of its posts."""

import json
from pathlib import Path
from typing import Any

import pytest

from audits.inspect.explain import explain, last_build
from corpus.errors import DamageError, VersionError
from corpus.workspace import Workspace
from curation.building.pruning import prune
from curation.building.run_rows import NothingPublishedError, unpublished
from curation.stages.classify_stage import ClassifyConfig
from curation.stages.read_stage import ReadConfig
from curation.stages.registry import BuildConfig
from flows.pipelines.build_steps import build_here, unchanged
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import take_posts
from tests.flows.command import one_line_failure, wordquarry

SUM = "Two numbers add up to 12 and one is 2 more than the other. What is the smaller one?"
POSTS: list[dict[str, Any]] = [
    {"id": "talk", "question": "What is the best way to learn algebra?", "answers": [{"text": "Practice, 2 hours."}]},
    {"id": "torn", "question": SUM, "answers": [{"text": "It is 5, since 5 + 7 = 12."}, {"text": "It is 7, not 5."}]},
    {"id": "more", "question": SUM.replace("12", "40"), "answers": [{"text": "I think 19."}, {"text": "21 or 38"}]},
]
NEVER = BuildConfig(classify=ClassifyConfig(min_probability=0.5), read=ReadConfig(min_confidence=1.0))


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    """The posts, in a file."""
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(json.dumps(post) + "\n" for post in POSTS), encoding="utf-8")
    return path


@pytest.fixture
def nothing(tmp_path: Path, posts: Path) -> tuple[Workspace, str]:
    """A data folder whose only build published nothing, and what the build said."""
    data = str(tmp_path / "data")
    with pytest.raises(NothingPublishedError) as said:
        build_here(BuildRequest(data=data, name="tried", posts=(str(posts),), config=NEVER))
    return Workspace(data), str(said.value)


def test_the_command_shows_the_funnel_and_what_the_largest_reason_means(tmp_path: Path, posts: Path) -> None:
    config, data = tmp_path / "never.toml", tmp_path / "data"
    config.write_text("[classify]\nmin_probability = 0.5\n[read]\nmin_confidence = 1.0\n", encoding="utf-8")
    built = wordquarry("build", "--posts", posts, "--config", config, "--data", data)
    message = one_line_failure(built)
    assert "of 3 posts, stage read dropped 2 as low_confidence (the best candidate is below the threshold" in message
    assert "what may help: " in message
    assert "low_confidence 2" in built.stdout
    assert "release" in built.stdout
    shown = message.partition("wordquarry explain ")[2].split()[0]
    told = wordquarry("explain", shown, "--data", data)
    assert told.returncode == 0, told.stderr
    assert "dropped by stage read: low_confidence" in told.stdout
    as_json = wordquarry("build", "--posts", posts, "--config", config, "--data", data, "--json")
    assert as_json.returncode == 1
    said = json.loads(as_json.stdout)
    assert (said["version"], said["rows"]) == (None, 0)
    assert [row["dropped"] for row in said["funnel"] if row["stage"] == "read"] == [{"low_confidence": 2}]


def test_every_post_is_explained_with_its_ranking_its_evidence_and_what_may_help(
    nothing: tuple[Workspace, str],
) -> None:
    workspace, _ = nothing
    build = last_build(workspace, None)
    assert (
        build.label
        == "tried/nothing"
        == last_build(workspace, "tried").label
        == last_build(workspace, build.label).label
    )
    found = {post["id"]: explain(workspace, build, f"file:{post['id']}") for post in POSTS}
    assert "dropped by stage classify: general_question" in found["talk"].outcome
    assert "what weighs most: no number" in found["talk"].text()
    for name in ("torn", "more"):
        text = found[name].text()
        assert "dropped by stage read: low_confidence" in text
        assert "ranked before" in text
        assert "evidence: " in text
        assert "what may help: " in text
    for one in found.values():
        (step,) = [step for step in one.as_dict()["steps"] if step["verdict"] == "dropped"]
        assert step["meaning"]
        assert step["may_help"]


def test_a_build_that_publishes_takes_its_place(nothing: tuple[Workspace, str], posts: Path) -> None:
    workspace, _ = nothing
    open_ = {"classify": {"min_probability": 0.0}, "read": {"min_confidence": 0.0}}
    open_ |= {"publish": {"precision": 0.0}}
    config = BuildConfig.model_validate(open_)
    asked = BuildRequest(data=workspace.data, name="tried", posts=(str(posts),), config=config)
    built = build_here(asked)
    assert last_build(workspace, "tried").label == built["version"]
    never = asked.model_copy(update={"config": NEVER})
    with pytest.raises(NothingPublishedError):
        build_here(never)
    assert last_build(workspace, None).label == "tried/nothing"
    assert last_build(workspace, built["version"]).label == built["version"]
    assert unchanged(asked, *take_posts(asked)) is not None
    assert unpublished(workspace, "tried") is None


def test_what_is_pruned_or_damaged_is_told(nothing: tuple[Workspace, str]) -> None:
    workspace, _ = nothing
    build = last_build(workspace, None)
    prune(workspace)
    with pytest.raises(DamageError, match=r"is gone .*; run the build again"):
        explain(workspace, last_build(workspace, None), "file:torn")
    (workspace.folder / "runs" / "tried").write("nothing.json", b"{")
    with pytest.raises(VersionError, match="damaged; remove it and build tried again"):
        last_build(workspace, build.label)


def test_a_folder_without_any_build_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(VersionError, match="has no datasets; run wordquarry build"):
        last_build(Workspace(str(tmp_path)), None)
