"""What a post was read from and by what, so that it can be read again and every reading told from another."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corpus.code import code_digest
from corpus.errors import InputError
from corpus.open_files import open_file
from corpus.records import Post
from crawlers.posts import Origin

_DIGITS = 12
LINES = "lines"
"""The format, in a store's list, of JSON Lines as ``export`` writes them."""


def parser_version(module: str) -> str:
    """A parser's name and the digest of its code: its module, what that imports, and the libraries it uses.

    >>> parser_version("crawlers.parsers.pages").partition("@")[0]
    'pages'
    """
    return f"{module.rpartition('.')[2]}@{code_digest(module)[:_DIGITS]}"


def page_origin(source: str, body: bytes) -> Origin:
    """The origin of a page of a source: ``body`` is the response without transfer and content codings."""
    return Origin(hashlib.sha256(body).hexdigest(), parser_version(f"crawlers.parsers.{source}"))


def file_origin(path: Path, module: str) -> Origin:
    """The origin of posts that stand in one file: the file as it is, and the module that reads it."""
    try:
        with open_file(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error
    return Origin(digest, parser_version(module))


def with_origin(post: Post, origin: Origin) -> Post:
    """The post, saying what it was read from; what it says already stays."""
    if post.response_sha256 is not None:
        return post
    return post.model_copy(update={"response_sha256": origin.response_sha256, "parser": post.parser or origin.parser})


def file_source(paths: Iterable[Path], **said: Any) -> dict[str, Any]:
    """What a store's list says of files of posts that a batch was read from: their paths as given, and more."""
    facts = {name: value for name, value in said.items() if value}
    return {"kind": "file", "paths": [str(path) for path in paths], "format": LINES, **facts}
