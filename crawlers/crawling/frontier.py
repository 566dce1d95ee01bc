"""Which addresses a run asks for, each once, and how each of them ended: in exactly one outcome.

``requested`` is the number of addresses, and the outcomes add up to it; an address that is left over by the end of the
run is a fault of the crawler and is said to be one.

A round is one whole crawl of a site, in as many runs as it takes. A run that ends in order, by a budget or because the
site had enough, leaves a file of what is settled and what waits, for the next to go on from. A run that is killed
leaves the file as it found it; what it downloaded lies in the page cache, and pages stored since the round began are
used from there unasked, so that the next run is soon where this one was.
"""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from corpus.canonical import canonical_json, digest_of
from corpus.folders.open_files import open_file
from corpus.strict_json import load_json
from crawlers.addresses import MAX_LINE, path_of
from crawlers.crawling.archive import GONE
from crawlers.crawling.job import FAILED, Job, Reach, is_passing


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


OUTCOMES = (
    "threads",
    "listings",
    "not_threads",
    "malformed",
    "crashed",
    "oversized",
    "refused_by_robots",
    "denied",
    "off_site",
    "private_address",
    "other_scheme",
    "redirect_loop",
    "unusable",
    "endless",
    "excess",
    "merged",
    "postponed",
)
"""How a request can end, ``failed/`` and the kind of failure aside; docs/sources.md says what each means."""
READ = OUTCOMES[:5]
"""Outcomes of a page that came."""
MANY_GONE = 10
POSTPONED = "postponed"
ADDRESS = "address"
"""In the meta of a request, through every redirect and retry: the address it began as."""


def is_away(outcomes: Mapping[str, int], begun: bool) -> bool:
    """Whether a site answers 404 or 410 to everything that is asked of it, and that is much: it removed no thread then.

    ``begun``: earlier runs of the round came to pages, so that what is left may well be all gone.

    >>> is_away({"failed/404": 60}, False), is_away({"failed/404": 60, "threads": 1}, False)
    (True, False)
    """
    gone = sum(outcomes.get(f"{FAILED}{status}", 0) for status in GONE)
    return not begun and gone > MANY_GONE and not any(outcomes.get(name) for name in READ)


class Frontier:
    """The addresses of one run of a round; those that earlier runs settled are not asked for again."""

    def __init__(self, base_url: str, past: Round) -> None:
        self.requested = 0
        self.outcomes: Counter[str] = Counter()
        self._base_url, self._past = base_url, past
        self._asked = {whole(base_url, address) for address in past.settled}
        self._open: dict[str, Waiting] = {}
        self._waiting: dict[str, Waiting] = {}
        self._refused: dict[str, Waiting] = {}
        self._in_a_row: dict[str, Waiting] = {}
        self._revisits: set[str] = set()
        self._seen: set[str] = set()

    def left(self) -> list[tuple[str, Waiting]]:
        """What earlier runs of the round left to ask for, in order."""
        return [(whole(self._base_url, address), kind) for address, kind in self._past.waiting.items()]

    def admit(self, url: str, kind: Waiting) -> str | None:
        """The address to ask for, without fragment; None if it was asked for, is no web address, or is unusable.

        >>> frontier = Frontier("http://a.example", Round("", 0))
        >>> [frontier.admit(f"http://a.example/{path}", Waiting.THREAD) for path in ("q#top", "q")]
        ['http://a.example/q', None]
        """
        try:
            address = _web_address(url)
        except ValueError:
            self.requested += 1
            self.outcomes["unusable"] += 1
            return None
        if address is None or address in self._asked:
            return None
        self._asked.add(address)
        self._open[address] = kind
        self.requested += 1
        return address

    def exceed(self, links: int) -> None:
        """So many links are beyond what is taken of pages; they are counted, and nothing else is kept of them."""
        if links:
            self.requested += links
            self.outcomes["excess"] += links

    def revisits(self, known: Iterable[str], most: int) -> list[str]:
        """Up to ``most`` of the known threads, in their order, that this round has not come across."""
        chosen: list[str] = []
        for path in known:
            if len(chosen) >= most:
                break
            if path not in self._seen:
                address = self.admit(whole(self._base_url, path), Waiting.THREAD)
                chosen += [address] if address else []
        self._revisits.update(chosen)
        return chosen

    def is_past(self, url: str) -> bool:
        """Whether an earlier run of the round has settled an address."""
        return local(self._base_url, url) in self._past.settled

    def see(self, url: str) -> None:
        """A thread was read whose own address is this."""
        self._seen.add(path_of(url))

    def settle(self, address: str, outcome: str) -> None:
        """An address ended; only its first outcome counts, so that there is one for each."""
        assert outcome in OUTCOMES or outcome.startswith(FAILED), outcome
        if self._open.pop(address, None) is not None:
            self.outcomes[outcome] += 1

    def fail(self, address: str, outcome: str, busy: bool = False) -> None:
        """Settle an address that failed; the next run asks for it again, once, if that is what ends this one.

        That is a site that had enough of requests (``busy``), or one that fails in a row with what may pass.
        """
        kind = self._open.get(address)
        if kind is not None and not self.was_tried(address) and is_passing(outcome.removeprefix(FAILED)):
            self._in_a_row[address] = kind
            if busy:
                self._refused[address] = kind
        self.settle(address, outcome)

    def answered(self) -> None:
        """A page came: what failed before it is no row."""
        self._in_a_row.clear()

    def was_tried(self, address: str) -> bool:
        """Whether an earlier run of the round ended with this address."""
        return local(self._base_url, address) in self._past.tried

    def postpone(self, address: str) -> None:
        """An address was not asked for, because the run ends; a revisit is chosen anew by the next one."""
        kind = self._open.get(address)
        if address in self._revisits:
            self._revisits.discard(address)
            self._asked.discard(address)
        elif kind is not None:
            self._waiting[address] = kind
        self.settle(address, POSTPONED)

    @property
    def away(self) -> bool:
        """Whether the site as a whole is not there, as things stand."""
        return is_away(self.outcomes, self._past.begun)

    @property
    def unsettled(self) -> int:
        """How many addresses have no outcome yet."""
        return len(self._open)

    def tried(self) -> list[str]:
        """The revisits that have an outcome, by path and query."""
        return sorted(local(self._base_url, address) for address in self._revisits)

    def leave(self, reason: str) -> Round:
        """What the next run of the round goes on from, after one that ended for this reason."""
        again = {"retry_after": self._refused, "too_many_errors": self._in_a_row}.get(reason, {})
        waiting = {**self._waiting, **again}
        settled = {local(self._base_url, address) for address in self._asked - waiting.keys()}
        return Round(
            self._past.identity,
            self._past.since,
            settled | self._seen,
            {local(self._base_url, address): kind for address, kind in waiting.items()},
            {local(self._base_url, one) for one in waiting if one in again or self.was_tried(one)},
        )


def _web_address(url: str) -> str | None:
    """An address without its fragment, None for one of another scheme; ValueError if nobody could ask for it."""
    address, parts = urldefrag(url).url, urlsplit(url)
    if parts.scheme not in ("http", "https"):
        return None
    if len(address) > MAX_LINE or parts.port == 0 or not address.encode():
        raise ValueError(f"address of {len(address)} characters, port {parts.port}")
    return address
