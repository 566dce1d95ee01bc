"""What a crawl is asked to do and what it says of itself: plain data between the parent and the crawling process."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corpus.config import CrawlConfig
from corpus.strict_json import load_json


class Reach(StrEnum):
    """What a crawl may connect to: public addresses, this machine too, or anything."""

    PUBLIC = "public"
    LOOPBACK = "loopback"
    ANY = "any"


SPIDERS = Path(__file__).parents[1] / "spiders"
SUFFIX = "_spider"
SOURCES = tuple(sorted(path.stem.removesuffix(SUFFIX) for path in SPIDERS.glob(f"*{SUFFIX}.py")))
"""What can be crawled: a source has a spider in a file of its name."""
CONTACT = "https://wordquarry.example/bot"
ENDED, FAILED = "budget_", "failed/"
"""What stands before the name of the budget that ended a crawl, and before the kind of a failed request."""
FINISHED = "finished"
HAD_ENOUGH = ("retry_after", "too_many_errors")
"""Why a run ends in order that is no success all the same."""
GONE_SUFFIX = ".gone"
"""Of the file beside the feed that lists addresses which answered 404 or 410: address and time, JSON Lines."""


def is_passing(kind: str) -> bool:
    """Whether a failure, by status or kind, says something of the site at the moment, and nothing of the page.

    >>> [is_passing(kind) for kind in ("timeout", "503", "429", "403")]
    [True, True, True, False]
    """
    return not kind.isdigit() or kind == "429" or kind.startswith("5")


def agent(contact: str) -> str:
    """Who a crawl says it is, with an address where its owner can be reached."""
    return f"wordquarry/{version('wordquarry')} (+{contact})"


USER_AGENT = agent(CONTACT)


@dataclass(frozen=True)
class Limits:
    """Bounds of one crawl; times in seconds, sizes in bytes.

    Pages, bytes and seconds are budgets: a crawl that meets one ends in order, and the next goes on.
    """

    max_pages: int = 50_000
    """Requests sent, robots.txt aside."""
    max_bytes: int = 10**10
    """Of bodies, as they come over the network."""
    max_seconds: float = 6 * 3600
    max_errors: int = 50
    """Failures in a row after which a site is left alone; removed pages are none."""
    timeout: float = 30
    retries: int = 3
    backoff: float = 0.5
    max_retry_after: float = 120
    max_page_bytes: int = 8 * 1024 * 1024
    max_cache_bytes: int = 4 * 1024**3
    fresh_for: float = 0
    """Pages stored less than this long ago are used without asking the site again."""
    resume_for: float = 7 * 24 * 3600
    """The same for pages of a round that a killed run left unfinished."""
    archive: bool = False
    """Whether responses are kept as WARC beside the posts."""
    delay: float | None = None
    """Between the beginnings of two requests, at least; None is half a second, and none on this machine."""
    max_delay: float = 60
    """What the throttle goes up to by itself."""
    concurrency: int | None = None
    """Requests under way at a time, at most; None is 2, and 8 on this machine."""
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    """Patterns of crawlers.crawling.politeness."""
    private_addresses: bool = False
    """Whether a site may be at a private address; this machine may be crawled anyway."""
    contact: str = CONTACT
    """In the name the crawl gives itself."""
    max_revisits: int | None = None
    """Known threads asked for again though nothing names them; None: 1,000 where a whole site is crawled, else none."""


def limits_for(config: CrawlConfig, base_url: str, timeout: float, archive: bool) -> Limits:
    """The limits of a crawl of one site; ``timeout`` are the seconds a page may take, ``archive`` keeps responses."""
    host = config.host(urlsplit(base_url).hostname or "")
    return Limits(
        max_pages=config.max_pages,
        max_bytes=config.max_bytes,
        max_seconds=config.max_hours * 3600,
        max_revisits=config.max_revisits,
        delay=host.delay,
        max_delay=config.max_delay,
        concurrency=host.concurrency,
        allow=config.allow,
        deny=config.deny,
        private_addresses=config.private_addresses,
        resume_for=config.resume_hours * 3600,
        contact=config.contact,
        timeout=timeout,
        archive=archive,
    )


@dataclass(frozen=True)
class Job:
    """One run of the crawling process.

    ``start`` is the path to start at (the spider's own if empty), ``urls`` a file of addresses to read instead,
    ``archive`` the folder for WARC files, if any, ``round`` the file of the round and ``identity`` what it crawls,
    ``known`` a file of known threads, if any, ``reach`` what may be connected to; pages stored after
    ``fresh_since`` (seconds since 1970) are used unasked.
    """

    source: str
    base_url: str
    feed: str
    report: str
    cache: str
    limits: Limits = Limits()
    start: str = ""
    urls: str = ""
    archive: str = ""
    round: str = ""
    identity: str = ""
    known: str = ""
    reach: Reach = Reach.PUBLIC
    fresh_since: float = math.inf

    def to_json(self) -> str:
        """The argument the crawling process is started with."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """Read what to_json wrote."""
        values = load_json(text, parse_constant=float)  # a page may never be fresh, nor ever grow old
        limits = values["limits"] | {name: tuple(values["limits"][name]) for name in ("allow", "deny")}
        return cls(**(values | {"limits": Limits(**limits), "reach": Reach(values["reach"])}))


@dataclass(frozen=True)
class CrawlSummary:
    """What a crawl did; counts of pages unless said otherwise.

    ``finish_reason`` is ``finished``, ``budget_pages``, ``budget_bytes``, ``budget_hours``, or, of a site that has had
    enough, ``retry_after`` or ``too_many_errors``. ``requested`` counts addresses, and ``outcomes`` adds up to it;
    ``failed`` are those that stayed unanswered after retries, by status or kind of failure. ``waiting`` addresses are
    left to the next run. ``fetched`` bodies were downloaded, ``not_modified`` were confirmed by the site (304),
    ``from_cache`` were used without asking. ``posts`` are those of the whole round. ``unread`` are pages of stored
    threads on which no thread is found any more.
    """

    source: str
    base_url: str
    finish_reason: str
    posts_path: Path
    posts: int = 0
    requested: int = 0
    outcomes: Mapping[str, int] = field(default_factory=dict)
    waiting: int = 0
    revisits: int = 0
    unread: int = 0
    fetched: int = 0
    not_modified: int = 0
    from_cache: int = 0
    bytes: int = 0
    seconds: float = 0.0
    retried: int = 0
    redirected: int = 0
    duplicates: int = 0
    removed: Mapping[str, int] = field(default_factory=dict)
    """Personal data taken out of texts, by kind (``extractors.text.edits``)."""
    gone: tuple[tuple[str, str], ...] = ()
    """Addresses that the site says are no more (404 or 410), and when it said so."""

    @property
    def failed(self) -> dict[str, int]:
        """What stayed unanswered, by status or kind of failure."""
        kinds = sorted(name for name in self.outcomes if name.startswith(FAILED))
        return {name.removeprefix(FAILED): self.outcomes[name] for name in kinds}

    def plain(self) -> dict[str, Any]:
        """The summary as plain data."""
        return asdict(self) | {"posts_path": self.posts_path.name, "failed": self.failed, "met": self.met}

    @property
    def met(self) -> str | None:
        """The budget that ended the crawl: pages, bytes or hours."""
        return self.finish_reason.removeprefix(ENDED) if self.finish_reason.startswith(ENDED) else None


@dataclass(frozen=True)
class Progress:
    """How far a crawl is; printed as ``pages 120, posts 97, 3.1 MB, 40 waiting``."""

    pages: int
    posts: int
    bytes: int = 0
    waiting: int = 0

    def __str__(self) -> str:
        return f"pages {self.pages}, posts {self.posts}, {self.bytes / 1e6:.1f} MB, {self.waiting} waiting"
