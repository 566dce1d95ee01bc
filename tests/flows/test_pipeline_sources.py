"""The whole way from every source to a version, and back from the archives of a crawl alone."""

import json
import shutil
import zipfile
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path

import py7zr
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from audits.inspect.explain import explain
from corpus.post_store.deposit import upsert
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from crawlers.bundled_site import DEFAULT_THREADS, serve
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.dumps.loading import load_archives
from crawlers.ingest import read_posts
from curation.building.making import make_parts
from curation.building.publishing import Build, publish
from curation.building.running import recipe_of
from curation.stages.registry import BuildConfig
from flows.ingesting import IngestRequest, run_ingest
from tests.crawlers.dump_files import answer, gzipped, l6_xml, page_record, posts_xml, row
from tests.crawlers.forms import FORMS, Made, MadeAnswer, algebra_question, phpbb, qapage_linked, qapage_marked
from tests.crawlers.loopback import Reply, serve_pages
from tests.flows.command import wordquarry

pytestmark = pytest.mark.slow

# A problem of its own for each source: question, two answers, and the values both give.
PROBLEMS: Mapping[str, tuple[str, str, str, str]] = {
    "stackexchange": (
        "A number is doubled and 12 is added. The result is 60. What is the number?",
        "2x + 12 = 60, so 2x = 48, x = 24",
        "Let x be the number: 2x + 12 = 60. 2x = 48, so x = 24",
        "24",
    ),
    "seven-zip": (
        "A rectangle has a perimeter of 54 feet. Its length is 5 feet more than its width. What is the width?",
        "2(w + w + 5) = 54, 4w + 10 = 54, 4w = 44, w = 11 feet.",
        "Let w be the width: 2w + 2(w + 5) = 54. 4w = 44. w = 11",
        "11",
    ),
    "l6": (
        "Tickets cost $6 for adults and $4 for children. 90 were sold for $460. How many adult tickets were sold?",
        "a + c = 90, 6a + 4c = 460. 6a + 360 - 4a = 460, 2a = 100, a = 50",
        "a + c = 90 and 6a + 4c = 460, so a = 50. 50 adult tickets.",
        "50",
    ),
    "nfl6": (
        "Ann buys 5 notebooks of the same price and a pen for $3. She pays $23. What does one notebook cost?",
        "5n + 3 = 23, 5n = 20, n = 4 dollars",
        "Let n be the price: 5n + 3 = 23. n = 4",
        "4",
    ),
    "parquet": (
        "A car rental costs $35 a day plus 20 cents a mile. The bill for one day was $71. How many miles were driven?",
        "35 + 0.20m = 71, 0.20m = 36, m = 180 miles",
        "0.2m + 35 = 71. 0.2m = 36. m = 180",
        "180",
    ),
    "jsonl": (
        "A train leaves a station at 60 miles per hour. Two hours later a second train follows at 90 miles per hour. "
        "After how many hours does the second train catch up?",
        "60(t + 2) = 90t, 120 = 30t, t = 4 hours",
        "90t = 60(t + 2). 30t = 120. t = 4",
        "4",
    ),
    "warc": (
        "A plumber charges a $40 fee and $25 for each hour of work. His bill came to $165. How many hours did he work?",
        "40 + 25h = 165, 25h = 125, h = 5",
        "25h + 40 = 165. h = 5 hours",
        "5",
    ),
    "wacz": (
        "The length of a garden is twice its width. A fence of 84 meters goes around it. How wide is the garden?",
        "2(2w + w) = 84, 6w = 84, w = 14",
        "w + 2w + w + 2w = 84; 6w = 84; w = 14 meters",
        "14",
    ),
    "cc-index": (
        "A shirt is sold for $34 after a 15% discount. What was the price before the discount?",
        "x - 0.15x = 34, 0.85x = 34, x = 40",
        "0.85x = 34. x = 40 dollars",
        "40",
    ),
    "algebra": (
        "How many liters of a 30% acid solution must be mixed with 20 liters of a 60% solution to get a 40% solution?",
        "0.30x + 0.60*20 = 0.40(x + 20). 0.3x + 12 = 0.4x + 8, 4 = 0.1x, x = 40",
        "0.3x + 0.6(20) = 0.4(x + 20); x = 40 liters",
        "40",
    ),
    "pages": (
        "Three consecutive integers add up to 72. What are the integers?",
        "x + (x + 1) + (x + 2) = 72, 3x + 3 = 72, x = 23. 23, 24, 25",
        "n + n + 1 + n + 2 = 72, 3n = 69, n = 23, so 23, 24 and 25",
        "23, 24, 25",
    ),
}
SITE, OTHER_SITE = "math.stackexchange.com", "puzzling.stackexchange.com"


