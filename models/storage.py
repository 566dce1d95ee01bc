"""Models as JSON files: nothing in them is executed, equal models have equal bytes, and a digest names them.

Each file holds a digest of its own content, so that a changed digit is noticed wherever a model is loaded.
"""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from corpus.canonical import canonical_json, digest_of
from corpus.errors import ModelError
from corpus.folders.files import Folder
from corpus.folders.open_files import open_file
from corpus.strict_json import load_json
from models.answer_model import AnswerModel
from models.post_model import PostModel
from models.publication import PublicationModel
from models.system_model import SystemModel
from models.tag_model import TagModel

FORMAT = "wordquarry-model"
VERSION = 2
MAX_BYTES = 4 * 1024 * 1024
Model = PostModel | AnswerModel | SystemModel | PublicationModel | TagModel
_KINDS: Mapping[str, Callable[[dict[str, Any]], Model]] = {
    "posts": PostModel.from_dict,
    "answers": AnswerModel.from_dict,
    "systems": SystemModel.from_dict,
    "publication": PublicationModel.from_dict,
    "tags": TagModel.from_dict,
}
_NAMES: Mapping[type, str] = {
    PostModel: "posts",
    AnswerModel: "answers",
    SystemModel: "systems",
    PublicationModel: "publication",
    TagModel: "tags",
}


def model_bytes(model: Model) -> bytes:
    """The bytes of a model's file: canonical JSON with the digest of the rest, and a line break."""
    content = {"format": FORMAT, "version": VERSION, "kind": _NAMES[type(model)], "model": model.as_dict()}
    digest = _content_digest(content)
    if digest is None:
        raise ModelError("cannot save a model with an infinite or undefined weight; check its training data")
    return (canonical_json(content | {"content_sha256": digest}) + "\n").encode()


def _content_digest(content: Mapping[str, Any]) -> str | None:
    """The SHA-256 of all that a model file says but of the digest itself; None for what no model file can say."""
    try:
        return digest_of({key: value for key, value in content.items() if key != "content_sha256"})
    except (ValueError, RecursionError):
        return None


def digest_of_bytes(content: bytes) -> str:
    """The digest of a model file as manifests show it."""
    return hashlib.sha256(content).hexdigest()[:32]


def save_model(model: Model, path: str, folder: Folder | None = None) -> str:
    """Write a model in one step, below ``folder`` if one is given; returns its digest.

    StoreError where the place cannot be written.
    """
    content = model_bytes(model)
    target = Path(path)
    (folder or Folder.at(target.parent)).write(target.name, content)
    return digest_of_bytes(content)


def load_model(path: str, expected_digest: str | None = None) -> Any:
    """Read a model; ModelError for a file that is missing, damaged, of another kind or version, or another digest.

    Which kind of ``Model`` it is the file says.
    """
    content = _content(path)
    found = digest_of_bytes(content)
    if expected_digest is not None and found != expected_digest:
        raise ModelError(f"{path} has the digest {found}, not {expected_digest}; restore the file or refit the model")
    try:
        data = load_json(content)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is not JSON ({error}); restore the file or run wordquarry train") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelError(f"{path} is not a model of wordquarry; restore the file or run wordquarry train")
    kind = data.get("kind")
    refit = f"refit it with wordquarry train {kind}" if kind in _KINDS else "refit it with wordquarry train"
    if data.get("version") != VERSION:
        raise ModelError(f"{path} has format version {data.get('version')!r}; this code reads {VERSION}; {refit}")
    digest = _content_digest(data)
    if digest is None or data.get("content_sha256") != digest:
        raise ModelError(f"{path} was changed after it was written (its digest differs); restore the file or {refit}")
    if kind not in _KINDS:
        raise ModelError(
            f"{path} holds a model of kind {kind!r}, none of {', '.join(sorted(_KINDS))}; restore the file"
        )
    try:
        return _KINDS[str(kind)](data["model"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        detail = str(error) or type(error).__name__
        raise ModelError(f"{path} is damaged, or made for other features ({detail}); {refit}") from error


def _content(path: str) -> bytes:
    try:
        with open_file(path) as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ModelError(f"cannot read model {path}: {error.strerror}; run wordquarry train") from error
    if len(content) > MAX_BYTES:
        raise ModelError(f"model {path} has more than {MAX_BYTES} bytes; it is not one of wordquarry's")
    return content
