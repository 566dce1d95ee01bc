"""What changed between two versions, and which stage did it."""

import json
from pathlib import Path

from audits.inspect.differences import diff
from curation.stages.classify_stage import ClassifyConfig
from curation.stages.registry import BuildConfig
from curation.stages.release_stage import problem_id
from tests.worlds import FATES, Plan, build_world


def test_added_removed_and_changed(tmp_path: Path) -> None:
    workspace, old = build_world(tmp_path)
    fates = {**FATES, "site:p00": ("agree", "answer_contradicts_equations")}
    del fates["site:p13"]
    config = BuildConfig(classify=ClassifyConfig(min_probability=0.6))
    plan = Plan(fates=fates, posts=21, answers={"site:p01": ("22",)}, confidence={"site:p02": 0.8}, config=config)
    _, new = build_world(tmp_path, plan)
    found = diff(workspace, old, new)
    assert {one.post_id: (one.stage, one.reason) for one in found.added} == {
        "site:p13": ("read", "low_confidence"),
        "site:p19": ("posts", "not_among_posts"),
        "site:p20": ("posts", "not_among_posts"),
    }
    (removed,) = found.removed
    assert (removed.post_id, removed.stage) == ("site:p00", "agree")
    assert removed.detail == "agree dropped it: answer_contradicts_equations, because of answer_contradicts_equations"
    changed = {one.post_id: one for one in found.changed}
    assert sorted(changed) == ["site:p01", "site:p02"]
    assert changed["site:p01"].fields == {
        "answer": ("22 and 6", "22"),
        "answer_exact": (["22", "6"], ["22"]),
        "answer_values": ([22.0, 6.0], [22.0]),
        "answer_dim": (2, 1),
    }
    assert changed["site:p02"].fields == {"answer_confidence": (0.9, 0.8)}
    assert {one.stage for one in found.changed} == {"read"}
    assert found.unchanged == 7
    assert found.causes == (
        "other posts: 19 before, 21 now",
        "stage classify: config changed; min_probability 0.5 -> 0.6",
    )
    text = found.text()
    assert "3 added, 1 removed, 2 changed, 7 unchanged" in text
    assert f"removed, {new.label} dropped at agree (answer_contradicts_equations): 1" in text
    assert "changed from stage read on: 2" in text
    assert json.loads(json.dumps(found.as_dict()))["removed"][0]["problem_id"] == problem_id("site:p00")


def test_other_posts_and_equations_are_the_first_difference(tmp_path: Path) -> None:
    workspace, old = build_world(tmp_path)
    plan = Plan(texts={"site:p00": "other words"}, without_equations=("site:p00", "site:p01"))
    _, new = build_world(tmp_path, plan)
    stages = {one.post_id: one.stage for one in diff(workspace, old, new).changed}
    assert stages == {"site:p00": "posts", "site:p01": "read"}


def test_stage_keys_alone_are_no_change(tmp_path: Path) -> None:
    workspace, old = build_world(tmp_path)
    _, new = build_world(tmp_path, name="other")
    found = diff(workspace, old, new)
    assert (found.added, found.removed, found.changed, found.unchanged) == ((), (), (), 10)


def test_versions_without_a_run_are_still_compared(tmp_path: Path) -> None:
    workspace, old = build_world(tmp_path)
    _, new = build_world(tmp_path, Plan(posts=9, answers={"site:p01": ("22",)}))
    workspace.folder.remove("runs")
    found = diff(workspace, old, new)
    assert [(one.stage, one.reason) for one in found.removed] == [(None, "no record of the other run")]
    assert [one.stage for one in found.changed] == [None]
    assert "not built in this data folder" in found.text()


def test_long_lists_are_cut_in_text_only(tmp_path: Path) -> None:
    workspace, old = build_world(tmp_path)
    _, new = build_world(tmp_path, Plan(posts=5))
    found = diff(workspace, old, new)
    assert "and 3 more (--json shows all)" in found.text(shown=2)
    assert len(found.as_dict()["removed"]) == 5
