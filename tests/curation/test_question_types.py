"""Title, time and type of a question from a file to the rows of a version, and types left out by configuration."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from audits.inspect.explain import explain
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.classify_stage import ClassifyConfig
from curation.stages.registry import BuildConfig
from flows.pipelines.build_steps import build_here
from flows.pipelines.requests import BuildRequest

ANSWER = {"text": "x + x + 2 = 12, so 2x = 10 and x = 5"}
ASKED = "Two numbers add to 12 and one is 2 more than the other. What is the smaller one?"
OFFERED = "Ann and Bob have 12 pens, Bob has 2 more. How many has Ann?\nA) 4\nB) 5\nC) 6"
POSTS = [
    {"id": "1", "question": ASKED, "title": "Two numbers", "posted_at": "2015-01-01T00:00:00Z", "answers": [ANSWER]},
    {"id": "2", "question": OFFERED, "posted_at": "2014-01-01", "answers": [ANSWER, {"text": "B, 5"}]},
]


def built(tmp_path: Path, **classify: Any) -> Version:
    """A version of the posts; without the doubts of the models."""
    path = tmp_path / "posts.jsonl"
    path.write_text("".join(json.dumps(post) + "\n" for post in POSTS), encoding="utf-8")
    stages = {"classify": {"min_probability": 0.0, **classify}, "read": {"min_confidence": 0.0}}
    stages |= {"publish": {"precision": 0.0}, "diversity": {"ld_min": 0.0}}
    config = BuildConfig.model_validate(stages)
    data = str(tmp_path / "data")
    told = build_here(BuildRequest(data=data, name="quarry", posts=(str(path),), config=config))
    return Workspace(data).versions.open(told["version"])


def test_rows_have_title_time_and_type_and_stand_by_time(tmp_path: Path) -> None:
    version = built(tmp_path)
    rows = [(row.post_id, row.title, row.posted_at, row.question_type) for row in version.problems()]
    assert rows == [
        ("file:2", None, "2014-01-01T00:00:00Z", "multiple_choice"),
        ("file:1", "Two numbers", "2015-01-01T00:00:00Z", "open"),
    ]
    card = version.folder.read("README.md").decode()
    assert r"| multiple\_choice | 1 |" in card
    assert "| open | 1 |" in card
    told = explain(Workspace(str(tmp_path / "data")), version, "file:2").text()
    assert "type of question: multiple_choice" in told


def test_types_that_are_not_wanted_are_left_out_with_what_shows_them(tmp_path: Path) -> None:
    version = built(tmp_path, drop_types=["multiple_choice", "proof"])
    assert [row.post_id for row in version.problems()] == ["file:1"]
    (row,) = [row for row in version.manifest["funnel"] if row["stage"] == "classify"]
    assert row["dropped"] == {"unwanted_type": 1}
    told = explain(Workspace(str(tmp_path / "data")), version, "file:2").text()
    assert "of the type multiple_choice, which classify.drop_types leaves out" in told
    assert "A) 4" in told
    (stage,) = [one for one in version.manifest["stages"] if one["stage"] == "classify"]
    assert stage["config"]["drop_types"] == ["multiple_choice", "proof"]


def test_a_type_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValidationError, match="drop_types"):
        ClassifyConfig.model_validate({"drop_types": ["essay"]})
