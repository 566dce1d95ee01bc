"""Commands that run flows: each starts a Prefect server for as long as it needs one, runs, and shows the result."""

import contextlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cronsim import CronSim, CronSimError

from corpus.config import CrawlConfig
from corpus.errors import ConfigError, CorpusError, CrawlError, InputError, VersionError
from corpus.folders.open_files import open_file, read_file
from corpus.post_store.store import read_once
from corpus.versioning.manifest import TAKEDOWN, check_form
from corpus.versioning.versions import PATH, check_name
from corpus.workspace import BUNDLED, Workspace
from crawlers.crawling.job import HAD_ENOUGH
from curation.config_file import load_config, load_crawl_config, load_gate, load_gate_file
from flows.console import FUNNEL, Reporter, candidate_line, funnel_rows
from flows.pipelines.requests import AUTO, HERE, PROCESS, BuildRequest, RebuildRequest, as_parameters
from flows.pipelines.runs import BUNDLED_SOURCE, build_version, check_site, crawl_into, crawl_request
from flows.pipelines.taking import held_against
from flows.processes.command_process import leave, prompt_interrupts
from flows.processes.server import key_line, pages_address, prefect_server, users_server

SAMPLES = "samples"
"""Where the demo puts small benchmark files of our own wording: what the tour in the README compares with."""


def show_crawl(reporter: Reporter, counts: Mapping[str, Any]) -> None:
    """What a crawl did: pages, how every request ended, why it ended itself, and posts."""
    failed = ", ".join(f"{kind} {times}" for kind, times in counts["failed"].items()) or "none"
    outcomes, stored = counts["outcomes"], counts["stored"]
    reporter.text(
        f"crawl: {counts['fetched']} pages downloaded, {counts['not_modified']} not modified, "
        f"{outcomes.get('refused_by_robots', 0)} refused by robots.txt, {outcomes.get('oversized', 0)} oversized, "
        f"failed: {failed}"
    )
    ended = ", ".join(f"{name} {times}" for name, times in outcomes.items())
    reporter.text(f"requests: {counts['requested']} ({ended})")
    if counts["met"]:
        left = f"{counts['waiting']} addresses wait; run it again to go on"
        reporter.text(f"ended by its budget of {counts['met']}: {left}")
    reporter.text(f"posts: {stored['new']} new, {stored['changed']} changed, {stored['unchanged']} unchanged")
    if stored["contradicting"]:
        left_out = f"{stored['contradicting']} posts with different content from the same time (named above)"
        reporter.text(f"left out: {left_out}; a later crawl settles it")
    taken = ", ".join(f"{times} {kind}" for kind, times in counts["removed"].items() if times) or "nothing"
    reporter.text(f"personal data replaced in texts: {taken}")
    if counts["unread"]:
        unread = f"{counts['unread']} addresses of stored posts no longer hold a thread"
        reporter.text(f"{unread}; the posts stay (crawl.log names them)")
    if stored["removed"]:
        reporter.text(f"removed by the site (404 or 410): {stored['removed']} posts, not in the next version")


def run_crawl(
    data: str, site: tuple[str, str | Path | None], config: CrawlConfig, timeout: float, archive: bool
) -> None:
    """The command ``crawl``; ``timeout`` are the seconds a page may take, ``archive`` keeps responses as WARC."""
    reporter = Reporter()
    Workspace(data).local_folder("crawls", "crawled pages")
    check_site(*site, config)
    with users_server(data):
        counts = crawl_into(data, *site, {"config": config, "timeout": timeout, "archive": archive})
    show_crawl(reporter, counts)
    if counts["finish_reason"] in HAD_ENOUGH:
        raise CrawlError(
            f"{counts['base_url']} wants no more requests ({counts['finish_reason']}) "
            f"after {counts['requested']} of them; what it gave is stored; run it again later to go on"
        )


def show_funnel(reporter: Reporter, built: Mapping[str, Any]) -> None:
    """What each stage kept and dropped, and how much of the work was reused."""
    reporter.table("funnel", FUNNEL, funnel_rows(built["funnel"]))
    reporter.text(f"stage parts: {built['parts']}, reused {built['reused']}")


