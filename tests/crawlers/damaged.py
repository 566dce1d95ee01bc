"""Small files of every kind that is read, and damages of them.

They are overwritten at random places, and cut at others, always the same ones. A loss that is told (an error that ends
the reading, or a record that is named as a fault) is what is asked for; a post that is missing, or has another content,
with no word said, is not. Plain text carries no checksum: what is overwritten by letters there reads as other letters,
so other contents are asked for only of kinds that have one.
"""

import bz2
import gzip
import io
import json
import lzma
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import py7zr
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.dump_files import SEED, l6_documents, stackexchange_threads, warc_records
from corpus.workspace import Workspace
from corpus.zstandard import zstd
from crawlers.dumps.loading import Loaded, load
from crawlers.dumps.tally import Options

THREADS = 12
LONGEST = 64
"""Bytes that are overwritten in one place, at most."""
SITE = "math.stackexchange.com"
_THREAD_PAGE = 10
"""Every so manieth page of the generated archive holds a thread."""


@dataclass(frozen=True)
class DamageKind:
    """A kind of file: how it is read, its bytes, and whether checksums cover its texts."""

    name: str
    reader: str
    content: bytes
    checked: bool = True


@dataclass(frozen=True)
class DamageOutcome:
    """What became of one damaged file: posts missing and posts with another content, and whether anything was said."""

    missing: int
    altered: int
    told: str


def kinds() -> Iterator[DamageKind]:
    """A file of every kind, each with THREADS threads."""
    posts = _xml("posts", islice(stackexchange_threads(_rng()), THREADS))
    packed = {"gz": gzip.compress(posts, mtime=0), "bz2": bz2.compress(posts), "xz": lzma.compress(posts)}
    packed |= {"zst": _zstd(posts), "zip": _zip({"Posts.xml": posts}), "7z": _seven_zip({"Posts.xml": posts})}
    yield DamageKind("Posts.xml", "stackexchange", posts, checked=False)
    yield from (DamageKind(f"Posts.xml.{name}", "stackexchange", content) for name, content in packed.items())
    l6 = _xml("ystfeed", islice(l6_documents(_rng()), THREADS))
    yield DamageKind("l6.xml", "yahoo", l6, checked=False)
    yield DamageKind("l6.xml.gz", "yahoo", gzip.compress(l6, mtime=0))
    yield DamageKind(
        "nfl6.json", "yahoo", json.dumps([_nfl6(number) for number in range(THREADS)]).encode(), checked=False
    )
    members = list(islice(warc_records(_rng()), _THREAD_PAGE - 1, THREADS * _THREAD_PAGE, _THREAD_PAGE))
    records = [gzip.decompress(member) for member in members]
    yield DamageKind("a.warc", "warc", b"".join(records))
    yield DamageKind("a.warc.gz", "warc", b"".join(members))
    yield DamageKind("whole.warc.gz", "warc", gzip.compress(b"".join(records), mtime=0))
    yield DamageKind("a.warc.zst", "warc", b"".join(map(_zstd, records)))
    yield DamageKind("a.wacz", "warc", _zip({"archive/a.warc.gz": b"".join(members)}))
    rows = [_line(number) for number in range(THREADS)]
    yield DamageKind("a.parquet", "parquet", _parquet(rows))
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    yield DamageKind("a.jsonl", "jsonl", lines, checked=False)
    yield DamageKind("a.jsonl.gz", "jsonl", gzip.compress(lines, mtime=0))


def overwritten(content: bytes, rng: random.Random) -> bytes:
    """The content with some bytes at a random place replaced by random ones."""
    damage = rng.randbytes(rng.randint(1, LONGEST))
    at = rng.randrange(max(1, len(content) - len(damage)))
    return content[:at] + damage + content[at + len(damage) :]


def cut(content: bytes, rng: random.Random) -> bytes:
    """The content up to a random place."""
    return content[: rng.randrange(1, len(content))]


def outcome(kind: DamageKind, content: bytes, whole: Mapping[str, str]) -> DamageOutcome:
    """Read a damaged file, and compare with the contents by id that the whole one gives."""
    loaded, found = read(kind, content)
    missing = whole.keys() - found.keys()
    altered = sum(found[post_id] != digest for post_id, digest in whole.items() if post_id in found)
    return DamageOutcome(len(missing), altered, str(loaded.failure or loaded.first_fault))


def read(kind: DamageKind, content: bytes) -> tuple[Loaded, dict[str, str]]:
    """What came of a file's bytes, and the posts' contents by id."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / kind.name
        path.write_bytes(content)
        store = Workspace(folder).posts
        options = Options(source=SITE if kind.reader == "stackexchange" else "", retrieved_at="2024-01-01T00:00:00Z")
        loaded = load(path, kind.reader, options, store, lambda _: None)
        return loaded, store.current().contents()


def damages(kind: DamageKind, how: Callable[[bytes, random.Random], bytes], times: int) -> list[DamageOutcome]:
    """The outcomes of so many damages of one file, always the same."""
    rng = random.Random(f"{SEED} {kind.name} {how.__name__}")
    loaded, whole = read(kind, kind.content)
    assert (loaded.failure, loaded.faults, len(whole)) == (None, 0, THREADS), kind.name
    return [outcome(kind, how(kind.content, rng), whole) for _ in range(times)]


def _rng() -> random.Random:
    return random.Random(SEED)


def _xml(root: str, pieces: Iterator[bytes]) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?>\n<{root}>\n'.encode() + b"".join(pieces) + f"</{root}>\n".encode()


def _line(number: int) -> dict[str, object]:
    question = f"Ann has {number + 2} apples and buys {3 * number + 1} more. How many apples does she have?"
    answers = [{"text": f"{number + 2} + {3 * number + 1} = {4 * number + 3}"}, {"text": f"{4 * number + 3} apples"}]
    return {"id": str(number), "url": f"https://forum.example/q/{number}", "question": question, "answers": answers}


def _nfl6(number: int) -> dict[str, object]:
    row = _line(number)
    texts = [f"{number} apples, said {name}" for name in ("Ann", "Bob", "Cara")]
    return {"id": str(number), "question": row["question"], "nbestanswers": texts, "answer": texts[0]}


def _zstd(content: bytes) -> bytes:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})
    return packer.compress(content, packer.FLUSH_FRAME)


def _zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _seven_zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w") as packed:
        for name, content in members.items():
            packed.writestr(content, name)
    return out.getvalue()


def _parquet(rows: list[dict[str, object]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, compression="zstd", write_page_checksum=True)
    return out.getvalue()
