"""The log of takedowns, ``takedowns/log.jsonl``: a line for each, chained to the one before and signed with a key.

A line has the SHA-256 of the line before it. With the key of its user it has an HMAC-SHA256 of itself as well: whoever
has the key can tell that the line, and every line before it, is as the owner of a key wrote it. Without a key the chain
shows a change only to who knows a later line. That lines at the end are missing shows neither.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from corpus.canonical import canonical_json
from corpus.errors import InputError, StoreError, store_errors
from corpus.files import Folder
from corpus.open_files import read_file
from corpus.strict_json import load_json

LOG: Final = "log.jsonl"
LEAST_KEY: Final = 16
_MAC, _BEFORE = "hmac_sha256", "before"


def read_key(path: Path | None) -> bytes | None:
    """The bytes of a key file, without white space at its ends; InputError for one that is too short."""
    if path is None:
        return None
    with store_errors("read", str(path)):
        key = read_file(path).strip()
    if len(key) < LEAST_KEY:
        raise InputError(f"{path} holds {len(key)} bytes, too few for a key; make one: openssl rand -hex 32 > {path}")
    return key


class TakedownLog:
    """The log in a folder, written with a key if there is one."""

    def __init__(self, folder: Folder, key: bytes | None) -> None:
        self._folder, self._key = folder, key

    def check(self) -> list[Mapping[str, Any]]:
        """The lines of the log, the chain and, with the key, every signature checked.

        StoreError at the first line that is not as it was written; InputError for a key that does not fit.
        """
        found: list[Mapping[str, Any]] = []
        before = ""
        for number, line in enumerate(self._lines(), start=1):
            try:
                told = dict(load_json(line))
                chained = told.pop(_BEFORE) == before
                mac = told.pop(_MAC, None)
            except (ValueError, KeyError, TypeError) as error:
                raise self._broken(number) from error
            if not chained:
                raise self._broken(number)
            if mac is not None and self._key is not None and not hmac.compare_digest(mac, self._mac(told, before)):
                raise InputError(
                    f"line {number} of {self._folder}/{LOG} is signed with another key, or was changed; give the key "
                    "that fits (--key), or move the log away to begin another"
                )
            before = hashlib.sha256(line).hexdigest()
            found.append(told)
        return found

    def add(self, told: Mapping[str, Any]) -> int:
        """Add a line unless the last one tells the same takedown; returns its number."""
        lines = self.check()
        if lines and lines[-1]["takedown"] == told["takedown"]:
            return len(lines)
        before = hashlib.sha256(self._lines()[-1]).hexdigest() if lines else ""
        line: dict[str, Any] = {**told, "ended": datetime.now(UTC).isoformat(timespec="seconds")}
        signed = {_MAC: self._mac(line, before)} if self._key is not None else {}
        self._folder.append(LOG, canonical_json({**line, _BEFORE: before, **signed}).encode() + b"\n")
        return len(lines) + 1

    def _lines(self) -> list[bytes]:
        """The lines that are whole: what a killed command left of one is cut off by the next."""
        content = self._folder.read(LOG) if self._folder.exists(LOG) else b""
        return content[: content.rfind(b"\n") + 1].splitlines()

    def _mac(self, told: Mapping[str, Any], before: str) -> str:
        assert self._key is not None
        return hmac.new(self._key, canonical_json({**told, _BEFORE: before}).encode(), "sha256").hexdigest()

    def _broken(self, number: int) -> StoreError:
        return StoreError(
            f"line {number} of {self._folder}/{LOG} is not as it was written, or one before it is gone; restore the "
            "log, or move it away to begin another"
        )
