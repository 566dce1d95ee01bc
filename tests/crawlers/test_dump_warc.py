"""Web archives: pages to posts as the crawler reads them, every record accounted for, damage named by its offset."""

import base64
import gzip
import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest

from corpus.reasons import Reason
from corpus.records import Post
from corpus.zstandard import zstd
from crawlers.dumps import warc
from crawlers.dumps.archive_pages import read_index, read_warc
from crawlers.dumps.tally import Options, Tally
from crawlers.dumps.warc import read_records
from crawlers.thread_records import RejectedLine
from tests.crawlers.dump_files import collect, gzipped, page_record, warc_record

URL = "https://forum.example/t/17"
PAGE = (Path(__file__).parent / "pages" / "qapage-linked" / "page.html").read_bytes()
ABOUT = page_record("https://forum.example/about", b"<h1>About us</h1>")
INFO = warc_record("warcinfo", b"software: tests\r\n", Content_Type="application/warc-fields")
REQUEST = warc_record("request", b"GET / HTTP/1.1\r\n\r\n", WARC_Target_URI=URL, Content_Type="application/http")


def read(
    path: Path, options: Options | None = None, reader: Callable[..., object] = read_warc
) -> tuple[list[Post], list[RejectedLine], Tally, str]:
    tally = Tally()
    posts, refused, failure = collect(reader(path, options or Options(), tally), tally)
    return posts, refused, tally, failure


def archive(tmp_path: Path, content: bytes, name: str = "a.warc.gz") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


RECORDS = (INFO, REQUEST, page_record(URL, PAGE), ABOUT, page_record("https://forum.example/gone", PAGE, status=404))


def test_pages_become_posts_dated_by_their_record(tmp_path: Path) -> None:
    posts, refused, tally, failure = read(archive(tmp_path, gzipped(*RECORDS)))
    assert (len(posts), failure, tally.read) == (1, "", 5)
    assert posts[0].source == "forum.example"
    assert posts[0].retrieved_at == "2024-05-06T07:08:09Z"
    assert posts[0].answers
    assert {one.reason for one in refused} == {Reason.NOT_A_THREAD}


def test_packed_plain_and_in_a_wacz_are_the_same(tmp_path: Path) -> None:
    packed = read(archive(tmp_path, gzipped(*RECORDS)))[0]
    plain = read(archive(tmp_path, b"".join(RECORDS), "a.warc"))[0]
    one_member = read(archive(tmp_path, gzip.compress(b"".join(RECORDS)), "b.warc.gz"))[0]
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", zipfile.ZIP_STORED) as file:
        file.writestr("datapackage.json", "{}")
        file.writestr("archive/data.warc.gz", gzipped(*RECORDS))
    wacz = read(tmp_path / "a.wacz")[0]
    assert len(packed) == 1
    assert packed == plain == one_member == wacz


CODINGS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_content_codings_are_undone(coding: str, tmp_path: Path) -> None:
    plain = read(archive(tmp_path, gzipped(page_record(URL, PAGE))))[0]
    coded = page_record(URL, CODINGS[coding](PAGE), {"Content-Encoding": coding})
    assert read(archive(tmp_path, gzipped(coded)))[0] == plain
    cut = page_record(URL, CODINGS[coding](PAGE)[:-20], {"Content-Encoding": coding})
    (one,) = read(archive(tmp_path, gzipped(cut)))[1]
    assert f"damaged {coding} coding" in one.message


DECODED = {
    "whole": PAGE,
    "blanks and a byte order mark": b"\xef\xbb\xbf" + PAGE,
    "blank lines": b"\r\n \r\n" + PAGE,
    "a comment with controls": b"<!-- board \x00\x08 -->" + PAGE,
    "no doctype": b"<div>" + PAGE,
    "text first": b"Ann and Bob\n" + PAGE,
    "Latin-1": b"<div>" + b"caf\xe9 " * 9 + b"</div>" + PAGE,
}


