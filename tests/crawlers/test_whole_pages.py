"""A page is whole, or it gives no post and says why: whoever cut it, and whether anything marks the cut."""

import gzip
from pathlib import Path

import pytest

from corpus.reasons import Reason
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.tally import Options, Tally
from crawlers.html_reading.charsets import breaks_off
from tests.crawlers.dump_files import collect, gzipped, page_record, warc_record
from tests.crawlers.loopback import Reply, serve_pages

URL = "https://forum.example/q/7"
HEAD = '<!DOCTYPE html><html><head><title>7</title></head><body><div itemscope itemtype="https://schema.org/Question">'
ASKED = '<h1 itemprop="name">Crates</h1><div itemprop="text">6 rows of 21 oranges. How many?</div>'
ANSWER = (
    '<div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer"><p itemprop="text">6*21 = 126</p>'
)
PAGE = f"{HEAD}{ASKED}{ANSWER}</div></div></body></html>".encode()
CUT = PAGE[: PAGE.index(b"26</p>")]


def refusals(tmp_path: Path, *records: bytes) -> tuple[int, list[tuple[Reason, str]]]:
    """How many posts an archive gives, and why the others are none."""
    path, tally = tmp_path / "a.warc.gz", Tally()
    path.write_bytes(gzipped(*records))
    posts, refused, failure = collect(read_warc(path, Options(), tally), tally)
    assert failure == ""
    return len(posts), [(one.reason, one.message) for one in refused]


def marked(body: bytes, **headers: str) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return warc_record("response", block, WARC_Target_URI=URL, Content_Type="application/http", **headers)


RECORDS = {
    "marked by the archiver": (marked(PAGE, WARC_Truncated="length"), "WARC-Truncated: length"),
    "marked without a reason": (marked(PAGE, WARC_Truncated="unspecified"), "WARC-Truncated: unspecified"),
    "a segment": (marked(PAGE, WARC_Segment_Number="1"), "WARC-Segment-Number: 1"),
    "shorter than the server said": (page_record(URL, PAGE, {"Content-Length": str(len(PAGE) + 9)}), "9 bytes of it"),
    "shorter than one of two lengths": (
        page_record(URL, PAGE, {"Content-Length": f"{len(PAGE)}, {len(PAGE) + 9}"}), "9 bytes of it"),
    "without its last chunk": (
        page_record(URL, b"%x\r\n%s\r\n" % (len(PAGE), PAGE), {"Transfer-Encoding": "chunked"}), "chunks break off"),
    "not marked": (page_record(URL, CUT), "breaks off before its end"),
    "a resource": (
        warc_record("resource", CUT, WARC_Target_URI=URL, Content_Type="text/html"), "breaks off before its end"),
}  # fmt: skip


@pytest.mark.parametrize(("record", "message"), RECORDS.values(), ids=RECORDS)
def test_a_part_of_a_page_is_no_post(record: bytes, message: str, tmp_path: Path) -> None:
    posts, refused = refusals(tmp_path, record, page_record("https://forum.example/q/8", PAGE))
    assert (posts, [reason for reason, _ in refused]) == (1, [Reason.TRUNCATED])
    assert message in refused[0][1]


def test_lengths_that_say_nothing_of_the_page_are_not_asked(tmp_path: Path) -> None:
    packed = gzip.compress(PAGE, mtime=0)
    stored_bare = page_record(URL, PAGE, {"Content-Encoding": "gzip", "Content-Length": str(len(PAGE) + 20)})
    coded = page_record(URL + "1", packed, {"Content-Encoding": "gzip", "Content-Length": str(len(packed))})
    longer = page_record(URL + "2", PAGE, {"Content-Length": "5"})
    assert refusals(tmp_path, stored_bare, coded, longer) == (3, [])


@pytest.mark.rows(
    "end",
    ["<p>6*21 = 1", "</p><div cla", "</p><!-- the end", "</p><script>let a = '</div>", "<p>6*21 = 126</p>"],
)
def test_a_document_breaks_off_in_a_text_a_tag_or_an_open_element(end: str) -> None:
    assert breaks_off(f"<html><body><div><p>{end}")
    assert not breaks_off(f"<html><body><div><p>{end}</div></body></html>")
    assert not breaks_off(f"<div>{end}")


def test_what_html_lets_be_left_out_is_not_missing() -> None:
    assert not breaks_off("<!doctype html><title>7</title><div><p>6*21 = 126<p>so</div><script>'<div>'</script>\n")


def test_a_page_that_a_site_cuts_gives_no_post_either(tmp_path: Path) -> None:
    with serve_pages({"/q/7": Reply(CUT), "/q/8": Reply(PAGE)}) as site:
        (tmp_path / "urls.txt").write_text(f"{site.base_url}/q/7\n{site.base_url}/q/8\n", encoding="utf-8")
        summary = crawl("pages", tmp_path / "urls.txt", tmp_path / "out", Limits(backoff=0.05, timeout=20, retries=1))
    assert (summary.outcomes["threads"], summary.outcomes["malformed"]) == (1, 1)
