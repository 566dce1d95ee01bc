"""How reading grows with the length of a text: one piece written over and over, up to the longest text that is read.

Every piece of the hostile corpus and some more are tried on every reader at half and all of its longest text. No
reader may take over a second of processor time; twice the length may take four times as long in answers, which may be
quadratic up to their cap, and about twice as long elsewhere.
"""

import contextlib
import json
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.hostile import CASES
from benchmarks.measuring import Row, seconds_of, signature, table
from crawlers.html_reading.html_text import html_to_text
from extractors.answers.answer_candidates import thread_candidates
from extractors.answers.parsing import parse_answer
from extractors.equations.document import MAX_ANSWER
from extractors.extraction_errors import MAX_TEXT, ExtractionError
from extractors.privacy.scrubbing import scrub
from extractors.quantities.numbers import find_numbers
from extractors.text.cleaning import clean_question
from extractors.text.plain import plain_maths
from models.shipped import read_thread

LIMIT = 1.0
"""Processor seconds of one text."""
_NOTICED = 0.050
"""Seconds below which growth is noise."""


class GrowthReader(NamedTuple):
    """A reader, the longest text it is given, and how much longer twice the text may take."""

    name: str
    read: Callable[[str], object]
    longest: int
    growth: float


READERS = (
    GrowthReader("find_numbers", find_numbers, MAX_TEXT, 2.8),
    GrowthReader("plain_maths", plain_maths, MAX_TEXT, 2.8),
    GrowthReader("clean_question", clean_question, MAX_TEXT, 2.8),
    GrowthReader("scrub", lambda text: scrub(text, ["Tom"]), MAX_TEXT, 2.8),
    GrowthReader("html_to_text", html_to_text, MAX_TEXT, 2.8),
    GrowthReader("parse_answer", parse_answer, MAX_TEXT, 2.8),
    GrowthReader("thread_candidates", lambda text: thread_candidates([text]), MAX_TEXT, 2.8),
    GrowthReader("read_thread, question", lambda text: read_thread(text, ["x+y=9\nx-y=1"], 1), MAX_TEXT, 2.8),
    GrowthReader("read_thread, an answer", lambda text: read_thread("9 and 1", [text], 1), MAX_ANSWER, 4.5),
    GrowthReader(
        "read_thread, ten answers", lambda text: read_thread("9 and 1", [text] * 10, 1), MAX_TEXT // 10 - 1, 4.5
    ),
)


def pieces() -> list[str]:
    """What is written over and over: the pieces of the hostile corpus, and those of a file of such pieces."""
    lines = (CASES / "hostile.jsonl").read_text(encoding="utf-8").splitlines()
    hostile = [piece for line in lines for piece, _ in json.loads(line).get("repeat", {}).values()]
    more = json.loads((CASES / "growing_pieces.json").read_text(encoding="utf-8"))
    return list(dict.fromkeys((*hostile, *more)))


def seconds(reader: GrowthReader, piece: str, length: int) -> float:
    """Processor time of one text of about that length, the better of two where it is noticed."""
    text = piece * (length // len(piece))
    once = seconds_of(lambda: _read(reader, text))
    return min(once, seconds_of(lambda: _read(reader, text))) if once > _NOTICED / 2 else once


def _read(reader: GrowthReader, text: str) -> None:
    with contextlib.suppress(ExtractionError):
        reader.read(text)


def _row(reader: GrowthReader, tried: list[str]) -> Row:
    worst, growth = (0.0, ""), (0.0, "")
    for piece in tried:
        half, full = seconds(reader, piece, reader.longest // 2), seconds(reader, piece, reader.longest)
        worst = max(worst, (full, piece))
        if full > _NOTICED:
            growth = max(growth, (full / max(half, _NOTICED / 4), piece))
    value = f"{worst[0] * 1e3:.0f} ms ({worst[1]!a}); twice the length, {growth[0]:.1f} times ({growth[1]!a})"
    target = f"at most {LIMIT * 1e3:.0f} ms and {reader.growth} times"
    met = worst[0] <= LIMIT and growth[0] <= reader.growth
    return Row(f"{reader.name}, {reader.longest} characters", len(tried), value, target, met)


def measure() -> str:
    """A row for each reader: its slowest piece, and the one with which it grows most."""
    tried = pieces()
    return table(
        "Growth with the length of a text",
        [_row(reader, tried) for reader in READERS],
        f"Processor time, best of two. {signature()}.",
    )
