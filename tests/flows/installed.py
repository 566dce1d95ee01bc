"""The wheel of this checkout, built and installed into an environment of its own, once for a test session.

No index is asked: setuptools of the development environment builds it, and the new environment finds the libraries of
that environment by a path file. The checkout itself, which is installed there in editable form, it does not find.
"""

import fcntl
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from corpus.code import PACKAGES
from corpus.folders.locks import held
from tests.flows.command import ROOT, SESSION, environment

SOURCES = (*PACKAGES, "wordquarry", "data", "pyproject.toml", "setup.py", "README.md", "LICENSE")
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
OFFLINE = ["--no-index", "--no-deps"]


@cache
def installed() -> Path:
    """The folder of the environment; its commands are in ``bin``."""
    session = Path(os.environ[SESSION])
    made = session / "installed"
    with held(session / "wheel.lock", fcntl.LOCK_EX):
        if not made.exists():
            place = session / "environment"
            _install(_built(session / "wheel"), place)
            made.symlink_to(place)
    return made


def packages_of(place: Path) -> Path:
    """Where an environment has its packages."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(place)}))


def run_installed(
    *arguments: object,
    folder: Path,
    program: str = "wordquarry",
    given: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment in a folder, with no path of the checkout in its environment."""
    variables = {name: value for name, value in environment(env).items() if name != "PYTHONPATH"}
    return subprocess.run(
        [installed() / "bin" / program, *map(str, arguments)],
        input=given,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env=variables,
        timeout=900,
        check=False,
    )


def _built(folder: Path) -> Path:
    """The wheel, made beside the checkout, so that the checkout gets no ``build`` folder."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in SOURCES:
        (source / name).symlink_to(ROOT / name)
    _run([*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", str(folder), str(source)])
    return next(folder.glob("*.whl"))


def _install(wheel: Path, place: Path) -> None:
    venv.create(place, with_pip=False)
    libraries = packages_of(place) / "libraries.pth"
    libraries.write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    _run([*PIP, "--python", str(place), "install", *OFFLINE, str(wheel)])


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment(), check=False)
    assert done.returncode == 0, done.stderr