def show_version(reporter: Reporter, built: Mapping[str, Any]) -> None:
    """Which version it is, and where."""
    state = "new" if built["new"] else "published before, with the same content"
    reporter.text(f"version: {built['version']} ({built['rows']} problems, {state})")
    if built["not_accepted"]:
        reporter.text(f"candidate: {candidate_line(built)}")
    reporter.text(f"path: {built['path']}")


def run_build(
    data: str,
    name: str,
    inputs: tuple[Sequence[Path], Path | None],
    how: Mapping[str, Any],
    shown: tuple[tuple[int, int, float] | None, bool] = (None, False),
) -> None:
    """The command ``build`` of posts and a configuration; ``how`` are other fields; ``gate`` is a file.

    ``shown`` are the rank, with how many there are and how long it waits for others, and whether to print JSON.
    """
    together, as_json = shown
    posts, config = inputs
    request = BuildRequest(
        data=data,
        name=check_name(name),
        posts=tuple(str(path) for path in posts),
        config=held_against(
            data, load_config(config), how.get("against", ()), incomplete=how.get("incomplete_benchmark", False)
        ),
        **{name: value for name, value in how.items() if name not in ("gate", "against", "incomplete_benchmark")},
        gate=load_gate_file(how["gate"]) if how.get("gate") else load_gate(config),
    )
    check_readable(posts)
    reporter = Reporter()
    built = _told_even_if_nothing(request, together, as_json)
    if as_json:
        reporter.data(built)
        return
    if together and together[0]:
        of_them = f"{built['parts']} parts of its own, reused {built['reused']}"
        reporter.text(f"rank {together[0]} of {together[1]}: {of_them}; version: {built['version']}")
        return
    show_funnel(reporter, built)
    show_version(reporter, built)


def _told_even_if_nothing(
    request: BuildRequest, together: tuple[int, int, float] | None, as_json: bool
) -> dict[str, Any]:
    """Build; the funnel of a build that publishes nothing is shown before its error."""
    from curation.building.run_rows import NothingPublishedError, unpublished

    try:
        return _built(request, together)
    except NothingPublishedError:
        nothing = unpublished(Workspace(request.data), request.name)
        funnel = nothing.manifest["funnel"] if nothing else []
        if as_json:
            Reporter().data({"version": None, "rows": 0, "new": False, "funnel": funnel})
        else:
            Reporter().table("funnel", FUNNEL, funnel_rows(funnel))
        raise


def _built(request: BuildRequest, together: tuple[int, int, float] | None) -> dict[str, Any]:
    """Build as one of several ranks, in this process alone, or with a Prefect server of one's own."""
    if together:
        from curation.building.ranks import Rank
        from flows.pipelines.build_steps import build_as_rank

        return build_as_rank(request, Rank(*together))
    from flows.pipelines.build_steps import build_here, little_to_do, unchanged
    from flows.pipelines.taking import take_posts

    with read_once():
        taken = take_posts(request)
        built = unchanged(request, *taken)
        if built is not None:
            return built
        if request.runner == HERE or (request.runner == AUTO and little_to_do(request, *taken)):
            with prompt_interrupts():
                return build_here(request)
    if request.runner in (AUTO, PROCESS):
        with prefect_server(request.data):
            return build_version(request)
    from flows.pipelines.cluster import check_server_reached, check_workers

    check_workers(request)
    with prefect_server(request.data) as api:
        check_server_reached(request, api)
        return build_version(request)


def check_readable(posts: Sequence[Path]) -> None:
    """Fail on a missing file before a server is started for it."""
    for path in posts:
        try:
            open_file(path).close()
        except OSError as error:
            raise InputError(f"cannot read posts {path}: {error.strerror or error}; check the path") from error


def check_models_of(data: str) -> None:
    """Fail on a damaged model before a server is started for it."""
    from curation.building.running import check_models

    check_models(Workspace(data))


