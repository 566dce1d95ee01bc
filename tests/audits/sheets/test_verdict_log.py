"""The log of a sheet's verdicts: what rows hold by it, what is a conflict, and what kills and editors leave behind."""

import json
import os
import resource
from pathlib import Path

import pytest

from audits.sheets.audit_sheets import read_sheet, sheet_of
from audits.sheets.verdict_log import BY_HAND, GivenVerdict, LogFile, VerdictLog, edits_by_hand, log_path, read_log
from corpus.errors import InputError, StoreError
from tests.audits.sheets.sheet_files import edit, sheet_file, verdicts

ID = "0123456789abcdef01234567"


def given(
    row: str, verdict: str | None, note: str = "", *, by: str = "page a", base: int = 0, key: str = ""
) -> GivenVerdict:
    return GivenVerdict(row_id=row, verdict=verdict, note=note, by=by, base=base, key=key)


def log_of(*verdicts_given: GivenVerdict) -> VerdictLog:
    log = VerdictLog(ID)
    for one in verdicts_given:
        log.add(log.numbered([one])[0])
    return log


def test_a_row_holds_its_last_line() -> None:
    log = log_of(given("x", "right"), given("y", "wrong", "no"), given("x", None, "?"))
    assert [log.said(row) for row in "xyz"] == [(None, "?"), ("wrong", "no"), (None, "")]
    assert [log.said(row, 2) for row in "xy"] == [("right", ""), ("wrong", "no")]
    assert (log.last, log.changed(1), log.changed(0)) == (3, ["y", "x"], ["x", "y"])


@pytest.mark.parametrize(
    ("second", "conflict"),
    [
        (given("x", "wrong", by="page b"), True),
        (given("x", "wrong", by="page b", base=1), False),
        (given("x", "wrong", by="page a"), False),
        (given("x", "right", by="page b"), False),
        (given("x", "right", "other", by="page b"), True),
        (given("x", "right", "more", by=BY_HAND), True),
        (given("y", "wrong", by="page b"), False),
    ],
)
def test_a_verdict_without_sight_of_another_one_is_a_conflict(second: GivenVerdict, conflict: bool) -> None:
    log = log_of(given("x", "right", "" if second.note == "" else "note"), second)
    unseen = log.unseen("x")
    assert (unseen is not None and unseen.seq) == (1 if conflict else False)


def test_a_conflict_ends_with_a_verdict_of_who_has_seen_both() -> None:
    log = log_of(given("x", "right"), given("x", "wrong", by="page b"), given("x", "right", by="page c", base=2))
    assert log.unseen("x") is None
    assert log_of(given("x", "right"), given("x", "wrong", by="page b"), given("x", "right", by="page c")).unseen("x")


def test_rows_of_an_older_copy_take_nothing_back() -> None:
    log = log_of(given("x", "right"))
    mark = log.mark
    log.add(log.numbered([given("y", "wrong")])[0])
    old_copy = [("x", ("right", "")), ("y", (None, "")), ("z", ("unsure", "by hand"))]
    edits = edits_by_hand(log, old_copy, mark)
    assert [(one.row_id, one.said, one.by, one.base) for one in edits] == [("z", ("unsure", "by hand"), BY_HAND, 1)]
    taken_back = [("x", (None, "")), ("y", (None, "")), ("z", (None, ""))]
    assert [one.row_id for one in edits_by_hand(log, taken_back, mark)] == ["x"]
    assert [one.row_id for one in edits_by_hand(log, taken_back, log.mark)] == ["x", "y"]
    assert edits_by_hand(log, taken_back, "7:unknown") == [], "a blank row of a stranger's copy says nothing"


def saved(path: Path, *verdicts_given: GivenVerdict) -> bytes:
    """The bytes of the log of a sheet with these verdicts."""
    said: list[str] = []
    LogFile(path, ID, said.append).append(verdicts_given)
    assert said == []
    return log_path(path).read_bytes()


