"""The text of an XML dump with what XML does not allow mended, as bytes in UTF-8: one bad character ends no dump.

Left out are control characters, also as references; a bare ``&`` is written as it was meant; bytes that are not of the
charset are read as those of pages are. Lines stay where they are.
"""

import codecs
import re

from w3lib.encoding import read_bom, resolve_encoding

from corpus.errors import InputError
from crawlers.bounded_streams import Stream
from crawlers.charsets import KEPT_BYTES, LOST, legible, with_windows

_DECLARED = re.compile(rb"\s{0,100}<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}[\"']([A-Za-z0-9._-]{1,40})[\"']")
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32)])
_NO_CHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")
_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,8}));")
_BARE = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#[0-9]{1,8}|#x[0-9A-Fa-f]{1,8});)")
_UNLAWFUL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNFINISHED = re.compile("(?:[0-9][\x00-\x08\x0b\x0c\x0e-\x1f]*|&[#0-9A-Za-z]{0,10})\\Z")
_LONGEST_UNFINISHED = 64


class MendedStream:
    """A stream over another one; ``mended`` counts the characters that were left out or written anew."""

    def __init__(self, name: str, stream: Stream, chunk: int) -> None:
        self._stream, self._chunk, self.mended = stream, chunk, 0
        self._head = stream.read(chunk)
        codec = _codec(name, self._head)
        errors = KEPT_BYTES if codec == "utf-8-sig" else "replace"
        self._decoder = codecs.getincrementaldecoder(codec)(errors)
        self._rest, self._ended = "", False

    def read(self) -> bytes:
        """The next piece of the text; empty at its end alone."""
        piece = b""
        while not piece and not self._ended:
            data, self._head = self._head or self._stream.read(self._chunk), b""
            self._ended = not data
            text = self._rest + self._decoder.decode(data, final=self._ended)
            tail = None if self._ended else _UNFINISHED.search(text, max(0, len(text) - _LONGEST_UNFINISHED))
            self._rest = tail[0] if tail else ""
            piece = self._mend(text[: tail.start()] if tail else text)
        return piece

    def _mend(self, text: str) -> bytes:
        try:
            raw = text.encode()
        except UnicodeEncodeError:
            text, count = with_windows(text)
            self.mended += count
            raw = text.encode("utf-8", "replace")
        held, bare = text, 0
        if b"&" in raw:
            text, bare = _BARE.subn("&amp;", _REFERENCE.sub(_referred, text) if "&#" in text else text)
        unlawful = len(raw.translate(None, _CONTROLS)) < len(raw) or any(one in raw for one in _NO_CHARACTERS)
        if text is held and not unlawful:
            return raw
        self.mended += bare + len(_UNLAWFUL.findall(text))
        return legible(text).encode("utf-8", "replace")


def _referred(found: re.Match[str]) -> str:
    """A reference as it stands, or the character that XML does not allow."""
    code = int(found[1], 16) if found[1] else int(found[2])
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return LOST
    return chr(code) if code in (0xFFFE, 0xFFFF) or (code < 32 and code not in (9, 10, 13)) else found[0]


def _codec(name: str, head: bytes) -> str:
    """What decodes a dump; UTF-8 unless its mark or its declaration says otherwise."""
    marked, _ = read_bom(head)
    if marked and marked != "utf-8":
        return marked.removesuffix("-le").removesuffix("-be")
    found = _DECLARED.match(head)
    if found is None:
        return "utf-16-le" if head[:2] == b"<\0" else "utf-16-be" if head[:2] == b"\0<" else "utf-8-sig"
    codec = resolve_encoding(found[1].decode())
    if codec is None:
        raise InputError(f"{name}:1: declares the encoding {found[1].decode()!r}, which is not known; save it as UTF-8")
    return "utf-8-sig" if codec == "utf-8" else codec
