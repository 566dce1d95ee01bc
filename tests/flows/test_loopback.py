"""Prefect's clients and the proxies of the environment: a server on loopback is asked directly, any other through them.

What a whole build does with proxies around it is tested in ``test_contacts``.
"""

from typing import Any

import httpx
import pytest
from prefect.client.orchestration import PrefectClient, SyncPrefectClient

from flows.processes.loopback import bypass_proxies, opened, without_proxy
from tests.crawlers.loopback import Reply, serve_pages
from tests.tiers import in_turn

NAMES = [f"{scheme}_proxy" for scheme in ("all", "http", "https")]
VALUES = [
    "http://127.0.0.1:9",
    "127.0.0.1:9",
    "socks5://127.0.0.1:9",
    "socks5h://me:secret@proxy.example:1080",
    "socks4://127.0.0.1:9",
    "ftp://proxy.example",
    "http://[",
    "http://proxy:port",
    "://",
    "\u00e4 b",
]


def set_proxies(monkeypatch: pytest.MonkeyPatch, value: str, unused: str = "") -> None:
    for name in (*NAMES, "no_proxy"):
        for spelled in (name, name.upper()):
            monkeypatch.delenv(spelled, raising=False)
    for place, name in enumerate(NAMES):
        monkeypatch.setenv(name.upper() if place % 2 else name, value)
    if unused:
        monkeypatch.setenv("NO_PROXY", unused)


@pytest.mark.parametrize("unused", in_turn(["", "example.org", "[,]:x, http://["], 3))
@pytest.mark.parametrize("value", VALUES)
def test_a_server_on_loopback_is_asked_directly(monkeypatch: pytest.MonkeyPatch, value: str, unused: str) -> None:
    set_proxies(monkeypatch, value, unused)
    bypass_proxies()
    for kind in (PrefectClient, SyncPrefectClient):
        for host in ("127.0.0.1:4200", "localhost:4200", "[::1]:4200"):
            client: Any = kind(f"http://{host}/api")
            assert client._client._mounts == {}


def test_any_other_server_is_asked_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    set_proxies(monkeypatch, "http://127.0.0.1:9")
    bypass_proxies()
    bypass_proxies()
    client: Any = SyncPrefectClient("https://prefect.example/api")
    assert any(isinstance(one, httpx.HTTPTransport) for one in client._client._mounts.values())


@pytest.mark.parametrize("value", VALUES)
def test_whether_the_own_server_answers_is_asked_directly(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    set_proxies(monkeypatch, value)
    with serve_pages({"/": Reply(b"here")}) as site, opened(f"{site.base_url}/", 10) as answer:
        assert answer.read() == b"here"


def test_what_a_user_excepts_from_proxies_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    set_proxies(monkeypatch, "http://127.0.0.1:9", "example.org")
    assert without_proxy()["no_proxy"] == without_proxy()["NO_PROXY"] == "example.org,127.0.0.1"
