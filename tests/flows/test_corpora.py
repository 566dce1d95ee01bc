"""stats, compare, leaks and export over versions and benchmark files."""

import json
from pathlib import Path

import pytest

from corpus.errors import CorpusError
from flows.command_line.look_commands import export
from flows.corpora import export_corpus, run_doctor, run_leaks, run_stats
from tests.corpus.benchmarks.test_reading import FILES
from tests.flows.command import one_line_failure, wordquarry
from tests.worlds import build_world, question_of

DRAW = f"draw:{FILES / 'draw.json'}"
Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A data folder with one version, and the version's name."""
    workspace, version = build_world(tmp_path_factory.mktemp("corpora"))
    return workspace.data, version.label


def test_from_the_command_line(place: tuple[str, str], tmp_path: Path) -> None:
    data, version = place
    page = tmp_path / "page.html"
    result = wordquarry("stats", version, f"small={DRAW}", "--format", "html", "--out", page, "--data", data)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert "(bad_alignment)" in result.stderr  # each refused record is named
    assert page.read_text(encoding="utf-8").count("<svg") == 2 * 5  # LD, SD, frequencies, top templates, probes
    message = one_line_failure(wordquarry("stats", f"draw:{FILES / 'svamp.json'}", "--data", data))
    assert "it looks like svamp" in message


def test_stats_and_compare(place: tuple[str, str], capsys: Captured) -> None:
    data, version = place
    run_stats(data, [version], (None, False), "json", None)
    plain = json.loads(capsys.readouterr().out)
    assert (plain["version"], plain["problems"], plain["splits"]) == (version, 10, {"train": 10})
    run_stats(data, [version, f"small={DRAW}"], (None, False), "text", None)
    assert capsys.readouterr().out.startswith(f"{version} | small\n")
    run_stats(data, [version, DRAW], ("surface", False), "json", None)
    corpora = json.loads(capsys.readouterr().out)["corpora"]
    assert [one["diversity"]["signature"][:9] for one in corpora] == ["surface:1", "surface:1"]
    run_stats(data, [f"asdiv:{FILES / 'asdiv.xml'}"], (None, False), "markdown", None)
    assert "| problems | 3 |" in capsys.readouterr().out


