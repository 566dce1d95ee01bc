"""The benchmarks run, and say what they leave out."""

import json
from pathlib import Path

import pytest

from benchmarks import measuring, parse_and_solve, reading_speed, run
from benchmarks.fuzz_reading import fuzz, report


def test_a_short_fuzz_run_finds_nothing_and_is_reproducible() -> None:
    findings = fuzz(400, seed=5)
    assert findings.escaped == []
    assert findings.counts == fuzz(400, seed=5).counts
    assert report(findings, 5).startswith("400 inputs, seed 5: 0 exceptions")


def test_timing_and_tables() -> None:
    calls: list[int] = []
    seconds = measuring.timed(calls.append, [1, 2], repeats=3)
    assert calls == [1, 2] * 4
    assert len(seconds) == 2
    assert "| a | 2 | 3 | at most 1 NOT met |" in measuring.table("T", [measuring.Row("a", 2, "3", "at most 1", False)])


def test_without_shared_data_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(parse_and_solve, "SHARED", tmp_path / "none")
    assert "left out: it needs the shared data folder" in parse_and_solve.measure()
    monkeypatch.setattr(reading_speed, "SHARED", tmp_path / "none")
    assert reading_speed.gsm8k_threads() == []


def test_unknown_benchmarks_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["nothing"]) == 2
    assert "no benchmark 'nothing'" in capsys.readouterr().err


def test_site_threads_pass_through_the_serialiser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    thread = {"title": "T", "question_html": "<p>Q</p>", "answers": [{"html": "<p>x<sup>2</sup> = 4</p>"}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(thread) + "\n", encoding="utf-8")
    monkeypatch.setattr(reading_speed, "SITE", tmp_path)
    assert reading_speed.site_threads()[0].answers == ["x^2 = 4"]
