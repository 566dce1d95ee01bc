"""Several annotators of one sheet: who gets which row, what they disagree on, a third verdict, one sheet in the end."""

import json
from pathlib import Path
from typing import Any

import pytest

from audits.sheets.agreement_report import agreement_of
from audits.sheets.annotators import Annotated, merge_verdicts, read_annotated, split_sheet
from audits.sheets.audit_sheets import Group, StratumHeader, read_sheet, save_sheet
from audits.sheets.drawing import Draw, Unit, make_sheet
from audits.sheets.keeping import sole_writer
from audits.sheets.precision import report_of
from corpus.errors import CorpusError, InputError, StoreError
from flows.command_line.judge_commands import sheet_agreement, sheet_disagreements, sheet_merge, sheet_split
from tests.audits.sheets.sheet_files import edit, verdicts

ROWS = 20


def whole_sheet(folder: Path, version: str = "demo/0123456789ab") -> Path:
    """Sixteen rows of stratum ``high`` and four of ``low``."""
    units = [
        Unit(f"site:{place}", "low" if place % 5 == 4 else "high", Group.KEPT, f"How many are {place} and 1?", ("1",))
        for place in range(ROWS)
    ]
    strata = [
        StratumHeader(stratum="high", group=Group.KEPT, population=160, sampled=16),
        StratumHeader(stratum="low", group=Group.KEPT, population=40, sampled=4),
    ]
    path = folder / "sheet.jsonl"
    save_sheet(make_sheet(version, Draw("answers", ROWS, 7), units, strata), path)
    return path


def parts(folder: Path, overlap: float = 1.0, names: str = "ann,bob") -> list[Path]:
    """The sheets of annotators, of a whole sheet in the folder."""
    sheet_split(whole_sheet(folder), names, overlap)
    return [folder / f"sheet.{name}.jsonl" for name in names.split(",")]


def judge(path: Path, **said: Any) -> None:
    """Every row is right, but those that are given (``site_3="wrong"``)."""
    blank = {f"site_{row.post_id[5:]}": "right" for row in read_sheet(path).rows}
    edit(path, **{name: said.get(name, verdict) for name, verdict in blank.items()})


def test_every_row_has_an_annotator_and_a_share_of_each_stratum_all_of_them(tmp_path: Path) -> None:
    whole = read_sheet(whole_sheet(tmp_path))
    split = split_sheet(whole, ("ann", "bob", "eve"), 0.25)
    held = {name: {row.post_id: row.stratum for row in part.rows} for name, part in split.items()}
    assert set().union(*held.values()) == {row.post_id for row in whole.rows}
    shared = set(held["ann"]) & set(held["bob"])
    assert shared == set(held["ann"]) & set(held["eve"]) == set(held["bob"]) & set(held["eve"])
    assert sorted(held["ann"][post_id] for post_id in shared) == ["high"] * 4 + ["low"], "a quarter of 16, and of 4"
    assert sorted(map(len, held.values())) == [10, 10, 10], "5 shared rows, 15 others dealt in turn"
    assert len({part.header.sheet_id for part in split.values()} | {whole.header.sheet_id}) == 4
    assert split_sheet(whole, ("ann", "bob", "eve"), 0.25) == split, "nothing but the sheet decides"


def test_an_annotators_sheet_is_a_sheet_as_any_other(tmp_path: Path) -> None:
    ann, bob = parts(tmp_path)
    judge(ann, site_3="wrong")
    assert read_sheet(ann).header.annotator == "ann"
    assert verdicts(read_sheet(ann))["site:3"] == "wrong"
    assert report_of(read_sheet(ann)).precision.n == ROWS
    assert ann.with_suffix(".html").exists()
    text = bob.read_text(encoding="utf-8")
    bob.write_text(text.replace('"annotator":"bob"', '"annotator":"ann"'), encoding="utf-8")
    with pytest.raises(InputError, match="its 20 rows are not those of sheet"):
        read_sheet(bob)


def test_a_sheet_with_verdicts_is_not_written_over(tmp_path: Path) -> None:
    ann, bob = parts(tmp_path)
    sheet_split(tmp_path / "sheet.jsonl", "ann,bob", 1.0)
    judge(bob)
    before = ann.read_bytes()
    with pytest.raises(
        InputError, match=r"sheet\.bob\.jsonl is there already; move it away, its verdicts would be lost"
    ):
        sheet_split(tmp_path / "sheet.jsonl", "ann,bob", 1.0)
    assert ann.read_bytes() == before


