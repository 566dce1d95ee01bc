"""One bad place ends no file: the reader goes on at the next record, and counts what it left out."""

import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.zstandard import zstd
from crawlers.archives.bounded_streams import RecordError
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.stackexchange_dump import post_rows, read_stack_exchange
from crawlers.dumps.tables import read_table
from crawlers.dumps.tally import DumpReader, Options, Tally
from crawlers.dumps.warc import read_records, records_and_damage
from crawlers.dumps.yahoo_dump import read_yahoo
from crawlers.ingest import read_posts
from tests.crawlers.dump_files import (
    L6_DOCUMENT,
    collect,
    gzipped,
    l6_xml,
    page_record,
    posts_xml,
    thread_rows,
    warc_record,
)

OPTIONS = Options(source="math.stackexchange.com", retrieved_at="2024-01-02T03:04:05Z")
PAGE = (Path(__file__).parent / "pages" / "qapage-linked" / "page.html").read_bytes()
READ = tuple[list[str], list[tuple[Reason, str]], Tally, str]


def read(reader: DumpReader, path: Path) -> READ:
    """Ids of posts, refusals, counts and the error that ended the reading, if any."""
    tally = Tally()
    posts, refused, failure = collect(reader(path, OPTIONS, tally), tally)
    return (
        [post.post_id.rpartition(":")[2] for post in posts],
        [(one.reason, one.message) for one in refused],
        tally,
        failure,
    )


def file(tmp_path: Path, content: bytes, name: str = "Posts.xml") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


THREADS = [row for number in (4, 5, 6) for row in thread_rows(number)]
MENDED = {
    "a control character": (b"Ann is", b"Ann \x0e is"),
    "a reference to one": (b"Ann is", b"Ann &#x0E; is"),
    "a decimal reference to one": (b"Ann is", b"Ann &#31;is"),
    "half a character": (b"Ann is", b"Ann&#xD83D; is"),
    "no character at all": (b"Ann is", b"Ann \xef\xbf\xbf is"),
    "a bare ampersand": (b"Ann is", b"R&D, A&B; Ann &is"),
    "a name that only HTML knows": (b"Ann is", b"Ann &nbsp;is"),
    "a byte of Latin-1": (b"Ann is", b"caf\xe9 Ann is"),
}


@pytest.mark.parametrize(("old", "new"), MENDED.values(), ids=MENDED)
@pytest.mark.parametrize("chunk", [1 << 20, 301])
def test_a_bad_character_of_a_dump_costs_itself(
    old: bytes, new: bytes, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawlers.dumps.xml.CHUNK", chunk)
    content = posts_xml(*THREADS).replace(old, new, 1)
    ids, refused, tally, failure = read(read_stack_exchange, file(tmp_path, content))
    assert (ids, refused, failure) == (["4", "14", "24"], [], "")
    assert tally.mended or b"xD83D" in new
    documents = [L6_DOCUMENT.replace("432470", number) for number in "123"]
    content = l6_xml(*documents).replace(b"She is", new, 1)
    assert read(read_yahoo, file(tmp_path, content))[0::3] == (["1", "2", "3"], "")


def test_what_is_mended_reads_as_it_was_meant(tmp_path: Path) -> None:
    content = (
        posts_xml(*thread_rows()).replace(b"is <b>", b"is").replace(b"Ann is", b"caf\xe9 R&D\x0e, Ann&#x0E; is", 1)
    )
    (post,), _, _ = collect(read_stack_exchange(file(tmp_path, content), OPTIONS, Tally()), Tally(read=4, used=4))
    assert "café R&D, Ann is twice" in post.question


def test_a_character_that_is_lost_between_digits_costs_its_record(tmp_path: Path) -> None:
    content = posts_xml(*THREADS).replace(b"<b>9</b>", b"9").replace(b"&lt;b&gt;9&lt;", b"&lt;b&gt;9\x0e4&lt;", 1)
    ids, refused, _, failure = read(read_stack_exchange, file(tmp_path, content))
    assert (ids, [reason for reason, _ in refused], failure) == (["14", "24"], [Reason.LOST_CHARACTERS], "")


TORN = {
    "a bare bracket": (b"Ann is", b"if x < y then Ann is"),
    "a quote too few": (b'Title="How old is Ann?"', b'Title="How old is Ann?'),
    "a quote too many": (b"Ann is", b'Ann" is'),
    "an attribute twice": (b'Score="3"', b'Score="3" Score="4"'),
    "another element": (b"<row Id=\"4\"", b"<r\x80w Id=\"4\""),
    "a stray end": (b"  <row", b"</b>  <row"),
    "an end too early": (b"  <row", b"</posts>\n  <row"),
    "two dumps in one": (b"  <row", b'</posts><?xml version="1.0"?><posts>\n  <row'),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), TORN.values(), ids=TORN)
