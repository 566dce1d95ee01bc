"""Forgotten posts leave what crawls have kept, and everything else of a crawl stays as it is."""

import fcntl
import gzip
import io
import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from corpus.errors import CrawlError
from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore
from corpus.records import Post
from corpus.takedowns.forgetting import Traces, forget
from corpus.workspace import Workspace
from corpus.zstandard import zstd
from crawlers.crawl_forgetting import clear_crawl, clear_crawls, clear_forbidden
from crawlers.crawling.archive import Archive
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.dumps.loading import load
from crawlers.dumps.tally import Options
from crawlers.dumps.warc import read_records
from crawlers.ingest import read_posts
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

KEEPING = Limits(backoff=0.05, timeout=20, retries=2, archive=True)
SECRET = "Problem 10"


def crawled(data: Path) -> list[Post]:
    """What the command crawl does, without its server."""
    folder = data / "crawls" / "pages"
    summary = crawl("pages", data / "urls.txt", folder, KEEPING)
    posts = list(read_posts(summary.posts_path).posts)
    store = Workspace(str(data)).posts
    upsert(store, posts)
    clear_forbidden(folder, posts, store.tombstones())
    return posts


def traces_on_disk(folder: Path) -> list[str]:
    """Files of a crawl in which the text of the forgotten post stands, packed or not."""
    found = []
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        texts = [path.read_bytes()]
        if path.suffix == ".gz":
            texts += [unpacked(record.block or b"") for record in read_records(path.name, io.BytesIO(texts[0]))]
        if path.name.startswith("cache"):
            with closing(sqlite3.connect(path)) as database:
                texts += [unpacked(zstd.decompress(body)) for (body,) in database.execute("SELECT body FROM pages")]
        if any(SECRET.encode() in text for text in texts):
            found.append(path.name)
    return found


def unpacked(content: bytes) -> bytes:
    """Content with the gzip member that it is or holds undone."""
    at = content.find(b"\x1f\x8b\x08")
    return content if at < 0 else content[:at] + zlib.decompressobj(31).decompress(content[at:])


def ingested(paths: list[Path], scratch: Path) -> dict[str, Post]:
    store = PostStore(Folder.at(scratch))
    for path in paths:
        loaded = load(path, "warc", Options(), store, print)
        assert (loaded.failure, loaded.faults) == (None, 0)
    return store.posts()


