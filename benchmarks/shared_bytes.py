"""What two successive versions share: new bytes of the second, by chunks as hubs store them and by parquet pages.

Threads are drawn (benchmarks.synthetic_threads); the second version has 1 % more of them. A chunk ends where a rolling
gear hash of the last 64 bytes says so, 64 KiB on average, 8 to 128 KiB long, as Hugging Face's Xet cuts files. New is
what no chunk, or page, of the first version holds; the manifest, the card and the metadata are counted among the bytes.
Beside our files stand the same rows written otherwise.

    python -m benchmarks.run shared_bytes                       10,000 posts
    python -m benchmarks.shared_bytes --posts 40000             more
"""

import argparse
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.figures import record
from benchmarks.measuring import Row, signature, table
from benchmarks.scale import MORE, wordquarry
from benchmarks.synthetic_threads import write_threads
from corpus.row_groups import by_appearance

POSTS = 10_000
GOAL = 0.20
LEAST, OFTEN, MOST = 8 * 1024, 64 * 1024, 128 * 1024
"""Bytes of a chunk: at least, on average, at most."""
_GEAR = np.frombuffer(hashlib.shake_256(b"gear").digest(256 * 8), np.uint64)
_MASK = np.uint64((OFTEN - 1) << 48)
Files = dict[str, bytes]


def chunks(content: bytes) -> Iterator[bytes]:
    """The chunks of a file, one after the other.

    >>> content = hashlib.shake_256(b"any").digest(1_000_000)
    >>> b"".join(chunks(content)) == content
    True
    >>> len({*chunks(content)} - {*chunks(b"some bytes before" + content)}) <= 2
    True
    """
    hashes = _GEAR[np.frombuffer(content, np.uint8)] if content else np.zeros(0, np.uint64)
    for width in (1, 2, 4, 8, 16, 32):
        before = np.zeros_like(hashes)
        before[width:] = hashes[:-width]
        hashes = hashes + (before << np.uint64(width))
    ends = (np.flatnonzero((hashes & _MASK) == 0) + 1).tolist()
    start = 0
    for end in (*ends, len(content)):
        while end - start > MOST:
            yield content[start : start + MOST]
            start += MOST
        if end - start >= LEAST or end == len(content):
            yield content[start:end]
            start = end


def pages(content: bytes) -> Iterator[bytes]:
    """The pages of a parquet file with their headers, then what is left: the footer and the indexes."""
    footer = pq.read_metadata(pa.BufferReader(content))
    ends = [4]
    for group in range(footer.num_row_groups):
        for place in range(footer.num_columns):
            column = footer.row_group(group).column(place)
            start = column.dictionary_page_offset or column.data_page_offset
            end = start + column.total_compressed_size
            while start < end:
                size = _page_size(content, start)
                yield content[start : start + size]
                start += size
            ends.append(end)
    yield content[max(ends) :]


def _page_size(content: bytes, start: int) -> int:
    """The bytes of a page and its header (Thrift's compact protocol; field 3 is the size of the compressed page)."""
    place, field, size = start, 0, 0
    while content[place]:
        kind, step = content[place] & 15, content[place] >> 4
        place, field = place + 1, field + step
        if kind not in (5, 6):  # the first struct, which stands behind all sizes
            break
        value, place = _varint(content, place)
        size = value >> 1 if field == 3 else size
    return _skipped(content, place - 1) - start + size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (content[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if content[place - 1] < 128:
            return value, place


def _skipped(content: bytes, place: int) -> int:
    """The end of a struct that is read on from the head of one of its fields."""
    while content[place]:
        kind = content[place] & 15
        place += 1 if content[place] >> 4 else 2
        if kind == 8:
            length, place = _varint(content, place)
            place += length
        elif kind == 12:
            place = _skipped(content, place)
        elif kind in (4, 5, 6):
            place = _varint(content, place)[1]
        elif kind not in (1, 2):
            raise ValueError(f"a page header holds a field of kind {kind}")
    return place + 1


def new_share(old: Files, new: Files, cut: Callable[[bytes], Iterator[bytes]]) -> tuple[int, int]:
    """Bytes of the new files that no piece of the old ones holds, and all their bytes."""
    known = {hashlib.sha256(piece).digest() for content in old.values() for piece in cut(content)}
    total = fresh = 0
    for content in new.values():
        for piece in cut(content):
            digest = hashlib.sha256(piece).digest()
            fresh += 0 if digest in known else len(piece)
            total += len(piece)
            known.add(digest)
    return fresh, total


def _pieces(content: bytes) -> Iterator[bytes]:
    return pages(content) if content[:4] == b"PAR1" else chunks(content)


def files_of(folder: Path) -> Files:
    """The files of a version."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}


def rewritten(files: Files, by_digest: bool, **options: Any) -> Files:
    """The same rows in one row group a file, in the order of the digests or that of appearance."""
    return {
        path: _one_group(content, by_digest, options) if path.endswith(".parquet") else content
        for path, content in files.items()
    }


def _one_group(content: bytes, by_digest: bool, options: dict[str, Any]) -> bytes:
    rows = pq.read_table(pa.BufferReader(content))
    rows = rows.sort_by("problem_id") if by_digest else by_appearance(rows)
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd", compression_level=3, write_page_checksum=True, **options)
    return bytes(sink.getvalue())


def shares(old: Files, new: Files) -> list[Row]:
    """A row for each way to write the rows, ours last."""
    ways: list[tuple[str, Callable[[Files], Files]]] = [
        ("order of digests, one row group", lambda files: rewritten(files, True)),
        ("order of appearance, one row group", lambda files: rewritten(files, False)),
        (
            "and pages cut by content",
            lambda files: rewritten(files, False, use_content_defined_chunking=True),
        ),
        ("ours: and row groups cut by content", lambda files: files),
    ]
    rows = []
    for name, way in ways:
        before, after = way(old), way(new)
        fresh, total = new_share(before, after, chunks)
        by_page, _ = new_share(before, after, _pieces)
        ours = name.startswith("ours")
        told = f"{fresh / total:.1%} new by chunks, {by_page / total:.1%} by pages, of {total:,} bytes"
        rows.append(
            Row(
                name,
                len(files_rows(new)),
                told,
                f"< {GOAL:.0%}" if ours else "",
                fresh < GOAL * total if ours else None,
            )
        )
    return rows


def files_rows(files: Files) -> range:
    """As many as there are problems."""
    data = (content for path, content in files.items() if path.startswith("data/"))
    return range(sum(pq.read_metadata(pa.BufferReader(content)).num_rows for content in data))


def measure(posts: int = POSTS) -> str:
    """The table of shares."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first, more, data = folder / "posts.jsonl", folder / "more.jsonl", folder / "data"
        write_threads(first, posts)
        write_threads(more, posts + int(posts * MORE), first=posts)
        labels = []
        for given in ([first], [first, more]):
            words = [word for path in given for word in ("--posts", str(path))]
            wordquarry("build", *words, "--data", str(data), "--workers", "2")
            labels.append((data / "versions" / "quarry" / "latest").read_text())
        old, new = (files_of(data / "versions" / "quarry" / label) for label in labels)
        return table("Bytes that two successive versions share", shares(old, new), signature("pyarrow"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=POSTS)
    parser.add_argument("--record", default="", help="keep the table under this name")
    options = parser.parse_args()
    shown = measure(options.posts)
    print(shown)
    if options.record:
        record(options.record, f"python -m benchmarks.shared_bytes --posts {options.posts}", shown)
