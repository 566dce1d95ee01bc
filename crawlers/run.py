"""Run a crawl as a process of its own and judge it by what it counted, never by its exit status."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from corpus.errors import CrawlError
from crawlers.addresses import read_addresses, site_address, start_path
from crawlers.job import GONE_SUFFIX, CrawlSummary, Job, Limits, Progress

SOURCES = ("bundled", "algebra", "pages")
POSTS = "posts.jsonl"
SUMMARY = "summary.json"
CACHE = "cache.sqlite"
ARCHIVE = "archive"
LOG = "crawl.log"
_GRACE_SECONDS = 30
_COUNTS = ("fetched", "not_modified", "redirected", "refused_by_robots", "oversized", "malformed", "not_threads")


def crawl(
    source: str,
    where: str | Path,
    out_dir: Path,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CrawlSummary:
    """Crawl a site with the spider of ``source``; the posts go to ``out_dir/posts.jsonl``, sorted by post_id.

    ``where`` is the site's address, with a path to start there, or a file of thread addresses on one site.

    The folder also keeps the page cache, the log, the summary and, if asked for, WARC files below ``archive``; the
    posts file is replaced only by a crawl that finished. ``progress`` is called about twice a second. Raises
    CrawlError, one line, for a site that cannot be reached, only answers 429 or 503, never answers or holds no posts,
    and for a crawl that did not finish.
    """
    _check_source(source)
    site = site_address(read_addresses(where)[0] if isinstance(where, Path) else where)
    start, urls = ("", str(where)) if isinstance(where, Path) else (start_path(where), "")
    with _locked(out_dir):
        feed, report = out_dir / "posts.part", out_dir / "report.json"
        gone = feed.with_suffix(GONE_SUFFIX)
        for leftover in (feed, report, gone):
            leftover.unlink(missing_ok=True)
        limits = limits or Limits()
        archive = str(out_dir / ARCHIVE) if limits.archive else ""
        job = Job(source, site, str(feed), str(report), str(out_dir / CACHE), limits, start, urls, archive)
        _run(job, out_dir / LOG, progress)
        reason, stats = _read_report(report, out_dir / LOG, site)
        _check(reason, stats, job)
        posts, duplicates = _publish(feed, out_dir / POSTS)
        summary = replace(_summary(job, reason, stats, out_dir / POSTS, (posts, duplicates)), gone=_read_gone(gone))
        _write_summary(summary, out_dir / SUMMARY)
        report.unlink()
    return summary


def _check_source(source: str) -> None:
    if source not in SOURCES:
        raise CrawlError(f"unknown source {source!r}; known: {', '.join(SOURCES)}")


@contextlib.contextmanager
def _locked(out_dir: Path) -> Iterator[None]:
    """One crawl at a time writes to a folder; the lock goes with the process that holds it."""
    try:
        out_dir.mkdir(parents=True, exist_ok=True)
        file = (out_dir / "lock").open("w", encoding="utf-8")
    except OSError as error:
        raise CrawlError(f"cannot write to {out_dir}: {error.strerror}; check the path and its permissions") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CrawlError(f"another crawl is writing to {out_dir}; wait for it or choose another folder") from error
        yield


def _run(job: Job, log: Path, progress: Callable[[Progress], None] | None) -> None:
    command = [sys.executable, "-m", "crawlers.process", job.to_json()]
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,
        ) as child,
    ):
        watchdog = threading.Timer(job.limits.max_seconds + _GRACE_SECONDS, _kill, [child])
        watchdog.daemon = True
        watchdog.start()
        try:
            for line in child.stdout or ():
                _report_progress(line, progress)
            child.wait()
        finally:
            watchdog.cancel()
            _kill(child)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End the crawl with everything it started; nothing happens once it has been waited for."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _report_progress(line: bytes, progress: Callable[[Progress], None] | None) -> None:
    if progress is None:
        return
    try:
        progress(Progress(**json.loads(line)))
    except (ValueError, TypeError):
        return  # a library's own print is not progress


def _read_report(report: Path, log: Path, site: str) -> tuple[str, Mapping[str, Any]]:
    try:
        content = json.loads(report.read_text(encoding="utf-8"))
    except OSError as error:
        raise CrawlError(f"the crawl of {site} died before its end; run it again, the log is {log}") from error
    return content["finish_reason"], content["stats"]


def _stat(stats: Mapping[str, Any], name: str) -> int:
    return int(stats.get(f"wordquarry/{name}", 0))


def _group(stats: Mapping[str, Any], name: str) -> dict[str, int]:
    prefix = f"wordquarry/{name}/"
    return {key.removeprefix(prefix): int(stats[key]) for key in sorted(stats) if key.startswith(prefix)}


def _check(reason: str, stats: Mapping[str, Any], job: Job) -> None:
    """Raise CrawlError unless the crawl came to its own end, accounted for every page and found posts."""
    site, failed = job.base_url, _group(stats, "failed")
    pages = _stat(stats, "fetched") + _stat(stats, "not_modified") + int(stats.get("httpcache/hit", 0))
    posts = int(stats.get("item_scraped_count", 0))
    if reason == "retry_after":
        raise CrawlError(
            f"{site} asks to be left alone for longer than {job.limits.max_retry_after:g} s; crawl it later"
        )
    if not pages and failed:
        raise CrawlError(_unanswered(site, failed, job.limits))
    if reason != "finished":
        raise CrawlError(
            f"crawl of {site} ended early ({reason}) after {pages} pages; run it again to go on from there"
        )
    asked, settled = _stat(stats, "asked"), _stat(stats, "settled") + _stat(stats, "merged")
    if asked != settled:
        raise CrawlError(f"crawl of {site} lost {asked - settled} of {asked} pages; run it again to go on from there")
    if not posts and _stat(stats, "refused_by_robots") and not pages:
        raise CrawlError(f"robots.txt of {site} allows none of the pages; nothing was fetched")
    if not posts:
        raise CrawlError(
            f"no posts found at {site}: {pages} pages read, {_stat(stats, 'malformed')} malformed; check the address"
        )


def _unanswered(site: str, failed: Mapping[str, int], limits: Limits) -> str:
    kinds = set(failed)
    if kinds <= {"429", "503"}:
        return f"{site} answers only {' and '.join(sorted(kinds))}; it wants no more requests now, run again later"
    if kinds == {"timeout"}:
        return f"{site} never answered within {limits.timeout:g} s; check the address or try later"
    if kinds <= {"refused", "unknown_host"}:
        return f"{site} cannot be reached ({', '.join(sorted(kinds))}); check the address and that the site is running"
    detail = ", ".join(f"{kind}: {times}" for kind, times in sorted(failed.items()))
    return f"{site} gave no page ({detail}); check the address or try later"


def _publish(feed: Path, target: Path) -> tuple[int, int]:
    """Sort the feed by post_id, one line per post, into ``target``; returns posts and duplicates left out."""
    index: list[tuple[str, str, int, int]] = []
    with feed.open("rb") as lines:
        offset = 0
        for line in lines:
            post = json.loads(line)
            index.append((post["post_id"], post["content_sha256"], offset, len(line)))
            offset += len(line)
    index.sort()
    temporary, written, last = target.with_suffix(".tmp"), 0, None
    with feed.open("rb") as lines, temporary.open("wb") as out:
        for post_id, _, offset, length in index:
            if post_id != last:
                lines.seek(offset)
                out.write(lines.read(length))
                written, last = written + 1, post_id
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(target)
    feed.unlink()
    return written, len(index) - written


def _read_gone(path: Path) -> tuple[tuple[str, str], ...]:
    """The addresses that answered that they are no more, with the last time they did."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    pairs = (line.partition("\t") for line in sorted(lines))
    return tuple({url: moment for url, _, moment in pairs}.items())


def _summary(job: Job, reason: str, stats: Mapping[str, Any], posts_path: Path, posts: tuple[int, int]) -> CrawlSummary:
    return CrawlSummary(
        source=job.source,
        base_url=job.base_url,
        finish_reason=reason,
        posts_path=posts_path,
        posts=posts[0],
        duplicates=posts[1],
        from_cache=int(stats.get("httpcache/hit", 0)),
        failed=_group(stats, "failed"),
        retried=int(stats.get("retry/count", 0)),
        removed=_group(stats, "removed"),
        gone=(),
        **{name: _stat(stats, name) for name in _COUNTS},
    )


def _write_summary(summary: CrawlSummary, path: Path) -> None:
    values = asdict(summary) | {"posts_path": summary.posts_path.name}
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(values, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(path)
