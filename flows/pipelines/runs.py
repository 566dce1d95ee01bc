"""Runs of the crawl and build flows, for every command that needs one; a build needs a Prefect server."""

import contextlib
import functools
import os
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

from corpus.code import ROOT
from corpus.config import CrawlConfig
from corpus.errors import CorpusError
from corpus.records import Post
from corpus.workspace import BUNDLED
from crawlers import addresses
from flows.console import Reporter
from flows.pipelines.requests import BuildRequest, CrawlRequest, as_parameters
from flows.processes.command_process import prompt_interrupts
from flows.processes.server import ADDRESS

BUNDLED_SOURCE = "bundled"


def check_site(source: str, where: str | Path | None, config: CrawlConfig) -> None:
    """CorpusError, before anything is started, for a source or an address that cannot be crawled."""
    from crawlers.crawling.crawl_run import check_source, reach_of

    check_source(source)
    if where is not None:
        address = addresses.read_addresses(where)[0] if isinstance(where, Path) else where
        reach_of(addresses.site_address(address), config.private_addresses)
    elif source != BUNDLED_SOURCE:
        raise CorpusError(
            f"source {source!r} needs an address; give it with --url, or a file of thread addresses with --urls"
        )


@contextlib.contextmanager
def site_address(url: str | None) -> Iterator[str]:
    """Where a source is: the address given, or the bundled site served on loopback meanwhile."""
    if url is not None:
        yield url
    else:
        from crawlers.bundled_site import serve

        with serve(THREADS) as site:
            yield site.base_url


@contextlib.contextmanager
def crawl_request(
    data: str, source: str, where: str | Path | None, how: Mapping[str, Any] | None = None
) -> Iterator[CrawlRequest]:
    """What to ask the crawl flow for at an address, or over a file of them; ``how`` are other fields of the request."""
    urls = str(where.resolve()) if isinstance(where, Path) else None
    address = addresses.read_addresses(where)[0] if isinstance(where, Path) else where
    with site_address(address) as base_url:
        yield CrawlRequest(data=data, source=source, base_url=base_url, urls=urls, **(how or {}))


def crawl_into(
    data: str, source: str, where: str | Path | None, how: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Crawl at an address or over a file of addresses; returns what was counted.

    The flow does it where there is a Prefect server, of the command or of the user; else it is done here.
    """
    with crawl_request(data, source, where, how) as request:
        if not os.environ.get(ADDRESS):
            from flows.pipelines.crawl_steps import crawl_here

            return crawl_here(request)
        from flows.pipelines.prefect_flows import crawl

        return dict(crawl(**as_parameters(request)))


def build_version(request: BuildRequest) -> dict[str, Any]:
    """Run the build flow; once more where a worker process was killed. What was made before is found in the store.

    CorpusError where one is killed again.
    """
    from flows.pipelines.prefect_flows import with_workers

    killed = f"one of {request.workers} worker processes was killed, as happens where memory runs out"
    for again in (True, False):
        try:
            with prompt_interrupts():
                return dict(with_workers(request)(**as_parameters(request)))
        except BrokenExecutor:
            if again:
                Reporter().line(f"{killed}; its shards are made again")
    raise CorpusError(f"{killed}, twice; give fewer --workers or more memory and build again, what is done is kept")


THREADS = BUNDLED / "site" / "threads"
LABELS = BUNDLED / "labels"
SHARED = ROOT.parent / "shared" / "data"
"""Data of other sources, beside the checkout where it is there at all."""


@functools.cache
def bundled_posts() -> tuple[Post, ...]:
    """Every post of the bundled site, sorted by post id."""
    from crawlers.bundled_site import serve
    from crawlers.crawling.crawl_run import crawl
    from crawlers.ingest import read_posts

    with tempfile.TemporaryDirectory(prefix="wordquarry-crawl-") as folder, serve(THREADS) as site:
        return read_posts(crawl("bundled", site.base_url, Path(folder)).posts_path).posts
