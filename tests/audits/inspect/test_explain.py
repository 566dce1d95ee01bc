"""The way of a post: kept and dropped at every stage."""

import json
from pathlib import Path

import pytest

from audits.inspect.explain import explain
from corpus.errors import InputError, VersionError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.registry import STAGES
from tests.worlds import FATES, Plan, build_world

NAMES = [stage.name for stage in STAGES]


@pytest.mark.rows(("post_id", "fate"), FATES.items())
def test_dropped_posts_show_where_and_why(
    world: tuple[Workspace, Version], post_id: str, fate: tuple[str, str]
) -> None:
    stage, reason = fate
    found = explain(*world, post_id)
    place = NAMES.index(stage)
    expected = ["kept"] * place + ["dropped"] + ["not reached"] * (len(NAMES) - place - 1)
    assert [step.verdict for step in found.steps] == expected
    step = found.steps[place]
    assert (step.reason, step.detail) == (reason, f"because of {reason}")
    assert found.outcome == f"dropped by stage {stage}: {reason}"
    assert f"{stage}: dropped" in found.text()


def test_published_posts_show_every_record(world: tuple[Workspace, Version]) -> None:
    found = explain(*world, "site:p00")
    assert [step.stage for step in found.steps] == NAMES
    assert all(step.record is not None for step in found.steps)
    assert found.outcome.startswith("published as wq-")
    assert {step.stage: step.score for step in found.steps if step.score is not None} == {
        "classify": 0.97,
        "read": 0.9,
        "diversity": 0.75,
    }
    assert found.steps[NAMES.index("read")].key == "quarry-read-key"


def test_evidence_leads_back_to_the_characters(world: tuple[Workspace, Version]) -> None:
    found = explain(*world, "site:p00")
    marks = {step.stage: step.highlights for step in found.steps}
    assert [mark.raw for mark in marks["read"]] == ["20", "5", "x + y = 25", "x - y = 15"]
    for step in found.steps:
        for mark in step.highlights:
            assert found.texts[mark.where][mark.start : mark.end] == mark.raw
    text = found.text()
    assert "⟦x + y = 25⟧, ⟦x - y = 15⟧ so x = ⟦20⟧ and y = ⟦5⟧" in text
    assert "answer 1 [30:32] x + y = 25, x - y = 15 so x = ⟦20⟧ and y = 5" in text
    assert "cleaning: chatter (1)" in text
    assert "asked: x, y of x+y=25; x-y=15" in text


def test_evidence_that_came_without_its_place_is_not_looked_for(world: tuple[Workspace, Version]) -> None:
    found = explain(*world, "site:p14")
    step = found.steps[NAMES.index("agree")]
    assert step.evidence == "What are they"
    assert step.evidence in found.texts["question"]
    assert step.highlights == ()


def test_plain_data(world: tuple[Workspace, Version]) -> None:
    plain = json.loads(json.dumps(explain(*world, "site:p13").as_dict()))
    assert plain["outcome"] == "dropped by stage read: low_confidence"
    place = NAMES.index("read")
    assert [step["verdict"] for step in plain["steps"]][: place + 2] == ["kept"] * place + ["dropped", "not reached"]


@pytest.mark.rows("asked", ["site:p0", "p03", "sit:p03"])
def test_unknown_posts_name_close_ones(world: tuple[Workspace, Version], asked: str) -> None:
    with pytest.raises(InputError, match=r"among the 19 posts of quarry/.*; close ids: .*site:p0") as raised:
        explain(*world, asked)
    assert "\n" not in str(raised.value)


def test_nothing_close(world: tuple[Workspace, Version]) -> None:
    with pytest.raises(InputError, match="wordquarry export posts lists all ids"):
        explain(*world, "zzzzzz")


def test_a_post_cannot_steer_the_terminal(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path, Plan(texts={"site:p00": "\x1b]0;owned\x07 \u202e tsil"}))
    text = explain(workspace, version, "site:p00").text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b]0;owned\\x07 \\u202e tsil" in text


def test_without_the_run_there_is_no_way(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path)
    workspace.folder.remove("runs")
    with pytest.raises(VersionError, match="has no record of the run"):
        explain(workspace, version, "site:p00")
