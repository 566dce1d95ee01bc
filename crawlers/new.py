"""A new source, begun: ``python -m crawlers.new SITE`` makes a spider, a page parser, a test and a page, born red.

The parser reads nothing until the site's class names are filled in, so the test fails until then. What has to be named
elsewhere is printed.
"""

import argparse
import keyword
import re
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
_SLUG = re.compile(r"[a-z][a-z0-9_]{1,30}")

_PARSER = Template('''"""Pages of $slug: pure, page in, thread out."""

from urllib.parse import urljoin

from crawlers.html_text import element_text
from crawlers.html_tree import Element, classes, find_all, find_first, flat, inner_html, parse_document
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, numbered, path_id, score_of
from extractors.extraction_errors import ExtractionError

# The class names of the site's markup. Nothing is read until they are filled in; what differs is changed below.
QUESTION, ANSWER, TEXT = "", "", ""
AUTHOR, VOTES, BEST = "", "", ""
THREAD_LINK, LISTING_LINK = "", ""


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a page; None when it is no thread page.

    Raises ExtractionError for a page that is recognised and malformed.
    """
    root = parse_document(html)
    question = None if root is None else find_first(root, "*", QUESTION)
    if root is None or question is None:
        return None
    address = address_of(root, url).partition("#")[0]
    heading = next(root.iter("h1"), None)
    body = _text(question, address)
    draft = ThreadDraft(
        native_id=path_id(address),
        url=address,
        title=flat(heading),
        body=element_text(body),
        body_html=inner_html(body),
        answers=numbered([_answer(block, address) for block in find_all(root, "*", ANSWER)]),
        names=tuple(dict.fromkeys(flat(person) for person in find_all(root, "*", AUTHOR))),
    )
    return finished(draft)


def _answer(block: Element, address: str) -> ParsedAnswer:
    votes = find_first(block, "*", VOTES)
    best = BEST in classes(block) or find_first(block, "*", BEST) is not None
    return ParsedAnswer(block.get("id") or "", element_text(_text(block, address)), best, score_of(flat(votes)))


def _text(block: Element, address: str) -> Element:
    text = find_first(block, "*", TEXT)
    if text is None:
        raise ExtractionError(f"{address} has a post without text block; the markup of the page has changed")
    return text


def thread_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of threads on a listing page, in page order."""
    return _links(html, url, THREAD_LINK)


def listing_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of further listing pages."""
    return _links(html, url, LISTING_LINK)


def _links(html: str, url: str, name: str) -> tuple[str, ...]:
    root = parse_document(html)
    links = () if root is None else find_all(root, "a", name)
    return tuple(dict.fromkeys(urljoin(url, href) for link in links if (href := link.get("href"))))
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
URL = "https://$host.example/thread/1"


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
<div>asked by <b>late_bus_kid</b> <p>Mia is 3 years older than Leo, who is 8.</p></div>
<div><i>-1</i> <p>no idea</p></div>
<div><i>4</i> <em>best answer</em> <p>8 + 3 = 11</p> ask <b>late_bus_kid</b></div>
</body>
</html>
""")

_NEXT = Template("""
next:
1. write tests/crawlers/pages/$slug.html in the site's markup, with posts of your own, and fill in the class names at
   the head of crawlers/parsers/$slug.py, until this is green: python -m pytest tests/crawlers/test_${slug}_parser.py
2. add "$slug" to SOURCES in crawlers/crawl_run.py, and ${name}Spider to SPIDERS in crawlers/process.py:
   from crawlers.spiders.${slug}_spider import ${name}Spider
3. say in docs/sources.md what the site allows and what is lost.
Pages that describe themselves (schema.org QAPage) need none of this: try wordquarry crawl pages --url ADDRESS first.
""")

FILES = {
    "crawlers/parsers/$slug.py": _PARSER,
    "crawlers/spiders/${slug}_spider.py": _SPIDER,
    "tests/crawlers/test_${slug}_parser.py": _TEST,
    "tests/crawlers/pages/$slug.html": _PAGE,
}
"""What is made, by path below the checkout."""


def begin(slug: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Write the four files of a source; returns their paths.

    Raises ValueError for a name that is no slug (``[a-z][a-z0-9_]+``) or a word of Python, FileExistsError if one of
    the files is there: then none is written.
    """
    if not _SLUG.fullmatch(slug) or keyword.iskeyword(slug):
        raise ValueError(f"{slug[:40]!r} cannot name a source; use lower-case letters, digits and _, such as my_forum")
    values = {"slug": slug, "name": _class_of(slug), "host": slug.strip("_").replace("_", "-")}
    made = {root / Template(path).substitute(values): template.substitute(values) for path, template in FILES.items()}
    for path in made:
        if path.exists():
            raise FileExistsError(f"{path} exists already; choose another name")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(made)


def _class_of(slug: str) -> str:
    return "".join(part.capitalize() for part in slug.split("_"))


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Begin a source in a checkout and say what is next; exit status 1 with one line on standard error if it cannot."""
    parser = argparse.ArgumentParser(description="Make spider, parser, test and page of a new source.")
    parser.add_argument("site", help="its name in code, such as my_forum")
    options = parser.parse_args(arguments)
    if not (root / "pyproject.toml").is_file():
        sys.stderr.write(f"error: a source is made in a checkout, and {root} is not one; run it there\n")
        return 1
    try:
        paths = begin(options.site, root)
    except (ValueError, FileExistsError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    made = "\n".join(str(path.relative_to(root)) for path in paths)
    sys.stdout.write(made + _NEXT.substitute(slug=options.site, name=_class_of(options.site)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