@pytest.mark.parametrize("coding", [*sorted(CODINGS), "x-gzip", "gzip, br", "utf-8"])
@pytest.mark.parametrize("body", DECODED.values(), ids=DECODED)
def test_pages_stored_without_the_coding_that_their_headers_name_are_read(
    coding: str, body: bytes, tmp_path: Path
) -> None:
    plain = read(archive(tmp_path, gzipped(page_record(URL, body))))
    assert len(plain[0]) == 1
    assert read(archive(tmp_path, gzipped(page_record(URL, body, {"Content-Encoding": coding})))) == plain


def test_headers_that_end_their_lines_without_a_return_end_where_they_end(tmp_path: Path) -> None:
    body = PAGE + b"\r\n\r\n<p>the end</p>"
    head = b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n"
    record = warc_record("response", head + body, WARC_Target_URI=URL, Content_Type="application/http;msgtype=response")
    posts, refused, _, _ = read(archive(tmp_path, gzipped(record)))
    assert (len(posts), refused) == (1, [])


@pytest.mark.parametrize("coding", sorted(CODINGS))
@pytest.mark.parametrize("body", [b"\x1f\x8b\x08" + PAGE, bytes(range(256)) * 9, PAGE[:40].decode().encode("utf-16")])
def test_bodies_that_are_neither_coded_nor_text_are_damaged(coding: str, body: bytes, tmp_path: Path) -> None:
    refused = read(archive(tmp_path, gzipped(page_record(URL, body, {"Content-Encoding": coding}))))[1]
    assert [f"damaged {coding} coding" in one.message for one in refused] == [True]


@pytest.mark.parametrize("coding", sorted(CODINGS))
def test_a_page_that_unpacks_too_far_is_refused_and_the_next_is_read(coding: str, tmp_path: Path) -> None:
    bomb = page_record("https://forum.example/b", CODINGS[coding](bytes(30 << 20)), {"Content-Encoding": coding})
    posts, refused, _, failure = read(archive(tmp_path, gzipped(bomb, page_record(URL, PAGE))))
    assert (len(posts), failure) == (1, "")
    assert (refused[0].reason, refused[0].message.partition(": ")[2]) == (
        Reason.TOO_LARGE,
        "unpacks to more than 8 MiB",
    )


def test_chunks_and_charsets_are_read_as_the_crawler_reads_them(tmp_path: Path) -> None:
    page = PAGE.replace(b"</title>", " £9</title>".encode())
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (page[:100], page[100:])) + b"0\r\n\r\n"
    plain = read(archive(tmp_path, gzipped(page_record(URL, page))))[0]
    assert read(archive(tmp_path, gzipped(page_record(URL, chunked, {"Transfer-Encoding": "chunked"}))))[0] == plain
    latin = PAGE.decode().replace("twice", "twice £").encode("latin-1", "replace")
    (post,) = read(archive(tmp_path, gzipped(page_record(URL, latin, {"Content-Type": "text/html; charset=latin-1"}))))[
        0
    ]
    assert "�" not in post.model_dump_json()


def test_damage_is_named_by_its_offset_and_what_came_before_stays(tmp_path: Path) -> None:
    first, second = gzipped(page_record(URL, PAGE)), gzipped(page_record("https://forum.example/t/18", PAGE))
    posts, _, _, failure = read(archive(tmp_path, first + second[:-30]))
    assert len(posts) == 1
    assert f"a.warc.gz@{len(first)}: the file breaks off in the gzip member that begins here" in failure
    torn = bytearray(first + second)
    torn[len(first) + 200 : len(first) + 260] = bytes(60)
    posts, refused, _, failure = read(archive(tmp_path, bytes(torn)))
    assert (len(posts), failure) == (1, "")
    assert f"a.warc.gz@{len(first)}: damaged gzip member" in refused[0].message
    plain = page_record(URL, PAGE)
    posts, _, _, failure = read(archive(tmp_path, plain + plain[:-50], "a.warc"))
    assert len(posts) == 1
    assert f"a.warc@{len(plain)}: the file breaks off 46 bytes before the end of this record" in failure
    posts, _, _, failure = read(archive(tmp_path, plain + plain[:60], "a.warc"))
    assert (len(posts), "the file breaks off in the headers" in failure) == (1, True)


