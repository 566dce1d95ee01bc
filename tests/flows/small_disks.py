"""A small disk of its own, and a full one."""

import contextlib
import errno
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

BALLAST = "ballast"


@contextlib.contextmanager
def small_disk_at(folder: Path, mebibytes: int) -> Iterator[bool]:
    """Mount a tmpfs of so many MiB at a folder; gives whether that is allowed here."""
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)]
    made = mount is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield made
    finally:
        if made:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, free: int = 0) -> None:
    """Leave so many bytes of a disk free, whatever a running build writes at the same moment."""
    left = shutil.disk_usage(folder).free - free
    with (folder / BALLAST).open("wb", buffering=0) as ballast:
        try:
            while left > 0:
                left -= ballast.write(bytes(min(left, 65_536)))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
