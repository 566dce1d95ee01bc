"""The workers of a Dask scheduler: reached, alike and able to work, before anything is started for them.

Nothing here imports Prefect, whose settings stand only once its server is started (flows.processes.loopback).
"""

import contextlib
import functools
import importlib.metadata
import logging
import re
import secrets
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from typing import Any

from corpus.errors import ConfigError, CorpusError
from corpus.folders.files import Folder
from corpus.workspace import Workspace
from curation.building.running import code_here
from flows.pipelines.requests import AUTO, HERE, PROCESS, BuildRequest

ADDRESS = re.compile(r"dask(\+tls)?://([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})", re.ASCII)
CONNECT_SECONDS = 10


def scheduler_of(runner: str) -> str | None:
    """The address of a Dask scheduler as Dask writes it; None for this machine. ConfigError for anything else.

    >>> scheduler_of("dask://10.0.0.5:8786"), scheduler_of("dask+tls://head:8786"), scheduler_of("process")
    ('tcp://10.0.0.5:8786', 'tls://head:8786', None)
    """
    if runner in (AUTO, HERE, PROCESS):
        return None
    found = ADDRESS.fullmatch(runner)
    if found is None or not 0 < int(found[3]) < 65536:
        raise ConfigError(
            f"unknown runner {runner!r}; give auto, here, process, dask://HOST:PORT or dask+tls://HOST:PORT"
        )
    return f"{'tls' if found[1] else 'tcp'}://{found[2]}:{found[3]}"


def _distributed() -> Any:
    """Dask's scheduler library, quiet: what fails is said in one line of ours."""
    try:
        importlib.metadata.version("prefect-dask")
        import distributed
    except ImportError as error:
        raise ConfigError("--runner dask:// needs prefect-dask; install wordquarry[cluster]") from error
    for name in ("distributed", "distributed.client", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


@contextlib.contextmanager
def _client(address: str, connect_seconds: int = CONNECT_SECONDS) -> Iterator[Any]:
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=connect_seconds, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:  # a TimeoutError is an OSError
        what = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(
            f"cannot reach a Dask scheduler at {address} ({what}); start one there (dask scheduler), or mend --runner"
        ) from error
    with client:
        yield client


def look_round(data: str, probe: str) -> tuple[str, bool]:
    """What a worker says of itself: the digest of its code, and whether it sees a file in the data folder."""
    return code_here(), Folder.at(data).exists(probe)


def reaches(url: str) -> bool:
    """Whether a worker reaches an address."""
    try:
        with urllib.request.urlopen(url, timeout=CONNECT_SECONDS):  # noqa: S310 - the Prefect server's own address
            return True
    except (OSError, ValueError):
        return False


def _asked(client: Any, address: str, ask: Callable[..., Any], *given: Any) -> dict[str, Any]:
    """What every worker answers; CorpusError if there is none, or one cannot."""
    failures: tuple[type[Exception], ...] = (OSError, ValueError, RuntimeError, ImportError, AttributeError, TypeError)
    try:
        answers = dict(client.run(ask, *given))
    except failures as error:
        what = str(error).partition("\n")[0] or type(error).__name__
        raise CorpusError(
            f"a worker of {address} cannot do its work ({what}); install the same code and libraries on all workers"
        ) from error
    if not answers:
        raise CorpusError(f"the Dask scheduler at {address} has no workers; start some (dask worker {address})")
    return answers


def check_workers(request: BuildRequest, connect_seconds: int = CONNECT_SECONDS) -> None:
    """CorpusError, before anything is started, if the workers of a build cannot be reached or are not like us."""
    address = scheduler_of(request.runner)
    if address is None:
        return
    folder, probe = Workspace(request.data).folder, f"probe-{secrets.token_hex(8)}"
    with _client(address, connect_seconds) as client:
        folder.write(probe, b"")
        try:
            answers = _asked(client, address, look_round, request.data, probe)
        finally:
            folder.remove(probe)
    refuse_others(answers, request.data)


def refuse_others(answers: Mapping[str, tuple[str, bool]], data: str) -> None:
    """CorpusError if a worker, by what it answered to ``look_round``, has other code or does not see the data."""
    for worker, (code, sees) in sorted(answers.items()):
        if code != code_here():
            raise CorpusError(
                f"the worker {worker} runs other code ({code[:12]}) than this command ({code_here()[:12]}); install "
                "the same code and the same libraries on all workers and start them again"
            )
        if not sees:
            raise CorpusError(f"the worker {worker} does not see {data}; mount that folder there, or use s3://")


def check_server_reached(request: BuildRequest, api: str) -> None:
    """CorpusError if workers on other machines do not reach the Prefect server to which they report."""
    address = scheduler_of(request.runner)
    if address is None:
        return
    with _client(address) as client:
        answers = _asked(client, address, reaches, f"{api}/health")
    for worker, reached in sorted(answers.items()):
        if not reached:
            raise CorpusError(
                f"the worker {worker} does not reach the Prefect server at {api}; set PREFECT_API_URL to one that all "
                "machines reach, or use --rank and --of"
            )


@functools.cache
def engine_failures() -> tuple[type[BaseException], ...]:
    """What a future raises when the engine fails and not the work: a lost worker or scheduler, a lost task."""
    found: tuple[type[BaseException], ...] = (CancelledError, OSError)
    if "distributed" in sys.modules:
        import distributed

        found += (distributed.KilledWorker, distributed.client.FutureCancelledError)
    return found
