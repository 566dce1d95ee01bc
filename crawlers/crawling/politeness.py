"""What keeps a crawl welcome: robots.txt in code, trying again with patience, and never leaving the site."""

import asyncio
import math
import re
import time
from collections.abc import Sequence
from typing import Self
from urllib.parse import urlsplit

from protego import Protego
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import RetryMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import BaseSettings
from w3lib.encoding import read_bom

from crawlers.addresses import path_of
from crawlers.crawling.cache import UndecodableError
from crawlers.crawling.gate import CRAWL_DELAY, NOT_BEFORE, Postponed, retry_after
from crawlers.crawling.private import PRIVATE_NAMES, HostKind, PrivateAddress, kind_of_host

NETWORK_ERRORS = (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    OSError,
)
_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (DownloadTimeoutError, "timeout"),
    (DownloadConnectionRefusedError, "refused"),
    (CannotResolveHostError, "unknown_host"),
    (DownloadCancelledError, "oversized"),
    (ResponseDataLossError, "cut_short"),
    (UndecodableError, "undecodable"),
)


MOVED = "moved"
"""The kind of failure of a robots.txt that redirects to another site, where nothing is asked for."""


class RefusedByRobots(IgnoreRequest):
    """robots.txt disallows the address."""


class RobotsUnavailable(IgnoreRequest):
    """robots.txt could not be had, so nothing may be fetched (RFC 9309, section 2.3.1.4); ``kind`` says why."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"robots.txt could not be read: {kind}")
        self.kind = kind


class OffSite(IgnoreRequest):
    """The address is not on the site that is being crawled."""


def kind_of(error: BaseException) -> str:
    """A short stable name for a failed request.

    >>> kind_of(DownloadTimeoutError()), kind_of(OSError())
    ('timeout', 'failed')
    """
    return next((name for kind, name in _KINDS if isinstance(error, kind)), "failed")


class SameSiteMiddleware:
    """Lets through only requests to the scheme, host and port of the job, wherever a redirect may point."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._site = urlsplit(crawler.settings["WORDQUARRY_BASE_URL"])[:2]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts[:2] == self._site:
            return
        if kind_of_host(parts.hostname or "") in (HostKind.LOOPBACK, HostKind.PRIVATE):
            raise PrivateAddress(f"{request.url} is a private address")
        raise OffSite(f"{request.url} is not on the site")


