"""Threads stored earlier that a crawl may not come across: they are asked for again, so that removal is noticed.

A listing that no longer names a thread says nothing about the thread. Only its own address does, which answers that it
is there, has changed, or is no more.
"""

import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from urllib.parse import urlsplit

from corpus.canonical import canonical_json
from corpus.folders.open_files import open_file, read_file
from corpus.post_store.tombstones import moment_of
from corpus.records import Post
from corpus.strict_json import load_json
from crawlers.addresses import path_of
from crawlers.parsers.algebra import SITE as ALGEBRA
from crawlers.posts import site_of

KNOWN, TRIED = "known.jsonl", "revisited.json"
"""In the folder of a crawl: the threads that are known, and when those were asked for that no page named."""
_FILED_UNDER = {"algebra": ALGEBRA}
"""Sources whose posts are filed under another name than theirs; those of ``pages`` are under the name of their site."""


@dataclass(frozen=True)
class Known:
    """A stored thread: its address by path and query and as it is stored, and when it was last seen."""

    path: str
    url: str
    seen: float


def known_threads(posts: Iterable[Post], source: str, base_url: str) -> tuple[Known, ...]:
    """The stored threads of a source that have an address on the site, each once.

    >>> post = Post(post_id="bundled:1", source="bundled", url="https://forum.example/q/1", question="q",
    ...     retrieved_at="1970-01-02T00:00:00Z")
    >>> known_threads([post], "bundled", "http://127.0.0.1:8000")
    (Known(path='/q/1', url='https://forum.example/q/1', seen=86400.0),)
    """
    filed, known = _filed_under(source, base_url), dict[str, Known]()
    for post in posts:
        if post.url is not None and _is_thread_of(post, source, filed):
            seen = moment_of(post.post_id, post.retrieved_at).timestamp()
            known.setdefault(path_of(post.url), Known(path_of(post.url), post.url, seen))
    return tuple(known.values())


def gone_threads(posts: Iterable[Post], gone: Mapping[tuple[str, str], str]) -> list[tuple[str, str]]:
    """What is no more by the addresses that its threads are stored under, as a crawl that was told so gives it.

    ``gone`` holds when that was said, by the source of the crawl and the address it asked for.

    >>> post = Post(post_id="bundled:1", source="bundled", url="https://forum.example/q/1", question="q")
    >>> gone_threads([post], {("bundled", "http://127.0.0.1:8000/q/1"): "2024-05-06T07:08:09Z"})
    [('https://forum.example/q/1', '2024-05-06T07:08:09Z')]
    """
    told = {
        (source, _filed_under(source, url), path_of(url)): (url, moment)
        for (source, url), moment in sorted(gone.items(), key=itemgetter(1))
        if _is_web_address(url)
    }
    sources: dict[str, set[str]] = defaultdict(set)
    for source, filed, _ in told:
        sources[filed].add(source)
    stored: dict[tuple[str, str, str], str] = {}
    for post in posts:
        for source in sources.get(post.source, ()):
            if post.url is not None and _is_thread_of(post, source, post.source):
                stored.setdefault((source, post.source, path_of(post.url)), post.url)
    return sorted((stored.get(key, url), moment) for key, (url, moment) in told.items())


def _filed_under(source: str, base_url: str) -> str:
    return site_of(base_url) if source == "pages" else _FILED_UNDER.get(source, source)


def _is_thread_of(post: Post, source: str, filed: str) -> bool:
    """Whether a post with an address is one of a source that files its posts so."""
    if post.source != filed or post.url is None or not _is_web_address(post.url):
        return False
    return source != "pages" or site_of(post.url) == filed


def _is_web_address(url: str) -> bool:
    """Posts of files have whatever address their file gave them."""
    try:
        return urlsplit(url).scheme in ("http", "https")
    except ValueError:
        return False


def remember(folder: Path, known: Iterable[Known]) -> None:
    """Leave known threads in the folder of a crawl, those first that were seen or asked for longest ago."""
    last = _read_tried(folder / TRIED)
    ordered = sorted(known, key=lambda one: (max(one.seen, last.get(one.path, one.seen)), one.path))
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f"{KNOWN}.tmp"
    temporary.write_text("".join(canonical_json([one.path, one.url]) + "\n" for one in ordered), encoding="utf-8")
    temporary.replace(folder / KNOWN)


def read_known(path: Path) -> dict[str, str]:
    """The stored address of every known thread by its path and query, in order; none without the file."""
    if not path.exists():
        return {}
    # not splitlines: an address may hold line separators of Unicode
    with io.TextIOWrapper(open_file(path), "utf-8") as lines:
        return dict(map(load_json, lines))


def note_tried(folder: Path, paths: Iterable[str], now: float) -> None:
    """Take the known threads away again; when each was asked for stays, so that none is always the first."""
    held = read_known(folder / KNOWN)
    last = _read_tried(folder / TRIED) | dict.fromkeys(paths, now)
    temporary = folder / f"{TRIED}.tmp"
    temporary.write_text(canonical_json({path: when for path, when in last.items() if path in held}), encoding="utf-8")
    temporary.replace(folder / TRIED)
    (folder / KNOWN).unlink()


def _read_tried(path: Path) -> dict[str, float]:
    try:
        values = load_json(read_file(path).decode())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
