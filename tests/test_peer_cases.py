"""The inputs made after public bug reports come out as they are wanted, and the report can say that one does not."""

from pathlib import Path

from benchmarks import peer_cases
from crawlers.dumps.yahoo_dump import read_yahoo


def test_all_cases_come_out_as_wanted(shared_data: Path) -> None:
    rows, failed = peer_cases.subject_rows(shared_data)
    assert failed == []
    assert [(row[0], row[3]) for row in rows] == [("WARC", "0"), ("HTML", "0"), ("dumps", "0"), ("tables", "0")]


def test_what_is_not_wanted_is_told(tmp_path: Path) -> None:
    path = tmp_path / "l6.xml"
    path.write_bytes(b"<ystfeed><document><uri>5</uri><subject>2 + 2?</subject></document><document/></ystfeed>")
    found = peer_cases.made(path, read_yahoo, peer_cases.Input("", "", read_yahoo, peer_cases.holds(1)).options)
    assert (len(found.posts), found.refused, found.failure) == (1, 1, "")
    assert peer_cases.holds(1, 1, "2 + 2?")(found)
    for check in (peer_cases.holds(1), peer_cases.holds(2, 1), peer_cases.holds(1, 1, "3 + 3?"), peer_cases.fails("x")):
        assert not check(found)
