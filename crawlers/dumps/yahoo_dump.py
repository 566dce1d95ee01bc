"""Yahoo! Answers as researchers have it: the L6 collection (XML) and its nfL6 subset (JSON), both as streams.

Ids are those of the collection, so posts are filed under its name. The best answer also stands among all answers;
it is found there by its text and kept once, where it stands first.
"""

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from corpus.canonical import with_digest
from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.strict_json import doubled_key
from crawlers.archives.bounded_streams import RecordError, Stream
from crawlers.archives.containers import opened
from crawlers.dates import era_stamp
from crawlers.dumps.tally import Entry, Options, Tally, refused_for
from crawlers.dumps.xml import CHUNK, DumpForm, xml_records
from crawlers.html_reading.charsets import KEPT_BYTES, with_windows
from crawlers.parsers.qapage import read_text
from crawlers.posts import ParsedAnswer, to_post
from crawlers.threads import ThreadDraft, finished
from extractors.extraction_errors import ExtractionError

MAX_RECORD = 4 << 20
L6, NFL6 = "yahoo-l6", "yahoo-nfl6"
_FIELDS = frozenset(("uri", "subject", "content", "bestanswer", "cat", "maincat", "subcat", "date"))
_ANSWER = "answer_item"
_FORM = DumpForm("ystfeed", "document", "is it the L6 collection?", wrapper="vespaadd")
_USABLE_ID = 150
_LONGEST_TOKEN, _LONGEST_GAP = 20, 200
_NEXT_ITEM = re.compile(r"\}\s{0,50}(?=,\s{0,50}\{\s{0,50}\")")
_LAST_ITEM = re.compile(r"\}\s{0,50}(?=\]\s{0,50}\Z)")

YahooRecord = dict[str, Any]


def read_yahoo(path: Path, options: Options, tally: Tally) -> Iterator[Entry]:
    """The threads of an L6 or nfL6 file, plain or packed, in file order; a record is a document or an object.

    ``options.tags`` chooses categories. Raises InputError, after everything before it, where the file is damaged.
    """
    with opened(path, lambda name: name.lower().endswith((".xml", ".json"))) as streams:
        for name, stream in streams:
            head = stream.read(CHUNK)
            rest = _Again(head, stream)
            as_json = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
            records = json_items(name, rest, tally) if as_json else l6_documents(name, rest, tally)
            for where, record in records:
                tally.read += 1
                yield _entry(where, record, options, tally)
    tally.check(str(path))


class _Again:
    """A stream whose beginning was read already."""

    def __init__(self, head: bytes, rest: Stream) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int, /) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        return head or self._rest.read(size)


def _entry(where: str, record: YahooRecord | RecordError, options: Options, tally: Tally) -> Entry:
    try:
        if isinstance(record, RecordError):
            raise record
        draft = _json_draft(where, record) if "question" in record else _l6_draft(where, record)
        if options.tags and options.tags.isdisjoint(tag.lower() for tag in draft.tags):
            raise RecordError("none of its categories is asked for", Reason.NOT_CHOSEN)
        thread = finished(draft)
    except (RecordError, ExtractionError) as error:
        return refused_for(tally, where, error)
    tally.used += 1
    tally.removed += thread.removed
    source = options.source or (NFL6 if "question" in record else L6)
    return with_digest(to_post(thread, source, options.retrieved_at).model_copy(update={"url": None}))


def _l6_draft(where: str, record: Mapping[str, Any]) -> ThreadDraft:
    categories = [record.get(name, "") for name in ("maincat", "cat", "subcat")]
    return ThreadDraft(
        native_id=_usable_id(record.get("uri", "")),
        url=where,
        title=" ".join(read_text(record.get("subject", ""))[0].split()),
        body=read_text(record.get("content", ""))[0],
        body_html=None,
        answers=_answers(record.get("bestanswer", ""), record["answers"]),
        tags=tuple(dict.fromkeys(tag for tag in categories if tag)),
        posted_at=era_stamp(record.get("date", "")) or "",
    )


