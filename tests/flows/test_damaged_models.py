"""A model file with one flipped digit, or of the form without a digest, is refused by every command that loads it."""

import json
from pathlib import Path

import pytest

from corpus.canonical import digest_of
from corpus.errors import ModelError
from corpus.workspace import BUNDLED, Workspace
from curation.building.running import stage_keys
from curation.stages.registry import BuildConfig
from flows.stage_command import StageOptions, run_stage_command
from tests.flows.command import one_line_failure, wordquarry

THREAD = '{"id": "t1", "question": "3 + 4?", "answers": [{"text": "3 + 4 = 7"}]}\n'


def flipped(data: Path, kind: str) -> Path:
    """A data folder whose own model of one kind has another digit in the middle of the file."""
    text = (BUNDLED / "models" / f"{kind}.json").read_text(encoding="utf-8")
    place = next(at for at in range(len(text) // 2, len(text)) if text[at] in "12345678" and text[at - 1].isdigit())
    target = data / "models" / f"{kind}.json"
    target.parent.mkdir(parents=True)
    target.write_text(text[:place] + str(int(text[place]) + 1) + text[place + 1 :], encoding="utf-8")
    return target


@pytest.mark.parametrize(
    ("stage", "kind"), [("classify", "posts"), ("answers", "answers"), ("answers", "systems"), ("equations", "answers")]
)
def test_flipped_digit_is_noticed_by_stages_and_before_any_stage_of_a_build(
    stage: str, kind: str, tmp_path: Path
) -> None:
    path = flipped(tmp_path / "data", kind)
    said = rf"{path} was changed after it was written .*; restore the file or refit it with wordquarry train {kind}$"
    (tmp_path / "in").write_text(THREAD, encoding="utf-8")
    with pytest.raises(ModelError, match=said):
        run_stage_command(
            stage, (tmp_path / "in", tmp_path / "out"), StageOptions(str(tmp_path / "data"), None, 2, False)
        )
    with pytest.raises(ModelError, match=said):
        stage_keys(Workspace(str(tmp_path / "data")), "0", BuildConfig())


def test_stage_and_build_end_with_one_line_and_publish_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    path = flipped(data, "answers")
    (tmp_path / "in").write_text(THREAD, encoding="utf-8")
    staged = one_line_failure(wordquarry("stage", "answers", tmp_path / "in", tmp_path / "out", "--data", data))
    built = one_line_failure(wordquarry("build", "--posts", tmp_path / "in", "--data", data))
    for said in (staged, built):
        assert f"{path} was changed after it was written" in said
        assert "refit it with wordquarry train answers" in said
    assert not (data / "versions").exists()


def test_files_without_a_digest_are_refused_with_the_command_that_refits_them(tmp_path: Path) -> None:
    path = flipped(tmp_path, "posts")
    content = json.loads((BUNDLED / "models" / "posts.json").read_text(encoding="utf-8"))
    del content["content_sha256"]
    for version, said in ((1, "has format version 1; this code reads 2"), (2, "was changed after it was written")):
        path.write_text(json.dumps(content | {"version": version}), encoding="utf-8")
        with pytest.raises(ModelError, match=rf"{path} {said}.*refit it with wordquarry train posts$"):
            stage_keys(Workspace(str(tmp_path)), "0", BuildConfig())


def test_a_post_model_of_hand_made_features_ends_with_one_line_that_says_to_refit(tmp_path: Path) -> None:
    path = flipped(tmp_path / "data", "posts")
    content = json.loads((BUNDLED / "models" / "posts.json").read_text(encoding="utf-8"))
    del content["content_sha256"]
    new = content["model"]
    old = {"structure": {"no_numbers": [0.0] * 6}, "grams": [[0.0] * 4096] * 6, "slope": 1.0, "offset": 0.0}
    narrow = new | {"weights": [row[1:] for row in new["weights"]]}
    for model in ({"outcomes": new["outcomes"]} | old, new | {"counts": ["no_numbers"]}, narrow):
        changed = content | {"model": model}
        path.write_text(json.dumps(changed | {"content_sha256": digest_of(changed)}), encoding="utf-8")
        (tmp_path / "in").write_text(THREAD, encoding="utf-8")
        said = one_line_failure(wordquarry("stage", "classify", tmp_path / "in", "--data", tmp_path / "data"))
        assert f"{path} is damaged, or made for other features" in said
        assert said.endswith("refit it with wordquarry train posts")
