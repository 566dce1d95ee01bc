"""The flows as Prefect deployments with cron schedules, served until the command is stopped."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prefect import Flow, flow
from prefect.runner import Runner
from prefect.types.entrypoint import EntrypointType

from flows.build import build
from flows.console import Reporter
from flows.crawl import crawl
from flows.interruption import end_with_parent


@dataclass(frozen=True)
class Deployment:
    """One flow to serve under a name, on a cron schedule, with its parameters."""

    flow: Flow[..., Any]
    name: str
    cron: str
    parameters: dict[str, Any]


class _Served(Runner):
    """A runner for which being terminated is being interrupted: it cancels what it does and leaves in order."""

    def handle_sigterm(self, *_args: Any, **_kwargs: Any) -> None:
        """Take SIGTERM as SIGINT, which the event loop turns into an orderly cancellation.

        A shell starts what it puts in the background with SIGINT ignored; then it has to be listened to again first.
        """
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGINT)


def serve_deployments(deployments: Sequence[Deployment], reporter: Reporter) -> None:
    """Serve until interrupted or terminated; runs that are under way are stopped with it.

    Needs a Prefect API, see ``flows.server.prefect_server``.
    """
    runner = _Served(name="wordquarry", pause_on_shutdown=False)
    for deployment in deployments:
        runner.add_flow(
            deployment.flow,
            name=deployment.name,
            cron=deployment.cron,
            parameters=deployment.parameters,
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
        reporter.line(f"scheduled {deployment.name}: {deployment.cron}")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(runner.start())


@flow(name="crawl-and-build", validate_parameters=False)
def crawl_and_build(crawl_request: dict[str, Any] | None, build_request: dict[str, Any]) -> dict[str, Any]:
    """What a schedule runs: crawl the source, if there is one, then build a version."""
    end_with_parent()
    crawled = crawl(request=crawl_request) if crawl_request is not None else None
    return {"crawl": crawled, "build": build(request=build_request)}
