"""XML dumps as a stream of records, each parsed by itself: no DOCTYPE, so no entities; sizes and depth are bounded.

The text is cut where the next record begins, so that what is no XML costs the record it stands in: a dump of years is
not lost for one of them. Records in the plain layout of dumps are taken apart many at a time, as a parser costs more
than a record. Expat rather than lxml for the others: it hands DOCTYPE to us before anything is expanded. What XML does
not allow is mended before, one character at a time.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from xml.parsers import expat

from w3lib.encoding import read_bom, resolve_encoding

from corpus.errors import InputError
from crawlers.archives.bounded_streams import RecordError, Stream
from crawlers.dumps.plain_records import plain_records
from crawlers.dumps.tally import Tally
from crawlers.html_reading.charsets import KEPT_BYTES, LOST, legible, with_windows

CHUNK = 1 << 20
PLAIN_CHUNK, MAX_PLAIN = 1 << 16, 1 << 18
MAX_TOKEN = 16 << 20
MAX_DEPTH = 64
_LONGEST_MARK = 20
_DECLARED = re.compile(rb"\s{0,100}<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._-]{1,40})[\"']")
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
_NO_CHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,8}));")
_BARE = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#[0-9]{1,8}|#x[0-9A-Fa-f]{1,8});)")
_RARE = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos|#xA|#xD|#x9);)")
"""An ampersand that begins none of the references of which a dump is full, and which are lawful."""
_UNLAWFUL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNFINISHED = re.compile("(?:[0-9][\x00-\x08\x0b\x0c\x0e-\x1f]*|&[#0-9A-Za-z]{0,10})\\Z")
_LONGEST_UNFINISHED = 64


@dataclass(frozen=True)
class DumpForm:
    """The root of a dump, its records, what is asked of another file, and an element that may stand around a record."""

    root: str
    record: str
    question: str
    wrapper: str = ""


@dataclass
class XmlRecord:
    """A record: its attributes, and every element within that holds text alone, in their order."""

    attributes: dict[str, str]
    texts: list[tuple[str, str]] = field(default_factory=list)


Placed = tuple[int, XmlRecord | RecordError]
"""A record, or why there is none, and its line."""


def xml_records(name: str, stream: Stream, form: DumpForm, tally: Tally) -> Iterator[Placed]:
    """Line and content of each record; RecordError in the place of what is no XML.

    Raises InputError naming the line, after everything before it, for a file that breaks off, is another one, has a
    DOCTYPE or passes a bound. ``tally`` counts the characters that were mended.
    """
    mark = re.compile(rf"<{form.record}(?=[\s/>])".encode())
    usual, pieces = f"<{form.record} ".encode(), _DumpPieces(name, form)
    mended = MendedStream(name, stream, tally)
    rest, searched, data = b"", 1, b"\n"
    while data:
        data = mended.read()
        at = 0
        while (cut := data.rfind(usual, at + 1, at + PLAIN_CHUNK)) > 0 and mended.is_utf8:
            if not (found := pieces.read_plain(rest + mended.held + data[at:cut])):
                break
            yield from found
            mended.forget()
            rest, searched, at = b"", 1, cut
        rest += mended.mend(data[at:])
        cuts = [0, *(found.start() for found in mark.finditer(rest, searched))]
        for begin, end in pairwise(cuts):
            yield from pieces.read_plain(rest[begin:end]) or pieces.read(rest[begin:end], final=False)
        rest = rest[cuts[-1] :]
        searched = max(1, len(rest) - _LONGEST_MARK)
        if len(rest) > MAX_TOKEN:
            raise InputError(f"{name}:{pieces.line}: a tag of more than {MAX_TOKEN >> 20} MiB; not a dump")
    yield from pieces.read(rest, final=True)


class _DumpPieces:
    """Reads one piece of a file after the other: what stands before the first record, then each with what is behind."""

    def __init__(self, name: str, form: DumpForm) -> None:
        self._name, self._form = name, form
        self.line, self._ended = 1, False
        self._around: tuple[str, ...] = ()

    def read_plain(self, text: bytes) -> list[Placed]:
        """The records of a text that is nothing but plain ones; none where it is to be mended and parsed."""
        if len(text) > MAX_PLAIN or self._form.wrapper or self._around != (self._form.root,):
            return []
        found, first, lines = plain_records(text, self._form.record), self.line, text.count(b"\n", text.rfind(b'"'))
        self.line += lines * len(found)
        return [(first + lines * place, XmlRecord(attributes, [])) for place, attributes in enumerate(found)]

    def read(self, piece: bytes, final: bool) -> Iterator[Placed]:
        """The record of a piece, and what is wrong with the piece."""
        line = self.line
        reader = _PieceParser(self._name, line, self._form)
        failure = self._failure(reader, piece, final)
        self.line += piece.count(b"\n")
        yield from ((line, record) for record in reader.records[-1:])
        if not failure:
            return
        message = f"{self._name}:{reader.line}: damaged or cut short: {failure}"
        if final and not self._ended:
            raise InputError(f"{message}; get the file again")
        yield reader.line, RecordError(f"{message}; this record is left out")

    def _failure(self, reader: "_PieceParser", piece: bytes, final: bool) -> str:
        """What is wrong with a piece, or nothing; notes what stands around the next one."""
        form, behind_the_end = self._form, self._ended
        reader.parse("".join(f"<{tag}>" for tag in self._around).encode(), False)
        self._around = self._behind(piece)
        self._ended = behind_the_end or f"</{form.root}>".encode() in piece
        try:
            reader.parse(piece, final)
        except expat.ExpatError as error:
            return f"{expat.ErrorString(error.code)}, column {error.offset}"
        except RecordError as error:
            return str(error)
        if self._ended and not final and not behind_the_end:
            return "the file goes on behind its end"
        is_whole = self._ended or reader.open == self._around
        return "" if is_whole else f"<{'><'.join(reader.open[-3:])}> is open where a record begins"

    def _behind(self, piece: bytes) -> tuple[str, ...]:
        """What is open behind a piece."""
        root, wrapper = self._form.root, self._form.wrapper
        is_wrapped = wrapper and piece.rfind(f"<{wrapper}".encode()) > piece.rfind(f"</{wrapper}".encode())
        return (root, wrapper) if is_wrapped else (root,)


class _PieceParser:
    """An expat parser of one piece."""

    def __init__(self, name: str, line: int, form: DumpForm) -> None:
        self.records: list[XmlRecord] = []
        self.open: tuple[str, ...] = ()
        self._name, self._form, self._lines_before = name, form, line - 1
        self._under_way: XmlRecord | None = None
        self._parts: list[str] = []
        self._leaf = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        if hasattr(self._parser, "SetReparseDeferralEnabled"):  # from expat 2.6 on a long tag waits for more text
            self._parser.SetReparseDeferralEnabled(False)
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._take

    @property
    def line(self) -> int:
        """The line that is parsed, from 1."""
        return self._lines_before + self._parser.CurrentLineNumber

    def parse(self, data: bytes, final: bool) -> None:
        """Parse on; ExpatError or RecordError for what is no record, InputError for what is no dump."""
        self._parser.Parse(data, final)

    def _take(self, data: str) -> None:
        self._parts.append(data)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        place, form = len(self.open), self._form
        if place == 0 and tag != form.root:
            raise InputError(f"{self._name}:{self.line}: <{tag[:40]}> where <{form.root}> should be; {form.question}")
        if place >= MAX_DEPTH:
            raise InputError(f"{self._name}:{self.line}: elements nested deeper than {MAX_DEPTH}; not a dump")
        if tag == form.record and place:
            self._under_way = XmlRecord(attributes)
        elif place == 1 and not form.wrapper:
            raise RecordError(f"<{tag[:40]}> where <{form.record}> should be")
        self.open = (*self.open, tag)
        self._parts, self._leaf = [], place

    def _end(self, tag: str) -> None:
        self.open = self.open[:-1]
        if self._under_way is not None and tag == self._form.record:
            self.records.append(self._under_way)
            self._under_way = None
        elif self._under_way is not None and len(self.open) == self._leaf:
            self._under_way.texts.append((tag, "".join(self._parts)))
        self._parts = []

    def _refuse_doctype(self, *_declared: object) -> None:
        raise InputError(
            f"{self._name}:{self.line}: has a DOCTYPE, which no dump has and which may hide entities; it is not read"
        )


class MendedStream:
    """The text of a dump as UTF-8, with what XML does not allow mended; those characters are counted.

    Left out are control characters, also as references; a bare ``&`` is written as it was meant; bytes that are not of
    the charset are read as those of pages are. Lines stay where they are.
    """

    def __init__(self, name: str, stream: Stream, tally: Tally) -> None:
        self._stream, self._tally = stream, tally
        self._head = stream.read(CHUNK)
        codec = _codec(name, self._head)
        errors = KEPT_BYTES if codec == "utf-8-sig" else "replace"
        self._decoder = codecs.getincrementaldecoder(codec)(errors)
        self._rest, self.is_utf8 = "", codec == "utf-8-sig"

    def read(self) -> bytes:
        """The next bytes as they stand in the file; empty at its end alone."""
        data, self._head = self._head or self._stream.read(CHUNK), b""
        return data

    @property
    def held(self) -> bytes:
        """The bytes of UTF-8 that were to be mended and wait for those behind them."""
        return self._rest.encode() + self._decoder.getstate()[0]

    def forget(self) -> None:
        """What is held was read without mending."""
        self._rest = ""
        self._decoder.setstate((b"", 0))

    def mend(self, data: bytes) -> bytes:
        """The text of the next bytes, or at the end of none, as far as it does not depend on those behind them."""
        text = self._rest + self._decoder.decode(data, final=not data)
        tail = _UNFINISHED.search(text, max(0, len(text) - _LONGEST_UNFINISHED)) if data else None
        self._rest = tail[0] if tail else ""
        return self._mend(text[: tail.start()] if tail else text)

    def _mend(self, text: str) -> bytes:
        try:
            raw = text.encode()
        except UnicodeEncodeError:
            text, count = with_windows(text)
            self._tally.mended += count
            raw = text.encode("utf-8", "replace")
        held, bare = text, 0
        if _RARE.search(raw):
            text, bare = _BARE.subn("&amp;", _REFERENCE.sub(_referred, text) if "&#" in text else text)
        unlawful = len(raw.translate(None, _CONTROLS)) < len(raw) or any(one in raw for one in _NO_CHARACTERS)
        if text is held and not unlawful:
            return raw
        self._tally.mended += bare + len(_UNLAWFUL.findall(text))
        return legible(text).encode("utf-8", "replace")


def _referred(found: re.Match[str]) -> str:
    """A reference as it stands, or the character that XML does not allow."""
    code = int(found[1], 16) if found[1] else int(found[2])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return LOST
    return chr(code) if code in (0xFFFE, 0xFFFF) or (code < 32 and code not in (9, 10, 13)) else found[0]


def _codec(name: str, head: bytes) -> str:
    """What decodes a dump; UTF-8 unless its mark or its declaration says otherwise."""
    marked, _ = read_bom(head)
    if marked and marked != "utf-8":
        return marked.removesuffix("-le").removesuffix("-be")
    found = _DECLARED.match(head)
    if found is None:
        return "utf-16-le" if head[:2] == b"<\0" else "utf-16-be" if head[:2] == b"\0<" else "utf-8-sig"
    codec = resolve_encoding(found[1].decode())
    if codec is None:
        raise InputError(f"{name}:1: declares the encoding {found[1].decode()!r}, which is not known; save it as UTF-8")
    return "utf-8-sig" if codec == "utf-8" else codec