def test_a_record_whose_bytes_are_not_those_digested_is_refused(tmp_path: Path) -> None:
    page = page_record(URL, PAGE)
    changed = page.replace(b"answer", b"ANSWER", 1)
    assert changed != page
    posts, refused, _, failure = read(archive(tmp_path, gzipped(changed, ABOUT)))
    assert (posts, failure) == ([], "")
    assert "do not match its digest" in refused[0].message


@pytest.mark.parametrize(("digest", "count"), [("JCGW4WQ5PBLEYLAQ", 0), ("", 1)])
def test_digests_as_common_crawl_writes_them(digest: str, count: int, tmp_path: Path) -> None:
    page = page_record(URL, PAGE)
    block = page.partition(b"\r\n\r\n")[2][:-4]
    right = base64.b32encode(hashlib.sha1(block).digest()).decode()
    said = (digest + right)[: len(right)]
    changed = re.sub(rb"sha256:[0-9a-f]{64}", b"sha1:" + said.encode(), page)
    assert b"sha1:" in changed
    assert len(read(archive(tmp_path, gzipped(changed)))[0]) == count


STRANGE = [
    (b"no archive at all\n" * 100, "no WARC record begins here"),
    (b"WARC/1.0\r\n" + b"x" * 70_000, "headers"),
    (b"WARC/1.0\r\n" + b"A: b\r\n" * 20_000, "headers of more than 64 KiB"),
    (b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\n", "Content-Length '-5' is not a number"),
    (
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999999\r\n\r\nabc",
        "breaks off 99999999999996 bytes",
    ),
    (b"WARC/1.0\r\nno colon\r\n\r\n", "a header line without a colon"),
]


@pytest.mark.parametrize(("content", "message"), STRANGE)
def test_what_is_no_archive_is_one_clear_error(content: bytes, message: str, tmp_path: Path) -> None:
    posts, _, _, failure = read(archive(tmp_path, content, "a.warc"))
    assert posts == []
    assert message in failure


BAD_RECORDS = [
    (page_record(URL, PAGE).replace(b"WARC-Type: response", b"WARC-Type: resp\x00nse"), "is not one of the standard"),
    (
        page_record(URL, PAGE).replace(b"Content-Type: application/http", b"Content-Type: a\xff\xfe/http"),
        "half a character",
    ),
    (page_record(URL, PAGE).replace(b"2024-05-06T07:08:09Z", b"2024-05-06T99:08:09Z"), "is not a time in ISO 8601"),
    (
        page_record(URL, PAGE).replace(b"2024-05-06T07:08:09Z", b"9999-12-31T23:59:59-12:00"),
        "is not a time in ISO 8601",
    ),
    (warc_record("response", b"GARBAGE", WARC_Target_URI=URL, Content_Type="application/http"), "not an HTTP status"),
    (page_record(URL, PAGE, {"Content-Encoding": "rot13"}), "content coding 'rot13' is not known"),
    (page_record(URL, PAGE, {"Content-Encoding": "gzip," * 9999}), "10000 content codings on top of each other"),
]


@pytest.mark.parametrize(("record", "message"), BAD_RECORDS)
def test_bad_records_are_named_and_the_rest_is_read(record: bytes, message: str, tmp_path: Path) -> None:
    posts, refused, _, failure = read(
        archive(tmp_path, gzipped(record, page_record("https://forum.example/t/18", PAGE)))
    )
    assert (len(posts), failure) == (1, "")
    assert message in refused[0].message
    assert refused[0].record_id == URL


def test_large_records_are_passed_over_and_bombs_stop_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc, "MAX_BLOCK", 100_000)
    large = page_record("https://forum.example/large", b"<p>" + bytes(range(256)) * 1000)
    posts, refused, _, failure = read(archive(tmp_path, gzipped(large, page_record(URL, PAGE))))
    assert (len(posts), failure, refused[0].reason) == (1, "", Reason.TOO_LARGE)
    monkeypatch.setattr(warc, "FREE_BYTES", 1 << 20)
    bomb = page_record("https://forum.example/bomb", bytes(30 << 20))
    posts, _, _, failure = read(archive(tmp_path, gzipped(page_record(URL, PAGE), bomb)))
    assert (len(posts), "unpacks to more than 200 times its size" in failure) == (1, True)


