"""Tags from end to end: a model fitted by the command, named in the configuration, and the columns of a version."""

import json
from pathlib import Path

import pytest

from corpus.errors import ModelError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.registry import BuildConfig
from flows.pipelines.build_steps import build_here
from flows.pipelines.requests import BuildRequest
from tests.flows.command import one_line_failure, wordquarry
from tests.models.test_tag_model import typed_corpus, with_tag_model

OPEN = {
    "classify": {"min_probability": 0.0},
    "read": {"min_confidence": 0.0},
    "publish": {"precision": 0.0},
    "diversity": {"ld_min": 0.0},
}
QUESTION = "A baker puts 12 caps into each box. How many caps are in 4 boxes?"


def built(tmp_path: Path, tags: str | None) -> Version:
    posts = tmp_path / "posts.jsonl"
    answers = [{"text": "12 * 4 = 48. So the answer is 48."}, {"text": "x = 12 * 4, x = 48"}]
    posts.write_text(json.dumps({"id": "1", "question": QUESTION, "answers": answers}) + "\n", encoding="utf-8")
    config, data = BuildConfig.model_validate({**OPEN, "release": {"tags": tags}}), tmp_path / "data"
    told = build_here(BuildRequest(data=str(data), name="quarry", posts=(str(posts),), config=config))
    return Workspace(str(data)).versions.open(told["version"])


def test_columns_are_filled_where_the_configuration_names_the_model(tmp_path: Path) -> None:
    (plain,) = built(tmp_path, None).problems()
    assert (plain.problem_type, plain.grade, plain.difficulty_steps) == (None, None, None)
    digest = with_tag_model(tmp_path / "data")
    (row,) = built(tmp_path, digest).problems()
    assert (row.problem_type, row.grade) == ("Multiplication", "3")
    assert 0.5 < (row.problem_type_probability or 0) <= 1
    assert (row.difficulty_unknowns, row.difficulty_steps) == (1, 1)
    with pytest.raises(ModelError, match=f"has the digest {digest}, not {'0' * 32}"):
        built(tmp_path, "0" * 32)


def test_the_command_fits_on_a_corpus_that_says_types(tmp_path: Path) -> None:
    corpus = tmp_path / "own.jsonl"
    rows = [problem.model_dump(mode="json") for problem in typed_corpus().problems]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result = wordquarry("train", "tags", "--corpus", f"gold:{corpus}", "--json", "--data", tmp_path / "data")
    found = json.loads(result.stdout)
    assert found["model"].endswith("models/tags.json")
    assert [row["hits"] for row in found["rows"]] == [20, 30, 30, 20, 30, 30]
    untyped = tmp_path / "untyped.jsonl"
    untyped.write_text(json.dumps(rows[0] | {"kind": "", "details": {}}) + "\n", encoding="utf-8")
    refused = wordquarry("train", "tags", "--corpus", f"gold:{untyped}", "--data", tmp_path / "data")
    assert "give a corpus that says them" in one_line_failure(refused)
