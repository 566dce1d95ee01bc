"""What has to stand before Prefect is imported, and that requests to its server on this machine stay on it.

Settings: nothing told to its makers, no stray files, quiet logs. A variable that the user has set, and not to nothing,
stays as it is.

Requests go to the server whatever proxies the environment names. What they carry, the secret among it, is for nobody
else; and a proxy that cannot be used, such as one for SOCKS, would be no reason for a build to fail that needs no
network. Everything else that a command reads goes through the proxies.
"""

import hashlib
import logging
import os
import urllib.request
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from corpus.folders.files import Folder
from corpus.workspace import user_cache

DEFAULTS = {
    # Prefect's client tells how it is used, its server that it runs, to its makers.
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    # Without an address Prefect starts a server of its own, which would answer everybody.
    "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
    # A schedule that goes on for years keeps the runs of a month, and their logs and artifacts.
    "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
    "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(30 * 24 * 3600),
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    "PREFECT_CLI_PROMPT": "false",
    # Workers that are ended together with the command leave the tracker to clean up; that it did is no news.
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
}
STILL_AT_WORK = ("EventsWorker", "APILogWorker")
"""Loggers with which Prefect says, on a busy machine, that it still sends what it did; no setting quiets them."""


def prepare(data: str) -> Path:
    """Set what is not set by the user and return Prefect's home.

    It is a folder below the data folder, or one in the user's cache where that is on no local disk.
    """
    folder = Folder.at(data)
    name = hashlib.sha256(data.encode()).hexdigest()[:16]
    home = ((Path(folder.path) if folder.local else user_cache() / name) / "prefect").resolve()
    for name, value in {"PREFECT_HOME": str(home), **DEFAULTS}.items():
        if not os.environ.get(name):
            os.environ[name] = value
    for logger in STILL_AT_WORK:
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    return home


HOST: Final = "127.0.0.1"
HOSTS: Final = (HOST, "localhost", "::1")


def without_proxy() -> dict[str, str]:
    """The variables that keep requests to an own server from any proxy in this process and in what it starts."""
    names = ("no_proxy", "NO_PROXY")
    given = next(filter(None, map(os.environ.get, names)), "")
    # Prefect would ask for the server's version, which is its own, with a client that reads the proxies.
    own = {"PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false"}
    return dict.fromkeys(names, f"{given},{HOST}".lstrip(",")) | own


def bypass_proxies() -> None:
    """Have Prefect's clients in this process read no proxy from the environment where their server is on loopback.

    Every process that has flows or tasks calls it as it imports them. The HTTP client that Prefect uses fails at the
    sight of a proxy that it does not know, before it looks whether it is to be used.
    """
    from prefect.client import orchestration

    for name in ("PrefectHttpxAsyncClient", "PrefectHttpxSyncClient"):
        kind = getattr(orchestration, name)
        if isinstance(kind, type):
            setattr(orchestration, name, _Direct(kind))


class _Direct:
    """Makes clients of one kind."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __call__(self, **settings: Any) -> Any:
        """A client; directly connected where the server is on loopback."""
        near = urlsplit(str(settings.get("base_url") or "")).hostname in HOSTS
        return self._kind(**settings, **({"trust_env": False} if near else {}))


def opened(url: str, seconds: float) -> Any:
    """The answer of a server on loopback; OSError where there is none."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=seconds)
