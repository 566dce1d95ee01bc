"""The whole hostile corpus through every stage command, in processes whose memory is limited."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.hostile import hostile_cases
from curation.stages.registry import BY_NAME
from flows.stage_command import NAMES
from tests.flows.command import ROOT, environment
from tests.models.test_tag_model import with_tag_model
from tests.tiers import in_turn

MEMORY_LIMIT = 4 << 30
"""Bytes of address space of one command: a model maps SciPy and scikit-learn, which take 2 GiB before any input."""
PURE_LIMIT = 1 << 30
"""The same for stages that load no model."""
LONGEST = 300_000
"""Characters of one field: more than is read, and as escapes in two fields still a line below 4 MiB."""
CODES = {"bad_input", "malformed", "too_large", "unsupported"}


def _record(name: str, identifier: str, texts: list[str]) -> dict[str, object]:
    """One record with the hostile texts in every field that the stage reads; a line of JSON Lines stays below 4 MiB."""
    text = "\n".join(texts)[:LONGEST]
    if name in ("numbers", "parse-answer", "diversity"):
        return {"id": identifier, "text": text}
    if name in ("solve", "templates", "tags"):
        return {"id": identifier, "question": text[:10_000], "equations": texts}
    return {"id": identifier, "question": text, "answers": [{"text": text}]}


def _limited(name: str, source: Path, sink: Path, data: Path) -> subprocess.CompletedProcess[str]:
    limit = MEMORY_LIMIT if name in ("answers", "tags", *BY_NAME) else PURE_LIMIT
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", "stage", name, str(source), str(sink), "--data", str(data)],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(threads),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("name", in_turn(sorted(NAMES), 6))
def test_every_hostile_record_has_its_line_under_a_memory_limit(name: str, tmp_path: Path) -> None:
    cases = list(hostile_cases())
    source, sink = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    records = [_record(name, identifier, texts) for identifier, texts in cases]
    if name == "templates":
        records += [{"id": f"template-{identifier}", "template": texts} for identifier, texts in cases]
    source.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="ascii")
    if name == "tags":
        with_tag_model(tmp_path / "data")
    result = _limited(name, source, sink, tmp_path / "data")
    assert result.returncode == 0, result.stderr[-2000:]
    assert "Traceback" not in result.stderr
    out = [json.loads(line) for line in sink.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in out] == [record["id"] for record in records]
    assert {row["error"]["code"] for row in out if "error" in row} <= CODES
