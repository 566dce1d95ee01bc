"""The flow of a crawl: its steps (``flows.crawl_steps``) as tasks, and a page of what it did."""

from typing import Any

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.runtime import flow_run

from flows.crawl_steps import fetch, store
from flows.requests import CrawlRequest
from flows.run_pages import crawl_page, run_name

_fetch = task(cache_policy=NO_CACHE)(fetch)
_store = task(cache_policy=NO_CACHE)(store)


def _run_name() -> str:
    """What a run is called in Prefect: what it crawls."""
    return run_name("crawl", flow_run.parameters.get("request"), "source")


@flow(name="crawl", flow_run_name=_run_name, validate_parameters=False)
def crawl(request: dict[str, Any]) -> dict[str, Any]:
    """Crawl a source into the post store; returns what the crawl did, and what that was to the store."""
    asked = CrawlRequest.model_validate(request)
    counts = _fetch(asked)
    counts["stored"] = _store(asked.data, counts["posts_path"], counts.pop("gone"))
    create_markdown_artifact(key="crawl", markdown=crawl_page(counts))
    return counts
