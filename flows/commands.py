"""Commands that run flows: each starts a Prefect server for as long as it needs one, runs, and shows the result."""

import contextlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from cronsim import CronSim, CronSimError

from corpus.config import load_config
from corpus.errors import ConfigError, CorpusError, InputError
from corpus.versions import PATH, check_name
from corpus.workspace import Workspace
from flows.console import Reporter, funnel_rows
from flows.interruption import prompt_interrupts
from flows.requests import AuditRequest, BuildRequest, CrawlRequest, RebuildRequest, as_parameters
from flows.runs import BUNDLED_SOURCE, build_version, crawl_into, site_address
from flows.server import prefect_server


def show_crawl(reporter: Reporter, counts: Mapping[str, Any]) -> None:
    """One paragraph on a crawl: pages, refusals and posts."""
    failed = ", ".join(f"{kind} {times}" for kind, times in counts["failed"].items()) or "none"
    reporter.text(
        f"crawl: {counts['downloaded']} pages downloaded, {counts['not_modified']} not modified, "
        f"{counts['refused_by_robots']} refused by robots.txt, {counts['oversized']} oversized, failed: {failed}"
    )
    reporter.text(f"posts: {counts['new']} new, {counts['changed']} changed, {counts['unchanged']} unchanged")
    taken = ", ".join(f"{times} {kind}" for kind, times in counts["removed_data"].items() if times) or "nothing"
    reporter.text(f"personal data taken out of texts: {taken}")
    if counts["removed"]:
        reporter.text(f"removed by the site (404 or 410): {counts['removed']} posts, not in the next version")


def run_crawl(data: str, site: tuple[str, str | Path | None], limits: Mapping[str, float | None]) -> None:
    """The command ``crawl``; ``limits`` are those of ``CrawlRequest``."""
    reporter = Reporter()
    with prefect_server(data):
        counts = crawl_into(data, *site, limits)
    show_crawl(reporter, counts)


def show_funnel(reporter: Reporter, built: Mapping[str, Any]) -> None:
    """What each stage kept and dropped, and how much of the work was reused."""
    columns = ("stage", "in", "kept", "dropped", "dropped by reason")
    reporter.table("funnel", columns, funnel_rows(built["funnel"]))
    reporter.text(f"stage parts: {built['parts']}, reused {built['reused']}")


def show_version(reporter: Reporter, built: Mapping[str, Any]) -> None:
    """Which version it is, and where."""
    state = "new" if built["new"] else "already published, the same content"
    reporter.text(f"version: {built['version']} ({built['rows']} problems, {state})")
    reporter.text(f"path: {built['path']}")


def run_build(data: str, name: str, posts: Sequence[Path], config: Path | None, how: Mapping[str, Any]) -> None:
    """The command ``build``."""
    request = BuildRequest(
        data=data,
        name=check_name(name),
        posts=tuple(str(path) for path in posts),
        config=load_config(config),
        **how,
    )
    check_readable(posts)
    with prefect_server(data):
        built = build_version(request)
    reporter = Reporter()
    show_funnel(reporter, built)
    show_version(reporter, built)


def check_readable(posts: Sequence[Path]) -> None:
    """Fail on a missing file before a server is started for it."""
    for path in posts:
        if not path.is_file():
            raise InputError(f"cannot read posts {path}: no such file; check the path")


def run_rebuild(
    data: str, version: str, inputs: tuple[Sequence[Path], Sequence[Path]], shards: int | None, verify: bool
) -> None:
    """The command ``rebuild``: builds anew; with ``verify``, fails if a byte of a data file differs.

    ``inputs`` are posts files and web archives that replace the stored posts.
    """
    posts, archives = (tuple(map(str, paths)) for paths in inputs)
    check_readable(inputs[0])
    label = Workspace(data).versions.open(version).label
    named = version if PATH.match(version) else label
    request = RebuildRequest(data=data, version=named, posts=posts, archives=archives, shards=shards)
    with prefect_server(data), prompt_interrupts():
        from flows.rebuild import rebuild

        result = rebuild(**as_parameters(request))
    if verify and not result["identical"]:
        raise CorpusError(result["sentence"])
    Reporter().text(result["sentence"])


def run_audit_sample(data: str, version: str, stage: str, n: int, seed: int) -> None:
    """The command ``audit sample``."""
    label = Workspace(data).versions.open(version).label
    request = AuditRequest(data=data, version=label, stage=stage, n=n, seed=seed)
    with prefect_server(data):
        from flows.audit import audit

        written = audit(**as_parameters(request))
    reporter = Reporter()
    reporter.text(f"sheet: {written['sheet']} ({written['rows']} rows, {written['judged']} with a verdict)")
    reporter.text(f"page: {written['page']}")


def run_demo(data: str) -> None:
    """The command ``demo``: crawl the bundled site, build, measure, and say where everything is."""
    from audits.report_page import write_report
    from flows.quality import bundled_quality

    reporter = Reporter()
    reporter.line("starting a Prefect server on loopback")
    with prefect_server(data):
        counts = crawl_into(data, BUNDLED_SOURCE, None)
        built = build_version(BuildRequest(data=data, name="bundled"))
    workspace = Workspace(data)
    version = workspace.versions.open(built["version"])
    measured = bundled_quality(workspace, version)
    page = write_report(workspace, version, Path(data) / "reports" / f"{version.name}.html", [measured])
    show_crawl(reporter, counts)
    show_funnel(reporter, built)
    reporter.text(measured.text())
    show_version(reporter, built)
    reporter.text(f"report: {page.resolve()}")


def _check_cron(cron: str) -> None:
    try:
        CronSim(cron, datetime(2000, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ConfigError(f"{cron!r} is not a cron schedule; write five fields, such as '0 3 * * *'") from error


def _stop_children() -> None:
    """End whatever a stopped schedule had under way."""
    children = psutil.Process().children(recursive=True)
    for child in children:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.terminate()
    _, alive = psutil.wait_procs(children, timeout=10)
    for child in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()


def run_schedule(
    data: str, name: str, cron: str, site: tuple[str | None, str | None], inputs: tuple[Sequence[Path], Path | None]
) -> None:
    """The command ``schedule``: serve a crawl, if a source is given, and a build, until stopped."""
    source, url = site
    posts, config = inputs
    check_readable(posts)
    request = BuildRequest(
        data=str(Path(data).resolve()),
        name=check_name(name),
        posts=tuple(str(path.resolve()) for path in posts),
        config=load_config(config),
    )
    reporter = Reporter()
    _check_cron(cron)
    with prefect_server(data) as api, contextlib.ExitStack() as stack:
        stack.callback(_stop_children)
        from flows.schedule import Deployment, crawl_and_build, serve_deployments

        reporter.line(f"Prefect API at {api}; stop with Ctrl-C")
        crawl = None
        if source is not None:
            address = stack.enter_context(site_address(source, url))
            crawl = CrawlRequest(data=request.data, source=source, base_url=address)
        parameters = {
            "crawl_request": crawl.model_dump(mode="json") if crawl else None,
            "build_request": request.model_dump(mode="json"),
        }
        serve_deployments([Deployment(crawl_and_build, name, cron, parameters)], reporter)
