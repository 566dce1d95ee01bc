"""Settings that have to stand before Prefect is imported: nothing told to its makers, no stray files, quiet logs.

A variable that the user has set, and not to nothing, stays as it is.
"""

import hashlib
import logging
import os
from pathlib import Path

from corpus.files import Folder
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
