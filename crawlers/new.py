"""A new source, begun: ``python -m crawlers.new SITE`` makes a spider, a page parser, a test and a page, born red.

The parser reads nothing yet, so the test fails until both are filled in. What has to be named elsewhere is printed.
"""

import argparse
import re
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
_SLUG = re.compile(r"[a-z][a-z0-9_]{1,30}")

_PARSER = Template('''"""Pages of $slug: pure, page in, thread out."""

from crawlers.posts import ParsedThread


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a page; None when it is no thread page.

    Raises ExtractionError for a page that is recognised and malformed.
    """
    return None


def thread_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of threads on a listing page, in page order."""
    return ()


def listing_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of further listing pages."""
    return ()
''')

_SPIDER = Template('''"""$slug: listing pages to threads, threads to posts."""

from collections.abc import Iterable

from crawlers.parsers.$slug import listing_links, parse_thread, thread_links
from crawlers.posts import ParsedThread
from crawlers.spiders.base import Links, ThreadSpider


class ${name}Spider(ThreadSpider):
    """Starts at the first listing page."""

    name = "$slug"
    start_path = "/"

    def links(self, html: str, url: str) -> Links:
        """The threads of a listing page, and further listing pages."""
        return Links(thread_links(html, url), listing_links(html, url))

    def threads(self, text: str, url: str) -> Iterable[ParsedThread]:
        """The thread of a page."""
        thread = parse_thread(text, url)
        return () if thread is None else (thread,)
''')

_TEST = Template('''"""The page parser of $slug on a page in its markup, one small test per field."""

from pathlib import Path

import pytest

from crawlers.parsers.$slug import parse_thread
from crawlers.posts import ParsedThread

PAGE = Path(__file__).parent / "pages" / "$slug.html"
URL = "https://$slug.example/thread/1"


@pytest.fixture(scope="module")
def thread() -> ParsedThread:
    parsed = parse_thread(PAGE.read_text(encoding="utf-8"), URL)
    assert parsed is not None, "the parser reads nothing yet"
    return parsed


def test_question(thread: ParsedThread) -> None:
    assert thread.question == "How old is Mia?\\nMia is 3 years older than Leo, who is 8."


def test_answers_in_page_order(thread: ParsedThread) -> None:
    assert [answer.text for answer in thread.answers] == ["no idea", "8 + 3 = 11"]


def test_best_answer_and_scores(thread: ParsedThread) -> None:
    assert [(answer.is_best, answer.score) for answer in thread.answers] == [(False, -1), (True, 4)]


def test_no_author_is_kept(thread: ParsedThread) -> None:
    assert "late_bus_kid" not in repr(thread)


def test_another_page_is_no_thread() -> None:
    assert parse_thread("<h1>About us</h1>", URL) is None
''')

_PAGE = Template("""<!DOCTYPE html>
<!-- Write this page anew in the markup of $slug, with posts of your own; never copy a page. -->
<html>
<head><meta charset="utf-8"><title>How old is Mia?</title></head>
<body>
<h1>How old is Mia?</h1>
<div>asked by late_bus_kid: Mia is 3 years older than Leo, who is 8.</div>
<div>-1 no idea</div>
<div>4 best: 8 + 3 = 11</div>
</body>
</html>
""")

FILES = {
    "crawlers/parsers/$slug.py": _PARSER,
    "crawlers/spiders/$slug.py": _SPIDER,
    "tests/crawlers/test_${slug}_parser.py": _TEST,
    "tests/crawlers/pages/$slug.html": _PAGE,
}
"""What is made, by path below the checkout."""


def begin(slug: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Write the four files of a source; returns their paths.

    Raises ValueError for a name that is no slug (``[a-z][a-z0-9_]+``), FileExistsError if one of the files is there:
    then none is written.
    """
    if not _SLUG.fullmatch(slug):
        raise ValueError(f"{slug[:40]!r} cannot name a source; use lower-case letters, digits and _, such as my_forum")
    values = {"slug": slug, "name": "".join(part.capitalize() for part in slug.split("_"))}
    made = {root / Template(path).substitute(values): template.substitute(values) for path, template in FILES.items()}
    for path in made:
        if path.exists():
            raise FileExistsError(f"{path} exists already; choose another name")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(made)


def main(arguments: list[str] | None = None) -> int:
    """Begin a source and say what is next; exit status 1 with one line on standard error if it cannot."""
    parser = argparse.ArgumentParser(description="Make spider, parser, test and page of a new source.")
    parser.add_argument("site", help="its name in code, such as my_forum")
    options = parser.parse_args(arguments)
    try:
        paths = begin(options.site)
    except (ValueError, FileExistsError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    lines = [str(path.relative_to(ROOT)) for path in paths]
    lines += [
        "next: write the page in the site's markup, fill the parser in until the test is green;",
        "name the source in crawlers/run.py (SOURCES) and its spider in crawlers/process.py (SPIDERS);",
        "say in docs/sources.md what the site allows and what is lost.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
