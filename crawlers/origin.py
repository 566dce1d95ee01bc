"""What a post was read from and by what, so that it can be read again and every reading told from another."""

import hashlib

from corpus.code import code_digest
from crawlers.posts import Origin

_DIGITS = 12


def parser_version(module: str) -> str:
    """A parser's name and the digest of its code: its module, what that imports, and the libraries it uses.

    >>> parser_version("crawlers.parsers.pages").partition("@")[0]
    'pages'
    """
    return f"{module.rpartition('.')[2]}@{code_digest(module)[:_DIGITS]}"


def page_origin(source: str, body: bytes) -> Origin:
    """The origin of a page of a source: ``body`` is the response without transfer and content codings."""
    return Origin(hashlib.sha256(body).hexdigest(), parser_version(f"crawlers.parsers.{source}"))
