"""The table of personal data: what the lines of our own give, and what it says of a miss and of damage."""

import json
from pathlib import Path

from evaluation.gold_corpora.personal_data import DAMAGED, FOUND, PersonalLine, left_of, privacy

LINES = Path(__file__).resolve().parents[3] / "data" / "own" / "privacy.jsonl"


def test_lines_of_our_own_hold_what_is_promised(tmp_path: Path) -> None:
    report = privacy(LINES, tmp_path)
    asked = [share for share in report.shares if share.target is not None]
    assert {share.target for share in asked} == {FOUND, 100 - DAMAGED}
    assert all(share.met for share in asked)
    maths = sum(share.proportion.n for share in asked if "maths" in share.name)
    lines = LINES.read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 400
    assert 2 * maths >= len(lines)


def test_spans_are_those_of_their_lines() -> None:
    for row in map(json.loads, LINES.read_text(encoding="utf-8").splitlines()):
        assert bool(row["spans"]) == (row["kind"] == "personal"), row["id"]
        assert all(row["text"][start:end].strip() == row["text"][start:end] != "" for start, end, _ in row["spans"])


def test_a_half_found_number_is_a_miss_and_a_changed_sum_is_damage(tmp_path: Path) -> None:
    assert left_of(PersonalLine("1", "a", "call 555-123-4567 now", ((5, 21, "phones"),))) == ((False,), False)
    path = tmp_path / "lines.jsonl"
    rows = [
        {"id": "p", "part": "x", "kind": "personal", "text": "Bruno sings", "spans": [[0, 5, "names"]]},
        {"id": "m", "part": "x", "kind": "maths", "text": "my name is Gertrude", "spans": []},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = privacy(path, tmp_path)
    assert [(failure.id, failure.kind) for failure in report.failures] == [("p", "names left"), ("m", "maths damaged")]
    assert not any(share.met for share in report.shares if share.target is not None)
