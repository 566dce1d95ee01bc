"""What a crawl is asked to do and what it says of itself: plain data between the parent and the crawling process."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

CONTACT = "https://wordquarry.example/bot"
USER_AGENT = f"wordquarry/0.1 (+{CONTACT})"
GONE_SUFFIX = ".gone"
"""Of the file beside the feed that lists addresses which answered 404 or 410: address, tab, time."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one crawl; times in seconds, sizes in bytes. A crawl that meets one does not count as finished."""

    max_pages: int = 50_000
    max_errors: int = 50
    max_seconds: float = 6 * 3600
    timeout: float = 30
    retries: int = 3
    backoff: float = 0.5
    max_retry_after: float = 120
    max_page_bytes: int = 8 * 1024 * 1024
    max_cache_bytes: int = 4 * 1024**3
    fresh_for: float = 0
    """Pages stored less than this long ago are used without asking the site again."""
    archive: bool = False
    """Whether responses are kept as WARC beside the posts."""


@dataclass(frozen=True)
class Job:
    """One run of the crawling process.

    ``start`` is the path to start at (the spider's own if empty), ``urls`` a file of addresses to read instead,
    ``archive`` the folder for WARC files, if any.
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

    def to_json(self) -> str:
        """The argument the crawling process is started with."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """Read what to_json wrote."""
        values = json.loads(text)
        return cls(**(values | {"limits": Limits(**values["limits"])}))


@dataclass(frozen=True)
class CrawlSummary:
    """What a finished crawl did; counts of pages unless said otherwise.

    ``fetched`` bodies were downloaded, ``not_modified`` were confirmed by the site (304), ``from_cache`` were used
    without asking. ``failed`` counts what stayed unanswered after retries, by status or kind of failure.
    """

    source: str
    base_url: str
    finish_reason: str
    posts_path: Path
    posts: int = 0
    fetched: int = 0
    not_modified: int = 0
    from_cache: int = 0
    failed: Mapping[str, int] = field(default_factory=dict)
    retried: int = 0
    redirected: int = 0
    refused_by_robots: int = 0
    oversized: int = 0
    malformed: int = 0
    not_threads: int = 0
    duplicates: int = 0
    removed: Mapping[str, int] = field(default_factory=dict)
    """Personal data taken out of texts: mails, phones, names."""
    gone: tuple[tuple[str, str], ...] = ()
    """Addresses that the site says are no more (404 or 410), and when it said so."""


@dataclass(frozen=True)
class Progress:
    """How far a crawl is; printed as ``pages 120, posts 97``."""

    pages: int
    posts: int

    def __str__(self) -> str:
        return f"pages {self.pages}, posts {self.posts}"
