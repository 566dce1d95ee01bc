"""What a flow is asked for: small frozen records that travel as JSON, so that a schedule can carry them too."""

from typing import Any

from corpus.config import CrawlConfig
from corpus.records import Record
from curation.config_file import GateConfig
from curation.stages.registry import BuildConfig

AUTO, HERE, PROCESS = "auto", "here", "process"
"""Runners of a build on this machine: in the command itself, by Prefect's tasks, or whichever is sooner done."""


class CrawlRequest(Record):
    """Crawl one source at ``base_url`` into the post store of ``data``.

    ``urls`` is a file of thread addresses on that site that replaces its listings, ``timeout`` how many seconds a page
    may take to come, ``archive`` keeps responses as WARC.
    """

    data: str
    source: str
    base_url: str
    urls: str | None = None
    config: CrawlConfig = CrawlConfig()
    timeout: float = 15
    archive: bool = False


class BuildRequest(Record):
    """Build a version named ``name`` from posts files, or from the post store where there are none.

    ``shards``, ``workers`` and ``runner`` (one of those above, or the address of a Dask scheduler) spread the work and
    change no byte. ``incomplete_store`` goes on where the post store lacks batches; ``store_state`` is what the
    manifest is to say of the store, None for what it is.
    """

    data: str
    name: str
    posts: tuple[str, ...] = ()
    skip_bad: bool = False
    config: BuildConfig = BuildConfig()
    gate: GateConfig = GateConfig()
    shards: int | None = None
    workers: int = 1
    runner: str = AUTO
    incomplete_store: bool = False
    store_state: dict[str, Any] | None = None


class RebuildRequest(Record):
    """Build a version again, without reusing anything; posts files or web archives replace the stored input."""

    data: str
    version: str
    posts: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    shards: int | None = None


def as_parameters(request: Record) -> dict[str, Any]:
    """The parameters of a flow run."""
    return {"request": request.model_dump(mode="json")}
