"""The flow of a schedule as a Prefect deployment, served until the command is stopped.

What a run may do is settled by the command line. The parameters that come with a run are only compared with that:
whoever may speak to the server can have the work done now, and nothing else.
"""

import asyncio
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import wait
from typing import Any

from prefect import flow
from prefect.runner import Runner
from prefect.runtime import flow_run
from prefect.types.entrypoint import EntrypointType

from corpus.canonical import digest_of
from corpus.errors import ConfigError, CorpusError
from flows.console import Reporter, candidate_line
from flows.pipelines.prefect_flows import build, crawl, outcome_line, run_name
from flows.pipelines.requests import BuildRequest, CrawlRequest, as_parameters
from flows.processes.command_process import leave_soon

SERVED = "WORDQUARRY_SERVED"
"""The environment variable in which a schedule says to its runs what they may be asked for, as a digest."""
STOPPED = "wordquarry: schedule stopped"
CUT_OFF = f"{STOPPED}; the run in progress was stopped; the next one continues from there"
GRACE_SECONDS, NOTE_SECONDS, LEAVE_SECONDS = 0.5, 0.4, 1.4


class _Served(Runner):
    """A runner that leaves signals to the event loop, which hears them before."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Nothing: Prefect would stop listening to the loop and leave the runs alone."""


def serve(name: str, cron: str, crawls: CrawlRequest | None, builds: BuildRequest, reporter: Reporter) -> None:
    """Serve ``crawl_and_build`` on a cron schedule until interrupted or terminated, which ends a run under way.

    Needs a Prefect API, see ``flows.processes.server.prefect_server``.
    """
    parameters = {
        "crawl_request": crawls.model_dump(mode="json") if crawls else None,
        "build_request": builds.model_dump(mode="json"),
    }
    os.environ[SERVED] = _digest(crawls, builds)
    runner = _Served(name="wordquarry", pause_on_shutdown=False)
    runner.add_flow(
        crawl_and_build, name=name, cron=cron, parameters=parameters, entrypoint_type=EntrypointType.MODULE_PATH
    )
    asyncio.run(_until_stopped(runner, f"scheduled {name}: {cron}", reporter))


async def _until_stopped(runner: Runner, begun: str, reporter: Reporter) -> None:
    """Serve until a signal comes, then end what runs."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    reporter.line(begun)
    serving = asyncio.ensure_future(runner.start())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not stop.is_set():
        failure = serving.exception()
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        raise CorpusError(f"Prefect ended the schedule ({failure}); start it again") from failure
    runs = multiprocessing.active_children()
    leave_soon(LEAVE_SECONDS, 0)
    if runs:
        await asyncio.to_thread(_end, runs)
        await asyncio.sleep(NOTE_SECONDS)  # in which Prefect notes that they have crashed
    reporter.line(CUT_OFF if runs else STOPPED)
    serving.cancel()
    await asyncio.wait((serving,))


def _end(runs: list[multiprocessing.process.BaseProcess]) -> None:
    """Ask runs to end, so that they can say so to Prefect, and make those end that take their time."""
    for run in runs:
        run.terminate()
    deadline = time.monotonic() + GRACE_SECONDS
    left = list(runs)
    while left and (seconds := deadline - time.monotonic()) > 0:
        ended = wait([run.sentinel for run in left], seconds)
        left = [run for run in left if run.sentinel not in ended]
    for run in left:
        run.kill()


def _digest(crawls: CrawlRequest | None, builds: BuildRequest) -> str:
    return digest_of([crawls and crawls.model_dump(mode="json"), builds.model_dump(mode="json")])


def _run_name() -> str:
    """What a scheduled run is called in Prefect."""
    return run_name("crawl and build", flow_run.parameters.get("build_request"))


@flow(name="crawl-and-build", flow_run_name=_run_name, validate_parameters=False)
def crawl_and_build(crawl_request: Any = None, build_request: Any = None) -> dict[str, Any]:
    """What a schedule runs: crawl the source, if there is one, then build a version; ConfigError for anything else."""
    reporter, started = Reporter(), time.monotonic()
    reporter.line(f"wordquarry: run {flow_run.id} begins: {flow_run.name}")
    try:
        crawls, builds = _as_served(crawl_request, build_request)
        crawled = crawl(**as_parameters(crawls)) if crawls else None
        built = build(**as_parameters(builds))
        if built["not_accepted"]:
            reporter.line(f"wordquarry: {candidate_line(built)}")
    except (CorpusError, OSError) as error:
        reporter.line(f"wordquarry: this run failed: {error}")
        raise
    reporter.line(
        f"wordquarry: run {flow_run.id} ended after {time.monotonic() - started:.0f} s: {outcome_line(built)}"
    )
    return {"crawl": crawled, "build": built}


def _as_served(crawl_request: Any, build_request: Any) -> tuple[CrawlRequest | None, BuildRequest]:
    """The requests of a run, which have to be those that its schedule serves."""
    try:
        crawls = CrawlRequest.model_validate(crawl_request) if crawl_request is not None else None
        builds = BuildRequest.model_validate(build_request)
        known = _digest(crawls, builds) == os.environ.get(SERVED)
    except ValueError:
        known = False
    if not known:
        raise ConfigError(
            "refused: its parameters are not those of this schedule; to change them, start the schedule again"
        )
    return crawls, builds
