"""One page that no posts file can hold: the others of its crawl, or of its archive, are taken."""

import json
import zipfile
from pathlib import Path

import pytest

from corpus.errors import CrawlError
from corpus.reasons import Reason
from corpus.workspace import Workspace
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.stackexchange_dump import read_stack_exchange
from crawlers.dumps.tally import Options, Tally
from crawlers.posts import private_markup
from flows.pipelines.crawl_steps import store
from tests.crawlers.dump_files import collect, page_record
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

MARKUP = """<html><body><div itemscope itemtype="https://schema.org/QAPage">
<div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">What is 3 + 4?</h1>
<div itemprop="text"><p>What is 5 + 6?</p>{}</div>
<div itemprop="acceptedAnswer" itemscope itemtype="https://schema.org/Answer"><div itemprop="text">It is 11.</div></div>
</div></div></body></html>"""
STACK = """<html><body>
<div id="question" data-questionid="{}"><div class="js-post-body"><p>What is 3 + 4?</p></div></div>
<div data-answerid="{}"><div class="js-post-body"><p>7</p></div></div></body></html>"""
LINKED = {"@context": "https://schema.org", "@type": "QAPage", "mainEntity": {
    "@type": "Question", "name": "What is 3 + 4?", "acceptedAnswer": {"@type": "Answer", "text": "7"}}}  # fmt: skip
GOOD = FORMS["qapage-linked"](made(5)).encode()


def linked(**more: str) -> str:
    """A page of linked data of which the question says something more."""
    said = json.dumps({**LINKED, "mainEntity": {**LINKED["mainEntity"], **more}})  # type: ignore[dict-item]
    return f'<html><body><script type="application/ld+json">{said}</script></body></html>'


PICTURE = MARKUP.format(f'<img src="data:image/png;base64,{"iVBORw0K" * 560_000}">')
UNUSABLE = {
    "half a character": linked(keywords="a\ud83d"),
    "a long id": STACK.format("1" * 201, "2"),
    "a long id of an answer": STACK.format("1", "x" * 201),
}


@pytest.mark.parametrize("page", [*UNUSABLE.values(), PICTURE], ids=[*UNUSABLE, "a picture of 4 MiB"])
def test_a_crawl_keeps_its_other_pages(page: str, tmp_path: Path) -> None:
    with serve_pages({"/t/1": Reply(GOOD), "/t/2": Reply(page.encode())}) as site:
        (tmp_path / "urls").write_text(f"{site.base_url}/t/1\n{site.base_url}/t/2\n", encoding="utf-8")
        summary = crawl("pages", tmp_path / "urls", tmp_path / "crawl", Limits(backoff=0.02, max_page_bytes=1 << 23))
    data = str(tmp_path / "data")
    store(data, str(summary.posts_path), [])
    kept = Workspace(data).posts.posts()
    taken = page is PICTURE
    assert len(kept) == 1 + taken
    assert summary.outcomes.get("malformed", 0) == 1 - taken
    without = [post for post in kept.values() if post.question_html is None]
    assert [post.answers[0].text for post in without if "5 + 6" in post.question] == ["It is 11."] * taken


@pytest.mark.parametrize("page", UNUSABLE.values(), ids=UNUSABLE)
def test_an_archive_keeps_its_other_pages(page: str, tmp_path: Path) -> None:
    records = [page_record("https://forum.example/t/1", GOOD), page_record("https://forum.example/t/2", page.encode())]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    posts, refused, failure = _read(tmp_path / "a.warc")
    assert (len(posts), [one.record_id for one in refused], failure) == (1, ["https://forum.example/t/2"], "")


@pytest.mark.parametrize("host", ["[x", "f.example\u2100"])
def test_an_address_that_is_none_is_a_record_without_a_thread(host: str, tmp_path: Path) -> None:
    records = [page_record(f"http://{host}/q/1", GOOD), page_record("https://forum.example/t/1", GOOD)]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    posts, refused, failure = _read(tmp_path / "a.warc")
    assert (len(posts), [one.reason for one in refused], failure) == (1, [Reason.NOT_A_THREAD], "")


def _read(path: Path) -> tuple[list, list, str]:  # type: ignore[type-arg]
    tally = Tally()
    return collect(read_warc(path, Options(), tally), tally)


def test_two_dumps_in_one_archive_are_refused(tmp_path: Path) -> None:
    row = '<row Id="{}" PostTypeId="1" Title="How much?" Body="What is 3 + 4?" AnswerCount="0" />'
    with zipfile.ZipFile(tmp_path / "sites.zip", "w") as file:
        for number, site in enumerate(("math", "cooking"), start=3):
            file.writestr(f"{site}/Posts.xml", f"<?xml version='1.0'?>\n<posts>\n{row.format(number)}\n</posts>\n")
    tally = Tally()
    options = Options(source="math.stackexchange.com")
    _, _, failure = collect(read_stack_exchange(tmp_path / "sites.zip", options, tally), tally)
    assert "holds more than one Posts.xml; unpack it and give one at a time" in failure


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_rules_are_obeyed_whatever_editor_saved_them(encoding: str, tmp_path: Path) -> None:
    robots = Reply("User-agent: *\nDisallow: /\n".encode(encoding), "text/plain")
    with serve_pages({"/t/1": Reply(GOOD), "/robots.txt": robots}) as site:
        (tmp_path / "urls").write_text(f"{site.base_url}/t/1\n", encoding="utf-8")
        with pytest.raises(CrawlError, match=r"robots\.txt of .* allows none of the pages"):
            crawl("pages", tmp_path / "urls", tmp_path / "crawl", Limits(backoff=0.02))
    assert "/t/1" not in site.log


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        ("<p>Ann has <b>7</b> pens.</p>", "<p>Ann has <b>7</b> pens.</p>"),
        ("<p>Write to tom@mail.example</p>", "<p>Write to [mail]</p>"),
        ("<p>Write to tom_<em>berg</em>@mail.example</p>", None),
        ("<p>call 212-<b>736</b>-5000</p>", None),
        ("<p>call 212&#45;736&#45;5000</p>", None),
    ],
)
def test_markup_hides_no_personal_data(markup: str, kept: str | None) -> None:
    assert private_markup(markup, ()) == kept
