"""Small dumps written by hand, and web archives made of pages, for the tests of every reader."""

import gzip
import hashlib
from collections.abc import Iterable, Mapping
from html import escape

from corpus.errors import InputError
from corpus.records import Post
from crawlers.dumps.tally import Tally
from crawlers.thread_records import RejectedLine

QUESTION = {
    "Id": "4",
    "PostTypeId": "1",
    "AcceptedAnswerId": "9",
    "CreationDate": "2012-05-06T07:08:09.123",
    "Score": "3",
    "Body": "<p>Ann is twice as old as Bob, who is <b>9</b>.</p>\n\n<p>How old is Ann?</p>",
    "Title": "How old is Ann?",
    "Tags": "<algebra><word-problem>",
    "AnswerCount": "3",
}
ANSWERS = (
    {"Id": "5", "Score": "10", "Body": "<p>2 &middot; 9 = 18</p>"},
    {"Id": "7", "Score": "9", "Body": "<p>x = 2<sup>1</sup> 9</p>", "CreationDate": "2019-01-01T00:00:00.000"},
    {"Id": "9", "Score": "-1", "Body": "<p>x=18</p>", "OwnerDisplayName": "Tomasz Q"},
)


def collect(entries: Iterable[Post | RejectedLine], tally: Tally) -> tuple[list[Post], list[RejectedLine], str]:
    """Posts, rejections, and the error that ended the reading, if any; every record read is accounted for."""
    posts: list[Post] = []
    refused: list[RejectedLine] = []
    failure = ""
    try:
        for entry in entries:
            if isinstance(entry, Post):
                posts.append(entry)
            else:
                refused.append(entry)
    except InputError as error:
        failure = str(error)
        assert "\n" not in failure
    assert tally.read == tally.used + tally.refused.total()
    return posts, refused, failure


def row(**attributes: str) -> str:
    """One row of Posts.xml."""
    fields = " ".join(f'{name}="{escape(value).replace(chr(10), "&#xA;")}"' for name, value in attributes.items())
    return f"  <row {fields} />\n"


def answer(parent: str = "4", **attributes: str) -> str:
    """A row of an answer."""
    return row(**{"PostTypeId": "2", "ParentId": parent, "CreationDate": "2012-05-07T00:00:00.000"} | attributes)


def posts_xml(*rows: str) -> bytes:
    """A Posts.xml of these rows."""
    return ('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "".join(rows) + "</posts>\n").encode()


def thread_rows(number: int = 4) -> list[str]:
    """The question above and its three answers under other ids, each id a multiple of ``number`` apart."""
    ids = {name: str(int(name) + 10 * (number - 4)) for name in ("4", "5", "7", "9")}
    question = QUESTION | {"Id": ids["4"], "AcceptedAnswerId": ids["9"]}
    return [row(**question), *(answer(ids["4"], **{**one, "Id": ids[one["Id"]]}) for one in ANSWERS)]


L6_DOCUMENT = """<vespaadd><document type="wisdom"><uri>432470</uri><subject>How old is Ann?</subject>
<content>She is twice as old as Bob, who is 9.&lt;br /&gt;Thanks</content><bestanswer>2*9 = 18</bestanswer>
<nbestanswers><answer_item>no idea</answer_item>
<answer_item>2*9 = 18</answer_item></nbestanswers><cat>Mathematics</cat><maincat>Science</maincat>
<subcat>Mathematics</subcat><date>1126836000</date><id>u1</id></document></vespaadd>
"""


def l6_xml(*documents: str) -> bytes:
    """An L6 file of these documents."""
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<ystfeed>\n' + "".join(documents) + "</ystfeed>\n").encode()


def warc_record(kind: str, block: bytes, **headers: str) -> bytes:
    """One WARC record; header names are given with underscores."""
    fields = {"WARC-Type": kind, "WARC-Date": "2024-05-06T07:08:09Z", "Content-Length": str(len(block))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "WARC/1.0\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + block + b"\r\n\r\n"


def page_record(url: str, body: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> bytes:
    """A response record of a page, with its digest."""
    fields = {"Content-Type": "text/html; charset=utf-8"} | dict(headers or {})
    head = f"HTTP/1.1 {status} OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    block = head.encode() + body
    digest = "sha256:" + hashlib.sha256(block).hexdigest()
    return warc_record(
        "response",
        block,
        WARC_Target_URI=url,
        Content_Type="application/http; msgtype=response",
        WARC_Block_Digest=digest,
    )


def gzipped(*records: bytes) -> bytes:
    """Records in a gzip member each, as archives have them."""
    return b"".join(gzip.compress(record, mtime=0) for record in records)
