"""XML as a stream of events by expat: no DOCTYPE, so no entities; tokens, depth and texts are bounded; lines known.

Expat rather than lxml's iterparse: it builds no tree (twice as fast over Posts.xml), hands DOCTYPE to us before
anything is expanded, and tells the line of every element.
"""

from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar
from xml.parsers import expat

from corpus.errors import InputError
from crawlers.dumps.containers import Stream

CHUNK = 1 << 20
MAX_TOKEN = 16 << 20
MAX_DEPTH = 64

T = TypeVar("T")


class Events:
    """An expat parser that refuses what no dump holds; ``out`` gathers what handlers find until it is taken."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.depth = 0
        self._alive = False

    @property
    def line(self) -> int:
        """The line of the event under way, from 1."""
        return self.parser.CurrentLineNumber

    def handle(
        self,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        """Set the handlers; ``depth`` is 1 while the root element begins or ends."""

        def begin(name: str, attributes: dict[str, str]) -> None:
            self._alive = True
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InputError(f"{self.name}:{self.line}: elements nested deeper than {MAX_DEPTH}; not a dump")
            start(name, attributes)

        def finish(name: str) -> None:
            self._alive = True
            if end is not None:
                end(name)
            self.depth -= 1

        def gather(data: str) -> None:
            self._alive = True
            if text is not None:
                text(data)

        self.parser.StartElementHandler = begin
        self.parser.EndElementHandler = finish
        self.parser.CharacterDataHandler = gather

    def run(self, stream: Stream, out: list[T]) -> Iterator[T]:
        """What the handlers put into ``out``, chunk by chunk; whatever was found before damage comes before its error.

        Raises InputError naming the line for XML that is not well-formed, has a DOCTYPE or passes a bound.
        """
        pending, data = 0, b"more"
        while data:
            data = stream.read(CHUNK)
            self._alive, failure = False, None
            try:
                self.parser.Parse(data, not data)
            except (expat.ExpatError, ValueError, LookupError) as error:
                failure = InputError(self._what(error))
                failure.__cause__ = error
            except InputError as error:
                failure = error
            yield from out
            out.clear()
            pending = 0 if self._alive else pending + len(data)
            if failure is not None:
                raise failure
            if pending > MAX_TOKEN:
                raise InputError(f"{self.name}:{self.line}: a tag of more than {MAX_TOKEN >> 20} MiB; not a dump")

    def _what(self, error: Exception) -> str:
        if isinstance(error, expat.ExpatError):
            reason = expat.ErrorString(error.code)
            return (
                f"{self.name}:{error.lineno}: damaged or cut short: {reason}, column {error.offset}; get the file again"
            )
        return f"{self.name}:{self.line}: cannot be read as XML ({error}); get the file again"

    def _refuse_doctype(self, *_declared: object) -> NoReturn:
        raise InputError(
            f"{self.name}:{self.line}: has a DOCTYPE, which no dump has and which may hide entities; it is not read"
        )