@pytest.mark.parametrize("chunk", [1 << 20, 301])
def test_what_is_no_xml_costs_the_record_that_it_stands_in(
    old: bytes, new: bytes, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawlers.dumps.xml.CHUNK", chunk)
    whole = posts_xml(*THREADS)
    assert old in whole
    ids, refused, tally, failure = read(read_stack_exchange, file(tmp_path, whole.replace(old, new, 1)))
    assert (ids[-2:], failure) == (["14", "24"], "")
    assert (len(ids) == 3) == new.startswith(b"</")
    assert re.search(r"Posts\.xml:[34]: damaged or cut short", refused[0][1])
    assert "get the file again" not in refused[0][1]
    assert tally.read == tally.used + tally.refused.total()


def test_lines_are_those_of_the_file_behind_what_is_torn(tmp_path: Path) -> None:
    content = posts_xml(*THREADS).replace(b"Ann is", b"x < y", 1).replace(b'Id="25"', b'Id="x"')
    refused = read(read_stack_exchange, file(tmp_path, content))[1]
    line = content[: content.index(b'Id="x"')].count(b"\n") + 1
    assert f"Posts.xml:{line}: Id 'x' is not a number" in refused[1][1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"She is", b"x < y, she is"),
        (b"</content>", b""),
        (b"<vespaadd>", b""),
        (b"</document>", b"</documents>"),
        (b"</vespaadd>", b""),
    ],
)
def test_a_torn_document_of_a_collection_costs_itself(old: bytes, new: bytes, tmp_path: Path) -> None:
    documents = [L6_DOCUMENT.replace("432470", number) for number in "123"]
    ids, refused, _, failure = read(read_yahoo, file(tmp_path, l6_xml(*documents).replace(old, new, 1)))
    assert (ids[-2:], failure) == (["2", "3"], "")
    assert refused