def test_a_wacz_whose_names_climb_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.wacz", "w") as file:
        file.writestr("../../archive/data.warc.gz", gzipped(*RECORDS))
    assert "leads out of its folder" in read(tmp_path / "a.wacz")[3]


def test_offsets_are_those_of_the_file(tmp_path: Path) -> None:
    packed = gzipped(*RECORDS)
    offsets = [record.offset for record in read_records("a", io.BytesIO(packed))]
    assert [next(read_records("b", io.BytesIO(packed[at:]))).headers for at in offsets] == [
        record.headers for record in read_records("a", io.BytesIO(packed))
    ]
    assert len(set(offsets)) == 5


def test_an_index_query_names_the_records_to_read(tmp_path: Path) -> None:
    first, second = gzipped(ABOUT), gzipped(page_record(URL, PAGE))
    folder = tmp_path / "crawl-data" / "CC-MAIN"
    folder.mkdir(parents=True)
    archive(folder, first + second, "x.warc.gz")
    name = "crawl-data/CC-MAIN/x.warc.gz"
    entry = {"url": URL, "filename": name, "offset": str(len(first)), "length": str(len(second)), "status": "200"}
    index = tmp_path / "index.jsonl"
    wrong = [entry | {"offset": "0"}, entry | {"filename": "../../etc/passwd"}, entry | {"filename": "none.warc.gz"},
             entry | {"length": "x"}, entry | {"length": str(1 << 30)}]  # fmt: skip
    lines = [json.dumps(entry), "example,forum)/t/17 20240506070809 " + json.dumps(entry), "{", *map(json.dumps, wrong)]
    index.write_text("\n".join(lines), encoding="utf-8")
    posts, refused, _, failure = read(index, Options(archives=tmp_path), read_index)
    assert failure == ""
    assert [post.source for post in posts] == ["forum.example"] * 2
    shown = [one.message for one in refused]
    assert "not a JSON object" in shown[0]
    assert "index.jsonl:4: " in shown[1]
    assert "leads out of" in shown[2]
    assert "none.warc.gz: No such file" in shown[3]
    assert "length 'x' is not a number" in shown[4]
    assert "at most 16777216 are read" in shown[5]
    assert "say where they are with --archives DIR" in read(index, Options(), read_index)[3]


def frames(*records: bytes, dictionary: zstd.ZstdDict | None = None) -> bytes:
    return b"".join(zstd.compress(record, zstd_dict=dictionary) for record in records)


def skippable(content: bytes, said: int | None = None) -> bytes:
    """The frame that holds the dictionary of an archive."""
    return b"\x5d\x2a\x4d\x18" + struct.pack("<I", len(content) if said is None else said) + content


SAMPLES = [page_record(f"https://forum.example/t/{number}", PAGE * (number % 3)) for number in range(40)]
TRAINED = zstd.train_dict(SAMPLES, 8_000)


