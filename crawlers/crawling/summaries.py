"""What is made of what a crawling process left: the posts file, a verdict, a summary, a line in the record of runs."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from corpus.canonical import canonical_json
from corpus.errors import CrawlError
from corpus.folders.open_files import open_file
from corpus.strict_json import load_json
from crawlers.crawling.frontier import is_away
from crawlers.crawling.job import ENDED, FAILED, FINISHED, HAD_ENOUGH, CrawlSummary, Job, Limits, is_passing
from crawlers.crawling.politeness import MOVED


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


_COUNTED = ("revisits", "unread", "fetched", "not_modified", "redirected", "bytes")
"""Counts of the crawling process that the summary repeats."""


def check(job: Job, content: Mapping[str, Any], begun: bool, buried: bool) -> None:
    """Raise CrawlError unless the crawl came to an end in order, accounted for every page and found something.

    ``begun``: earlier runs of the round found posts, so that this one may end with nothing but a last page or two that
    fail; if the site is away while others wait, it has not begun to go on. ``buried``: the site says that threads that
    it had are no more.
    """
    reason, stats, outcomes = content["finish_reason"], content["stats"], content["outcomes"]
    site, failed = job.base_url, _failures(outcomes)
    pages = _stat(stats, "fetched") + _stat(stats, "not_modified") + int(stats.get("httpcache/hit", 0))
    if reason == "retry_after" and not pages and content["waiting"] and all(map(is_passing, failed)):
        patience = job.limits.max_retry_after
        raise CrawlError(f"{site} asks for a pause of more than {patience:g} s; crawl it later")
    if is_away(outcomes, begun):
        raise CrawlError(
            f"{site} answers 404 or 410 to all {sum(failed.values())} pages; the whole site may be away, so "
            "nothing is removed: check the address, crawl it later, or remove posts with wordquarry store forget"
        )
    away = reason in HAD_ENOUGH and content["waiting"] and all(map(is_passing, failed)) if begun else not buried
    if not pages and failed and away:
        raise CrawlError(_unanswered(site, failed, job.limits))
    if reason != FINISHED and reason not in HAD_ENOUGH and not reason.startswith(ENDED):
        raise CrawlError(
            f"crawl of {site} ended early ({reason}) after {pages} pages; run it again to go on from there"
        )
    lost = content["requested"] - sum(outcomes.values())
    if lost:
        raise CrawlError(f"crawl of {site} lost {lost} of {content['requested']} pages; run it again to go on")
    if reason == FINISHED and not (stats.get("item_scraped_count") or begun or buried):
        raise CrawlError(_nothing_found(site, pages, outcomes))


def _stat(stats: Mapping[str, Any], name: str) -> int:
    return int(stats.get(f"wordquarry/{name}", 0))


def _nothing_found(site: str, pages: int, outcomes: Mapping[str, int]) -> str:
    if not pages and outcomes.get("private_address"):
        return f"{site} resolves to a private address; allow that with --private-addresses"
    if not pages and outcomes.get("denied"):
        return f"crawl.allow and crawl.deny exclude every page of {site}; nothing was fetched"
    if not pages and outcomes.get("refused_by_robots"):
        return f"robots.txt of {site} allows none of the pages; nothing was fetched"
    if not pages and outcomes.get("off_site"):
        return _moved(site)
    return f"no posts found at {site}: {pages} pages read, {outcomes.get('malformed', 0)} malformed; check the address"


def _moved(site: str) -> str:
    return (
        f"{site} redirects to another address, perhaps to https or to another host; open it in a browser and give the "
        "address that it has there"
    )


def _unanswered(site: str, failed: Mapping[str, int], limits: Limits) -> str:
    kinds = set(failed)
    if kinds <= {"429", "503"}:
        return f"{site} answers only {' and '.join(sorted(kinds))}; it wants no more requests; crawl it later"
    if kinds == {"timeout"}:
        return f"{site} never answered within {limits.timeout:g} s; check the address or try later"
    if kinds <= {"refused", "unknown_host"}:
        return f"{site} cannot be reached ({', '.join(sorted(kinds))}); check the address and that the site is running"
    if kinds == {MOVED}:
        return _moved(site)
    detail = ", ".join(f"{kind}: {times}" for kind, times in sorted(failed.items()))
    return f"{site} gave no page ({detail}); check the address or try later"


def _failures(outcomes: Mapping[str, int]) -> dict[str, int]:
    return {name.removeprefix(FAILED): times for name, times in outcomes.items() if name.startswith(FAILED)}


def summary_of(job: Job, content: Mapping[str, Any], posts_path: Path, published: Published) -> CrawlSummary:
    """The summary of a crawl that ended in order."""
    stats = content["stats"]
    prefix = "wordquarry/removed/"
    told = {name: content[name] for name in ("finish_reason", "requested", "outcomes", "waiting", "seconds")}
    told |= {name: _stat(stats, name) for name in _COUNTED}
    return CrawlSummary(
        source=job.source,
        base_url=job.base_url,
        posts_path=posts_path,
        posts=published.posts,
        duplicates=published.duplicates,
        from_cache=int(stats.get("httpcache/hit", 0)),
        retried=int(stats.get("retry/count", 0)),
        removed={key.removeprefix(prefix): int(stats[key]) for key in sorted(stats) if key.startswith(prefix)},
        **told,
    )


def write_summary(summary: CrawlSummary, path: Path) -> None:
    """Replace the summary of the last crawl."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(summary.plain(), indent=1, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(path)


def note_run(path: Path, began: float, ended: CrawlSummary | CrawlError, job: Job) -> None:
    """Add a line on a run to the record: when, how it ended, and its counts; or why it failed."""
    record = (
        {"source": job.source, "base_url": job.base_url, "finish_reason": "failed", "failure": str(ended)}
        if isinstance(ended, CrawlError)
        else {name: value for name, value in ended.plain().items() if name not in ("gone", "posts_path")}
    )
    with path.open("a", encoding="utf-8") as file:
        file.write(canonical_json(record | {"began": _moment(began), "ended": _moment(time.time())}) + "\n")


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
