"""The crawl: a source's threads into the post store, by a crawler in a process of its own."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.runtime import flow_run

from corpus.intake import Intake
from corpus.workspace import Workspace
from crawlers.crawl_forgetting import clear_forbidden
from crawlers.crawl_run import crawl as crawl_source
from crawlers.crawl_run import folder_name
from crawlers.ingest import read_posts
from crawlers.recovery_sources import CRAWLS
from crawlers.revisits import known_threads, remember
from crawlers.settings import limits_for
from flows.console import Reporter
from flows.requests import CrawlRequest
from flows.run_pages import crawl_page, run_name


@task(cache_policy=NO_CACHE)
def fetch(request: dict[str, Any]) -> dict[str, Any]:
    """Run the crawler, which retries pages itself; returns its summary as plain data."""
    asked = CrawlRequest.model_validate(request)
    reporter = Reporter()
    folder = Workspace(asked.data).local_folder(CRAWLS, "crawled pages") / folder_name(asked.source, asked.base_url)
    posts = Workspace(asked.data).posts
    remember(folder, known_threads(posts.load(posts.current().values()), asked.source, asked.base_url))
    limits = limits_for(asked.config, asked.base_url, asked.timeout, asked.archive)
    where = Path(asked.urls) if asked.urls else asked.base_url
    summary = crawl_source(asked.source, where, folder, limits, lambda progress: reporter.line(str(progress)))
    return summary.plain() | {"posts_path": str(summary.posts_path)}


@task(cache_policy=NO_CACHE)
def store(data: str, posts_path: str, gone: list[tuple[str, str]]) -> dict[str, int]:
    """Take crawled posts into the post store, and out of its view what the site says is gone.

    A post that contradicts a stored content of the same age is named and left out, the others are stored.
    """
    posts = Workspace(data).posts
    posts.source = {"kind": "crawl", "folder": f"{CRAWLS}/{Path(posts_path).parent.name}"}
    crawled = read_posts(Path(posts_path)).posts if Path(posts_path).exists() else ()
    with Intake(posts) as intake:
        for message in filter(None, map(intake.offer, crawled)):
            Reporter().line(message)
    removed = posts.bury(gone)  # before the folder of the crawl is asked for, which another crawl may hold by now
    clear_forbidden(Path(posts_path).parent, crawled, posts.tombstones())
    return asdict(intake.taken) | {"removed": removed}


def _run_name() -> str:
    """What a run is called in Prefect: what it crawls."""
    return run_name("crawl", flow_run.parameters.get("request"), "source")


@flow(name="crawl", flow_run_name=_run_name, validate_parameters=False)
def crawl(request: dict[str, Any]) -> dict[str, Any]:
    """Crawl a source into the post store; returns what the crawl did, and what that was to the store."""
    asked = CrawlRequest.model_validate(request)
    counts = fetch(request)
    counts["stored"] = store(asked.data, counts["posts_path"], counts.pop("gone"))
    create_markdown_artifact(key="crawl", markdown=crawl_page(counts))
    return counts
