"""Sampling, sheets, their page, and the precision they give."""

import base64
import hashlib
import html
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from audits.sheets.audit_sheets import Sheet, page_of, read_sheet, save_sheet
from audits.sheets.drawing import Draw, Unit, allocate, make_sheet, sample, stratified, write_sample
from audits.sheets.keeping import Keeper
from audits.sheets.precision import attach, report_of
from audits.sheets.verdict_log import GivenVerdict
from corpus.errors import InputError
from corpus.versioning.gate_verdicts import audit_lines
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from flows.command_line.judge_commands import audit
from tests.worlds import Plan, build_world

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp; \u2028 \"'"


def _units(count: int, stratum: str = "a") -> list[Unit]:
    return [Unit(f"{stratum}:{place}", stratum, "kept", "q", ("1",)) for place in range(count)]


def test_sample_does_not_depend_on_order() -> None:
    units = _units(40) + _units(8, "b")
    shuffled = random.Random(1).sample(units, len(units))
    assert stratified(units, 12, 7) == stratified(shuffled, 12, 7)
    assert [unit.post_id for unit in stratified(units, 12, 7)[0]] != [
        unit.post_id for unit in stratified(units, 12, 8)[0]
    ]


def test_a_larger_sample_holds_the_smaller_one() -> None:
    units = _units(40) + _units(8, "b")
    small, large = ({unit.post_id for unit in stratified(units, n, 7)[0]} for n in (12, 24))
    assert small < large


def test_small_strata_are_seen() -> None:
    assert allocate({"a": 1000, "b": 3, "c": 40}, 20) == {"a": 14, "b": 3, "c": 3}
    assert allocate({"a": 2, "b": 3}, 200) == {"a": 2, "b": 3}
    assert sum(allocate({"a": 7, "b": 5, "c": 9}, 1).values()) == 1


def test_strata_of_answers(tmp_path: Path) -> None:
    confidence = {f"site:p{place:02d}": 0.5 + place / 20 for place in range(10)}
    workspace, version = build_world(tmp_path, Plan(confidence=confidence, without_equations=("site:p00",)))
    units, strata = sample(workspace, version, Draw("answers", 200, 7))
    assert {one.stratum: one.population for one in strata} == {
        "confidence high, confirmed": 3,
        "confidence low, confirmed": 3,
        "confidence low, undecided": 1,
        "confidence middle, confirmed": 3,
    }
    assert len(units) == 10
    for unit in units:
        texts = {answer.answer_id: answer.text for answer in unit.answers}
        assert unit.spans
        assert all(texts[span.answer_id][span.start : span.end] == span.raw for span in unit.spans)
    _, strata = sample(workspace, version, Draw("equations", 200, 7))
    assert [(one.stratum, one.population) for one in strata] == [("votes 2, linear", 9)]


def test_scope_sample_has_dropped_posts_too(world: tuple[Workspace, Version]) -> None:
    units, strata = sample(*world, Draw("in_scope", 200, 7))
    assert [(one.stratum, one.group, one.population) for one in strata] == [
        ("dropped, probability 0.1 to 0.3", "dropped", 1),
        ("kept, probability 0.9 to 1", "kept", 17),
    ]
    dropped = next(unit for unit in units if unit.group == "dropped")
    assert (dropped.post_id, dropped.values) == ("site:p11", ("out of scope",))
    assert dropped.facts["why"] == "because of college_level"