def _json_draft(where: str, record: Mapping[str, Any]) -> ThreadDraft:
    question, best, category = (record.get(name) or "" for name in ("question", "answer", "main_category"))
    answers = record.get("nbestanswers") or []
    texts = [question, best, category, *(answers if isinstance(answers, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise RecordError("question, answer, main_category or one of nbestanswers is not a text")
    native_id = record.get("id")
    return ThreadDraft(
        native_id=_usable_id(str(native_id) if isinstance(native_id, str | int) else ""),
        url=where,
        title="",
        body=read_text(question)[0],
        body_html=None,
        answers=_answers(best, answers),
        tags=(category,) if category else (),
    )


def _usable_id(native_id: str) -> str:
    if not native_id.isascii() or not native_id.replace("_", "a").replace("-", "a").isalnum():
        raise RecordError(f"id {native_id[:40]!r} is unusable; letters, digits, - and _ are expected")
    if len(native_id) > _USABLE_ID:
        raise RecordError(f"id of {len(native_id)} characters; at most {_USABLE_ID} are read")
    return native_id


def _answers(best: str, answers: list[str]) -> tuple[ParsedAnswer, ...]:
    """All answers, the best one first and once; numbered by their place."""
    best_text = read_text(best)[0]
    texts = [text for entry in answers if (text := read_text(entry)[0])]
    if best_text:
        if best_text in texts:
            texts.remove(best_text)
        texts.insert(0, best_text)
    return tuple(ParsedAnswer(str(place), text, bool(best_text) and place == 1) for place, text in enumerate(texts, 1))


def l6_documents(name: str, stream: Stream, tally: Tally) -> Iterator[tuple[str, YahooRecord | RecordError]]:
    """Place and fields of each ``<document>``; RecordError in the place of one that passes the bounds or is no XML.

    Raises InputError, after the documents before it, where the file breaks off, or is another one.
    """
    for line, found in xml_records(name, stream, _FORM, tally):
        where = f"{name}:{line}"
        if isinstance(found, RecordError):
            yield where, found
        elif sum(len(text) for _, text in found.texts) > MAX_RECORD:
            yield where, RecordError(f"document of more than {MAX_RECORD} characters", Reason.TOO_LARGE)
        else:
            record: YahooRecord = {tag: text.strip() for tag, text in found.texts if tag in _FIELDS}
            yield where, record | {"answers": [text for tag, text in found.texts if tag == _ANSWER]}


def json_items(name: str, stream: Stream, tally: Tally) -> Iterator[tuple[str, YahooRecord | RecordError]]:
    """Place and value of each object of one large JSON array, read as a stream; RecordError in the place of others.

    Raises InputError, after the objects before it, where the file breaks off.
    """
    reader = _Items(name, stream, tally)
    reader.expect("[")
    number = 0
    while reader.peek() != "]":
        number += 1
        where = f"{name}#{number}"
        try:
            if number > 1:
                reader.expect(",")
            value = reader.value(where)
        except RecordError as error:
            yield where, error
            continue
        if reader.doubled:
            yield where, RecordError(f"the key {reader.doubled} comes twice in one object; keep one of the two")
            continue
        yield where, value if isinstance(value, dict) else RecordError(f"a JSON {type(value).__name__}, not an object")
    reader.expect("]")
    if reader.peek():
        raise InputError(f"{name}: something follows the end of the array after item {number}; it is not read")


class _Items:
    """Takes tokens and values of a JSON text from a stream; holds no more than one value and a chunk."""

    def __init__(self, name: str, stream: Stream, tally: Tally) -> None:
        self._name, self._stream, self._tally = name, stream, tally
        self._decode = codecs.getincrementaldecoder("utf-8-sig")(KEPT_BYTES)
        self._json = json.JSONDecoder(object_pairs_hook=self._object, strict=False)
        self.doubled = ""
        self._text, self._ended, self._last = "", False, f"{name}#1"

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self.doubled = self.doubled or doubled_key(pairs)
        return dict(pairs)

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        self._text = self._text.lstrip(" \t\r\n")
        while not self._text and self._more():
            self._text = self._text.lstrip(" \t\r\n")
        return self._text[:1]

    def expect(self, sign: str) -> None:
        """Take one character, which must be ``sign``; RecordError for another one, InputError at the end."""
        found = self.peek()
        if not found or (found != sign and sign != ","):
            what = f"{found!r} where {sign!r} should be" if found else "ends in the middle of the array"
            raise InputError(f"{self._last}: damaged or cut short: {what}; get the file again")
        if found != sign:
            self._skip(0, f"{found!r} where {sign!r} should be")
        self._text = self._text[1:]

    def value(self, where: str) -> Any:
        """Take one value; ``doubled`` then is a key that comes twice in one object of it, or empty.

        RecordError for what is no JSON; what comes next then is the comma before the next object.
        """
        self._last = where
        self.peek()
        while True:
            self.doubled = ""
            try:
                value, end = self._json.raw_decode(self._text)
            except RecursionError as error:
                raise InputError(f"{where}: damaged, cut short or too large: {error}; get the file again") from error
            except json.JSONDecodeError as error:
                begun = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_TOKEN
                if not begun or len(self._text) > MAX_RECORD or not self._more():
                    self._skip(error.pos, str(error))
                continue
            self._text = self._text[end:]
            return value

    def _skip(self, start: int, what: str) -> NoReturn:
        """Leave out what stands up to the end of the object before the next one, or the last."""
        damage = RecordError(f"{self._last}: damaged, cut short or too large: {what}; this item is left out")
        while (found := _NEXT_ITEM.search(self._text, start)) is None:
            start = max(start, len(self._text) - _LONGEST_GAP)
            self._text, start = self._text[start:], 0
            if not self._more():
                if not (last := _LAST_ITEM.search(self._text)):
                    raise InputError(f"{damage}; the file is cut short behind it, get it again") from damage
                found = last
                break
        self._text = self._text[found.end() :]
        raise damage

    def _more(self) -> bool:
        """Read on; False at the end of the file."""
        if self._ended:
            return False
        data = self._stream.read(CHUNK)
        self._ended = not data
        text, mended = with_windows(self._decode.decode(data, final=self._ended))
        self._text += text
        self._tally.mended += mended
        return not self._ended
