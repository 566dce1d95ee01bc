"""Who may write to a served sheet: the key beside it, what it signs, and the ports where the sheet is to be found.

A page signs what it sends with the sheet's key, and the server signs its answers, so that a page takes nothing for
saved but what this sheet's server says, whatever program has the port by then. The key outlives the server: a page that
was open when it was killed goes on with the next one.
"""

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path
from typing import Final

from corpus.canonical import bucket_of
from corpus.errors import store_errors
from corpus.open_files import read_file

HOST: Final = "127.0.0.1"
FIRST_PORT, PORTS = 20_000, 10_000
"""Ports that systems give to nobody by themselves."""
TRIED = 8
KEY = re.compile("[0-9a-f]{64}")
LOOPBACK: Final = re.compile(r"http://(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?")


def sheet_ports(sheet_id: str) -> list[int]:
    """The ports that a sheet's server tries, in order; its pages look for it there.

    >>> sheet_ports("a")[:3] == sheet_ports("a")[:3] != sheet_ports("b")[:3]
    True
    """
    found = (FIRST_PORT + bucket_of(f"{sheet_id} {place}", PORTS) for place in range(TRIED * 2))
    return list(dict.fromkeys(found))[:TRIED]


class SheetKey:
    """Signs for one sheet at one place: a copy of the folder signs otherwise."""

    def __init__(self, secret: str, sheet: Path, sheet_id: str) -> None:
        place = sheet_id.encode() + b"\n" + os.fsencode(sheet)
        self.hex = hmac.new(bytes.fromhex(secret), place, hashlib.sha256).hexdigest()

    def signature(self, what: str, body: bytes) -> str:
        """The signature of a message; ``what`` says which way it goes and to which address."""
        return hmac.new(bytes.fromhex(self.hex), f"{what}\n".encode() + body, hashlib.sha256).hexdigest()

    def signed(self, what: str, body: bytes, signature: str) -> bool:
        """Whether a message comes from who has the key."""
        return hmac.compare_digest(self.signature(what, body).encode(), signature.encode())


def sheet_key(sheet: Path, sheet_id: str) -> SheetKey:
    """The key beside a sheet (``SHEET.key``, for its owner's eyes), made where there is none or a damaged one."""
    path = sheet.with_name(f"{sheet.name}.key")
    with store_errors("use", str(path)):
        held = read_file(path).decode("ascii", "replace").strip() if path.exists() else ""
        if KEY.fullmatch(held):
            path.chmod(0o600)
            return SheetKey(held, sheet, sheet_id)
        secret = secrets.token_hex(32)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{secret}\n")
    return SheetKey(secret, sheet, sheet_id)