ITEMS = [
    {"id": str(number), "question": f"{number} + {number}?", "answer": "x", "nbestanswers": ["x"]}
    for number in range(4)
]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (b"1 + 1?", b"caf\xe9\x0b 1 + 1?", []),
        (b'"question": "1', b'"question": 1', ["1"]),
        (b'"1 + 1?"', b'"1 + 1?', ["1"]),
        (b'"answer": "x", "nbestanswers": ["x"]}]', b'"answer": x}]', ["3"]),
        (b'}, {"id": "2"', b'} {"id": "2"', ["2"]),
    ],
)
@pytest.mark.parametrize("chunk", [1 << 20, 31])
def test_a_torn_item_of_an_array_costs_itself(
    old: bytes, new: bytes, lost: list[str], chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawlers.dumps.yahoo_dump.CHUNK", chunk)
    whole = json.dumps(ITEMS).encode()
    assert old in whole
    ids, refused, _, failure = read(read_yahoo, file(tmp_path, whole.replace(old, new, 1)))
    assert (ids, len(refused), failure) == ([one["id"] for one in ITEMS if one["id"] not in lost], len(lost), "")


def page(number: int, digest: bool = True) -> bytes:
    record = page_record(f"https://forum.example/t/{number}", PAGE)
    return record if digest else b"".join(line for line in record.splitlines(True) if b"Block-Digest" not in line)


def length(record: bytes, more: int) -> bytes:
    """A record whose Content-Length is wrong."""
    said = int(record.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
    return record.replace(b"Content-Length: %d" % said, b"Content-Length: %d" % (said + more), 1)


WRONG: dict[str, Callable[[bytes], bytes]] = {
    "short": lambda record: length(record, -20),
    "long": lambda record: length(record, 20),
    "as long as two": lambda record: length(record, 2_500),
    "longer than the file": lambda record: length(record, 1 << 20),
    "longer than what is kept": lambda record: length(record, 1 << 30),
    "no number": lambda record: record.replace(b"Content-Length: ", b"Content-Length: x", 1),
    "a header without a colon": lambda record: record.replace(b"WARC-Type: ", b"WARC-Type ", 1),
    "no record": lambda record: b"nothing that a writer of archives writes\r\n\r\n",
}


@pytest.mark.parametrize("digest", [True, False])
@pytest.mark.parametrize(
    "pack",
    [
        lambda records: b"".join(records),
        lambda records: gzipped(*records),
        lambda records: gzip.compress(b"".join(records)),
    ],
    ids=["plain", "members", "one"],
)
@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_an_archive_is_read_on_behind_a_wrong_record(
    change: Callable[[bytes], bytes], pack: Callable[[list[bytes]], bytes], digest: bool, tmp_path: Path
) -> None:
    records = [page(1, digest), change(page(2, digest)), page(3, digest), page(4, digest)]
    ids, refused, tally, failure = read(read_warc, file(tmp_path, pack(records), "a.warc.gz"))
    assert (ids, failure) == (["t/1", "t/3", "t/4"], "")
    assert (len(refused), tally.read) == (1, 4)
    if refused[0][0] != Reason.TOO_LARGE:
        with pytest.raises(InputError):
            list(read_records("a", io.BytesIO(pack(records))))


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_damaged_member_costs_itself(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    members = [pack(page(number)) for number in (1, 2, 3, 4)]
    half = len(members[1]) // 2
    torn = members[1][:half] + bytes(60) + members[1][half + 60 :]
    ids, refused, tally, failure = read(
        read_warc, file(tmp_path, members[0] + torn + members[2] + members[3], "a.warc.gz")
    )
    assert (ids, failure, tally.read) == (["t/1", "t/3", "t/4"], "", 4)
    assert f"a.warc.gz@{len(members[0])}: damaged" in refused[0][1]


def test_zeros_that_a_writer_pads_with_are_nothing(tmp_path: Path) -> None:
    for content in (gzipped(page(1), page(2)), gzip.compress(page(1) + page(2)), page(1) + page(2)):
        for zeros in (1, 512, 200_000):
            ids, refused, _, failure = read(read_warc, file(tmp_path, content + bytes(zeros), "a.warc.gz"))
            assert (ids, refused, failure) == (["t/1", "t/2"], [], "")


def test_a_right_length_stands_whatever_the_page_quotes(tmp_path: Path) -> None:
    quoted = PAGE.replace(b"</body>", b"<pre>\nWARC/1.0\r\nWARC-Type: response\r\n\r\n</pre></body>")
    record = page_record("https://forum.example/t/1", quoted)
    bare = b"".join(line for line in record.splitlines(True) if b"Block-Digest" not in line)
    for content in (record + page(2), bare + page(2)):
        assert len(read(read_warc, file(tmp_path, content, "a.warc"))[0]) == 2


def test_an_arc_file_is_named(tmp_path: Path) -> None:
    arc = b"filedesc://x.arc 0.0.0.0 20010101000000 text/plain 76\n1 0 Example\n"
    for content in (arc, gzip.compress(arc)):
        assert "an ARC file, the format before WARC; convert it" in read(read_warc, file(tmp_path, content, "a.arc"))[3]


def test_a_file_without_any_record_is_one_error(tmp_path: Path) -> None:
    for content in (b"no archive\n" * 9, warc_record("x", b"").replace(b"Content-Length: 0", b"no colon")):
        assert read(read_warc, file(tmp_path, content, "a.warc"))[3]


LINES = b"".join(
    json.dumps({"id": str(number), "question": "2 + 2?", "answers": [{"text": "4"}]}).encode() + b"\n"
    for number in range(3)
)
PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstd.compress}


@pytest.mark.parametrize("ending", sorted(PACKED))
def test_lines_are_read_packed_with_and_without_a_map(ending: str, tmp_path: Path) -> None:
    path = file(tmp_path, PACKED[ending](LINES), f"posts.jsonl.{ending}")
    assert [post.post_id for post in read_posts(path).posts] == ["file:0", "file:1", "file:2"]
    assert read(read_table, path)[0] == ["0", "1", "2"]
    cut = file(tmp_path, path.read_bytes()[:-9], "cut.jsonl")
    with pytest.raises(InputError, match=r"cut\.jsonl: damaged or cut short after"):
        read_posts(cut, skip_bad=True)


def test_an_archive_of_several_files_of_lines_is_refused(tmp_path: Path) -> None:
    names: list[Any] = [["a.jsonl"], ["a.jsonl", "b.jsonl"]]
    for members in names:
        with zipfile.ZipFile(tmp_path / "posts.zip", "w") as archive:
            for name in members:
                archive.writestr(name, LINES)
        if len(members) == 1:
            assert len(read_posts(tmp_path / "posts.zip").posts) == 3
        else:
            with pytest.raises(InputError, match="holds 2 files of lines; unpack it"):
                read_posts(tmp_path / "posts.zip")


def test_a_file_of_nothing_but_damage_costs_no_more_than_its_size() -> None:
    torn = io.BytesIO(b"<posts>" + b"<row <" * 20_000 + b"</posts>")
    assert sum(isinstance(row, RecordError) for _, row in post_rows("a", torn, Tally())) == 20_000
    wrong = io.BytesIO(b"WARC/1.0\r\nContent-Length: 90000\r\n\r\n" * 20_000)
    with pytest.raises(InputError, match="too many lengths of records are wrong"):
        list(records_and_damage("a", wrong, most_returned=1 << 20))
