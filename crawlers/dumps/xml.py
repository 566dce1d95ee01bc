"""XML as a stream of events by expat: no DOCTYPE, so no entities; tokens, depth and texts are bounded; lines known.

Expat rather than lxml's iterparse: it builds no tree (twice as fast over Posts.xml), hands DOCTYPE to us before
anything is expanded, and tells the line of every element. What is no XML costs the record that it stands in: a dump of
years is not lost for one of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeVar
from xml.parsers import expat

from corpus.errors import InputError
from crawlers.bounded_streams import Stream
from crawlers.dumps.mended import MendedStream
from crawlers.dumps.tally import Tally
from crawlers.thread_records import RecordError

CHUNK = 1 << 20
MAX_TOKEN = 16 << 20
MAX_DEPTH = 64
_LONGEST_MARK = 20
_FIRST_STEP = 1 << 10
"""Bytes that are parsed at once behind damage, then twice as many each time: much damage costs no more than little."""

T = TypeVar("T")
Damaged = Callable[[int, RecordError], T]
"""What is made of a line that is no XML."""


@dataclass(frozen=True)
class DumpForm:
    """The name of a dump's root, and what its records begin with, in at most _LONGEST_MARK bytes."""

    root: str
    record: re.Pattern[bytes]


@dataclass(frozen=True)
class Handlers:
    """What is done at the begin and end of an element, with a text, and when the record under way is given up.

    RecordError of ``start`` gives up the record, InputError the dump.
    """

    start: Callable[[str, dict[str, str]], None]
    end: Callable[[str], None] = lambda _name: None
    text: Callable[[str], None] = lambda _data: None
    forget: Callable[[], None] = lambda: None


class Events:
    """An expat parser that refuses what no dump holds, and begins anew at the next record behind what is no XML."""

    def __init__(self, name: str, form: DumpForm) -> None:
        self.name, self.depth = name, 0
        self._form, self._handlers = form, Handlers(lambda _name, _attributes: None)
        self._alive = self._seeking = self._ended = False
        self._rest, self._rest_line, self._damage = b"", 1, ""
        self._parser, self._fed, self._lines_before = expat.ParserCreate("utf-8"), 0, 0

    @property
    def line(self) -> int:
        """The line of the event under way, from 1."""
        return self._lines_before + self._parser.CurrentLineNumber

    def handle(self, handlers: Handlers) -> None:
        """Set what is done with events; ``depth`` is 1 while the root element begins or ends."""
        self._handlers = handlers
        self._begin_anew(b"", 1)

    def run(self, stream: Stream, out: list[T], damaged: Damaged[T], tally: Tally) -> Iterator[T]:
        """What the handlers put into ``out``, chunk by chunk, with what ``damaged`` makes of what is no XML.

        Raises InputError naming the line, after everything before it, for a file that breaks off, has a DOCTYPE or
        passes a bound. ``tally`` counts the characters that were mended.
        """
        mended = MendedStream(self.name, stream, CHUNK)
        pending, data, counted = 0, b"more", 0
        while data:
            data = mended.read()
            tally.mended += mended.mended - counted
            counted = mended.mended
            self._alive, failure = False, None
            try:
                for line, error in self._parse(data):
                    out.append(damaged(line, error))
            except InputError as error:
                failure = error
            yield from out
            out.clear()
            pending = 0 if self._alive else pending + len(data)
            if failure is not None:
                raise failure
            if pending > MAX_TOKEN:
                raise InputError(f"{self.name}:{self.line}: a tag of more than {MAX_TOKEN >> 20} MiB; not a dump")

    def _parse(self, data: bytes) -> Iterator[tuple[int, RecordError]]:
        """Parse on; the line of each thing that is no XML, and what is wrong with it."""
        final = not data
        text = _Piece(self._rest + data, self._rest_line)
        step = len(text.data)
        while True:
            if self._seeking and not self._find_record(text, final):
                return
            piece = text.data[text.at : text.at + step]
            try:
                self._parser.Parse(piece, final)
            except (expat.ExpatError, RecordError) as error:
                text.go(max(text.at + self._parser.CurrentByteIndex - self._fed, text.begin + 1))
                self._damage = f"{self.name}:{text.line}: damaged or cut short: {_reason(error)}"
                if final:
                    raise InputError(f"{self._damage}; get the file again") from error
                yield text.line, RecordError(f"{self._damage}; this record is left out")
                self._seeking, step = True, _FIRST_STEP
                self._handlers.forget()
                continue
            self._fed += len(piece)
            text.go(text.at + len(piece))
            step *= 2
            if text.at == len(text.data):
                self._rest, self._rest_line = b"", text.line
                return

    def _find_record(self, text: "_Piece", final: bool) -> bool:
        """Go to where the next record begins, with a new parser; False where none does in this piece of the file."""
        found = self._form.record.search(text.data, text.at)
        ending, behind = f"</{self._form.root}>".encode(), found.start() if found else len(text.data)
        self._ended |= text.data.find(ending, max(0, text.at - _LONGEST_MARK), behind) >= 0
        if found:
            text.go(found.start())
            text.begin = text.at
            self._begin_anew(f"<{self._form.root}>".encode(), text.line)
            return True
        if final and not self._ended:
            raise InputError(f"{self._damage}; no record comes behind it, get the file again")
        text.go(max(text.at, len(text.data) - _LONGEST_MARK))
        self._rest, self._rest_line = text.data[text.at :], text.line
        return False

    def _begin_anew(self, before: bytes, line: int) -> None:
        """A new parser for what stands from a line on, as if this stood before it."""
        handlers = self._handlers
        self._parser, self._fed, self._lines_before = expat.ParserCreate("utf-8"), len(before), line - 1
        self.depth, self._seeking = 0, False

        def begin(name: str, attributes: dict[str, str]) -> None:
            self._alive = True
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InputError(f"{self.name}:{self.line}: elements nested deeper than {MAX_DEPTH}; not a dump")
            handlers.start(name, attributes)

        def finish(name: str) -> None:
            self._alive = True
            handlers.end(name)
            self.depth -= 1

        def gather(data: str) -> None:
            self._alive = True
            handlers.text(data)

        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = begin
        self._parser.EndElementHandler = finish
        self._parser.CharacterDataHandler = gather
        self._parser.Parse(before, False)

    def _refuse_doctype(self, *_declared: object) -> NoReturn:
        raise InputError(
            f"{self.name}:{self.line}: has a DOCTYPE, which no dump has and which may hide entities; it is not read"
        )


class _Piece:
    """A piece of a file with a place in it: its line, and where the record began that is under way."""

    def __init__(self, data: bytes, line: int) -> None:
        self.data, self.at, self.line, self.begin = data, 0, line, 0

    def go(self, place: int) -> None:
        """Go to a place, forth or back."""
        if place >= self.at:
            self.line += self.data.count(b"\n", self.at, place)
        else:
            self.line -= self.data.count(b"\n", place, self.at)
        self.at = place


def _reason(error: Exception) -> str:
    if isinstance(error, expat.ExpatError):
        return f"{expat.ErrorString(error.code)}, column {error.offset}"
    return str(error)