def test_a_last_line_cut_anywhere_is_dropped_and_named(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = saved(path, given("x", "right"), given("y", "wrong", "ünïcode ☃ 🙂"))
    start = whole[:-1].rindex(b"\n") + 1
    for cut in range(start, len(whole) - 1):
        log_path(path).write_bytes(whole[:cut])
        assert [line.row_id for line in read_log(path, ID).lines] == ["x"], cut
        said: list[str] = []
        file = LogFile(path, ID, said.append)
        assert len(said) == (cut > start)
        assert all(f"({cut - start} bytes" in line for line in said)
        assert [line.seq for line in file.append([given("z", "unsure")])] == [2]
        assert [line.row_id for line in read_log(path, ID).lines] == ["x", "z"]


def test_a_last_line_without_its_end_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    whole = saved(path, given("x", "right"), given("y", "wrong"))
    log_path(path).write_bytes(whole[:-1])
    file = LogFile(path, ID, lambda text: pytest.fail(text))
    file.append([given("z", "right")])
    assert log_path(path).read_bytes().startswith(whole)
    assert [line.row_id for line in read_log(path, ID).lines] == ["x", "y", "z"]


def test_fields_of_later_times_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    saved(path, given("x", "right"))
    later = {"seq": 2, "row_id": "x", "verdict": "wrong", "note": "", "by": "page", "base": 1, "annotator": "ann"}
    with log_path(path).open("a", encoding="utf-8") as file:
        file.write(json.dumps(later) + "\n\n")
    before = log_path(path).read_bytes()
    LogFile(path, ID, lambda text: pytest.fail(text)).append([given("y", "right")])
    assert log_path(path).read_bytes().startswith(before)
    assert read_log(path, ID).said("x") == ("wrong", "")


@pytest.mark.parametrize(
    ("place", "line", "message"),
    [
        (0, '{"format":2,"kind":"verdicts","sheet_id":"x"}', r"log:1: format: .* not the first line of a log"),
        (0, '{"format":1,"kind":"verdicts","sheet_id":"x"}', r"log:1: the log of sheet x, not .*; move it away"),
        (1, "no json", r"log:2: not a JSON object .*; the log is damaged: put back a copy, or remove that line"),
        (1, '{"seq":0}', r"log:2: .*this is not a line of a log of verdicts"),
        (2, None, r"log:3: number 1 after 1; the log was changed"),
    ],
)
def test_damage_before_the_end_is_an_error(place: int, line: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = saved(path, given("x", "right"), given("y", "wrong")).decode().splitlines()
    lines[place] = lines[place - 1] if line is None else line
    log_path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    before = log_path(path).read_bytes()
    for read in (lambda: read_log(path, ID), lambda: LogFile(path, ID, print)):
        with pytest.raises(InputError, match=message) as raised:
            read()
        assert "\n" not in str(raised.value)
    assert log_path(path).read_bytes() == before


@pytest.mark.parametrize(("row", "verdict"), [("site:9", "right"), ("site:1", "perhaps")])
def test_a_log_that_cannot_belong_to_the_sheet_is_refused(row: str, verdict: str, tmp_path: Path) -> None:
    path = sheet_file(tmp_path, 3)
    sheet_id = read_sheet(path).header.sheet_id
    LogFile(path, sheet_id, print).append([given(row, verdict)])
    with pytest.raises(InputError, match=f"number 1 says {verdict} of {row}, which does not fit sheet {sheet_id}"):
        read_sheet(path)


def test_a_full_disk_takes_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    before = saved(path, given("x", "right"))
    file = LogFile(path, ID, print)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, limits[1]))
    try:
        with pytest.raises(StoreError, match=r"cannot write .*log: File too large"):
            file.append([given("y", "wrong")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert log_path(path).read_bytes() == before, "the part that was written is cut off"
    assert [line.seq for line in file.append([given("y", "wrong")])] == [2]
    assert [line.row_id for line in read_log(path, ID).lines] == ["x", "y"]


@pytest.mark.parametrize("change", ["longer", "replaced", "gone"])
def test_a_log_that_another_program_touches_takes_no_verdict(change: str, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    content = saved(path, given("x", "right"))
    file = LogFile(path, ID, print)
    if change == "longer":
        with log_path(path).open("ab") as other:
            other.write(b"\n")
    else:
        os.replace(log_path(path), tmp_path / "away")  # noqa: PTH105 - as another program does it
    if change == "replaced":
        log_path(path).write_bytes(content)
    with pytest.raises(StoreError, match=r"changed or replaced by another program|cannot write .*No such file"):
        file.append([given("y", "wrong")])
    assert file.log.last == 1


def test_a_sheet_with_its_log_is_one_thing(tmp_path: Path) -> None:
    path = sheet_file(tmp_path, 3)
    sheet_id = read_sheet(path).header.sheet_id
    LogFile(path, sheet_id, print).append([given("site:0", "right"), given("site:1", "wrong", "why")])
    edit(path, site_1="unsure", site_2="right")
    found = read_sheet(path)
    assert verdicts(found) == {"site:0": "right", "site:1": "unsure", "site:2": "right"}
    assert [(counts.row_id, counts.verdict, other.verdict) for counts, other in found.unseen] == [
        ("site:1", "unsure", "wrong")
    ]
    (tmp_path / "link.jsonl").symlink_to(path)
    assert verdicts(read_sheet(tmp_path / "link.jsonl")) == verdicts(found)
    assert verdicts(sheet_of(path.read_bytes(), path))["site:0"] is None, "reading changes nothing on the disk"
    assert read_log(path, sheet_id).last == 2