def test_archives_packed_by_zstd_are_read_in_every_form(tmp_path: Path) -> None:
    plain = read(archive(tmp_path, gzipped(*RECORDS)))
    forms = {
        "frames": frames(*RECORDS),
        "stream": zstd.compress(b"".join(RECORDS)),
        "dictionary": skippable(TRAINED.dict_content) + frames(*RECORDS, dictionary=TRAINED),
        "packed-dictionary": skippable(zstd.compress(TRAINED.dict_content)) + frames(*RECORDS, dictionary=TRAINED),
        "skipped": frames(RECORDS[0]) + b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + frames(*RECORDS[1:]),
    }
    for name, content in forms.items():
        found = read(archive(tmp_path, content, f"{name}.warc.zst"))
        assert (found[0], found[2].read, found[3]) == (plain[0], 5, ""), name
    with zipfile.ZipFile(tmp_path / "z.wacz", "w", zipfile.ZIP_STORED) as file:
        file.writestr("archive/data.warc.zst", forms["dictionary"])
    assert read(tmp_path / "z.wacz")[0] == plain[0]


def test_offsets_in_a_zstd_archive_are_those_of_its_frames() -> None:
    packed = frames(*RECORDS)
    offsets = [record.offset for record in read_records("a", io.BytesIO(packed))]
    assert offsets == [sum(len(frames(one)) for one in RECORDS[:number]) for number in range(5)]
    with_dictionary = skippable(TRAINED.dict_content) + frames(*RECORDS, dictionary=TRAINED)
    first = next(read_records("a", io.BytesIO(with_dictionary)))
    assert first.offset == 8 + len(TRAINED.dict_content)


def test_a_damaged_zstd_archive_names_its_offset_and_what_came_before_stays(tmp_path: Path) -> None:
    first, second = frames(page_record(URL, PAGE)), frames(page_record("https://forum.example/t/18", PAGE))
    posts, _, _, failure = read(archive(tmp_path, first + second[:-30], "a.warc.zst"))
    assert len(posts) == 1
    assert f"a.warc.zst@{len(first)}: the file breaks off in the zstd frame that begins here" in failure
    torn = bytearray(first + second)
    torn[len(first) + 100 : len(first) + 160] = bytes(60)
    posts, refused, _, failure = read(archive(tmp_path, bytes(torn), "a.warc.zst"))
    assert (len(posts), failure) == (1, "")
    assert f"a.warc.zst@{len(first)}: " in refused[0].message
    needs = frames(page_record(URL, PAGE), dictionary=TRAINED)
    assert "@0: damaged zstd frame" in read(archive(tmp_path, needs, "a.warc.zst"))[3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (skippable(b"no dictionary at all") + frames(INFO), "@0: damaged dictionary"),
        (skippable(TRAINED.dict_content[:100], 8_000), "@0: damaged dictionary (it breaks off)"),
        (skippable(b"", 1 << 30), "@0: no dictionary of at most 4 MiB"),
        (skippable(b"")[:6], "@0: no dictionary of at most 4 MiB"),
        (
            skippable(zstd.compress(bytes(1 << 23))) + frames(INFO),
            "@0: damaged dictionary (it breaks off, or is too large)",
        ),
    ],
    ids=["other", "cut", "large", "short", "bomb"],
)
def test_a_dictionary_that_is_none_is_one_clear_error(content: bytes, message: str, tmp_path: Path) -> None:
    posts, _, _, failure = read(archive(tmp_path, content, "a.warc.zst"))
    assert posts == []
    assert message in failure


def test_a_zstd_bomb_stops_the_file_and_a_huge_window_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warc, "FREE_BYTES", 1 << 20)
    bomb = page_record("https://forum.example/bomb", bytes(30 << 20))
    posts, _, _, failure = read(archive(tmp_path, frames(page_record(URL, PAGE), bomb), "a.warc.zst"))
    assert (len(posts), "unpacks to more than 200 times its size" in failure) == (1, True)
    window = (
        b"\x28\xb5\x2f\xfd\x00" + bytes([21 << 3]) + b"\x01\x00\x00"
    )  # a frame header that asks for a window of 2**31 bytes
    assert "@0: damaged zstd frame" in read(archive(tmp_path, window + bytes(50), "b.warc.zst"))[3]
