"""Errors a person can act on: each message says what, where and what to do, on one line."""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator


class CorpusError(Exception):
    """Base of every expected failure; the command line prints it as one line and exits with status 1."""

    code = "error"


class InputError(CorpusError):
    """A file or record from outside cannot be used."""

    code = "bad_input"


class ConfigError(CorpusError):
    """A configuration names an unknown field or a value out of range."""

    code = "bad_config"


class StoreError(CorpusError):
    """The data folder cannot be read or written, or contradicts itself."""

    code = "store"


class DamageError(StoreError):
    """What the data folder holds is not what was written there: trying again gives the same."""


class VersionError(CorpusError):
    """A dataset version is missing, damaged or already there with other content."""

    code = "version"


class ModelError(CorpusError):
    """A model file is missing, damaged, or of another kind or format."""

    code = "model"


class CrawlError(CorpusError):
    """A crawl ended without what it was asked for."""

    code = "crawl"


def store_failures() -> tuple[type[Exception], ...]:
    """What a file system raises where it fails: OSError and, where S3 is in use, the errors of its two clients."""
    core, web = sys.modules.get("botocore.exceptions"), sys.modules.get("aiohttp")
    found = (OSError,) if core is None else (OSError, core.BotoCoreError, core.ClientError)
    return found if web is None else (*found, web.ClientError)


@contextlib.contextmanager
def store_errors(action: str, path: str) -> Iterator[None]:
    """Turn an OSError into one StoreError line that names the action, the path and the way out."""
    try:
        yield
    except (NotADirectoryError, FileExistsError) as error:
        raise StoreError(
            f"cannot {action} {path}: a file is where a folder should be; move it away or choose another path"
        ) from error
    except store_failures() as error:
        absent = os.strerror(errno.ENOENT) if isinstance(error, FileNotFoundError) else ""
        what = getattr(error, "strerror", "") or absent or str(error).partition("\n")[0]
        raise StoreError(f"cannot {action} {path}: {what}; check the path, its permissions and free space") from error