@pytest.mark.slow
@pytest.mark.parametrize("by", ["id", "address"])
def test_no_page_of_a_forgotten_post_stays_on_disk_and_no_crawl_brings_it_back(by: str, tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "data/crawls/pages"
    data.mkdir()
    canonical = FORMS["qapage-linked"](made(10)).replace("<head>", "<head><link rel=canonical href=/questions/ten>")
    packed = Reply(gzip.compress(canonical.encode()), headers={"Content-Encoding": "gzip"})
    pages = {f"/t/{number}": Reply(FORMS["phpbb"](made(number)).encode()) for number in (1, 2, 3)} | {"/t/10": packed}
    with serve_pages(pages) as site:
        (data / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        posts = crawled(data)
        (secret,) = [post for post in posts if SECRET in post.question]
        assert secret.url == f"{site.base_url}/questions/ten"
        whole = sorted((folder / "archive").glob("*.warc.gz"))
        shutil.copy(whole[0], tmp_path / "copy.warc.gz")
        assert traces_on_disk(folder) == ["pages-00001.warc.gz", "cache.sqlite", "posts.jsonl"]
        workspace, name = Workspace(str(data)), secret.post_id if by == "id" else str(secret.url)
        done = forget(workspace, name, lambda traces: clear_crawls(data / "crawls", traces))
        assert (done.post_ids, done.kept) == ((secret.post_id,), 3)
        assert traces_on_disk(folder) == []
        others = {post.post_id: post for post in posts if post is not secret}
        assert ingested(whole, tmp_path / "one") == others, "every other record is as it was"
        crawled(data)
    assert workspace.posts.posts().keys() == others.keys()
    assert traces_on_disk(folder) == []
    loaded = load(tmp_path / "copy.warc.gz", "warc", Options(), workspace.posts, print)
    assert (loaded.taken.forgotten, loaded.taken.new) == (1, 0), "nor does an archive that lay elsewhere"


PAGE = {"Content-Type": ["text/html; charset=utf-8"]}
AT = "2024-05-06T07:08:09Z"


def archived(folder: Path) -> Path:
    """An archive of two pages, with what a killed crawl left behind them."""
    archive = Archive(folder / "archive", "pages")
    for number in (1, 10):
        page = (f"https://forum.example/t/{number}", AT)
        archive.write(page, 200, PAGE, FORMS["phpbb"](made(number)).encode())
    archive.close()
    (path,) = (folder / "archive").glob("*.warc.gz")
    return path


TRACES = Traces(frozenset(("x:10",)), frozenset(("forum.example/t/10",)), frozenset())


def test_what_a_killed_crawl_left_behind_an_archive_is_searched_too(tmp_path: Path) -> None:
    path = archived(tmp_path)
    page = path.read_bytes()
    path.write_bytes(page + page + page[: len(page) // 2])
    unnoted = path.with_name("pages-00002.warc.gz")
    unnoted.write_bytes(page + page[:-9])
    assert clear_crawl(tmp_path, TRACES) == 3, "a record of each whole copy"
    assert traces_on_disk(tmp_path) == []
    for one in (path, unnoted):
        assert list(ingested([one], tmp_path / f"store-{one.name}")) == ["forum.example:t/1"]
    again = Archive(tmp_path / "archive", "pages")
    assert again.write(("https://forum.example/t/10", AT), 200, PAGE, b"new"), "the index is renewed with the file"
    again.close()
    assert list(ingested([path], tmp_path / "again")) == ["forum.example:t/1"]
    assert clear_crawl(tmp_path, TRACES) == 1


def test_a_damaged_archive_is_named_and_stays(tmp_path: Path) -> None:
    path = archived(tmp_path)
    content = bytearray(path.read_bytes())
    content[300:360] = bytes(60)
    path.write_bytes(content)
    with pytest.raises(
        CrawlError,
        match=r"warc.gz@0: damaged gzip .*; what it holds of the forgotten post was not removed: remove the file$",
    ):
        clear_crawl(tmp_path, TRACES)
    assert path.read_bytes() == content


def test_a_cache_that_cannot_be_searched_goes_as_a_whole(tmp_path: Path) -> None:
    for name in ("cache.sqlite", "cache.sqlite-wal"):
        (tmp_path / name).write_bytes(SECRET.encode() * 500)
    assert clear_crawl(tmp_path, TRACES) == 0
    assert traces_on_disk(tmp_path) == []


def test_archives_without_their_index_are_cleared_all_the_same(tmp_path: Path) -> None:
    path = archived(tmp_path)
    path.with_name("index.sqlite").unlink()
    assert clear_crawl(tmp_path, TRACES) == 1
    assert traces_on_disk(tmp_path) == []
    assert list(ingested([path], tmp_path / "store")) == ["forum.example:t/1"]


def test_an_archive_that_is_damaged_and_in_no_index_is_named_and_stays(tmp_path: Path) -> None:
    path = archived(tmp_path)
    path.with_name("index.sqlite").unlink()
    content = bytearray(path.read_bytes())
    content[300:360] = bytes(60)
    path.write_bytes(content)
    with pytest.raises(CrawlError, match=r"is damaged after byte \d+ .*; what it holds .* was not removed$"):
        clear_crawl(tmp_path, TRACES)
    assert path.read_bytes() == content


def test_a_crawl_under_way_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CrawlError, match="another crawl is writing to"):
            clear_crawls(tmp_path, TRACES)
    assert clear_crawls(tmp_path, TRACES) == 0
