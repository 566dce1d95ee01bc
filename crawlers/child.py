"""Run a job in a process of its own, which ends with this one, and read what it reports."""

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpus.code import ROOT
from corpus.errors import CrawlError
from corpus.lifeline import helper
from corpus.open_files import open_file, read_file
from corpus.strict_json import load_json
from crawlers.job import Job, Progress

_GRACE_SECONDS = 30
_LOG_TAIL, _LEAST_ROOM = 1 << 16, 1 << 20
_FULL_CACHE = b"database or disk is full"
"""What SQLite says of a page cache without room."""


def run_job(job: Job, log: Path, progress: Callable[[Progress], None] | None) -> dict[str, Any]:
    """Run the crawling process to its end and return its report; CrawlError if it died before."""
    _run(job, log, progress)
    return read_report(Path(job.report), log, job.base_url)


def _run(job: Job, log: Path, progress: Callable[[Progress], None] | None) -> None:
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            helper("crawlers.process", job.to_json()),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(),
            start_new_session=True,
        ) as child,
    ):
        watchdog = threading.Timer(job.limits.max_seconds + job.limits.timeout + _GRACE_SECONDS, _kill, [child])
        watchdog.daemon = True
        watchdog.start()
        try:
            for line in child.stdout or ():
                _report_progress(line, progress)
            child.wait()
        finally:
            watchdog.cancel()
            _kill(child)


def _environment() -> dict[str, str]:
    """That of this process, without what speaks to the Prefect server: what reads hostile pages has no need of it."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"PYTHONPATH": path}


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """End the crawl with everything it started; nothing happens once it has been waited for."""
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def _report_progress(line: bytes, progress: Callable[[Progress], None] | None) -> None:
    if progress is None:
        return
    try:
        progress(Progress(**load_json(line)))
    except (ValueError, TypeError):
        return  # a library's own print is not progress


def read_report(report: Path, log: Path, site: str) -> dict[str, Any]:
    """What a crawling process reported; CrawlError, with what its log tells of it, if it died before."""
    try:
        content: dict[str, Any] = load_json(read_file(report).decode())
    except OSError as error:
        ended = f"the crawl of {site} ended unexpectedly{_cause(log)}"
        raise CrawlError(f"{ended}; run it again; the log is {log}") from error
    return content


def _cause(log: Path) -> str:
    """That there is no room, where the log of a crawl that died says so or its disk, which may have cut it short."""
    full = os.strerror(errno.ENOSPC)
    try:
        with open_file(log) as lines:
            lines.seek(max(0, log.stat().st_size - _LOG_TAIL))
            tail = lines.read()
        said = any(sign in tail for sign in (full.encode(), _FULL_CACHE))
        return f" ({full}; free some)" if said or shutil.disk_usage(log.parent).free < _LEAST_ROOM else ""
    except OSError as error:
        return f" ({error.strerror or error})"
