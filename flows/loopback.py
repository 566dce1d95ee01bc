"""Requests to a Prefect server on this machine go there, whatever proxies the environment names.

What they carry, the secret among it, is for nobody else; and a proxy that cannot be used, such as one for SOCKS, would
be no reason for a build to fail that needs no network. Everything else that a command reads goes through the proxies.
"""

import os
import urllib.request
from typing import Any, Final
from urllib.parse import urlsplit

HOST: Final = "127.0.0.1"
HOSTS: Final = (HOST, "localhost", "::1")


def without_proxy() -> dict[str, str]:
    """The variables that keep requests to an own server from any proxy in this process and in what it starts."""
    names = ("no_proxy", "NO_PROXY")
    given = next(filter(None, map(os.environ.get, names)), "")
    # Prefect would ask for the server's version, which is its own, with a client that reads the proxies.
    own = {"PREFECT_CLIENT_SERVER_VERSION_CHECK_ENABLED": "false"}
    return dict.fromkeys(names, f"{given},{HOST}".lstrip(",")) | own


def bypass_proxies() -> None:
    """Have Prefect's clients in this process read no proxy from the environment where their server is on loopback.

    Every process that has flows or tasks calls it as it imports them. The HTTP client that Prefect uses fails at the
    sight of a proxy that it does not know, before it looks whether it is to be used.
    """
    from prefect.client import orchestration

    for name in ("PrefectHttpxAsyncClient", "PrefectHttpxSyncClient"):
        kind = getattr(orchestration, name)
        if isinstance(kind, type):
            setattr(orchestration, name, _Direct(kind))


class _Direct:
    """Makes clients of one kind."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __call__(self, **settings: Any) -> Any:
        """A client; directly connected where the server is on loopback."""
        near = urlsplit(str(settings.get("base_url") or "")).hostname in HOSTS
        return self._kind(**settings, **({"trust_env": False} if near else {}))


def opened(url: str, seconds: float) -> Any:
    """The answer of a server on loopback; OSError where there is none."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=seconds)
