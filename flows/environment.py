"""Settings that have to stand before Prefect is imported: no analytics, no stray files, quiet logs."""

import os
from pathlib import Path

DEFAULTS = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_RESULTS_PERSIST_BY_DEFAULT": "false",
    "PREFECT_CLI_PROMPT": "false",
    # Workers that are ended together with the command leave the tracker to clean up; that it did is no news.
    "PYTHONWARNINGS": "ignore::UserWarning:multiprocessing.resource_tracker",
}


def prepare(data: str) -> Path:
    """Set what is not set by the user and return Prefect's home, a folder below the data folder."""
    home = (Path(data) / "prefect").resolve()
    os.environ.setdefault("PREFECT_HOME", str(home))
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    return home
