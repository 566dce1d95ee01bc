"""Pages of web archives to posts: WARC and WACZ files, and the records that a Common Crawl index query names.

A page is read as the crawler would have read it: the same decoding, the same parsers. An archive of our own crawls
says which source it is of; any other page goes to whatever parser is sure of it.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from scrapy.http import Headers, TextResponse
from scrapy.responsetypes import responsetypes

from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.lines.jsonl import numbered_lines, parse_object
from corpus.reasons import Reason
from crawlers.archives.bounded_streams import RecordError
from crawlers.archives.codings import Fields, parse_response, status_of
from crawlers.archives.containers import is_lines, opened, opened_lines
from crawlers.crawling.archive import GONE
from crawlers.crawling.job import SOURCES
from crawlers.dates import iso_stamp
from crawlers.dumps.tally import Entry, Options, Tally, refused_for
from crawlers.dumps.warc import MAX_BLOCK, WarcRecord, digest_fits, read_records, records_and_damage
from crawlers.html_reading.charsets import whole_page
from crawlers.posts import page_origin, page_post
from crawlers.spiders.base import ThreadSpider
from crawlers.spiders.pages_spider import PagesSpider
from crawlers.spiders.process import spider_of
from extractors.extraction_errors import ExtractionError

SOURCE_FIELD = b"wordquarry-source"
_PAGES = frozenset(("", "text/html", "application/xhtml+xml", "application/json", "text/javascript", "text/json"))
_MAX_URL = 4_000
KINDS = frozenset(("warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"))
_DAMAGED = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffd]")


def read_warc(path: Path, options: Options, tally: Tally) -> Iterator[Entry]:
    """The posts of the pages in a WARC file or the WARC files of a WACZ, in file order; a record is a WARC record.

    A post is filed under the site of its page, or the source that our own archive names, and dated by its record.
    What is damaged is refused, and reading goes on behind it. Raises InputError, after everything before it, where the
    file is cut short or is no web archive.
    """
    pages = _Pages(options, tally)
    with opened(path, _is_warc, keep_members=True) as streams:
        for name, stream in streams:
            for record in records_and_damage(name, stream):
                if isinstance(record, RecordError):
                    tally.read += 1
                    tally.damage = tally.damage or str(record)
                    yield refused_for(tally, name, record)
                else:
                    yield from pages.read(f"{name}@{record.offset}", record)
    tally.check(str(path))


def read_index(path: Path, options: Options, tally: Tally) -> Iterator[Entry]:
    """The posts of the pages that a Common Crawl index query names, in its order; a record is a line of the index.

    Lines are JSON objects with ``filename``, ``offset`` and ``length``, after a key and a time or alone; the files lie
    below ``options.archives``, under their whole names or the last part of them.
    """
    if options.archives is None:
        raise InputError(f"{path}: an index names files; say where they are with --archives DIR")
    pages = _Pages(options, tally)
    try:
        with opened_lines(path, is_lines) as lines:
            for where, line in numbered_lines(lines, str(path)):
                try:
                    record = _indexed(where, line, options.archives)
                except InputError as error:
                    tally.read += 1
                    yield refused_for(tally, where, error)
                else:
                    yield from pages.read(where, record)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    tally.check(str(path))


def _is_warc(name: str) -> bool:
    return name.lower().endswith((".warc", ".warc.gz", ".warc.zst"))


class _Pages:
    """Reads pages by the source their archive names, from its warcinfo record on."""

    def __init__(self, options: Options, tally: Tally) -> None:
        self._options, self._tally = options, tally
        self._spider: ThreadSpider = PagesSpider(base_url="")
        self._own = False

    def read(self, where: str, record: WarcRecord) -> Iterator[Entry]:
        """The posts of a record, or why there are none; the record is counted."""
        self._tally.read += 1
        try:
            posts = list(self._posts(record))
            if not posts:
                raise RecordError("no thread", Reason.NOT_A_THREAD)
        except (RecordError, ExtractionError) as error:
            yield refused_for(self._tally, where, error, _address(record))
        except Exception as error:  # noqa: BLE001 - one page that a parser cannot take must not end the archive
            failed = RecordError(f"its parser failed ({type(error).__name__}: {error!a:.80}); please report this page")
            yield refused_for(self._tally, where, failed, _address(record))
        else:
            self._tally.used += 1
            yield from posts

    def _posts(self, record: WarcRecord) -> Iterator[Entry]:
        if record.kind == "warcinfo":
            self._take_source(record)
        _check_headers(record)
        url = _address(record)
        if record.kind not in ("response", "resource") or url is None:
            return
        if record.block is None:
            raise RecordError(f"record of more than {MAX_BLOCK >> 20} MiB", Reason.TOO_LARGE)
        if not digest_fits(record):
            raise RecordError("its bytes do not match its digest; the archive is damaged")
        page = _page(record, url)
        if page is None:
            self._note_gone(record, url)
            return
        retrieved_at = _moment(record)
        content_type, body = page
        for thread in self._spider.threads(whole_page(body, content_type), url):
            self._tally.removed += thread.removed
            source = self._options.source or self._spider.source_of(thread)
            yield page_post(thread, source, retrieved_at, page_origin(self._spider.name, body))

    def _take_source(self, record: WarcRecord) -> None:
        """The spider that our own archive names; the parsers of any page for every other archive."""
        fields = (line.partition(b":") for line in (record.block or b"").splitlines())
        named = {name.strip().lower(): value.strip().decode("latin-1") for name, _, value in fields}
        source = named.get(SOURCE_FIELD, "")
        spider = spider_of(source) if source in SOURCES else PagesSpider
        self._own = SOURCE_FIELD in named
        self._spider = spider(base_url="")

    def _note_gone(self, record: WarcRecord, url: str) -> None:
        """What our own crawl was told is no more; of another archive nobody knows who was told that, and why."""
        if self._own and record.kind == "response" and status_of(record.block or b"") in GONE:
            key, moment = (self._spider.name, url), _moment(record)
            self._tally.gone[key] = max(moment, self._tally.gone.get(key, moment))


def _check_headers(record: WarcRecord) -> None:
    """RecordError for headers that no writer writes: no digest covers them, and a damaged one would hide the page."""
    if record.kind not in KINDS:
        raise RecordError(f"WARC-Type {record.kind[:20]!r} is not one of the standard; the archive is damaged")
    if any(_DAMAGED.search(name + value) for name, value in record.headers.items()):
        raise RecordError("its headers hold half a character (a lone surrogate); the archive is damaged")


def _address(record: WarcRecord) -> str | None:
    """The http address of a record's page; older writers put it between angle brackets."""
    url = record.headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">")
    try:
        urlsplit(url)
    except ValueError:
        return None
    return url if url.lower().startswith(("http://", "https://")) and len(url) <= _MAX_URL else None


