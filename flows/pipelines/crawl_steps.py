"""What every crawl does, whoever does the work: a source's pages are fetched, its posts go into the post store."""

from pathlib import Path
from typing import Any

from corpus.post_store.deposit import upsert
from corpus.workspace import Workspace
from crawlers.crawl_forgetting import clear_forbidden
from crawlers.crawling.crawl_run import crawl as crawl_source
from crawlers.crawling.crawl_run import folder_name
from crawlers.crawling.job import limits_for
from crawlers.crawling.revisits import known_threads, remember
from crawlers.ingest import IngestResult, read_posts
from crawlers.posts import NOTHING
from crawlers.recovery_sources import CRAWLS
from flows.console import Reporter
from flows.pipelines.requests import CrawlRequest


def fetch(request: CrawlRequest) -> dict[str, Any]:
    """Run the crawler, in a process of its own, which retries pages itself; returns its summary as plain data."""
    reporter = Reporter()
    workspace = Workspace(request.data)
    folder = workspace.local_folder(CRAWLS, "crawled pages") / folder_name(request.source, request.base_url)
    posts = workspace.posts
    remember(folder, known_threads(posts.load(posts.current()), request.source, request.base_url))
    limits = limits_for(request.config, request.base_url, request.timeout, request.archive)
    where = Path(request.urls) if request.urls else request.base_url
    summary = crawl_source(request.source, where, folder, limits, lambda progress: reporter.line(str(progress)))
    return summary.plain() | {"posts_path": str(summary.posts_path)}


def store(data: str, posts_path: str, gone: list[tuple[str, str]]) -> dict[str, int]:
    """Take crawled posts into the post store, and out of its view what the site says is gone.

    A post that contradicts a stored content of the same age is named and left out, the others are stored.
    """
    posts = Workspace(data).posts
    posts.source = {"kind": "crawl", "folder": f"{CRAWLS}/{Path(posts_path).parent.name}"}
    there = Path(posts_path).exists()
    read = read_posts(Path(posts_path), skip_bad=True) if there else IngestResult((), (), 0, NOTHING)
    taken = upsert(posts, read.posts, lenient=True)
    for message in (*(line.message for line in read.rejected), *taken.refused):
        Reporter().line(message)
    removed = posts.bury(gone)  # before the folder of the crawl is asked for, which another crawl may hold by now
    clear_forbidden(Path(posts_path).parent, read.posts, posts.tombstones())
    return taken.counts() | {"removed": removed}


def crawl_here(request: CrawlRequest) -> dict[str, Any]:
    """A crawl without Prefect; returns what the crawl did, and what that was to the store."""
    counts = fetch(request)
    counts["stored"] = store(request.data, counts["posts_path"], counts.pop("gone"))
    return counts
