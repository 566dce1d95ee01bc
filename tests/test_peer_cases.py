"""Inputs made after public bug reports about other tools come out as they are wanted.

The cases lie in ``SHARED_DATA/cases``, one folder for each fault.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from corpus.errors import InputError
from corpus.records import Post
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.stackexchange_dump import read_stack_exchange
from crawlers.dumps.tables import read_table
from crawlers.dumps.tally import DumpReader, Options, Tally
from crawlers.dumps.yahoo_dump import read_yahoo

DATED = "2024-01-02T03:04:05Z"
SHIRT = "A shirt costs £12 and a cap costs €3½. Find the total for 2 shirts × 1 cap — “quick” answer."


class Made(NamedTuple):
    """What came of an input: posts, how many records were refused, and what ended the reading."""

    posts: list[Post]
    refused: int
    failure: str

    def texts(self) -> list[tuple[str, ...]]:
        """Question and answers of each post."""
        return [(post.question, *(answer.text for answer in post.answers)) for post in self.posts]


CaseCheck = Callable[[Made], bool]


class Input(NamedTuple):
    """A file of the cases, what reads it, and whether what came of it is wanted."""

    file: str
    reader: DumpReader
    is_wanted: CaseCheck
    options: Options = Options(retrieved_at=DATED)


def made(path: Path, reader: DumpReader, options: Options) -> Made:
    """What a reader makes of a file."""
    tally, posts, failure = Tally(), list[Post](), ""
    try:
        posts.extend(_kept(reader, path, options, tally))
    except InputError as error:
        failure = str(error)
    return Made(posts, tally.refused.total(), failure)


def _kept(reader: DumpReader, path: Path, options: Options, tally: Tally) -> Iterator[Post]:
    yield from (entry for entry in reader(path, options, tally) if isinstance(entry, Post))


def holds(posts: int, refused: int = 0, *texts: str) -> CaseCheck:
    """So many posts and refusals, no failure, and these texts in question or answers."""

    def check(found: Made) -> bool:
        shown = [text for row in found.texts() for text in row]
        whole = all(any(text in one for one in shown) for text in texts)
        return (len(found.posts), found.refused, found.failure) == (posts, refused, "") and whole

    return check


def fails(part: str) -> CaseCheck:
    """An error that says this."""
    return lambda found: part in found.failure


def _shirts(found: Made) -> bool:
    answers = [row[1:] for row in found.texts()]
    return len(found.posts) == 10 and all(SHIRT in row[0] for row in found.texts()) and len(set(answers)) == 1


def _archives() -> Iterator[Input]:
    five = holds(5, 0, "1+5=6", "5+5=10")
    for name in ("gz-named-plain.warc", "members.warc.gz", "mislabelled.warc.gz", "padded.warc.gz", "plain.warc",
                 "whole.warc.gz"):  # fmt: skip
        yield Input(f"09-whole-gzip/{name}", read_warc, five)
    yield Input("09-whole-gzip/badlen.warc", read_warc, holds(4, 1, "1+5=6", "2+5=7", "4+5=9", "5+5=10"))
    yield Input("09-whole-gzip/old.arc", read_warc, fails("an ARC file"))
    yield Input("09-whole-gzip/open-cut.warc.gz", read_warc, fails("get it again"))
    yield Input("17-truncated/truncated.warc.gz", read_warc, holds(0, 2))
    yield Input("17-truncated/unmarked.warc.gz", read_warc, holds(0, 2))
    yield Input("14-api-yahoo/api.warc.gz", read_warc, holds(1, 0, 'Solve x > 3 & the "tank" problem'))


def _pages() -> Iterator[Input]:
    yield Input("05-charset/p.warc.gz", read_warc, _shirts)
    yield Input("06-itemref/p.warc.gz", read_warc, holds(1, 0, "Ann has 3 pens and buys 4 more", "3 + 4 = 7"))
    products = ("Volume = 3*4*5 = 60", "V = 3*4*5 so it is", "Evaluate 2*3*4 + 1.", "2*3 = 6, 6*4 = 24", "12*50 = 600")
    yield Input("15-em-asterisk/p.warc.gz", read_warc, holds(3, 0, *products))


def _dumps() -> Iterator[Input]:
    exchange = Options(source="math.example", retrieved_at=DATED)
    for name in ("Posts.xml", "Posts-clean.xml"):  # the one refused is an answer without its question
        check = holds(2, 1, "120 miles in 2 hours and then 90", "x = 13")
        yield Input(f"01-se-dump-2025/{name}", read_stack_exchange, check, exchange)
    for name in ("ok", "amp", "bad8", "charref", "ctrl", "latin1byte"):
        check = holds(2, 0, "How much fence is needed?", "A car goes 150 miles")
        yield Input(f"14-api-yahoo/{name}.xml", read_yahoo, check)


def _tables() -> Iterator[Input]:
    for name in ("plain.jsonl", "gz.jsonl.gz", "bom.jsonl", "crlf-blank.jsonl", "u2028.jsonl"):
        yield Input(f"10-jsonl-forms/{name}", read_table, holds(4))
    yield Input("10-jsonl-forms/gzcut.jsonl.gz", read_table, fails("damaged or cut short"))
    for name in ("bytes", "dict", "fixed-list", "float-id", "int-id", "large-list", "list-of-struct", "list-str",
                 "nan-score", "nullcol", "one-text", "stringview", "struct-of-lists", "ts"):  # fmt: skip
        yield Input(f"18-parquet-forms/{name}.parquet", read_table, holds(2, 0, "3+5=8", "12-4=8"))


INPUTS: tuple[Input, ...] = (*_archives(), *_pages(), *_dumps(), *_tables())


@pytest.mark.parametrize("one", INPUTS, ids=lambda one: one.file)
def test_a_case_comes_out_as_wanted(one: Input, shared_data: Path) -> None:
    found = made(shared_data / "cases" / one.file, one.reader, one.options)
    assert one.is_wanted(found), found.failure or found.texts()


def test_what_is_not_wanted_is_told(tmp_path: Path) -> None:
    path = tmp_path / "l6.xml"
    path.write_bytes(b"<ystfeed><document><uri>5</uri><subject>2 + 2?</subject></document><document/></ystfeed>")
    found = made(path, read_yahoo, Options(retrieved_at=DATED))
    assert (len(found.posts), found.refused, found.failure) == (1, 1, "")
    assert holds(1, 1, "2 + 2?")(found)
    for check in (holds(1), holds(2, 1), holds(1, 1, "3 + 3?"), fails("x")):
        assert not check(found)
