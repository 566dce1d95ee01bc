"""Run a crawl as a process of its own and judge it by what it counted, never by its exit status."""

import contextlib
import errno
import fcntl
import io
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corpus.code import ROOT
from corpus.errors import CrawlError
from corpus.folders.lifeline import helper
from corpus.folders.locks import held
from corpus.folders.open_files import open_file, read_file
from corpus.strict_json import load_json
from crawlers.addresses import read_addresses, site_address, start_path
from crawlers.crawling.frontier import PART_SUFFIX, Round, identity_of, read_round, write_round
from crawlers.crawling.job import FINISHED, GONE_SUFFIX, HAD_ENOUGH, SOURCES, CrawlSummary, Job, Limits, Progress, Reach
from crawlers.crawling.private import HostKind, kind_of_host
from crawlers.crawling.revisits import KNOWN, note_tried, read_known
from crawlers.crawling.summaries import check, check_feed, note_run, publish, summary_of, write_summary
from crawlers.posts import site_of

POSTS = "posts.jsonl"
SUMMARY = "summary.json"
RUNS = "runs.jsonl"
CACHE = "cache.sqlite"
ARCHIVE = "archive"
LOG = "crawl.log"
ROUND = "round.jsonl"
REVISITS = 1_000
"""Known threads asked for again by a crawl of a whole site, unless it is told otherwise."""


