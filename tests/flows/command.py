"""Runs the command line as a user does: another process, its output and its exit status."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: the caller's without a Prefect address, plus ``extra``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return inherited | dict(extra or {})


def wordquarry(
    *arguments: object, given: str | bytes | None = None, env: Mapping[str, str] | None = None, timeout: float = 240
) -> subprocess.CompletedProcess[str]:
    """Run ``wordquarry`` with these arguments and, perhaps, standard input."""
    text = given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else given
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *map(str, arguments)],
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        cwd=ROOT,
        env=environment(env),
        timeout=timeout,
        check=False,
    )


def start(*arguments: object, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Start ``wordquarry`` in a process group of its own and leave it running."""
    return subprocess.Popen(
        [sys.executable, "-m", "flows.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(env),
        start_new_session=True,
    )


def one_line_failure(result: subprocess.CompletedProcess[str], status: int = 1) -> str:
    """The single error line of a command that failed as it should."""
    lines = result.stderr.strip().splitlines()
    assert result.returncode == status, result.stderr
    assert "Traceback" not in result.stderr
    assert lines, "a failure must say why"
    assert lines[-1].startswith("wordquarry: "), result.stderr
    return lines[-1]