@pytest.mark.rows(("stage", "n", "message"), [("clean", 5, "cannot audit stage 'clean'"), ("answers", 0, "--n")])
def test_draws_that_make_no_sense(stage: str, n: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Draw(stage, n, 7)


def test_sheet_is_resumed(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    written = write_sample(*world, Draw("answers", 6, 7), tmp_path)
    assert (len(written[1].rows), written[1].judged) == (6, 0)
    sheet = read_sheet(written[0])
    first = sheet.rows[0].post_id
    save_sheet(sheet.with_verdict(first, "wrong", "other value"), written[0])
    again = write_sample(*world, Draw("answers", 6, 7), tmp_path)
    assert again[1].judged == 1
    row = read_sheet(again[0]).rows[0]
    assert (row.post_id, row.verdict, row.note) == (first, "wrong", "other value")
    assert 'value="wrong" checked' in again[0].with_suffix(".html").read_text(encoding="utf-8")


def test_header_says_what_the_sheet_is(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    written = write_sample(*world, Draw("answers", 4, 3), tmp_path)
    header = json.loads(written[0].read_text(encoding="utf-8").splitlines()[0])
    assert (header["version"], header["stage"], header["seed"], header["n"]) == (world[1].label, "answers", 3, 4)
    assert sum(stratum["population"] for stratum in header["strata"]) == 10
    row = json.loads(written[0].read_text(encoding="utf-8").splitlines()[1])
    assert row["verdict"] is None


def _edited(sheet: Path, place: int, **fields: object) -> None:
    lines = sheet.read_text(encoding="utf-8").splitlines()
    lines[place] = json.dumps({**json.loads(lines[place]), **fields})
    sheet.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("place", "fields", "message"),
    [
        (2, {"verdict": "maybe"}, r"jsonl:3: verdict: must be 'right', 'wrong' or 'unsure'"),
        (2, {"values": ["9"]}, "change only verdict and note"),
        (2, {"stratum": "other"}, "change only verdict and note"),
        (0, {"seed": 8}, "change only verdict and note"),
        (0, {"stage": "clean"}, "cannot audit stage 'clean'"),
        (0, {"format": 2}, r"jsonl:1: format: .* not the first line of a sheet"),
    ],
)
def test_tampered_sheets_are_refused(
    world: tuple[Workspace, Version], tmp_path: Path, place: int, fields: dict[str, object], message: str
) -> None:
    sheet = write_sample(*world, Draw("answers", 4, 7), tmp_path)[0]
    _edited(sheet, place, **fields)
    with pytest.raises(InputError, match=message) as raised:
        read_sheet(sheet)
    assert "\n" not in str(raised.value)


def test_lost_rows_and_other_files_are_refused(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    sheet = write_sample(*world, Draw("answers", 4, 7), tmp_path)[0]
    lines = sheet.read_text(encoding="utf-8").splitlines(keepends=True)
    sheet.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match="its 3 rows are not those"):
        write_sample(*world, Draw("answers", 4, 7), tmp_path)
    sheet.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        read_sheet(sheet)


def test_page_escapes_what_posts_say(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path / "data", Plan(texts={"site:p00": HOSTILE}))
    written = write_sample(workspace, version, Draw("answers", 50, 7), tmp_path)
    page = written[0].with_suffix(".html").read_text(encoding="utf-8")
    assert HOSTILE in written[0].read_text(encoding="utf-8").replace('\\"', '"')
    assert "<img" not in page
    assert "alert(1)</script>" not in page
    assert page.count("<script") == 2
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert "src=" not in page.replace("src=x", "").replace("script-src", "").replace("style-src", "")
    assert '<mark class="answer">' in page
    assert "default-src &#39;none&#39;" in page


def test_policy_names_exactly_our_script_and_style(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    page = write_sample(*world, Draw("answers", 4, 7), tmp_path)[0].with_suffix(".html").read_text(encoding="utf-8")
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        content = page.split(f"<{tag}>")[1].split(f"</{tag}>")[0]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in html.unescape(page)


def test_script_addresses_are_no_links(world: tuple[Workspace, Version]) -> None:
    units, strata = sample(*world, Draw("answers", 1, 7))
    bad = replace(units[0], url="javascript:alert(1)")
    page = page_of(make_sheet("v/1", Draw("answers", 1, 7), [bad], strata))
    assert 'href="javascript' not in page


def _judged(sheet: Sheet, verdicts: dict[str, list[str | None]]) -> Sheet:
    """Give the rows of each group of strata the verdicts listed, in sheet order."""
    waiting = {name: list(values) for name, values in verdicts.items()}
    for row in sheet.rows:
        verdict = waiting[row.stratum].pop(0)
        sheet = sheet.with_verdict(row.post_id, verdict, "")  # type: ignore[arg-type]
    return sheet


def test_precision_by_stratum_and_overall(tmp_path: Path) -> None:
    confidence = {f"site:p{place:02d}": 0.9 for place in range(8)}
    workspace, version = build_world(
        tmp_path / "data", Plan(confidence=confidence, without_equations=("site:p00", "site:p01"))
    )
    written = write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)
    sheet = _judged(
        read_sheet(written[0]),
        {
            "confidence low, confirmed": ["right"] * 5 + ["wrong", "unsure", None],
            "confidence low, undecided": ["right", "wrong"],
        },
    )
    report = report_of(sheet)
    # 0.8 * 5/6 + 0.2 * 1/2; counting the unsure row as wrong 0.8 * 5/7 + 0.2 * 1/2
    assert report.precision.value == pytest.approx(0.8 * 5 / 6 + 0.1)
    assert report.strict.value == pytest.approx(0.8 * 5 / 7 + 0.1)
    assert (report.unsure, report.open, report.precision.n) == (1, 1, 8)
    assert (report.recall, report.dropped_right) == (None, None)
    assert "unsure 1, without a verdict 1" in report.text()


def test_the_report_as_json_is_what_is_attached(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workspace, version = build_world(tmp_path / "data")
    path = write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)[0]
    sheet = read_sheet(path)
    save_sheet(sheet.with_verdict(sheet.rows[0].post_id, "right", ""), path)
    audit(path, True, workspace.data)
    assert json.loads(capsys.readouterr().out) == workspace.versions.open(version.label).manifest["audits"][0]


def test_report_is_attached_once(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path / "data")
    written = write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)
    sheet = read_sheet(written[0])
    for verdict in ("wrong", "right"):
        for row in sheet.rows:
            sheet = sheet.with_verdict(row.post_id, verdict, "")  # type: ignore[arg-type]
        attach(workspace, report_of(sheet))
    audits = workspace.versions.open(version.label).manifest["audits"]
    assert [audit["sheet_id"] for audit in audits] == [sheet.header.sheet_id]
    assert audits[0]["precision"]["value"] == 1.0
    assert audits[0]["strata"][0]["n"] == 10


def test_the_widest_sheet_is_told_first_and_what_nobody_judged(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path / "data")
    sizes = (2, 10, 4)
    for seed, size in enumerate(sizes):
        version = workspace.versions.open(version.label)
        sheet = read_sheet(write_sample(workspace, version, Draw("answers", 10, seed), tmp_path)[0])
        for row in sheet.rows[:size]:
            sheet = sheet.with_verdict(row.post_id, "right", "")
        attach(workspace, report_of(sheet))
    told = audit_lines(workspace.versions.open(version.label).manifest)
    assert [text.partition("(n=")[2].partition(")")[0] for _, _, text in told] == ["10", "4", "2"]
    manifest = {"audits": [{"stage": "answers", "precision": {"value": 1, "low": 0.5, "high": 1, "n": 3, "unseen": 7,
                                                               "population": 9}}]}  # fmt: skip
    assert audit_lines(manifest)[0][2] == "100.0 % [50.0, 100.0] (n=3), 7 of 9 in strata not judged"


def test_a_report_takes_the_log_and_names_what_two_judged_differently(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path / "data")
    path = write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)[0]
    first, second, third = (row.post_id for row in read_sheet(path).rows[:3])
    said: list[str] = []
    keeper = Keeper(path, said.append)
    for post_id, verdict, page in ((first, "right", "a"), (first, "wrong", "b"), (second, "right", "a")):
        keeper.take(GivenVerdict(row_id=post_id, verdict=verdict, by=page))
    save_sheet(read_sheet(path).with_verdict(third, "unsure", "by hand"), path)
    report = report_of(read_sheet(path))
    assert (report.precision.n, report.unsure, report.open) == (2, 1, 7)
    assert report.contradicted == (f"{first} wrong, before right",)
    assert report.text().endswith(f"the later one counts: {first} wrong, before right")
    assert report.as_dict()["contradicted"] == 1
    before = path.read_bytes() + b"\n"
    path.write_bytes(before)
    again = write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)
    assert (again[1].judged, path.read_bytes()) == (3, before), "a sheet that is there stays as it is"
    assert again[0].with_suffix(".html").read_text(encoding="utf-8").count(" checked") == 3
    path.unlink()
    assert write_sample(workspace, version, Draw("answers", 10, 7), tmp_path)[1].judged == 2, "the log is still there"
    keeper.take(GivenVerdict(row_id=first, verdict="right", by="a", base=keeper.last))
    assert report_of(read_sheet(path)).contradicted == ()