def test_agreement_by_stratum_and_by_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    three = parts(tmp_path, names="ann,bob,eve")
    for path in three[:2]:
        judge(path, site_1="wrong", site_9="wrong")
    judge(three[2], site_1="wrong", site_2="wrong", site_3="unsure", site_4="wrong")
    report = agreement_of(read_annotated(three))
    rows = {one.group: (one.same, one.shared) for one in report.groups}
    assert rows == {  # they differ on 2, 3, 4 and 9; 4 and 9 are of the stratum low
        "all rows": (16, 20),
        "high": (14, 16),
        "low": (2, 4),
        "ann and bob": (20, 20),
        "ann and eve": (16, 20),
        "bob and eve": (16, 20),
    }
    by_group = {one.group: one for one in report.groups}
    assert by_group["ann and bob"].alpha.value == 1.0
    careless, careful = by_group["ann and eve"].ac2.value, by_group["ann and bob"].ac2.value
    assert careless is not None
    assert careful is not None
    assert careless < careful
    sheet_agreement(three, as_json=False)
    said = capsys.readouterr().out
    assert "ann 20 rows, bob 20 rows, eve 20 rows" in said
    assert "disagreements: 4 open, 0 settled by a third verdict" in said
    sheet_agreement(three, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [group["rows"] for group in found["groups"]] == [20, 16, 4, 20, 20, 20]


def test_a_third_verdict_settles_and_the_whole_sheet_gets_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "sheet.jsonl"
    both = parts(tmp_path)
    judge(both[0], site_1="wrong", site_2=("wrong", "it is 4"))
    judge(both[1], site_1="wrong", site_3="unsure")
    sheet_merge(whole, both)
    merged = verdicts(read_sheet(whole))
    assert (merged["site:1"], merged["site:2"], merged["site:3"], merged["site:0"]) == ("wrong", None, None, "right")
    assert "open: site:2" in capsys.readouterr().err

    sheet_disagreements(whole, both)
    third = tmp_path / "sheet.adjudicated.jsonl"
    rows = {row.post_id: row for row in read_sheet(third).rows}
    assert sorted(rows) == ["site:2", "site:3"]
    assert rows["site:2"].facts["ann says"] == "wrong (it is 4)"
    assert (rows["site:2"].facts["bob says"], rows["site:2"].verdict) == ("right", None)
    edit(third, site_2="right", site_3="wrong")
    annotated = read_annotated([*both, third])
    assert (agreement_of(annotated).open, agreement_of(annotated).settled) == (0, 2)
    with pytest.raises(InputError, match="is no sample of its version; merge it"):
        report_of(read_sheet(third))
    sheet_merge(whole, [third])
    merged = verdicts(read_sheet(whole))
    assert [post_id for post_id, verdict in merged.items() if verdict == "wrong"] == ["site:1", "site:3"]
    assert (report_of(read_sheet(whole)).precision.n, report_of(read_sheet(whole)).open) == (ROWS, 0)
    log = Path(f"{whole}.log").read_text(encoding="utf-8").splitlines()[1:]
    assert {json.loads(line)["by"] for line in log} == {"ann, bob", "adjudicated"}
    capsys.readouterr()
    sheet_merge(whole, [*both, third])
    assert "0 rows got a verdict" in capsys.readouterr().err


def test_one_who_changes_their_mind_is_heard_and_told(tmp_path: Path) -> None:
    whole, said = tmp_path / "sheet.jsonl", list[str]()
    ann, bob = parts(tmp_path, overlap=0.0)
    judge(ann)
    judge(bob)
    merge_verdicts(whole, read_annotated([ann, bob]), said.append)
    mine = read_sheet(ann).rows[0].post_id
    edit(ann, **{mine.replace(":", "_"): "wrong"})
    merged = merge_verdicts(whole, read_annotated([ann], alone=True), said.append)
    assert (merged.given, merged.changed, merged.open) == (1, (mine,), ())


def test_a_sheet_that_is_served_is_not_merged_into(tmp_path: Path) -> None:
    both = parts(tmp_path)
    with sole_writer(tmp_path / "sheet.jsonl"), pytest.raises(StoreError, match="is in use by process"):
        sheet_merge(tmp_path / "sheet.jsonl", both)


REFUSED = [
    (["sheet.jsonl", "sheet.ann.jsonl"], r"sheet\.jsonl is no sheet of an annotator; make one for each with .* split"),
    (["sheet.ann.jsonl"], r"sheets of 1 annotators; give those of at least two"),
    (["sheet.ann.jsonl", "other/sheet.bob.jsonl"], r"other/sheet\.bob\.jsonl is a part of sheet \w+, and .* of sheet"),
    (["sheet.ann.jsonl", "copy.jsonl", "sheet.bob.jsonl"], r"copy\.jsonl: ann has two verdicts of site:\d+; leave one"),
]


@pytest.mark.parametrize(("names", "told"), REFUSED, ids=["whole", "one", "another sheet", "two verdicts"])
def test_what_does_not_belong_together_is_refused(names: list[str], told: str, tmp_path: Path) -> None:
    ann, _ = parts(tmp_path)
    (tmp_path / "copy.jsonl").write_bytes(ann.read_bytes())
    judge(ann)
    judge(tmp_path / "copy.jsonl", site_7="wrong")
    (tmp_path / "other").mkdir()
    sheet_split(whole_sheet(tmp_path / "other", "demo/ba9876543210"), "ann,bob", 1.0)
    with pytest.raises(InputError, match=told):
        read_annotated([tmp_path / name for name in names])


@pytest.mark.parametrize("names", [("ann",), ("ann", "ann"), ("ann", "../bob"), ("ann", "adjudicated"), ("Ann", "bob")])
def test_names_are_checked(names: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot name an annotator|give at least two, each once"):
        split_sheet(read_sheet(whole_sheet(tmp_path)), names, 0.5)


def test_there_may_be_nothing_to_settle_and_parts_stay_whole(tmp_path: Path) -> None:
    both = parts(tmp_path)
    for path in both:
        judge(path)
    with pytest.raises(InputError, match="agree on every row that they share"):
        sheet_disagreements(tmp_path / "sheet.jsonl", both)
    with pytest.raises(CorpusError, match="is the part of an annotator already; split the whole sheet"):
        sheet_split(both[0], "ann,bob", 1.0)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(InputError, match="judged parts of sheet"):
        sheet_merge(whole_sheet(other, "demo/ba9876543210"), both)


def test_nobody_shares_a_row() -> None:
    empty = Annotated("w", "demo/1", "answers", (), {"ann": {}, "bob": {}})
    text = agreement_of(empty).text()
    assert "n/a (n=0)" in text
    assert text.count("not defined") == 2
