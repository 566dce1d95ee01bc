"""Thread pages in furniture of a usual size, and large dumps of made-up threads, written as streams."""

import gzip
import hashlib
import random
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

from benchmarks.measuring import ROOT

FOLDER = ROOT / "tests" / "crawlers" / "pages"
ADDRESSES = {
    "algebra": "https://www.algebra.com/algebra/homework/word/mixtures/Mixture_Word_Problems.faq.question.900001.html",
}
NAMES = (
    "algebra", "qapage-linked", "qapage-marked", "stackexchange", "phpbb", "xenforo", "vbulletin", "discourse", "list",
    "yahoo-2009", "yahoo-2013", "yahoo-2018",
)  # fmt: skip
_LINK = (
    '<li class="menu-item"><a href="/section/{0}?sort=new" title="Section {0}">Section {0}</a> <span>{0}</span></li>\n'
)
_MENU = '<nav class="site-menu"><ul>' + "".join(_LINK.format(number) for number in range(120)) + "</ul></nav>"
_SCRIPT = "<script>" + "window.x = window.x || []; if (x.length<9) x.push({'a': 1});\n" * 80 + "</script>"
FURNITURE = _SCRIPT + _MENU


def page_of(name: str) -> str:
    """A frozen page with a menu and a script of the size that sites have."""
    html = (FOLDER / name / "page.html").read_text(encoding="utf-8")
    start = html.lower().index("<body")
    at = html.index(">", start) + 1
    return html[:at] + FURNITURE + html[at:]


SEED = 7
_NAMES = ("Ann", "Bob", "Cara", "Dan", "Eve", "Finn", "Gwen", "Hugo")
_WORDS = (
    "train",
    "river",
    "paint",
    "tank",
    "coins",
    "tickets",
    "apples",
    "garden",
    "boat",
    "class",
    "speed",
    "mixture",
)
TAGS = ("algebra-precalculus", "word-problem", "calculus", "topology", "group-theory", "integration", "probability")


def paragraphs(rng: random.Random, count: int) -> str:
    """HTML of a post: prose with numbers and TeX."""
    out = []
    for _ in range(count):
        words = " ".join(rng.choices(_WORDS, k=rng.randint(15, 45)))
        a, b = rng.randint(2, 99), rng.randint(2, 99)
        out.append(f"<p>{rng.choice(_NAMES)} has {a} {words}, so $x + {a} = {b}$ and <code>x = {b - a}</code>.</p>\n")
    return "\n".join(out)


def stackexchange_threads(rng: random.Random) -> Iterator[bytes]:
    """Threads of Posts.xml without end: a question, then its answers, ids ascending."""
    number = 1
    while True:
        answers = rng.choices((0, 1, 2, 3, 5), weights=(2, 5, 3, 2, 1))[0]
        tags = "".join(f"<{tag}>" for tag in rng.sample(TAGS, 2))
        asked = f'AnswerCount="{answers}" Title="About {number} things" Tags="{escape(tags)}" '
        rows = [_row(number, "1", rng, asked)]
        rows += [_row(number + place, "2", rng, f'ParentId="{number}" ') for place in range(1, answers + 1)]
        yield "".join(rows).encode()
        number += answers + 1


def _row(number: int, kind: str, rng: random.Random, more: str) -> str:
    body = escape(paragraphs(rng, rng.randint(1, 8))).replace("\n", "&#xA;")
    return (
        f'  <row Id="{number}" PostTypeId="{kind}" {more}CreationDate="2015-02-03T04:05:06.007" '
        f'Score="{rng.randint(-3, 40)}" ViewCount="55" Body="{body}" OwnerUserId="{number % 977}" '
        f'LastActivityDate="2017-01-01T00:00:00.000" CommentCount="0" ContentLicense="CC BY-SA 3.0" />\n'
    )


def l6_documents(rng: random.Random) -> Iterator[bytes]:
    """Documents of the L6 collection without end."""
    number = 0
    while True:
        number += 1
        texts = [escape(paragraphs(rng, rng.randint(1, 4))) for _ in range(rng.randint(1, 6))]
        items = "".join(f"<answer_item>{text}</answer_item>\n" for text in texts)
        document = (
            f'<vespaadd><document type="wisdom"><uri>{number}</uri><subject>About {number} things</subject>\n'
            f"<content>{escape(paragraphs(rng, 2))}</content><bestanswer>{texts[-1]}</bestanswer>\n"
            f"<nbestanswers>{items}</nbestanswers><cat>Mathematics</cat><maincat>Science</maincat>"
            "<date>1126836000</date></document></vespaadd>\n"
        )
        yield document.encode()


def warc_records(rng: random.Random) -> Iterator[bytes]:
    """Gzip members without end: one thread page among ten, the others pages of the same size without a thread."""
    thread, number = page_of("qapage-linked"), 0
    other = thread.replace("schema.org", "example.org")
    while True:
        number += 1
        page = (thread if number % 10 == 0 else other) + f"<!-- {rng.getrandbits(4096):x} -->"
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
        digest = hashlib.sha256(block).hexdigest()
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
            f"WARC-Target-URI: https://forum{number}.example/t/{number}\r\nWARC-Block-Digest: sha256:{digest}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
        )
        yield gzip.compress(head.encode() + block + b"\r\n\r\n", 6, mtime=0)


_XML = b'<?xml version="1.0" encoding="utf-8"?>\n'
_KINDS: dict[str, tuple[bytes, Callable[[random.Random], Iterator[bytes]], bytes]] = {
    "stackexchange": (_XML + b"<posts>\n", stackexchange_threads, b"</posts>\n"),
    "yahoo": (_XML + b"<ystfeed>\n", l6_documents, b"</ystfeed>\n"),
    "warc": (b"", warc_records, b""),
}


def write(kind: str, megabytes: float, path: Path) -> int:
    """Write a dump of at least so many megabytes, always the same; returns its size in bytes."""
    head, pieces, tail = _KINDS[kind]
    with path.open("wb") as file:
        size = file.write(head)
        for piece in pieces(random.Random(SEED)):  # noqa: S311 - made-up text, not a secret
            size += file.write(piece)
            if size >= megabytes * 1_000_000:
                break
        return size + file.write(tail)
