"""One writer a sheet: its lock, verdicts beside edits by hand, sheets that cannot be read, and kills at every step."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audits.sheets.audit_sheets import read_sheet, sheet_of
from audits.sheets.keeping import Keeper, sole_writer
from audits.sheets.verdict_log import GivenVerdict
from corpus.code import ROOT
from corpus.errors import InputError, StoreError
from tests.audits.sheets.sheet_files import Command, edit, log_lines, sheet_file, verdicts
from tests.corpus.samples import leftovers
from tests.flows.command import one_line_failure, wordquarry


def given(row: int, verdict: str | None, note: str = "", *, base: int = 0, key: str = "") -> GivenVerdict:
    return GivenVerdict(row_id=f"site:{row}", verdict=verdict, note=note, by="page a", base=base, key=key)


class Kept:
    """A keeper of a sheet of five rows, and what it said."""

    def __init__(self, folder: Path, rows: int = 5) -> None:
        self.path = sheet_file(folder, rows)
        self.said: list[str] = []
        self.keeper = Keeper(self.path, self.said.append)

    def on_disk(self) -> dict[str, str | None]:
        return verdicts(sheet_of(self.path.read_bytes(), self.path))

    def log(self) -> list[tuple[str, str | None, str]]:
        return [(line["row_id"], line["verdict"], line["by"]) for line in log_lines(self.path)]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_second_server_is_refused_and_a_dead_one_holds_nothing(serve: Callable[..., Command], tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    first = serve(path)
    address = first.url.partition("/?")[0]
    for name in (path, link):
        line = one_line_failure(wordquarry("sheet", "serve", name, timeout=30))
        assert line.startswith(f"wordquarry: {path} is in use by process ")
        assert f" at {address}; judge on its page, or end that process and start again" in line
    assert first.kill() == -9
    second = serve(path)
    assert second.url.startswith(f"{address}/"), "the sheet keeps its port"
    assert second.url != first.url, "and gets a new token"


def test_a_lock_without_a_name_is_held_all_the_same(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    with sole_writer(path):
        for content in (b"", b"\xff\xfe", b"a\x1b[31mb"):
            (tmp_path / "sheet.jsonl.lock").write_bytes(content)
            with pytest.raises(StoreError, match=r"is in use by another process; judge"), sole_writer(path):
                pass
    with sole_writer(path):
        pass


def test_the_sheet_shows_what_the_log_holds(kept: Kept) -> None:
    kept.keeper.take(given(0, "right"))
    kept.keeper.take(given(1, "wrong", "why"))
    kept.keeper.take(given(0, None))
    assert kept.on_disk() == {"site:0": None, "site:1": "wrong", "site:2": None, "site:3": None, "site:4": None}
    assert [row[:2] for row in kept.log()] == [("site:0", "right"), ("site:1", "wrong"), ("site:0", None)]
    assert kept.said == []


def test_a_verdict_that_is_sent_twice_counts_once(kept: Kept) -> None:
    first = kept.keeper.take(given(0, "right", key="k1"))
    kept.keeper.take(given(0, "wrong", key="k2"))
    assert kept.keeper.take(given(0, "right", key="k1")) == first
    assert Keeper(kept.path, print).take(given(0, "right", key="k1")) == first, "also by the server that comes after"
    assert len(kept.log()) == 2
    assert kept.on_disk()["site:0"] == "wrong", "an old verdict that comes again does not come last"
    with pytest.raises(InputError, match="key k1 was sent with another verdict, number 1"):
        kept.keeper.take(given(0, "unsure", key="k1"))


def test_edits_by_hand_and_verdicts_leave_each_other_alone(kept: Kept) -> None:
    kept.keeper.take(given(0, "right"))
    edit(kept.path, site_1=("wrong", "by hand"))
    kept.keeper.take(given(2, "unsure"))
    edit(kept.path, site_0="wrong", site_2=None)
    kept.keeper.take(given(3, "right"))
    assert kept.on_disk() == {"site:0": "wrong", "site:1": "wrong", "site:2": None, "site:3": "right", "site:4": None}
    assert [row[0] for row in kept.log() if row[2] == "sheet"] == ["site:1", "site:0", "site:2"]
    assert kept.said[0] == f"{kept.path}: 1 rows that were changed by hand are now counted (site:1)"
    assert kept.keeper.sheet.unseen == (), "who edits a sheet that shows the log has seen it"


def test_an_editor_that_held_an_older_copy_takes_nothing_back(kept: Kept) -> None:
    older = kept.path.read_text(encoding="utf-8")
    kept.keeper.take(given(0, "right"))
    kept.keeper.take(given(1, "right"))
    kept.path.write_text(older, encoding="utf-8")
    edit(kept.path, site_1="wrong", site_4="unsure")
    kept.keeper.take(given(2, "right"))
    assert list(kept.on_disk().values()) == ["right", "wrong", "right", None, "unsure"]
    assert kept.said == [
        f"{kept.path}: 2 rows that were changed by hand are now counted (site:1, site:4); "
        "judged differently in the meantime, the sheet counts: site:1"
    ]
    assert [(counts.row_id, other.verdict) for counts, other in kept.keeper.sheet.unseen] == [("site:1", "right")]


def test_edits_made_while_nobody_serves_are_taken_over(kept: Kept) -> None:
    kept.keeper.take(given(0, "right"))
    edit(kept.path, site_0=None, site_1="wrong")
    assert list(verdicts(read_sheet(kept.path)).values())[:2] == [None, "wrong"], "also by who only reads"
    again = Keeper(kept.path, kept.said.append)
    assert list(verdicts(again.sheet).values())[:2] == [None, "wrong"]
    assert [row[:2] for row in kept.log()] == [("site:0", "right"), ("site:0", None), ("site:1", "wrong")]


def test_a_filled_sheet_of_the_old_kind_is_taken_over(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    edit(path, site_0="right", site_3=("wrong", "why"))
    Keeper(path, print).take(given(1, "unsure"))
    assert list(verdicts(read_sheet(path)).values()) == ["right", "unsure", None, "wrong", None]


def test_a_sheet_whose_log_is_gone_is_all_there_is(kept: Kept) -> None:
    kept.keeper.take(given(0, "right", "note"))
    Path(f"{kept.path}.log").unlink()
    assert verdicts(read_sheet(kept.path))["site:0"] == "right"
    assert verdicts(Keeper(kept.path, print).sheet)["site:0"] == "right"
    assert kept.log() == [("site:0", "right", "sheet")]


SPOILED = {
    "half": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "verdict": lambda text: text.replace('"verdict":null', '"verdict":"perhaps"', 1),
    "half an emoji": lambda text: text.replace('"note":""', '"note":"\\ud83d"', 1),
    "question": lambda text: text.replace("How many are 1", "How many are 2"),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_sheet_that_cannot_be_read_is_left_alone_and_verdicts_go_on(kind: str, kept: Kept) -> None:
    good = kept.path.read_text(encoding="utf-8")
    spoiled = SPOILED[kind](good)
    kept.path.write_text(spoiled, encoding="utf-8")
    for row in range(3):
        kept.keeper.take(given(row, "right"))
    assert kept.path.read_text(encoding="utf-8") == spoiled
    assert len(kept.said) == 1
    assert str(kept.path) in kept.said[0]
    assert kept.said[0].endswith("; until it is repaired, verdicts are kept in sheet.jsonl.log alone")
    assert kept.keeper.trouble == kept.said[0]
    kept.path.write_text(good, encoding="utf-8")
    edit(kept.path, site_4="wrong")
    kept.keeper.changes(0)
    assert list(kept.on_disk().values()) == ["right", "right", "right", None, "wrong"]
    assert kept.keeper.trouble is None


def test_half_a_character_in_a_sheet_is_named(tmp_path: Path) -> None:
    path = sheet_file(tmp_path)
    path.write_text(SPOILED["half an emoji"](path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=r"jsonl:2: note holds half a character \(a lone surrogate .*\); delete it"):
        read_sheet(path)


def test_a_sheet_that_is_taken_away_does_not_stand_in_the_way(kept: Kept) -> None:
    kept.path.rename(kept.path.with_name("elsewhere.jsonl"))
    kept.keeper.take(given(0, "right"))
    assert "cannot read" in str(kept.keeper.trouble)
    assert kept.log() == [("site:0", "right", "page a")]
    kept.path.with_name("elsewhere.jsonl").rename(kept.path)
    assert verdicts(kept.keeper.sheet)["site:0"] == "right"
    assert kept.on_disk()["site:0"] == "right"


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns so often that they meet in every place."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("quick_switches")
@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "by rename"])
def test_no_edit_is_lost_that_is_saved_while_the_sheet_is_written(in_place: bool, tmp_path: Path) -> None:
    """An editor that reads, changes and saves in one breath, against a server that writes at every verdict."""
    kept = Kept(tmp_path, 120)
    done, saved = threading.Event(), []

    def editor() -> None:
        for row in range(60, 120):
            if done.is_set():
                return
            text = kept.path.read_text(encoding="utf-8")
            blank = f'"post_id":"site:{row}"'
            line = next(line for line in text.splitlines() if blank in line)
            text = text.replace(line, line.replace('"verdict":null', '"verdict":"wrong"'))
            beside = kept.path if in_place else tmp_path / "editor.tmp"
            beside.write_text(text, encoding="utf-8")
            if not in_place:
                os.replace(beside, kept.path)  # noqa: PTH105 - as editors do it
            saved.append(row)
            time.sleep(0.002)

    thread = threading.Thread(target=editor)
    thread.start()
    for row in range(60):
        kept.keeper.take(given(row, "right"))
    thread.join()
    done.set()
    found = verdicts(kept.keeper.sheet)
    assert saved == list(range(60, 120))
    assert {row for row, verdict in found.items() if verdict == "right"} == {f"site:{row}" for row in range(60)}
    assert {row for row, verdict in found.items() if verdict == "wrong"} == {f"site:{row}" for row in range(60, 120)}


def test_verdicts_from_many_threads_are_all_kept(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 40)
    threads = [threading.Thread(target=kept.keeper.take, args=(given(row, "wrong"),)) for row in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(kept.on_disk().values()) == {"wrong"}
    assert [line["seq"] for line in log_lines(kept.path)] == list(range(1, 41))


def test_trouble_with_the_log_is_not_called_trouble_with_the_sheet(kept: Kept) -> None:
    Path(f"{kept.path}.log").rename(kept.path.with_name("away.log"))
    edit(kept.path, site_1="right")
    with pytest.raises(StoreError, match=r"cannot write .*sheet.jsonl.log"):
        kept.keeper.take(given(0, "right"))
    assert len(kept.said) == 1
    assert "until it is repaired" not in kept.said[0]
    kept.path.with_name("away.log").rename(f"{kept.path}.log")
    kept.keeper.take(given(0, "right"))
    assert list(kept.on_disk().values())[:2] == ["right", "right"]
    assert kept.keeper.trouble is None


def test_nothing_is_written_after_the_lock_went(kept: Kept) -> None:
    kept.keeper.close()
    with pytest.raises(StoreError, match="the server is ending"):
        kept.keeper.take(given(0, "right"))
    edit(kept.path, site_1="right")
    assert kept.keeper.changes(0) == []
    assert kept.log() == []


def test_a_kill_at_any_step_loses_no_saved_verdict(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.audits.sheets.crashing", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) >= 20
    assert leftovers(tmp_path) == []
