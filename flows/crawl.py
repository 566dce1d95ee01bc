"""The crawl: a source's threads into the post store, by a crawler in a process of its own."""

from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from corpus.workspace import Workspace
from crawlers.ingest import read_posts
from crawlers.job import Limits
from crawlers.run import crawl as crawl_source
from flows.console import Reporter
from flows.requests import CrawlRequest


@task(cache_policy=NO_CACHE)
def fetch(request: dict[str, Any]) -> dict[str, Any]:
    """Run the crawler, which retries pages itself; returns its counts and where the posts are."""
    asked = CrawlRequest.model_validate(request)
    reporter = Reporter()
    limits = Limits(**asked.model_dump(include={"max_pages", "timeout", "archive"}, exclude_none=True))
    folder = Path(asked.data) / "crawls" / asked.source
    where = Path(asked.urls) if asked.urls else asked.base_url
    summary = crawl_source(asked.source, where, folder, limits, lambda progress: reporter.line(str(progress)))
    return {
        "posts": summary.posts,
        "posts_path": str(summary.posts_path),
        "downloaded": summary.fetched,
        "not_modified": summary.not_modified,
        "refused_by_robots": summary.refused_by_robots,
        "oversized": summary.oversized,
        "malformed": summary.malformed,
        "failed": dict(summary.failed),
        "removed_data": dict(summary.removed),
        "gone": [list(pair) for pair in summary.gone],
    }


@task(cache_policy=NO_CACHE)
def store(data: str, posts_path: str, gone: list[tuple[str, str]]) -> dict[str, int]:
    """Take crawled posts into the post store, and out of its view what the site says is gone."""
    posts = Workspace(data).posts
    upsert = posts.upsert(read_posts(Path(posts_path)).posts)
    removed = posts.bury(gone)
    return {"new": upsert.new, "changed": upsert.changed, "unchanged": upsert.unchanged, "removed": removed}


@flow(name="crawl", validate_parameters=False)
def crawl(request: dict[str, Any]) -> dict[str, Any]:
    """Crawl a source into the post store; returns page and post counts."""
    asked = CrawlRequest.model_validate(request)
    fetched = fetch(request)
    gone = fetched.pop("gone")
    counts = {**fetched, **store(asked.data, fetched["posts_path"], gone)}
    create_table_artifact(key="crawl", table=[{name: str(value) for name, value in counts.items()}])
    return counts
