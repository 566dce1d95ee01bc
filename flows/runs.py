"""Runs of the crawl and build flows, for every command that needs one; all of them need a Prefect server."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.errors import CorpusError
from crawlers.addresses import read_addresses
from crawlers.bundled_site import serve
from flows.bundled import THREADS
from flows.interruption import prompt_interrupts
from flows.requests import BuildRequest, CrawlRequest, as_parameters

BUNDLED_SOURCE = "bundled"


@contextlib.contextmanager
def site_address(source: str, url: str | None) -> Iterator[str]:
    """Where a source is: the address given, or the bundled site served on loopback meanwhile."""
    if url is not None:
        yield url
    elif source == BUNDLED_SOURCE:
        with serve(THREADS) as site:
            yield site.base_url
    else:
        raise CorpusError(f"source {source!r} needs an address; give it with --url")


def crawl_into(
    data: str, source: str, where: str | Path | None, limits: Mapping[str, float | None] | None = None
) -> dict[str, Any]:
    """Run the crawl flow at an address or over a file of addresses; ``limits`` are those of ``CrawlRequest``."""
    from flows.crawl import crawl

    urls = str(where.resolve()) if isinstance(where, Path) else None
    address = read_addresses(where)[0] if isinstance(where, Path) else where
    with site_address(source, address) as base_url:
        request = CrawlRequest(data=data, source=source, base_url=base_url, urls=urls, **(limits or {}))
        return dict(crawl(**as_parameters(request)))


def build_version(request: BuildRequest) -> dict[str, Any]:
    """Run the build flow."""
    from flows.build import with_workers

    with prompt_interrupts():
        return dict(with_workers(request.workers)(**as_parameters(request)))