def crawl(
    source: str,
    where: str | Path,
    out_dir: Path,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CrawlSummary:
    """Crawl a site with the spider of ``source``; the posts go to ``out_dir/posts.jsonl``, sorted by post_id.

    ``where`` is the site's address, with a path to start there, or a file of thread addresses on one site.

    A crawl that meets a budget, or that the site has had enough of, ends in order; the next crawl of the same folder
    goes on where it stood, and the posts file then holds the posts of both. The folder also keeps the page cache, the
    log, the summary, a line on every run (``runs.jsonl``) and, if asked for, WARC files below ``archive``. Threads that
    ``revisits.remember`` left there are asked for again if the crawl does not come across them. ``progress``
    is called now and then. Raises CrawlError, one line, for a site that cannot be reached, is at a private address,
    only answers 429 or 503, never answers or holds no posts, and for a crawl that was killed.
    """
    check_source(source)
    addresses = read_addresses(where) if isinstance(where, Path) else ()
    first = addresses[0] if addresses else str(where)
    limits = limits or Limits()
    site = site_address(first)
    reach = reach_of(site, limits.private_addresses)
    with locked(out_dir):
        job = Job(
            source,
            site,
            str(out_dir / "posts.part"),
            str(out_dir / "report.json"),
            str(out_dir / CACHE),
            limits,
            start="" if addresses else start_path(first),
            urls=str(where) if addresses else "",
            archive=str(out_dir / ARCHIVE) if limits.archive else "",
            round=str(out_dir / ROUND),
            reach=reach,
        )
        return _recorded(_Run(replace(job, identity=identity_of(job, addresses)), out_dir), progress)


def check_source(source: str) -> None:
    """CrawlError for a source that there is not."""
    if source not in SOURCES:
        raise CrawlError(f"unknown source {source!r}; known: {', '.join(SOURCES)}")


def reach_of(site: str, private_addresses: bool) -> Reach:
    """What a crawl may connect to; CrawlError for a site at a private address, unless those are allowed."""
    if private_addresses:
        return Reach.ANY
    kind = kind_of_host(urlsplit(site).hostname or "")
    if kind is HostKind.PRIVATE:
        raise CrawlError(
            f"{site} is at a private address; allow that with --private-addresses or crawl.private_addresses"
        )
    return Reach.LOOPBACK if kind is HostKind.LOOPBACK else Reach.PUBLIC


def folder_name(source: str, base_url: str) -> str:
    """The folder of a crawl below those of all crawls; each site of the source ``pages`` has one of its own.

    >>> folder_name("algebra", "https://www.algebra.com"), folder_name("pages", "https://www.Forum.example:8080")
    ('algebra', 'pages-forum.example')
    """
    if source != "pages":
        return source
    return "pages-" + "".join(sign if sign.isalnum() or sign in ".-" else "_" for sign in site_of(base_url)[:100])


@contextlib.contextmanager
def locked(out_dir: Path, instead: str = "wait for it or choose another folder") -> Iterator[None]:
    """One crawl at a time writes to a folder; the lock goes with the process that holds it.

    ``instead`` says what to do where another has it.
    """
    with contextlib.ExitStack() as stack:
        try:
            out_dir.mkdir(parents=True, exist_ok=True)
            stack.enter_context(held(out_dir / "lock", fcntl.LOCK_EX | fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise CrawlError(f"another crawl is writing to {out_dir}; {instead}") from error
        except OSError as error:
            raise CrawlError(
                f"cannot write to {out_dir}: {error.strerror}; check the path and its permissions"
            ) from error
        yield


def _recorded(run: "_Run", progress: Callable[[Progress], None] | None) -> CrawlSummary:
    """Carry a run out, and note in the record of runs how it ended."""
    began, record = time.time(), run.folder / RUNS
    try:
        summary = run.carry_out(progress)
    except CrawlError as error:
        note_run(record, began, error, run.job)
        raise
    note_run(record, began, summary, run.job)
    return summary


@dataclass
class _Run:
    """One run of a round, in a folder that is locked for it."""

    job: Job
    folder: Path

    def carry_out(self, progress: Callable[[Progress], None] | None) -> CrawlSummary:
        """Run the crawling process, judge it, and take over what it left."""
        feed, posts = Path(self.job.feed), self.folder / POSTS
        for leftover in (feed, feed.with_suffix(GONE_SUFFIX), Path(self.job.report), self._part):
            leftover.unlink(missing_ok=True)
        past = self._begin()
        known = read_known(self.folder / KNOWN)
        content = run_job(self.job, self.folder / LOG, progress)
        gone = _read_gone(feed.with_suffix(GONE_SUFFIX))
        try:
            check(self.job, content, past.begun, buried=not set(known.values()).isdisjoint(url for url, _ in gone))
        except CrawlError:
            if content["finish_reason"] == FINISHED and not past.begun:
                Path(self.job.round).unlink()  # it came to its end; the next run has no use for the pages of this one
            if content["finish_reason"] in HAD_ENOUGH and past.begun and not gone and self._all_tried():
                self._part.replace(self.job.round)  # else pages that never answer would be asked for by every run
            raise
        check_feed(feed, int(content["stats"].get("wordquarry/posts", 0)))
        published = publish(feed, posts, carry=past.begun)
        self._end(content, bool(known))
        summary = summary_of(self.job, content, posts, published)
        summary = replace(summary, gone=_carried(self.folder / SUMMARY, gone) if past.begun else gone)
        write_summary(summary, self.folder / SUMMARY)
        Path(self.job.report).unlink()
        return summary

    @property
    def _part(self) -> Path:
        return Path(self.job.round).with_suffix(PART_SUFFIX)

    def _all_tried(self) -> bool:
        """Whether nothing waits but pages that a run ended with; where others wait, the site may be away."""
        left = read_round(self._part, self.job.identity, time.time())
        return left.tried.issuperset(left.waiting)

    def _begin(self) -> Round:
        """Begin the round, or go on with it: pages that a killed run of it stored are then used unasked."""
        now, limits = time.time(), self.job.limits
        past = read_round(Path(self.job.round), self.job.identity, now)
        write_round(Path(self.job.round), past)
        if limits.max_revisits is None:
            whole_site = not (self.job.start or self.job.urls or self.job.source == "pages")
            limits = replace(limits, max_revisits=REVISITS if whole_site else 0)
        known = self.folder / KNOWN
        self.job = replace(
            self.job,
            limits=limits,
            known=str(known) if known.exists() else "",
            fresh_since=max(past.since, now - limits.resume_for),
        )
        return past

    def _end(self, content: dict[str, Any], known: bool) -> None:
        """The round is over once nothing of it waits."""
        if content["waiting"]:
            self._part.replace(self.job.round)
        else:
            self._part.unlink()
            Path(self.job.round).unlink()
        if known:
            note_tried(self.folder, content["tried"], time.time())


def _read_gone(path: Path) -> tuple[tuple[str, str], ...]:
    """The addresses that answered that they are no more, with the last time they did."""
    if not path.exists():
        return ()
    with io.TextIOWrapper(open_file(path), "utf-8") as lines:
        pairs = sorted((url, moment) for url, moment in map(load_json, lines))
    path.unlink()
    return tuple(dict(pairs).items())


def _carried(path: Path, gone: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """What is gone, with what an earlier run of the round found gone: whoever started it may not have stored that."""
    try:
        earlier = load_json(read_file(path).decode())["gone"]
    except (OSError, ValueError, KeyError):
        earlier = []
    return tuple(sorted(dict([*earlier, *gone]).items()))


_GRACE_SECONDS = 30
_LOG_TAIL, _LEAST_ROOM = 1 << 16, 1 << 20
_FULL_CACHE = b"database or disk is full"
"""What SQLite says of a page cache without room."""


def run_job(job: Job, log: Path, progress: Callable[[Progress], None] | None) -> dict[str, Any]:
    """Run the crawling process to its end and return its report; CrawlError if it died before."""
    _run(job, log, progress)
    return read_report(Path(job.report), log, job.base_url)


def _run(job: Job, log: Path, progress: Callable[[Progress], None] | None) -> None:
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            helper("crawlers.spiders.process", job.to_json()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            start_new_session=True,
        ) as child,
    ):
        watchdog = threading.Timer(job.limits.max_seconds + job.limits.timeout + _GRACE_SECONDS, _kill, [child])
        watchdog.daemon = True
        watchdog.start()
        try:
            for line in child.stdout or ():
                _report_progress(line, progress)
            child.wait()
        finally:
            watchdog.cancel()
            _kill(child)


def _environment() -> dict[str, str]:
    """That of this process, without what speaks to the Prefect server: what reads hostile pages has no need of it."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"PYTHONPATH": path}


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End the crawl with everything it started; nothing happens once it has been waited for."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _report_progress(line: bytes, progress: Callable[[Progress], None] | None) -> None:
    if progress is None:
        return
    try:
        progress(Progress(**load_json(line)))
    except (ValueError, TypeError):
        return  # a library's own print is not progress


def read_report(report: Path, log: Path, site: str) -> dict[str, Any]:
    """What a crawling process reported; CrawlError, with what its log tells of it, if it died before."""
    try:
        content: dict[str, Any] = load_json(read_file(report).decode())
    except OSError as error:
        ended = f"the crawl of {site} ended unexpectedly{_cause(log)}"
        raise CrawlError(f"{ended}; run it again; the log is {log}") from error
    return content


def _cause(log: Path) -> str:
    """That there is no room, where the log of a crawl that died says so or its disk, which may have cut it short."""
    full = os.strerror(errno.ENOSPC)
    try:
        with open_file(log) as lines:
            lines.seek(max(0, log.stat().st_size - _LOG_TAIL))
            tail = lines.read()
        said = any(sign in tail for sign in (full.encode(), _FULL_CACHE))
        return f" ({full}; free some)" if said or shutil.disk_usage(log.parent).free < _LEAST_ROOM else ""
    except OSError as error:
        return f" ({error.strerror or error})"