def _page(record: WarcRecord, url: str) -> tuple[str, bytes] | None:
    """Content type and body of a page; None for an answer that is no page, RecordError for a part of one."""
    assert record.block is not None
    said, body, cut = record.headers.get("content-type", ""), record.block, record.cut
    fields: Fields = {b"content-type": [said.encode("latin-1", "replace")]}
    if record.kind != "resource":
        if not said.lower().startswith("application/http"):
            return None
        response = parse_response(record.block)
        if response.status not in (200, 203):
            return None
        fields, body, cut = response.fields, response.body, cut or response.cut
    said = (fields.get(b"content-type") or [b""])[-1].decode("latin-1")
    if said.partition(";")[0].strip().lower() not in _PAGES:
        return None
    if cut:
        raise RecordError(f"the page is cut: {cut}", Reason.TRUNCATED)
    is_text = issubclass(responsetypes.from_args(headers=Headers(fields), url=url, body=body), TextResponse)
    return (said, body) if is_text else None


def _moment(record: WarcRecord) -> str:
    said = record.headers.get("warc-date", "")
    try:
        return iso_stamp(said)
    except ValueError as error:
        raise RecordError(f"WARC-Date {said[:40]!r} is not a time in ISO 8601") from error


def _indexed(where: str, line: bytes, archives: Path) -> WarcRecord:
    """The record that a line of an index names; InputError says why it cannot be had."""
    entry = parse_object(line[max(line.find(b"{"), 0) :], where)
    offset, length = _whole(entry, "offset"), _whole(entry, "length")
    if length > MAX_BLOCK:
        raise InputError(f"{where}: a record of {length} bytes; at most {MAX_BLOCK} are read")
    path = _archive(entry, archives)
    try:
        with open_file(path) as file:
            file.seek(offset)
            packed = file.read(length)
    except OSError as error:
        raise InputError(f"{where}: cannot read {path}: {error.strerror or error}; get the file") from error
    if len(packed) < length:
        raise InputError(f"{where}: {path} ends before the record at {offset}; get the file again")
    record = next(read_records(f"{path}@{offset}", io.BytesIO(packed)), None)
    if record is None or _address(record) != entry.get("url", _address(record)):
        raise InputError(f"{where}: {path} holds another record at {offset} than the index says")
    return record


def _whole(entry: dict[str, Any], name: str) -> int:
    """A whole number that may stand in quotes, as in the answers of index servers."""
    said = str(entry.get(name))
    if not said.isascii() or not said.isdigit() or len(said) > 15:
        raise InputError(f"{name} {said[:40]!r} is not a number; expected an index of a web archive")
    return int(said)


def _archive(entry: dict[str, Any], archives: Path) -> Path:
    name = entry.get("filename")
    if not isinstance(name, str) or not name or len(name) > _MAX_URL or "\0" in name:
        raise InputError("no filename; expected an index of a web archive")
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts:
        raise InputError(f"filename {name[:100]!r} leads out of {archives}; the line is not read")
    whole = archives / pure
    return whole if whole.exists() else archives / pure.name
