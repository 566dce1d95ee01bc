"""Rows that are read without a parser are those that the parser reads, whatever stands in, beside or between them."""

import io
import random

import pytest

from corpus.errors import InputError
from crawlers.archives.bounded_streams import RecordError
from crawlers.dumps import xml
from crawlers.dumps.plain_records import plain_records
from crawlers.dumps.tally import Tally

ROWS = 24
ODDITIES = (
    b"&", b"<", b">", b'"', b"'", b"=", b" ", b"\t", b"\n", b"\r\n", b"\0", b"\x01", b"\x0b", b"\x1f", b"\x7f",
    b"3\x0e4", b"&amp;", b"&amp;lt;", b"&quot;", b"&apos;", b"&#xA;", b"&#10;", b"&#1;", b"&#xFFFE;", b"&#x110000;",
    b"&nbsp;", b"&l&lt;t;", b"\xc2\x96", b"\xc2\xa0", b"\xc3\xa9", b"\xe2\x82\xac", b"\xef\xbf\xbd", b"\xef\xbf\xbe",
    b"\xef\xbf\xbf", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"\xe2\x82", b"\xc0\xaf", b"<!-- -->",
    b"<![CDATA[5]]>", b"]]>", b"<?a b?>", b"<!DOCTYPE posts [<!ENTITY a 'b'>]>", b"</posts>", b"<posts>", b"<row ",
    b"<row/>", b"<r\x01ow ", b"</row>", b"/>", b' Id="7"', b' xmlns:a="b"', b' a:b="c"', b' B="c"', b' b_="c"',
    b" b='c'", b' c = "d"', b' B="', b"x" * 900,
)  # fmt: skip


def dump_with(oddities: list[bytes], seed: int) -> bytes:
    """A dump of ROWS rows with oddities at places that the seed chooses, every second one beside a quotation mark."""
    row = '  <row Id="{0}" Title="" Body="&lt;p&gt;{0} &amp;amp; {0}&#xD;&#xA;é" />' + ("\r\n", " ", "\n\n")[seed % 3]
    text = f'<?xml version="1.0"?>\r\n<posts>\r\n{"".join(map(row.format, range(ROWS)))}</posts>\r\n'.encode()
    rng = random.Random(seed)
    for oddity in oddities:
        at = rng.randrange(len(text))
        at = text.find(b'"', at) + 1 if seed % 2 else at
        text = text[:at] + oddity + text[at:]
    return text


def what_is_read(text: bytes) -> tuple[list[object], int]:
    """Every row with its line and the order of its attributes, every fault, and how much was mended."""
    tally, found = Tally(), list[object]()
    try:
        for line, record in xml.xml_records("f", io.BytesIO(text), xml.DumpForm("posts", "row", "?"), tally):
            found.append((line, str(record) if isinstance(record, RecordError) else [*record.attributes.items()]))
    except InputError as error:
        found.append(str(error))
    return found, tally.mended


@pytest.mark.parametrize("oddity", [b"", *ODDITIES], ids=repr)
def test_rows_read_without_a_parser_are_those_of_the_parser(oddity: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    dumps = [dump_with([oddity, b"\x01"][: 1 + seed // 30], seed) for seed in range(60)]
    dumps += [text[text.index(b"<row") :] for text in dumps if b"<row" in text]
    monkeypatch.setattr(xml, "CHUNK", 400)
    monkeypatch.setattr(xml, "PLAIN_CHUNK", 200)
    found = [what_is_read(text) for text in dumps]
    monkeypatch.setattr(xml, "MAX_PLAIN", 0)
    assert found == [what_is_read(text) for text in dumps]


def test_sound_rows_need_no_parser() -> None:
    text = dump_with([], 0)
    found = plain_records(text[text.index(b"<row") : text.rindex(b"<row")], "row")
    assert [row["Id"] for row in found] == [str(number) for number in range(ROWS - 1)]
    assert found[1] == {"Id": "1", "Title": "", "Body": "<p>1 &amp; 1\r\né"}
    assert plain_records(b'<tag Id="1" />\n', "row") == []
