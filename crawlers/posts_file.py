"""The posts file of a crawl: what the crawling process fed, sorted, each post once, with what earlier runs left."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from corpus.errors import CrawlError
from corpus.open_files import open_file
from corpus.strict_json import load_json


@dataclass(frozen=True)
class Published:
    """How many posts the file holds, how many of them come from this run, and how many came twice and were left out."""

    posts: int
    fresh: int
    duplicates: int


@dataclass(frozen=True, order=True)
class _Line:
    post_id: str
    earlier: bool
    digest: str
    offset: int
    length: int


def publish(feed: Path, target: Path, carry: bool) -> Published:
    """Sort the feed by post_id, one line a post, into ``target``, which is replaced in one step.

    With ``carry`` the posts that ``target`` holds from earlier runs stay, unless the feed has them too. Nothing is
    written where there are no posts.
    """
    sources = [feed] + ([target] if carry and target.exists() else [])
    index = sorted(line for place, source in enumerate(sources) for line in _lines(source, bool(place)))
    if not index:
        feed.unlink()
        return Published(0, 0, 0)
    temporary, last, written, fresh = target.with_suffix(".tmp"), None, 0, 0
    opened: list[IO[bytes]] = []
    try:
        opened.extend(open_file(source) for source in sources)
        with temporary.open("wb") as out:
            for line in index:
                if line.post_id != last:
                    source = opened[line.earlier]
                    source.seek(line.offset)
                    out.write(source.read(line.length))
                    written, fresh, last = written + 1, fresh + (not line.earlier), line.post_id
            out.flush()
            os.fsync(out.fileno())
    finally:
        for file in opened:
            file.close()
    temporary.replace(target)
    feed.unlink()
    return Published(written, fresh, sum(not line.earlier for line in index) - fresh)


def check_feed(feed: Path, posts: int) -> None:
    """CrawlError unless the feed holds as many posts as the crawling process gave."""
    with open_file(feed) as file:
        written = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b""))
    if written < posts:
        raise CrawlError(
            f"{posts - written} of {posts} posts could not be written to {feed.parent}; "
            "free some space and run it again"
        )


def _lines(path: Path, earlier: bool) -> Iterator[_Line]:
    offset = 0
    with open_file(path) as lines:
        for line in lines:
            post = load_json(line)
            yield _Line(post["post_id"], earlier, post["content_sha256"], offset, len(line))
            offset += len(line)
