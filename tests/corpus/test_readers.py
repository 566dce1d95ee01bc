"""What others read: ``datasets.load_dataset`` offline and mlcroissant, each in a process without network use."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from corpus.folders.files import Folder
from corpus.records import Problem, Provenance, TrainingRow
from corpus.versioning.row_groups import Cuts
from corpus.versioning.versions import Version, Versions
from tests.corpus.samples import every_field, problems, release, source_answers, source_post

# Connecting anywhere is an error, so that "offline" is no matter of luck.
NO_NETWORK = """
import json, logging, socket, sys
def refuse(*arguments, **options):
    raise AssertionError("no network in this test")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""

DATASETS = """
import datasets
loaded = datasets.load_dataset(sys.argv[1], *sys.argv[2:])
features = loaded["train"].features
print(json.dumps({"features": repr(features), "rows": {split: list(rows) for split, rows in loaded.items()}}))
"""

CROISSANT = """
import mlcroissant
logging.disable(logging.WARNING)
data = mlcroissant.Dataset(jsonld=sys.argv[1] + "/croissant.json")
def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.item() if hasattr(value, "item") else value
rows = {part.uuid: [plain(row) for row in data.records(part.uuid)] for part in data.metadata.record_sets}
issues = data.metadata.issues
print(json.dumps({"errors": sorted(issues.errors), "warnings": sorted(issues.warnings), "rows": rows}))
"""


def run(script: str, folder: Path, home: Path, *arguments: str) -> dict[str, Any]:
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    environment |= {"HOME": str(home), "CROISSANT_CACHE": str(home / "croissant")}
    command = [sys.executable, "-c", NO_NETWORK + script, str(folder), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


PROVENANCE_ROWS = [
    Provenance(
        **row.model_dump(exclude={"question"}),
        answer_id=None,
        retrieved_at=f"2026-05-{number + 1:02d}T10:00:00Z",
        response_sha256=None,
        parser="forum@1",
    )
    for number, row in enumerate(map(source_post, problems()))
]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Version:
    """A version with three splits, the train split in three files, and a name and title that YAML would misread."""
    versions = Versions(Folder.at(tmp_path_factory.mktemp("versions")), cuts=Cuts(file=3))
    return versions.publish(release("001", "Ages: half of them # all", provenance=PROVENANCE_ROWS))[0]


def small_rows_of(split: str, version: Version) -> list[dict[str, Any]]:
    found = {row.problem_id for row in problems() if row.split == split}
    return [json.loads(row.model_dump_json()) for row in version.training_rows() if row.id in found]


def rows_of(split: str) -> list[dict[str, Any]]:
    rows = sorted((row for row in problems() if row.split == split), key=lambda row: row.problem_id)
    return [every_field(row) | json.loads(row.model_dump_json()) for row in rows]


@pytest.mark.full
def test_datasets_reads_every_split_and_column_offline(published: Version, tmp_path: Path) -> None:
    small = run(DATASETS, Path(published.folder.path), tmp_path)["rows"]
    assert list(small) == ["train", "validation", "test"]
    for split, rows in small.items():
        assert rows == small_rows_of(split, published), split
    found = run(DATASETS, Path(published.folder.path), tmp_path, "full")
    assert list(found["rows"]) == ["train", "validation", "test"]
    for split, rows in found["rows"].items():
        assert rows == rows_of(split), split
    span = "{'answer_id': Value('string'), 'start': Value('int64'), 'end': Value('int64'), 'raw': Value('string')}"
    assert f"'answer_spans': List({span})" in found["features"]
    assert "'solutions': List(List(Value('string')))" in found["features"]
    assert "'answer_exact': List(Value('string'))" in found["features"]
    assert "'answer_confidence': Value('float64')" in found["features"]
    assert "'linear': Value('bool')" in found["features"]


def test_mlcroissant_finds_no_error_and_reads_the_records(published: Version, tmp_path: Path) -> None:
    found = run(CROISSANT, Path(published.folder.path), tmp_path)
    assert found["errors"] == []
    assert found["warnings"] == []
    beside = {name: found["rows"].pop(name) for name in ("answers", "posts", "provenance")}
    for split in ("train", "validation", "test"):
        assert [row["id"] for row in found["rows"][split]] == [row["problem_id"] for row in rows_of(split)]
        assert found["rows"][f"full-{split}"] == [without_deep_columns(row) for row in rows_of(split)], split
    answers = [answer for row in problems() for answer in source_answers(row)]
    assert beside == {
        "answers": [row.model_dump(mode="json") for row in answers],
        "posts": [source_post(row).model_dump(mode="json") for row in problems()],
        "provenance": [row.model_dump(mode="json") for row in PROVENANCE_ROWS],
    }


def without_deep_columns(row: dict[str, Any]) -> dict[str, Any]:
    """A problem as mlcroissant can read it, which knows no records within records."""
    steps = [{"name": step["name"]} for step in row["cleaning_steps"]]
    return {**row, "cleaning_steps": steps}


def test_the_metadata_names_every_file_with_its_digest_and_every_column(published: Version) -> None:
    metadata = json.loads(published.folder.read("croissant.json"))
    files = {entry["contentUrl"]: entry["sha256"] for entry in metadata["distribution"] if "sha256" in entry}
    assert files == {path: published.manifest["files"][path]["sha256"] for path in files}
    assert len(files) == 13
    assert metadata["version"] == f"1.0.0+{published.version_id}"
    for place, record_set in enumerate(metadata["recordSet"][:6]):
        columns = [field["@id"].removeprefix(f"{record_set['name']}/") for field in record_set["field"]]
        assert columns == list((TrainingRow if place < 3 else Problem).model_fields)
    identifiers = [entry["@id"] for part in ("distribution", "recordSet") for entry in metadata[part]]
    assert len(set(identifiers)) == len(identifiers) == 28


@pytest.mark.full
def test_datasets_reads_development_and_evaluation_parts(tmp_path: Path) -> None:
    parts = [
        row.model_copy(update={"split": ("development", "evaluation")[place % 2]})
        for place, row in enumerate(problems())
    ]
    versions = Versions(Folder.at(tmp_path / "versions"))
    version, _ = versions.publish(release(rows=parts))
    script = DATASETS.replace('loaded["train"]', 'loaded["development"]')
    read = run(script, Path(str(version.folder)), tmp_path)["rows"]
    assert {split: len(rows) for split, rows in read.items()} == {"development": 6, "evaluation": 5}
