"""Crawls that keep their responses: the WARC alone gives the same posts, and grows only by what changed."""

import gzip
from pathlib import Path

import pytest

from corpus.files import Folder
from corpus.records import Post
from corpus.store import PostStore
from crawlers.archive import Archive
from crawlers.bundled_site import serve
from crawlers.dumps.loading import load
from crawlers.dumps.pages import read_warc
from crawlers.dumps.tally import Options, Tally
from crawlers.ingest import read_posts
from crawlers.job import Limits
from crawlers.run import crawl
from tests.crawlers.forms import FORMS, made
from tests.crawlers.loopback import Reply, serve_pages

KEEPING = Limits(backoff=0.05, timeout=20, retries=2, archive=True)


def archives(folder: Path) -> list[Path]:
    return sorted((folder / "archive").glob("*.warc.gz"))


def ingested(folder: Path, scratch: Path) -> dict[str, Post]:
    """The posts of a store that was given the WARC files and nothing else."""
    store = PostStore(Folder.at(scratch))
    for path in archives(folder):
        loaded = load(path, "warc", Options(), store, print)
        assert (loaded.failure, loaded.faults) == (None, 0)
        assert loaded.tally.read == loaded.tally.used + loaded.tally.refused.total()
    return store.posts()


def crawled(posts: Path) -> dict[str, Post]:
    return {post.post_id: post for post in read_posts(posts).posts}


def urls(path: Path) -> list[str]:
    lines = gzip.decompress(path.read_bytes()).splitlines()
    return [line.partition(b": ")[2].decode() for line in lines if line.startswith(b"WARC-Target-URI: ")]


@pytest.mark.slow
def test_the_archive_of_a_crawl_gives_its_posts_and_grows_by_what_changed(threads_dir: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "threads", tmp_path / "out"
    folder.mkdir()
    for file in threads_dir.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    with serve(folder) as site:
        first = crawl("bundled", site.base_url, out, KEEPING)
        posts = crawled(first.posts_path)
        assert len(posts) == 60
        assert ingested(out, tmp_path / "one") == posts
        (archive,) = archives(out)
        assert len(urls(archive)) == len(set(urls(archive)))
        again = crawl("bundled", site.base_url, out, KEEPING)
        assert again.fetched == 0
        assert archives(out) == [archive], "an unchanged site adds nothing"
    assert {url.partition("/questions/")[2] for url in urls(archive)} >= {one.partition(":")[2] for one in posts}


@pytest.mark.slow
def test_pages_of_every_form_come_back_as_they_were_crawled(tmp_path: Path) -> None:
    pages = {f"/{form}/9": Reply(render(made(9)).encode()) for form, render in FORMS.items()}
    pages["/gz/9"] = Reply(gzip.compress(FORMS["phpbb"](made(11)).encode()), headers={"Content-Encoding": "gzip"})
    pages["/private/9"] = Reply(FORMS["phpbb"](made(12)).encode(), headers={"Cache-Control": "no-store"})
    out = tmp_path / "out"
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        posts = crawled(crawl("pages", tmp_path / "urls.txt", out, KEEPING).posts_path)
        unkept = {post_id for post_id, post in posts.items() if "/private/" in (post.url or "")}
        assert (len(posts), len(unkept)) == (len(pages), 1)
        kept = {post_id: post for post_id, post in posts.items() if post_id not in unkept}
        assert ingested(out, tmp_path / "one") == kept
        changed = "/phpbb/9"
        pages[changed] = Reply(FORMS["phpbb"](made(10)).encode())
        crawl("pages", tmp_path / "urls.txt", out, KEEPING)
    assert [len(urls(path)) for path in archives(out)][1:] == [1]
    assert urls(archives(out)[1]) == [f"{site.base_url}{changed}"]


PAGE = {"Content-Type": ["text/html; charset=utf-8"], "Set-Cookie": ["a=b"]}
AT = "2024-05-06T07:08:09Z"


def test_a_page_is_archived_once_a_content(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "pages")
    assert archive.write(("https://forum.example/t/1", AT), 200, PAGE, b"one")
    assert not archive.write(("https://forum.example/t/1", AT), 200, PAGE, b"one")
    assert archive.write(("https://forum.example/t/1", AT), 200, PAGE, b"two")
    archive.close()
    (path,) = tmp_path.glob("*.warc.gz")
    assert b"Set-Cookie" not in gzip.decompress(path.read_bytes())
    tally = Tally()
    assert all(entry for entry in read_warc(path, Options(), tally))
    assert tally.read == 3


def test_a_page_that_changes_back_is_archived_again_and_is_the_newest(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "pages")
    first, other = (FORMS["phpbb"](made(number)).encode() for number in (1, 2))
    for second, page, fresh in ((1, first, True), (2, other, True), (3, first, True), (4, first, False)):
        at = f"2024-05-06T07:08:0{second}Z"
        assert archive.write(("https://forum.example/t/1", at), 200, PAGE, page) is fresh
    archive.close()
    (path,) = tmp_path.glob("*.warc.gz")
    store = PostStore(Folder.at(tmp_path / "store"))
    load(path, "warc", Options(), store, print)
    (post,) = store.posts().values()
    assert (post.question.startswith("Problem 1\n"), post.retrieved_at) == (True, "2024-05-06T07:08:03Z")


def test_what_a_killed_crawl_left_is_cut_off(tmp_path: Path) -> None:
    first = Archive(tmp_path, "pages")
    first.write(("https://forum.example/t/1", AT), 200, PAGE, b"one")
    first.close()
    (path,) = tmp_path.glob("*.warc.gz")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:50])
    (tmp_path / "pages-00002.warc.gz").write_bytes(whole[:40])
    second = Archive(tmp_path, "pages")
    assert path.read_bytes() == whole
    assert not second.write(("https://forum.example/t/1", AT), 200, PAGE, b"one")
    assert second.write(("https://forum.example/t/2", AT), 200, PAGE, b"one")
    second.close()
    assert [found.name for found in sorted(tmp_path.glob("*.warc.gz"))] == [
        "pages-00001.warc.gz",
        "pages-00002.warc.gz",
    ]
    assert urls(tmp_path / "pages-00002.warc.gz") == ["https://forum.example/t/2"]
    assert list(read_warc(tmp_path / "pages-00002.warc.gz", Options(), Tally()))
