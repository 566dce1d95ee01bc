"""Allow and deny rules of a crawl: the patterns of robots.txt (RFC 9309, section 2.2.3), over path and query.

A pattern matches from the beginning of the path; ``*`` stands for any characters, ``$`` at the end for the end of the
address. Matching looks for the pieces between the stars one after the other, so that no pattern and no address can
make it slow.
"""

import re
from collections.abc import Sequence
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Denied(IgnoreRequest):
    """The rules of the crawl refuse the address."""


class Rules:
    """Which addresses a crawl may ask for: those that no ``deny`` matches and, if there are any, an ``allow`` does.

    >>> rules = Rules(["/q/*/", "/list"], ["/*?sort=", "*.pdf$"])
    >>> [rules.permit("https://forum.example" + path) for path in ("/q/7/ann", "/q/7/x.pdf", "/list?sort=new", "/u/1")]
    [True, False, False, False]
    """

    def __init__(self, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> None:
        self._allow, self._deny = tuple(map(_pieces, allow)), tuple(map(_pieces, deny))

    def permit(self, url: str) -> bool:
        """Whether the crawl may ask for an address."""
        if not self._allow and not self._deny:
            return True
        parts = urlsplit(url)
        path = _normal((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        if any(_match(pattern, path) for pattern in self._deny):
            return False
        return not self._allow or any(_match(pattern, path) for pattern in self._allow)


def _pieces(pattern: str) -> tuple[tuple[str, ...], bool]:
    """The literal pieces of a pattern, and whether the last one must end the address."""
    ends = pattern.endswith("$")
    return tuple(_normal(pattern.removesuffix("$")).split("*")), ends


def _normal(path: str) -> str:
    """One spelling of a path: characters that need no escape are not escaped, other escapes are in upper case."""
    return _ESCAPE.sub(_unescape, path)


def _unescape(found: re.Match[str]) -> str:
    character = chr(int(found[0][1:], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _match(pattern: tuple[tuple[str, ...], bool], path: str) -> bool:
    (first, *others), ends = pattern
    if not path.startswith(first):
        return False
    if not others:
        return not ends or path == first
    at = len(first)
    for piece in others[:-1]:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    last = others[-1]
    return path.endswith(last) and len(path) - len(last) >= at if ends else path.find(last, at) >= 0


class RulesMiddleware:
    """Refuses what the rules of the crawl do; the page it starts at and robots.txt are always let through."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the patterns from the settings."""
        return cls(Rules(crawler.settings.getlist("WORDQUARRY_ALLOW"), crawler.settings.getlist("WORDQUARRY_DENY")))

    def process_request(self, request: Request) -> None:
        """Refuse, also after a redirect."""
        exempt = request.meta.get("start") or request.meta.get("dont_obey_robotstxt")
        if not exempt and not self._rules.permit(request.url):
            raise Denied(f"crawl.allow or crawl.deny excludes {request.url}")