def test_recall_from_dropped_posts(tmp_path: Path) -> None:
    fates = {f"site:p{place:02d}": ("classify", "college_level") for place in range(15, 19)}
    workspace, version = build_world(tmp_path / "data", Plan(fates=fates))
    written = write_sample(workspace, version, Draw("in_scope", 100, 7), tmp_path)
    sheet = _judged(
        read_sheet(written[0]),
        {
            "kept, probability 0.9 to 1": ["right"] * 12 + ["wrong"] * 3,
            "dropped, probability 0.1 to 0.3": ["right", "right", "right", "wrong"],
        },
    )
    report = report_of(sheet)
    # 15 kept, 12 of them in scope; 4 dropped, 1 of them in scope: recall 12/13
    assert report.precision.value == pytest.approx(0.8)
    assert report.dropped_right is not None
    assert report.dropped_right.value == pytest.approx(0.75)
    assert report.recall is not None
    assert report.recall.value == pytest.approx(12 / 13)
    assert report.recall.low < 12 / 13 < report.recall.high
    assert "recall 92.3 %" in report.text()


def test_a_sheet_without_verdicts_is_no_audit(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    sheet = read_sheet(write_sample(*world, Draw("answers", 4, 7), tmp_path)[0])
    with pytest.raises(InputError, match="has 4 rows and no verdict"):
        report_of(sheet)
    unsure = sheet.with_verdict(sheet.rows[0].post_id, "unsure", "")
    with pytest.raises(InputError, match="no verdict of right or wrong"):
        report_of(unsure)
    with pytest.raises(InputError, match="is not on sheet"):
        sheet.with_verdict("nowhere:1", "right", "")
    with pytest.raises(InputError, match="the limit is 2000"):
        sheet.with_verdict(sheet.rows[0].post_id, "right", "x" * 2001)