def run_rebuild(
    data: str, version: str, inputs: tuple[Sequence[Path], Sequence[Path]], shards: int | None, verify: bool
) -> None:
    """The command ``rebuild``: builds anew; with ``verify``, fails if a byte of a published file differs.

    ``inputs`` are posts files and web archives that replace the stored posts.
    """
    from curation.building.publishing import config_of
    from curation.building.run_rows import run_of

    posts, archives = (tuple(map(str, paths)) for paths in inputs)
    check_readable([*inputs[0], *(path for path in inputs[1] if not path.is_dir())])
    workspace = Workspace(data)
    published = workspace.versions.open(version, unchecked=True)
    check_form(published.folder, published.manifest)
    if TAKEDOWN in published.manifest:
        raise VersionError(
            f"{published.label} was made by forget, of a version with posts that are forgotten; nothing can be built "
            "to compare it with: build a new version"
        )
    config_of(published)
    if not posts and not archives:
        run_of(workspace, published)
    named = version if PATH.match(version) else published.label
    request = RebuildRequest(data=data, version=named, posts=posts, archives=archives, shards=shards)
    with prefect_server(data), prompt_interrupts():
        from flows.pipelines.prefect_flows import rebuild

        result = rebuild(**as_parameters(request))
    if verify and not result["identical"]:
        raise CorpusError(result["sentence"])
    Reporter().text(result["sentence"])


def run_demo(data: str, as_json: bool) -> None:
    """The command ``demo``: crawl the bundled site, build, measure, and say where everything is."""
    from audits.report.report_page import write_report
    from flows.quality import bundled_quality

    check_models_of(data)
    reports = Workspace(data).local_folder("reports", "crawled pages and reports")
    reporter = Reporter()
    reporter.line("starting a Prefect server on loopback")
    with prefect_server(data):
        counts = crawl_into(data, BUNDLED_SOURCE, None)
        built = build_version(BuildRequest(data=data, name="bundled"))
    workspace = Workspace(data)
    version = workspace.versions.open(built["version"])
    measured = bundled_quality(workspace, version)
    page = write_report(workspace, version, reports / f"{version.name}.html", [measured])
    for sample in sorted((BUNDLED / SAMPLES).iterdir()):
        (workspace.folder / SAMPLES).write(sample.name, read_file(sample))
    if as_json:
        quality = measured.as_dict()
        reporter.data({"crawl": counts, "build": built, "quality": quality, "report": str(page.resolve())})
        return
    show_crawl(reporter, counts)
    show_funnel(reporter, built)
    reporter.text(measured.text())
    show_version(reporter, built)
    reporter.text(f"report: {page.resolve()}")
    reporter.text(f"samples of benchmark files: {workspace.folder / SAMPLES}")


def _check_cron(cron: str) -> None:
    try:
        CronSim(cron, datetime(2000, 1, 1, tzinfo=UTC))
    except CronSimError as error:
        raise ConfigError(f"{cron!r} is not a cron schedule; write five fields, such as '0 3 * * *'") from error


def run_schedule(
    data: str,
    name: str,
    cron: str,
    site: tuple[str | None, str | Path | None],
    inputs: tuple[Sequence[Path], Path | None, Path | None, bool],
) -> None:
    """The command ``schedule``: serve a crawl, if a source is given, and a build, until stopped.

    ``inputs`` are posts files, the configuration, the file of the gate, and whether Prefect's pages are shown.
    """
    source, where = site
    posts, config, gate, ui = inputs
    check_readable(posts)
    request = BuildRequest(
        data=Workspace(data).whole_address,
        name=check_name(name),
        posts=tuple(str(path.resolve()) for path in posts),
        config=held_against(data, load_config(config), ()),
        gate=load_gate_file(gate) if gate else load_gate(config),
    )
    crawls = load_crawl_config(config)
    check_models_of(data)
    reporter = Reporter()
    _check_cron(cron)
    if source is not None:
        Workspace(data).local_folder("crawls", "crawled pages")
        check_site(source, where, crawls)
    with prefect_server(data, ui) as api, contextlib.ExitStack() as stack:
        from flows.pipelines.schedule import serve

        reporter.address("Prefect API, until Ctrl-C", api)
        if ui:
            reporter.address("Prefect's pages", pages_address(api), logged=False)
            reporter.line(key_line(), logged=False)
        crawl = None
        if source is not None:
            crawl = stack.enter_context(crawl_request(request.data, source, where, {"config": crawls}))
        serve(name, cron, crawl, request, reporter)
    leave(0)
