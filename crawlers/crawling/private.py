"""Addresses that are nobody's business from outside: this machine, private networks, link-local services.

A crawl asks only its own site, so a private address can be reached in two ways: the site itself is one, which is looked
at before the crawl starts, or the name of the site resolves to one, which is looked at for every new connection,
because a name server may answer differently each time (DNS rebinding). Names that a proxy resolves are the proxy's.
"""

import ipaddress
import socket
from enum import StrEnum
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.resolver import CachingThreadedResolver
from twisted.internet.base import ReactorBase
from twisted.internet.defer import Deferred
from twisted.internet.error import DNSLookupError

from crawlers.crawling.job import Reach

PRIVATE_NAMES: set[str] = set()
"""Names that were found to lead to addresses beyond the reach of the crawl, by the one resolver of the process."""
_SHARED = ipaddress.ip_network("64:ff9b::/96")


class HostKind(StrEnum):
    """Who may be at an address: anyone, this machine, a network of its own; a name has to be resolved first."""

    PUBLIC = "public"
    LOOPBACK = "loopback"
    PRIVATE = "private"
    NAME = "name"


class PrivateAddress(IgnoreRequest):
    """The address is, or resolves to, one that is not public."""


def literal_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host spells out, also in the short, octal and hexadecimal forms that resolvers take.

    >>> [str(literal_address(host)) for host in ("10.0.0.1", "2130706433", "0x7f.1", "::1", "forum.example")]
    ['10.0.0.1', '127.0.0.1', '127.0.0.1', '::1', 'None']
    """
    bare = host.strip("[]").rstrip(".")
    try:
        return ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        pass
    if not bare or set(bare.lower()) - set("0123456789abcdefx."):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(bare))
    except (OSError, ValueError):
        return None


def kind_of_address(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> HostKind:
    """Whether anyone may be at an address, this machine is, or only a network of its own.

    >>> addresses = map(ipaddress.ip_address, ("8.8.8.8", "127.0.0.1", "169.254.169.254", "::ffff:10.1.1.1"))
    >>> [str(kind_of_address(address)) for address in addresses]
    ['public', 'loopback', 'private', 'private']
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _SHARED:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return kind_of_address(inner)
    if address.is_loopback:
        return HostKind.LOOPBACK
    return HostKind.PUBLIC if address.is_global and not address.is_multicast else HostKind.PRIVATE


def kind_of_host(host: str) -> HostKind:
    """The same of the host of an address; ``name`` is one that has to be resolved first.

    >>> [str(kind_of_host(host)) for host in ("127.1", "192.168.0.1", "LOCALHOST.", "forum.example", "")]
    ['loopback', 'private', 'loopback', 'name', 'name']
    """
    address = literal_address(host)
    if address is not None:
        return kind_of_address(address)
    bare = host.rstrip(".").lower()
    local = bare == "localhost" or bare.endswith(".localhost")
    return HostKind.LOOPBACK if local else HostKind.NAME


def is_loopback(base_url: str) -> bool:
    """Whether a site runs on this machine, where nobody else is disturbed.

    >>> is_loopback("http://127.0.0.1:8000"), is_loopback("https://forum.wordquarry.example")
    (True, False)
    """
    return kind_of_host(urlsplit(base_url).hostname or "") is HostKind.LOOPBACK


class PublicResolver(CachingThreadedResolver):
    """Scrapy's resolver, which refuses what is beyond the reach of the crawl; proxies may be anywhere."""

    def __init__(self, reactor: ReactorBase, cache_size: int, timeout: float) -> None:
        super().__init__(reactor, cache_size, timeout)
        self._reach = Reach.PUBLIC
        self._proxies = {urlsplit(address).hostname for address in getproxies().values()}

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        resolver = super().from_crawler(crawler, reactor)
        resolver._reach = crawler.settings["WORDQUARRY_REACH"]
        return resolver

    # The name is Twisted's.
    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: N802
        """The address of a name; DNSLookupError if there is none or it may not be connected to."""
        found = super().getHostByName(name, timeout)
        return found if name in self._proxies else found.addCallback(self._checked, name)

    def _checked(self, address: str, name: str) -> str:
        kind = kind_of_address(ipaddress.ip_address(address))
        here = kind is HostKind.LOOPBACK and self._reach is Reach.LOOPBACK
        if here or kind is HostKind.PUBLIC or self._reach is Reach.ANY:
            return address
        PRIVATE_NAMES.add(name)
        raise DNSLookupError(f"{name} is at {address}, which is not public")
