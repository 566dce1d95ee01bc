"""A round is one whole crawl of a site, in as many runs as it takes: what is settled stays, what waits is asked next.

A run that ends in order, by a budget or because the site had enough, leaves a file of what is settled and what waits.
A run that is killed leaves the file as it found it; what it downloaded lies in the page cache, and pages stored since
the round began are used from there unasked, so that the next run is soon where this one was.
"""

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from corpus.canonical import canonical_json, digest_of
from corpus.open_files import open_file
from corpus.strict_json import load_json
from crawlers.job import Job, Reach


class Waiting(StrEnum):
    """As what an address that waits is to be read."""

    LISTING = "listing"
    THREAD = "thread"


PART_SUFFIX = ".part"
"""Of a file that a run leaves and whoever started it takes over."""
_SETTLED, _AGAIN = "settled", "again"


@dataclass
class Round:
    """What earlier runs of a round left; addresses of the site are without its scheme, host and port.

    ``since`` is when it began (seconds since 1970), ``waiting`` says as what each address is to be read, ``tried`` are
    those of them that an earlier run ended with: they are asked for again, once.
    """

    identity: str
    since: float
    settled: set[str] = field(default_factory=set)
    waiting: dict[str, Waiting] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)

    @property
    def begun(self) -> bool:
        """Whether a run of it ended in order."""
        return bool(self.settled or self.waiting)


def identity_of(job: Job, addresses: Iterable[str] = ()) -> str:
    """What a round crawls: other addresses, or other rules, are another round; another port of this machine is not.

    >>> jobs = [Job("bundled", f"http://127.0.0.1:{port}", "", "", "", reach=Reach.LOOPBACK) for port in (1, 2)]
    >>> len({identity_of(job) for job in jobs})
    1
    """
    limits = job.limits
    host = "" if job.reach is Reach.LOOPBACK else urlsplit(job.base_url).netloc
    listed = [local(job.base_url, address) for address in addresses]
    return digest_of([job.source, host, job.start, listed, list(limits.allow), list(limits.deny)])


def local(base_url: str, url: str) -> str:
    """An address of the site by path and query, any other as it is.

    >>> local("http://127.0.0.1:1", "http://127.0.0.1:1/q?page=2"), local("http://127.0.0.1:1", "http://127.0.0.1:11/q")
    ('/q?page=2', 'http://127.0.0.1:11/q')
    """
    rest = url.removeprefix(base_url)
    return rest or "/" if len(rest) < len(url) and rest[:1] in ("", "/", "?") else url


def whole(base_url: str, address: str) -> str:
    """The address that ``local`` made short.

    >>> whole("http://127.0.0.1:1", "/q?page=2")
    'http://127.0.0.1:1/q?page=2'
    """
    return base_url + address if address[:1] in ("/", "?") else address


def read_round(path: Path, identity: str, now: float) -> Round:
    """The round that a folder is in, or a new one if it is in none, in another, or its file is damaged."""
    try:
        with io.TextIOWrapper(open_file(path), "utf-8") as lines:
            return _parsed(lines, identity)
    except (OSError, ValueError, KeyError, TypeError):
        return Round(identity, now)


def _parsed(lines: Iterator[str], identity: str) -> Round:
    head = load_json(next(lines, ""))
    if head["identity"] != identity:
        raise ValueError("another round")
    found = Round(identity, float(head["since"]))
    for line in lines:
        kind, address, *again = load_json(line)
        if kind == _SETTLED:
            found.settled.add(address)
            continue
        found.waiting[address] = Waiting(kind)
        if again:
            found.tried.add(address)
    return found


def write_round(path: Path, state: Round) -> None:
    """Replace the file of a round; the order of addresses is that in which they are asked for."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(canonical_json({"identity": state.identity, "since": state.since}) + "\n")
        for address in sorted(state.settled):
            file.write(canonical_json([_SETTLED, address]) + "\n")
        for address, kind in state.waiting.items():
            file.write(canonical_json([kind, address, *([_AGAIN] if address in state.tried else [])]) + "\n")
    temporary.replace(path)
