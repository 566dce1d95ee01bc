"""Crawls in a process of their own that are killed with SIGKILL while a site of ours answers them."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.crawlers.logged_site import Site

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = (
    "import sys, pathlib; from crawlers.crawling.crawl_run import crawl; "
    "crawl('bundled', sys.argv[1], pathlib.Path(sys.argv[2]))"
)


def killed(site: Site, out: Path, bodies: int, victims: str) -> float:
    """Start a crawl, and kill -9 it or the process that started it after so many bodies; returns when all is quiet."""
    command = [sys.executable, "-c", SCRIPT, site.base_url, str(out)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as parent:
        deadline = time.monotonic() + 60
        while sum(site.bodies().values()) < bodies:
            assert parent.poll() is None, "the crawl ended before it was killed"
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.005)
        (child,) = psutil.Process(parent.pid).children()
        for process in {"child": [child.pid], "parent": [parent.pid], "both": [parent.pid, child.pid]}[victims]:
            os.kill(process, signal.SIGKILL)
        parent.wait()
        psutil.wait_procs([child], timeout=20)
    time.sleep(0.5)  # what was sent and not yet read by the server is in the log now
    return time.monotonic()


def without_time(path: Path) -> bytes:
    return re.sub(rb'"retrieved_at":"[^"]*"', b'"retrieved_at":""', path.read_bytes())