def page_of(source: str, render: Callable[[Made], str] = qapage_linked, number: int = 6) -> bytes:
    """The problem of a source as a page."""
    question, first, second, _ = PROBLEMS[source]
    bodies = [escape(text, quote=False) for text in (first, second)]
    answers = tuple(
        MadeAnswer(str(place), body, body, place == 1, 3, "QED.lady") for place, body in enumerate(bodies, 1)
    )
    return render(Made(number, "", escape(question, quote=False), question, answers)).encode()


def dump_of(source: str) -> bytes:
    """The problem of a source as a Posts.xml, its second answer under a later license."""
    question, first, second, _ = PROBLEMS[source]
    asked = row(
        Id="7", PostTypeId="1", CreationDate="2012-01-01T00:00:00.000", Score="1", Body=f"<p>{escape(question)}</p>",
        Title="", Tags="<algebra>", AnswerCount="2", AcceptedAnswerId="8",
    )  # fmt: skip
    replies = [
        answer("7", Id="8", Score="2", Body=f"<p>{escape(first)}</p>"),
        answer("7", Id="9", Score="5", Body=f"<p>{escape(second)}</p>", CreationDate="2020-01-01T00:00:00.000"),
    ]
    return posts_xml(asked, *replies)


def ingests(folder: Path) -> dict[str, list[object]]:
    """A small file of each source that is no crawl, and the command's words for it."""
    (folder / "Posts.xml").write_bytes(dump_of("stackexchange"))
    with py7zr.SevenZipFile(folder / "site.7z", "w") as packed:
        packed.writestr(dump_of("seven-zip"), "Posts.xml")
    question, first, second, _ = PROBLEMS["l6"]
    document = (
        f'<vespaadd><document type="wisdom"><uri>4</uri><subject>{escape(question)}</subject><content></content>'
        f"<bestanswer>{escape(first)}</bestanswer><nbestanswers><answer_item>{escape(first)}</answer_item>"
        f"<answer_item>{escape(second)}</answer_item></nbestanswers><cat>Mathematics</cat></document></vespaadd>\n"
    )
    (folder / "l6.xml").write_bytes(l6_xml(document))
    question, first, second, _ = PROBLEMS["nfl6"]
    item = {"id": "5", "question": question, "nbestanswers": [first, second], "answer": first}
    (folder / "nfl6.json").write_text(json.dumps([item]), encoding="utf-8")
    question, first, second, _ = PROBLEMS["parquet"]
    rows = [{"qid": "1", "title": question, "replies": [first, second]}]
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    question, first, second, _ = PROBLEMS["jsonl"]
    line = {"id": "1", "source": "lines", "question": question, "answers": [{"text": first}, {"text": second}]}
    (folder / "posts.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    (folder / "a.warc.gz").write_bytes(gzipped(page_record("https://warc.example/t/9", page_of("warc"))))
    with zipfile.ZipFile(folder / "a.wacz", "w", zipfile.ZIP_STORED) as wacz:
        member = gzipped(page_record("https://wacz.example/t/9", page_of("wacz", qapage_marked)))
        wacz.writestr("archive/data.warc.gz", member)
    page = gzipped(page_record("https://indexed.example/t/9", page_of("cc-index", phpbb)))
    (folder / "cc.warc.gz").write_bytes(page)
    entry = {"url": "https://indexed.example/t/9", "filename": "cc.warc.gz", "offset": "0", "length": str(len(page))}
    (folder / "index.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    columns = "id=qid,question=title,answers=replies"
    return {
        "stackexchange": [folder / "Posts.xml", "--format", "stackexchange", "--source", SITE, "--tag", "algebra"],
        "seven-zip": [folder / "site.7z", "--format", "stackexchange", "--source", OTHER_SITE],
        "l6": [folder / "l6.xml", "--format", "yahoo", "--tag", "mathematics"],
        "nfl6": [folder / "nfl6.json", "--format", "yahoo"],
        "parquet": [folder / "rows.parquet", "--format", "parquet", "--columns", columns, "--source", "rows"],
        "jsonl": [folder / "posts.jsonl"],
        "warc": [folder / "a.warc.gz", "--format", "warc"],
        "wacz": [folder / "a.wacz", "--format", "warc"],
        "cc-index": [folder / "index.jsonl", "--format", "cc-index", "--archives", folder],
    }


def ingested(data: Path, words: list[object]) -> None:
    """What the command does with these words, without a process of its own."""
    options = dict(zip(words[1::2], words[2::2], strict=True))
    run_ingest(
        IngestRequest(
            data=str(data),
            file=Path(str(words[0])),
            file_format=str(options.get("--format", "jsonl")),
            source=str(options["--source"]) if "--source" in options else None,
            tags=(str(options["--tag"]),) if "--tag" in options else (),
            columns=str(options.get("--columns", "")),
            archives=Path(str(options["--archives"])) if "--archives" in options else None,
        )
    )


def crawled(source: str, where: str | Path, data: Path) -> None:
    """A crawl that keeps its responses, its posts in the store."""
    summary = crawl(source, where, data / "crawls" / source, Limits(archive=True, backoff=0.05))
    upsert(Workspace(str(data)).posts, read_posts(summary.posts_path).posts)


def crawl_two_sites(data: Path) -> None:
    """A section of algebra.com and a page of another site, each served on loopback."""
    section = "/algebra/homework/word/mixtures/Mix.faq"
    question = f"{section}.question.7.html"
    pages = {
        section: Reply(f'<a href="{question}">answer</a>'.encode()),
        question: Reply(page_of("algebra", algebra_question)),
    }
    with serve_pages(pages) as site:
        crawled("algebra", f"{site.base_url}{section}", data)
    with serve_pages({"/t/9": Reply(page_of("pages", FORMS["xenforo2"]))}) as site:
        crawled("pages", f"{site.base_url}/t/9", data)


def built(data: Path) -> Version:
    """The version of what a data folder holds, by every stage, without a server for a flow."""
    workspace, config = Workspace(str(data)), BuildConfig()
    snapshot = workspace.posts.snapshot()
    recipe = recipe_of(str(data), ("posts", snapshot.snapshot_id), config, 4)
    keys, parts = recipe.stage_keys, make_parts(recipe)
    return publish(Build(str(data), "sources", "posts", snapshot.snapshot_id, config, keys, parts))[0]


def test_every_source_to_a_version(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for words in ingests(tmp_path).values():
        ingested(data, words)
    crawl_two_sites(data)
    version = built(data)
    problems = {problem.post_id.partition(":")[0]: problem for problem in version.problems()}
    of_source = {
        "stackexchange": SITE,
        "seven-zip": OTHER_SITE,
        "l6": "yahoo-l6",
        "nfl6": "yahoo-nfl6",
        "parquet": "rows",
        "jsonl": "lines",
        "warc": "warc.example",
        "wacz": "wacz.example",
        "cc-index": "indexed.example",
        "algebra": "algebra.com",
        "pages": "127.0.0.1",
    }
    assert sorted(problems) == sorted(of_source.values())
    assert {name: problems[source].answer_exact for name, source in of_source.items()} == {
        name: tuple(values.split(", ")) for name, (*_, values) in PROBLEMS.items()
    }
    rows = version.provenance()
    assert all(one.response_sha256 and one.parser for one in rows)
    assert {one.post_id for one in rows if not one.retrieved_at} == {"lines:1", "rows:1"}
    terms = [(one.answer_id, one.license) for one in rows if one.post_id == f"{SITE}:7"]
    assert terms == [(None, "CC BY-SA 3.0"), ("8", "CC BY-SA 3.0"), ("9", "CC BY-SA 4.0")]
    records = [json.loads(path.read_text()) for path in (data / "ingests").iterdir()]
    assert [record["posts"]["new"] for record in records] == [1] * 9
    shown = explain(Workspace(str(data)), version, f"{SITE}:7").text()
    assert f"answer 9: CC BY-SA 4.0 · {SITE} contributors, https://{SITE}/a/9" in shown
    assert "parser stackexchange_dump@" in shown


@pytest.mark.full
def test_a_version_comes_back_from_the_archives_of_its_crawls_alone(tmp_path: Path) -> None:
    data, fresh, kept = tmp_path / "data", tmp_path / "fresh", tmp_path / "kept"
    pages = {f"/{form}/{number}": Reply(page_of(source, FORMS[form], number))
             for number, (form, source) in enumerate(zip(FORMS, PROBLEMS, strict=False))}  # fmt: skip
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        crawled("pages", tmp_path / "urls.txt", data)
    lines = next(iter(sorted(DEFAULT_THREADS.glob("*.jsonl")))).read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "threads").mkdir()
    (tmp_path / "threads" / "some.jsonl").write_text("".join(lines[:30]), encoding="utf-8")
    with serve(tmp_path / "threads") as bundled:
        crawled("bundled", bundled.base_url, data)
    label, posts = built(data).label, Workspace(str(data)).posts.posts()
    assert {post.source for post in posts.values()} == {"127.0.0.1", "bundled"}
    shutil.copytree(data / "versions" / label, kept / "version")
    for path in (data / "crawls").glob("*/archive/*.warc.gz"):
        shutil.copy(path, kept / path.name)
    shutil.rmtree(data)  # the sites are off, the store is gone

    done = wordquarry("rebuild", kept / "version", "--warc", kept, "--verify", "--data", fresh)
    assert done.returncode == 0, done.stderr
    assert f"{label}: identical" in done.stdout
    store = Workspace(str(fresh)).posts
    assert load_archives([kept], store, print) == 2
    assert store.posts() == posts, "ids, contents, times, response digests and parsers"
