"""Private addresses: given, redirected to, and behind a name that resolves to one."""

import ipaddress
import json
import socket
from pathlib import Path

import pytest

from corpus.errors import CrawlError
from crawlers.crawling.crawl_run import crawl, run_job
from crawlers.crawling.job import Job, Limits
from crawlers.crawling.private import kind_of_host
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

THREAD = Reply(FORMS["qapage-linked"](made(5)).encode())


@pytest.mark.rows(
    ("host", "kind"),
    [
        ("93.184.216.34", "public"),
        ("2606:2800:220:1::1", "public"),
        ("127.0.0.1", "loopback"),
        ("127.255.0.9", "loopback"),
        ("127.1", "loopback"),
        ("0177.0.0.1", "loopback"),
        ("0x7f000001", "loopback"),
        ("2130706433", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("localhost", "loopback"),
        ("a.LOCALHOST.", "loopback"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.32.0.1", "public"),
        ("192.168.1.1", "private"),
        ("100.64.0.1", "private"),
        ("169.254.169.254", "private"),
        ("0.0.0.0", "private"),
        ("224.0.0.1", "private"),
        ("255.255.255.255", "private"),
        ("fe80::1%eth0", "private"),
        ("fd00::1", "private"),
        ("::", "private"),
        ("64:ff9b::a00:1", "private"),
        ("2002:a00:1::", "private"),
        ("10.0.0.1.", "private"),
        ("forum.example", "name"),
        ("face.cafe", "name"),
        ("1.2.3.4.5", "name"),
    ],
)
def test_kinds_of_hosts(host: str, kind: str) -> None:
    assert kind_of_host(host) == kind


@pytest.mark.parametrize("host", ["10.0.0.1", "192.168.0.1:8080", "169.254.169.254", "0xa.1", "[fd00::1]"])
def test_a_site_at_a_private_address_is_refused_before_anything_is_asked(host: str, tmp_path: Path) -> None:
    (tmp_path / "urls").write_text(f"http://{host}/q/1\n")
    for where in (f"http://{host}/", tmp_path / "urls"):
        with pytest.raises(CrawlError, match="is at a private address; allow that with --private-addresses"):
            crawl("pages", where, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_redirects_and_links_to_elsewhere_have_outcomes_of_their_own(tmp_path: Path) -> None:
    leads = {
        "/file": "file:///etc/passwd",
        "/ftp": "ftp://127.0.0.1/x",
        "/gopher": "gopher://127.0.0.1:70/",
        "/private": "http://10.0.0.1/admin",
        "/meta": "http://169.254.169.254/latest/meta-data",
        "/decimal": "http://2130706433/admin",
        "/port": "http://127.0.0.1:1/",
        "/six": "http://[::ffff:10.0.0.1]/",
        "/name": "http://localhost/",
        "/away": "https://other.example/q/1",
        "/loop": "/loop?again",
        "/loop?again": "/loop?more",
        "/loop?more": "/loop?and",
        "/loop?and": "/loop?on",
        "/loop?on": "/loop?ever",
        "/loop?ever": "/loop?end",
    }
    pages = {path: Reply(b"", status=302, headers={"Location": target}) for path, target in leads.items()}
    given = [path for path in pages if "?" not in path]
    with serve_pages({**pages, "/good": THREAD}) as site:
        (tmp_path / "urls").write_text("".join(f"{site.base_url}{path}\n" for path in [*given, "/good"]))
        summary = crawl("pages", tmp_path / "urls", tmp_path / "out", Limits(retries=0))
    assert summary.outcomes == {
        "threads": 1,
        "other_scheme": 3,
        "private_address": 6,
        "off_site": 1,
        "redirect_loop": 1,
    }
    assert summary.requested == 12 == sum(summary.outcomes.values())


def resolves_to_loopback(name: str) -> bool:
    return ipaddress.ip_address(socket.gethostbyname(name)).is_loopback


@pytest.mark.parametrize(
    ("reach", "outcome"), [("public", "private_address"), ("loopback", "threads"), ("any", "threads")]
)
def test_a_name_is_looked_at_when_it_is_connected_to(reach: str, outcome: str, tmp_path: Path) -> None:
    """A name that a name server gives a private address (DNS rebinding); ``localhost`` stands for such a name."""
    assert resolves_to_loopback("localhost")
    with serve_pages({"/q/1": THREAD}) as site:
        base_url = site.base_url.replace("127.0.0.1", "localhost")
        job = Job(
            "pages",
            base_url,
            str(tmp_path / "feed"),
            str(tmp_path / "report"),
            str(tmp_path / "cache"),
            Limits(max_revisits=0, retries=3),
            start="/q/1",
        )
        content = run_job(
            Job.from_json(json.dumps(json.loads(job.to_json()) | {"reach": reach})), tmp_path / "log", None
        )
        assert content["outcomes"] == {outcome: 1}
        assert (site.log == []) is (reach == "public")


def test_localhost_may_be_crawled_by_whoever_names_it(tmp_path: Path) -> None:
    with serve_pages({"/q/1": THREAD}) as site:
        where = f"{site.base_url.replace('127.0.0.1', 'localhost')}/q/1"
        assert crawl("pages", where, tmp_path).posts == 1