class RobotsMiddleware:
    """Obeys robots.txt: disallowed addresses, its absence (4xx: all allowed) and its failure (all refused)."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent: str = crawler.settings["USER_AGENT"]
        self._rules: dict[tuple[str, str], asyncio.Task[Protego | str]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait for the rules of the request's site, then let it through or refuse it."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        scheme, netloc = urlsplit(request.url)[:2]
        if (scheme, netloc) not in self._rules:
            self._rules[scheme, netloc] = asyncio.ensure_future(self._fetch(f"{scheme}://{netloc}/robots.txt"))
        rules = await self._rules[scheme, netloc]
        if isinstance(rules, str):
            raise RobotsUnavailable(rules)
        if not rules.can_fetch(request.url, self._agent):
            raise RefusedByRobots(f"robots.txt refuses {request.url}")
        request.meta[CRAWL_DELAY] = crawl_delay(rules, self._agent)

    async def _fetch(self, url: str) -> Protego | str:
        request = Request(url, priority=1000, meta={"dont_obey_robotstxt": True}, callback=NO_CALLBACK)
        engine = self._crawler.engine
        assert engine is not None
        try:
            response = await engine.download_async(request)
        except NETWORK_ERRORS as error:
            return kind_of(error)
        except OffSite:
            return MOVED
        except (PrivateAddress, Postponed):
            raise
        except IgnoreRequest:
            return "failed"
        if response.status == 429 or response.status >= 500:
            return str(response.status)
        body = robots_text(response.body) if response.status == 200 else ""
        return Protego.parse(body)


def robots_text(body: bytes) -> str:
    """A robots.txt without the mark that some editors put before its first rule.

    >>> robots_text("User-agent: *".encode("utf-8-sig")), robots_text("User-agent: *".encode("utf-16"))
    ('User-agent: *', 'User-agent: *')
    """
    encoding, mark = read_bom(body)
    return body[len(mark or b"") :].decode(encoding or "utf-8", "replace")


def crawl_delay(rules: Protego, agent: str) -> float:
    """Seconds that robots.txt wants between two requests, by ``Crawl-delay`` or ``Request-rate``; 0 if it names none.

    >>> crawl_delay(Protego.parse("User-agent: *\\nCrawl-delay: 2\\nRequest-rate: 1/5s"), "wordquarry")
    5.0
    >>> crawl_delay(Protego.parse(f"User-agent: *\\nRequest-rate: 1/{'9' * 400}s"), "wordquarry")
    0.0
    """
    rate = rules.request_rate(agent)
    try:
        per_request = rate.seconds / rate.requests if rate else 0.0
    except OverflowError:
        per_request = 0.0  # more seconds than a number can say are none that anybody means
    named = (rules.crawl_delay(agent) or 0.0, per_request)
    return max(seconds if math.isfinite(seconds) else 0.0 for seconds in named)


class PatientRetryMiddleware(RetryMiddleware):
    """Retries what may pass, later each time; how long a site wants to be left alone is up to the gate.

    A site that asks for more patience than ``WORDQUARRY_MAX_RETRY_AFTER`` seconds is not asked again.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._bound = settings.getfloat("WORDQUARRY_MAX_RETRY_AFTER")
        self._backoff = settings.getfloat("WORDQUARRY_BACKOFF")

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Schedule the request again for a later moment, or give the response up."""
        if response.status not in self.retry_http_codes:
            return response
        asked = retry_after(response)
        if asked is not None and asked > self._bound:
            return response
        return self._again(request, f"{response.status}", asked) or response

    def process_exception(
        self, request: Request, exception: Exception, spider: Spider | None = None
    ) -> Request | Response | None:
        """Schedule a request that got no answer again; a name that leads to a private address is refused."""
        if isinstance(exception, CannotResolveHostError) and urlsplit(request.url).hostname in PRIVATE_NAMES:
            raise PrivateAddress(f"the name of {request.url} leads to a private address") from exception
        return self._again(request, exception) if isinstance(exception, self.exceptions_to_retry) else None

    def _again(self, request: Request, reason: str | Exception, asked: float | None = None) -> Request | None:
        again = self._retry(request, reason)
        if again is not None:
            wait = asked if asked is not None else self._backoff * 2.0 ** request.meta.get("retry_times", 0)
            again.meta[NOT_BEFORE] = time.monotonic() + min(wait, self._bound)
        return again


_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Denied(IgnoreRequest):
    """The rules of the crawl refuse the address."""


class Rules:
    """Which addresses a crawl may ask for: those that no ``deny`` matches and, if there are any, an ``allow`` does.

    The patterns are those of robots.txt (RFC 9309, section 2.2.3), over path and query: one matches from the beginning
    of the path, ``*`` stands for any characters, ``$`` at the end for the end of the address.

    >>> rules = Rules(["/q/*/", "/list"], ["/*?sort=", "*.pdf$"])
    >>> [rules.permit("https://forum.example" + path) for path in ("/q/7/ann", "/q/7/x.pdf", "/list?sort=new", "/u/1")]
    [True, False, False, False]
    """

    def __init__(self, allow: Sequence[str] = (), deny: Sequence[str] = ()) -> None:
        self._allow, self._deny = tuple(map(_compiled, allow)), tuple(map(_compiled, deny))

    def permit(self, url: str) -> bool:
        """Whether the crawl may ask for an address."""
        if not self._allow and not self._deny:
            return True
        path = _normal(path_of(url))
        if any(pattern.match(path) for pattern in self._deny):
            return False
        return not self._allow or any(pattern.match(path) for pattern in self._allow)


def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern as one that looks for the pieces between the stars one after the other, and never goes back."""
    first, *others = _normal(pattern.removesuffix("$")).split("*")
    text = re.escape(first) + "".join(f"(?>.*?{re.escape(piece)})" for piece in others[:-1])
    text += f".*{re.escape(others[-1])}" if others else ""
    return re.compile(text + ("\\Z" if pattern.endswith("$") else ""), re.S)


def _normal(path: str) -> str:
    """One spelling of a path: characters that need no escape are not escaped, other escapes are in upper case."""
    return _ESCAPE.sub(_unescape, path)


def _unescape(found: re.Match[str]) -> str:
    character = chr(int(found[0][1:], 16))
    return character if character in _UNRESERVED else found[0].upper()


class RulesMiddleware:
    """Refuses what the rules of the crawl do; the page it starts at and robots.txt are always let through."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Rules(crawler.settings.getlist("WORDQUARRY_ALLOW"), crawler.settings.getlist("WORDQUARRY_DENY")))

    def process_request(self, request: Request) -> None:
        exempt = request.meta.get("start") or request.meta.get("dont_obey_robotstxt")
        if not exempt and not self._rules.permit(request.url):
            raise Denied(f"crawl.allow or crawl.deny excludes {request.url}")
