"""Cases as data: one JSON object a line with id, label, text and expect."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "cases"


def cases(name: str) -> list[Any]:
    """The cases of one file as parameters; label ``known_failure`` marks a strict expected failure."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")
    parameters = []
    for line in filter(None, lines):
        case = json.loads(line)
        marks = [pytest.mark.xfail(strict=True)] if case["label"] == "known_failure" else []
        parameters.append(pytest.param(case["text"], case["expect"], id=case["id"], marks=marks))
    return parameters