def test_leaks(place: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    data, version = place
    leaked = tmp_path / "mawps.json"
    text = question_of("site:p03").replace("The sum", "the  SUM").replace("differ", "vary")
    record = {"id": 1, "original_text": text, "segmented_text": text, "equation": "x=1", "ans": 1}
    leaked.write_text(json.dumps([record, "broken"]), encoding="utf-8")
    run_leaks(data, version, [f"mawps:{leaked}"], (0.3, "json"), None)
    shown = capsys.readouterr()
    assert "record 2: a JSON str, not an object (malformed_line)" in shown.err
    (leak,) = json.loads(shown.out)["leaks"]
    assert (leak["kind"], leak["edits"], leak["benchmark"]) == ("near", 1, "mawps")
    assert (leak["text"], leak["benchmark_text"]) == (question_of("site:p03"), text)
    with pytest.raises(CorpusError, match="no benchmarks"):
        run_leaks(data, version, [], (0.3, "text"), None)
    Path(data, "benchmarks.txt").write_text(f"# ours\nmawps:{leaked}\n", encoding="utf-8")
    run_leaks(data, version, [], (0.3, "text"), None)
    assert "near, 1 words differ" in capsys.readouterr().out
    with pytest.raises(CorpusError, match=r"--share 1\.5"):
        run_leaks(data, version, [], (1.5, "text"), None)


def test_doctor(place: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    data, version = place
    rows = [
        {"question": "Ann buys 3 pens at 4 dollars. What does she pay?", "answer": f"3*4 = 12\n#### {said}", "id": said}
        for said in ("12", "notfound")
    ]
    corpus, sheet, cleaned = tmp_path / "rows.jsonl", tmp_path / "sheet.csv", tmp_path / "cleaned.jsonl"
    corpus.write_text("".join(json.dumps(one) + "\n" for one in [*rows, {"question": "Why?"}]), encoding="utf-8")
    run_doctor(data, [f"gsm8k:{corpus}", version], (0.9, True), (None, sheet, cleaned))
    report = json.loads(capsys.readouterr().out)
    assert [(one["id"], one["kind"]) for one in report["findings"]] == [("gsm8k:notfound", "duplicate")]
    assert (report["below"], len(report["not_read"])) == (1, 1)
    assert sheet.read_text(encoding="utf-8").count("\n") == 2
    assert json.loads(cleaned.read_text(encoding="utf-8"))["problem_id"] == "gsm8k:12"
    run_doctor(data, [f"gsm8k:{corpus}"], (0.5, False), (tmp_path / "report.txt", None, None))
    assert "answer: a placeholder; answer: notfound" in (tmp_path / "report.txt").read_text(encoding="utf-8")
    with pytest.raises(CorpusError, match=r"--at-least 1\.5"):
        run_doctor(data, [version], (1.5, False), (None, None, None))


def test_export_into_benchmark_formats(place: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    data, version = place
    draw = tmp_path / "draw.json"
    export_corpus(data, version, "draw", draw)
    assert "10 records, 0 not read, 10 written as DRAW-1K, 0 that the format cannot hold" in capsys.readouterr().err
    run_stats(data, [f"draw:{draw}"], (None, False), "json", None)
    again = json.loads(capsys.readouterr().out)
    assert (again["problems"], again["templates"], again["consistent"]["hits"]) == (10, 1, 10)
    with pytest.raises(CorpusError, match="nothing is written; --skip-bad"):
        export_corpus(data, f"svamp:{FILES / 'svamp.json'}", None, tmp_path / "gold.jsonl")
    assert not (tmp_path / "gold.jsonl").exists()
    export_corpus(data, f"svamp:{FILES / 'svamp.json'}", None, tmp_path / "gold.jsonl", skip_bad=True)
    assert "3 records, 1 not read, 2 written as gold problems" in capsys.readouterr().err
    rows = (tmp_path / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["problem_id"] for row in rows] == ["svamp:ours-0", "svamp:ours-1"]
    export_corpus(data, version, "mathqa", None, skip_bad=True)
    shown = capsys.readouterr()
    assert json.loads(shown.out) == []
    assert "10 that the format cannot hold" in shown.err


def test_a_task_stands_beside_its_rows(place: tuple[str, str], tmp_path: Path) -> None:
    data, version = place
    with pytest.raises(CorpusError, match="is two files"):
        export_corpus(data, version, "lm-eval", None)
    export_corpus(data, version, "lm-eval", tmp_path / "ours.jsonl")
    assert 'task: "ours"' in (tmp_path / "ours.yaml").read_text(encoding="utf-8")
    assert len((tmp_path / "ours.jsonl").read_text(encoding="utf-8").splitlines()) == 10


def test_rows_of_a_dataset_are_a_corpus_too(place: tuple[str, str], tmp_path: Path, capsys: Captured) -> None:
    data, version = place
    rows = tmp_path / "rows.jsonl"
    export(version, rows, data=data)
    run_stats(data, [f"problems:{rows}"], (None, False), "json", None)
    plain = json.loads(capsys.readouterr().out)
    assert (plain["problems"], plain["templates"], plain["linear"]["hits"]) == (10, 1, 10)


@pytest.mark.parametrize(
    ("spec", "profile", "expected"),
    [
        ("csv:file.csv", None, "unknown format 'csv'"),
        ("draw:no-such-file.json", None, "cannot read no-such-file.json"),
        ("nothing", None, "no dataset nothing"),
        (DRAW, "x", "unknown normaliser profile 'x'"),
    ],
)
def test_corpora_that_cannot_be_used(tmp_path: Path, spec: str, profile: str | None, expected: str) -> None:
    with pytest.raises(CorpusError, match=expected):
        run_stats(str(tmp_path / "data"), [spec], (profile, None), "text", None)
