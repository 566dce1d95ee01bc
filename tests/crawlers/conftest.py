"""A small forum of its own for the crawler tests, so that they do not move with the bundled threads."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawlers.crawling import crawl_run
from tests.flows.command import crawling_helper

BODIES = (
    "<p>Ann is {n} years older than Bob. Together they are 5{n}.</p><p>How old is Ann?</p>",
    "a rope of 1{n} ft is cut so that x<sup>2</sup> = {n}\nhow long is each piece",
    "<p>Coins: {n} nickels &amp; dimes, worth $2.{n}5&nbsp;in all.</p>"
    "<ul><li>n + d = {n}</li><li>5n + 10d = 2{n}5</li></ul>",
)


def thread(number: int) -> dict[str, Any]:
    """One thread as the site's data files hold it."""
    return {
        "id": f"fix-{number:03}",
        "title": f"Problem {number}",
        "asked_by": "late_bus_kid",
        "asked_at": f"2012-10-03T22:{number % 60:02}:07Z",
        "tags": ["algebra", "word problem"],
        "question_html": BODIES[number % len(BODIES)].format(n=number % 9 + 1),
        "answers": [
            {"by": "Tom", "at": "2012-10-04T01:00:00Z", "score": -1, "accepted": False, "html": "no idea lol"},
            {
                "by": "math_fan22",
                "at": "2012-10-04T02:00:00Z",
                "score": number % 7,
                "accepted": True,
                "html": f"<p>x + {number} = 9<br>x = {9 - number}</p>",
            },
        ],
    }


@pytest.fixture(scope="session")
def threads_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files with 60 threads."""
    folder = tmp_path_factory.mktemp("threads")
    for name, numbers in (("first", range(40)), ("second", range(40, 60))):
        lines = "".join(json.dumps(thread(number)) + "\n" for number in numbers)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="package", autouse=sys.platform == "linux")
def warm_crawls() -> Iterator[None]:
    """Crawls of these tests are processes of their own that find imported what they import."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crawl_run, "helper", crawling_helper)
        yield
