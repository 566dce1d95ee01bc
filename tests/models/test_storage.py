"""Model files: what is refused and how it is said, and that a model survives the way to disk and back."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus.canonical import digest_of
from corpus.errors import ModelError
from models.answer_model import AnswerModel
from models.linear import NamedLogistic
from models.post_model import PostModel
from models.storage import digest_of_bytes, load_model, model_bytes, save_model

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "models"


@pytest.mark.parametrize(("name", "kind"), [("posts", PostModel), ("answers", AnswerModel)])
def test_shipped_models_load_and_save_to_the_same_bytes(name: str, kind: type, tmp_path: Path) -> None:
    path = SHIPPED / f"{name}.json"
    model = load_model(str(path))
    assert isinstance(model, kind)
    digest = save_model(model, str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert load_model(str(tmp_path / "again.json"), expected_digest=digest) == model
    assert path.stat().st_size < 900_000


def changed(tmp_path: Path, **fields: object) -> str:
    content = json.loads((SHIPPED / "answers.json").read_text(encoding="utf-8")) | fields
    del content["content_sha256"]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content | {"content_sha256": digest_of(content)}), encoding="utf-8")
    return str(path)


def without(part: str, name: str) -> dict[str, Any]:
    """The shipped model without a weight."""
    model: dict[str, Any] = json.loads((SHIPPED / "answers.json").read_text(encoding="utf-8"))["model"]
    del model[part]["weights"][name]
    return model


def test_refused_files(tmp_path: Path) -> None:
    cases = [
        (str(tmp_path / "none.json"), "cannot read model .*none.json: No such file"),
        (changed(tmp_path, version=9), "format version 9; this code reads 2; refit it with wordquarry train answers"),
    ]
    for path, said in cases:
        with pytest.raises(ModelError, match=said):
            load_model(path)
    for fields, said in (
        ({"kind": "tables"}, "kind 'tables', none of answers, posts"),
        ({"format": "pickle"}, "not a model of wordquarry"),
        ({"model": {}}, "damaged, or made for other features"),
        ({"model": [1]}, "damaged, or made for other features"),
        ({"model": without("ranking", "agreement")}, "made for other features .other evidence than this code's"),
        ({"model": without("confidence", "log_share")}, "made for other features .other evidence than this code's"),
        ({"model": without("systems", "gives_the_answer")}, "made for other features .other evidence than this code's"),
    ):
        with pytest.raises(ModelError, match=said):
            load_model(changed(tmp_path, **fields))


def test_damaged_json_and_wrong_digest(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes((SHIPPED / "answers.json").read_bytes()[:500])
    with pytest.raises(ModelError, match="is not JSON"):
        load_model(str(path))
    with pytest.raises(ModelError, match=r"has the digest .* not 0000; restore"):
        load_model(str(SHIPPED / "answers.json"), expected_digest="0000")
    path.write_bytes((SHIPPED / "answers.json").read_bytes().replace(b'"kind":', b'"kind":"posts","kind":', 1))
    with pytest.raises(ModelError, match=r'is not JSON \(the key "kind" comes twice in one object; .*; restore'):
        load_model(str(path))


@pytest.mark.parametrize("weight", ["NaN", "1e999", "9" * 4_000, "[" * 900 + "]" * 900])
def test_weights_that_no_model_has(weight: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    text = (SHIPPED / "answers.json").read_text(encoding="utf-8")
    path.write_text(re.sub(r'"agreement":[-0-9.]+', f'"agreement":{weight}', text, count=1), encoding="utf-8")
    with pytest.raises(ModelError, match=r"was changed after it was written|is not JSON"):
        load_model(str(path))


def test_undefined_weights_are_not_saved() -> None:
    model = load_model(str(SHIPPED / "answers.json"))
    for weight in (float("nan"), float("inf")):
        with pytest.raises(ModelError, match="infinite or undefined"):
            model_bytes(replace(model, confidence=NamedLogistic({}, weight)))


def test_digest_is_that_of_the_bytes() -> None:
    # sha256 of the three bytes "abc", first half
    assert digest_of_bytes(b"abc") == "ba7816bf8f01cfea414140de5dae2223"
