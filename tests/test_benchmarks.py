"""The benchmarks run, and say what they leave out."""

import json
from pathlib import Path

import pytest

from benchmarks import crawl_speed, dump_files, ingest_speed, measuring, reading_speed, run, sources_speed
from benchmarks.fuzz_reading import fuzz, report
from benchmarks.grade_pairs import FAMILIES, grade_pairs, graded_pairs
from benchmarks.peers import generated_table
from benchmarks.year import FIRST, GROWTH, site_of
from crawlers.parsers.pages import parse_thread
from evaluation.recorded_figures import read_records


def test_a_short_fuzz_run_finds_nothing_and_is_reproducible() -> None:
    findings = fuzz(400, seed=5)
    assert findings.escaped == []
    assert findings.counts == fuzz(400, seed=5).counts
    assert report(findings, 5).startswith("400 inputs, seed 5: 0 exceptions")


def test_no_generated_pair_is_falsely_right() -> None:
    tally = graded_pairs(2_000)
    assert tally.false_rights == ()
    assert {pair.family for pair in grade_pairs(2_000)} == {family.__name__ for family in FAMILIES}
    same = sum(count for (_, same, _), count in tally.marks.items() if same)
    right = sum(count for (_, same, mark), count in tally.marks.items() if same and mark == "right")
    assert right / same > 0.97, "and what says the same is called right"
    assert "2000, 0 falsely right" in generated_table(tally)


def test_timing_and_tables() -> None:
    calls: list[int] = []
    seconds = measuring.timed(calls.append, [1, 2], repeats=3)
    assert calls == [1, 2] * 4
    assert len(seconds) == 2
    assert "| a | 2 | 3 | at most 1 NOT met |" in measuring.table("T", [measuring.Row("a", 2, "3", "at most 1", False)])


def test_without_shared_data_there_are_no_threads_of_gsm8k(tmp_path: Path) -> None:
    assert reading_speed.gsm8k_threads(tmp_path / "none") == []


def test_tables_are_kept_as_data(tmp_path: Path) -> None:
    shown = measuring.table("T", [measuring.Row("a", 2, "3", "at most 1", False)], "Seed 7.")
    assert run.main(["small"], {"small": lambda: shown}, tmp_path) == 0
    assert not (tmp_path / "docs").exists()
    assert run.main(["small", "--record"], {"small": lambda: shown}, tmp_path) == 0
    found = read_records(tmp_path / "docs" / "figures")["small"]
    assert (found.command, found.rule) == ("python -m benchmarks.run small", "Seed 7.")
    assert run.main(["small", "3", "--record", "smaller"], {"small": lambda size: f"{shown}{size}"}, tmp_path) == 0
    assert read_records(tmp_path / "docs" / "figures")["smaller"].command == "python -m benchmarks.run small 3"
    assert found.table("what").cell("a", "target") == "at most 1 NOT met"


def test_each_benchmark_has_a_record() -> None:
    found = read_records(measuring.ROOT / "docs" / "figures").values()
    recorded = {record.command.split()[3] for record in found if record.command.startswith("python -m benchmarks.run ")}
    assert recorded == set(run.BENCHMARKS)


def test_help_says_what_there_is_and_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--help"]) == 0
    assert capsys.readouterr().out.endswith(f"NAME: {', '.join(run.BENCHMARKS)}\n")


def test_unknown_benchmarks_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["nothing"]) == 2
    assert "no benchmark 'nothing'" in capsys.readouterr().err


def test_site_threads_pass_through_the_serialiser(tmp_path: Path) -> None:
    thread = {"title": "T", "question_html": "<p>Q</p>", "answers": [{"html": "<p>x<sup>2</sup> = 4</p>"}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(thread) + "\n", encoding="utf-8")
    assert reading_speed.site_threads(tmp_path)[0].answers == ["x^2 = 4"]


def test_every_kind_of_page_is_measured_as_a_thread() -> None:
    for name in dump_files.NAMES:
        url = dump_files.ADDRESSES.get(name, "https://forum.example/t/17")
        assert parse_thread(dump_files.page_of(name), url) is not None, name
    shown = sources_speed.measure_pages(repeats=1)
    assert shown.count("of bare lxml") == len(dump_files.NAMES) + 3


def test_dumps_are_measured_to_their_last_record(tmp_path: Path) -> None:
    assert sources_speed.measure(megabytes=0.2, repeats=1).count("/s") >= 8
    for kind in ("stackexchange", "yahoo", "warc"):
        path = tmp_path / kind
        assert dump_files.write(kind, 0.2, path) == path.stat().st_size >= 200_000
        shown = sources_speed.memory(kind, path, str(tmp_path / f"data-{kind}"))
        assert " 0 faults" in shown
        assert shown.endswith("failure: None")


def test_a_crawl_and_an_ingest_are_timed_beside_their_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = crawl_speed.measure(threads=40, repeats=1)
    assert shown.count("| 42 |") == 5, "40 threads and two listing pages"
    monkeypatch.delenv("DATATROVE_PYTHON", raising=False)
    shown = ingest_speed.measure(posts=40, repeats=1)
    assert shown.count("| 40 |") == 3
    assert "datatrove is left out" in shown


def test_the_site_of_the_nights_grows_changes_and_dies() -> None:
    def threads(night: int) -> dict[str, str]:
        return {str(json.loads(line)["id"]): line for line in site_of(night)}

    first, middle, last = threads(0), threads(13), threads(25)
    assert len(first) == FIRST
    assert threads(13) == middle, "nothing but the night decides"
    assert len(middle) > len(first) + GROWTH * 10
    assert len(last) > len(middle)
    assert set(first) - set(middle), "some threads are gone"
    assert any(first[name] != middle[name] for name in set(first) & set(middle)), "some have a new answer"
