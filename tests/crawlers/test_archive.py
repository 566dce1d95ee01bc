"""Crawls that keep their responses: the WARC alone gives the same posts, and grows only by what changed."""

import gzip
import random
import resource
import time
from pathlib import Path

import pytest

from corpus.errors import CrawlError
from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore
from corpus.records import Post
from crawlers.bundled_site import serve
from crawlers.crawling.archive import Archive
from crawlers.crawling.crawl_run import crawl
from crawlers.crawling.job import Limits
from crawlers.dumps.archive_pages import read_warc
from crawlers.dumps.loading import load, load_archives
from crawlers.dumps.tally import Options, Tally
from crawlers.ingest import read_posts
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


def archived(folder: Path, pages: int, number: int = 1) -> Path:
    """An archive of so many pages of a forum."""
    archive = Archive(folder, "pages")
    for page in range(pages):
        archive.write((f"https://forum.example/t/{page}", AT), 200, PAGE, b"page %d" % page)
    archive.close()
    return folder / f"pages-{number:05d}.warc.gz"


def test_what_a_killed_crawl_left_is_cut_off_within_a_record(tmp_path: Path) -> None:
    path = archived(tmp_path, 1)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:50])
    (tmp_path / "pages-00002.warc.gz").write_bytes(whole[:40])
    second = Archive(tmp_path, "pages")
    assert path.read_bytes() == whole
    assert not second.write(("https://forum.example/t/0", AT), 200, PAGE, b"page 0")
    assert second.write(("https://forum.example/t/2", AT), 200, PAGE, b"one")
    second.close()
    assert [found.name for found in sorted(tmp_path.glob("*.warc.gz"))] == [
        "pages-00001.warc.gz",
        "pages-00002.warc.gz",
    ]
    assert urls(tmp_path / "pages-00002.warc.gz") == ["https://forum.example/t/2"]
    assert list(read_warc(tmp_path / "pages-00002.warc.gz", Options(), Tally()))


def test_whole_records_that_a_killed_crawl_did_not_note_are_taken_up(tmp_path: Path) -> None:
    path = archived(tmp_path, 1)
    noted = path.read_bytes()
    other = archived(tmp_path / "other", 3).read_bytes()
    path.write_bytes(noted + other + other[:50])
    again = Archive(tmp_path, "pages")
    assert path.read_bytes() == noted + other
    assert not again.write(("https://forum.example/t/2", AT), 200, PAGE, b"page 2")
    again.close()


def test_a_record_that_found_no_room_leaves_nothing_behind(tmp_path: Path) -> None:
    archive = Archive(tmp_path, "pages")
    archive.write(("https://forum.example/t/0", AT), 200, PAGE, b"page 0")
    (path,) = tmp_path.glob("*.warc.gz")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, most))
    try:
        with pytest.raises(OSError, match="File too large"):
            archive.write(("https://forum.example/t/1", AT), 200, PAGE, random.Random(7).randbytes(20_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    archive.write(("https://forum.example/t/2", AT), 200, PAGE, b"page 2")
    archive.close()
    assert urls(path) == ["https://forum.example/t/0", "https://forum.example/t/2"]


LOSSES = ("gone", "damaged", "no database", "of other files")


@pytest.mark.parametrize("loss", LOSSES)
def test_archives_outlive_their_index(loss: str, tmp_path: Path) -> None:
    first = archived(tmp_path, 3)
    third = tmp_path / "pages-00003.warc.gz"
    third.write_bytes(archived(tmp_path / "other", 5).read_bytes() + b"\x1f\x8b\x08\0")
    held = {first: first.read_bytes(), third: third.read_bytes()[:-4]}
    index = tmp_path / "index.sqlite"
    if loss == "gone":
        index.unlink()
    elif loss == "damaged":
        content = bytearray(index.read_bytes())
        content[1000:] = bytes(len(content) - 1000)
        index.write_bytes(content)
    elif loss == "no database":
        index.write_bytes(b"no database at all" * 99)
    archive = Archive(tmp_path, "pages")
    assert [archive.write((f"https://forum.example/t/{n}", AT), 200, PAGE, b"page %d" % n) for n in range(6)] == [
        False
    ] * 5 + [True]
    archive.close()
    assert {path: path.read_bytes() for path in held} == held
    assert urls(tmp_path / "pages-00004.warc.gz") == ["https://forum.example/t/5"]


def test_an_archive_that_is_shorter_than_noted_is_read_again(tmp_path: Path) -> None:
    """As a machine that loses its power may leave it."""
    path = archived(tmp_path, 3)
    path.write_bytes(path.read_bytes()[:-9])
    archive = Archive(tmp_path, "pages")
    written = [archive.write((f"https://forum.example/t/{n}", AT), 200, PAGE, b"page %d" % n) for n in range(3)]
    archive.close()
    assert written == [False, False, True], "the last one is no longer there"


@pytest.mark.parametrize("content", [b"WARC/1.1\r\nWARC-Type: response\r\n\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\3 damaged"])
def test_an_archive_that_nobody_can_read_and_no_index_knows_is_named_and_stays(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pages-00007.warc.gz"
    path.write_bytes(content)
    with pytest.raises(CrawlError, match=r"pages-00007.warc.gz is damaged after byte 0 .*; move it out of "):
        Archive(tmp_path, "pages")
    assert path.read_bytes() == content


@pytest.mark.slow
@pytest.mark.full
def test_what_a_site_removed_is_removed_in_a_store_of_its_archives(tmp_path: Path) -> None:
    """Of three threads one goes, one goes and is back as it was; a store of the crawls and one of archives agree."""
    pages = {f"/t/{n}": Reply(FORMS["qapage-linked"](made(n)).encode()) for n in range(3)}
    whole, out, store = dict(pages), tmp_path / "out", PostStore(Folder.at(tmp_path / "crawled"))
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        for gone in ((), ("/t/1", "/t/2"), ("/t/1", "/t/2"), ("/t/1",)):
            time.sleep(1.1)  # times on the network are whole seconds
            pages |= whole | {path: Reply(b"gone", status=410, headers={"Cache-Control": "no-store"}) for path in gone}
            summary = crawl("pages", tmp_path / "urls.txt", out, KEEPING)
            upsert(store, read_posts(summary.posts_path).posts)
            store.bury(summary.gone)
    assert [len(urls(path)) for path in archives(out)] == [3, 2, 1], "that a page is gone is archived once"
    posts = store.posts()
    assert sorted(posts) == ["127.0.0.1:t/0", "127.0.0.1:t/2"]
    rebuilt = PostStore(Folder.at(tmp_path / "rebuilt"))
    load_archives([out / "archive"], rebuilt, print)
    assert rebuilt.posts().keys() == posts.keys()
    assert {one.content_sha256 for one in rebuilt.posts().values()} == {one.content_sha256 for one in posts.values()}
    assert ingested(out, tmp_path / "ingested").keys() == posts.keys(), "file by file"


@pytest.mark.slow
def test_a_site_that_is_away_as_a_whole_removes_nothing(tmp_path: Path) -> None:
    whole = {f"/t/{n}": Reply(FORMS["qapage-linked"](made(n)).encode()) for n in range(12)}
    pages, out = dict(whole), tmp_path / "out"
    with serve_pages(pages) as site:
        (tmp_path / "urls.txt").write_text("".join(f"{site.base_url}{path}\n" for path in pages))
        assert crawl("pages", tmp_path / "urls.txt", out, KEEPING).posts == 12
        pages.clear()
        with pytest.raises(CrawlError, match=r"answers 404 or 410 to all 12 pages; .* nothing is removed"):
            crawl("pages", tmp_path / "urls.txt", out, KEEPING)
        assert [len(urls(path)) for path in archives(out)] == [12]
        pages |= whole
        again = crawl("pages", tmp_path / "urls.txt", out, KEEPING)
        assert (again.posts, again.gone, again.fetched) == (12, (), 12), "the next crawl asks again"
        for path in list(pages)[1:]:
            del pages[path]
        assert len(crawl("pages", tmp_path / "urls.txt", out, KEEPING).gone) == 11, "one that is there vouches for it"
    assert [len(urls(path)) for path in archives(out)] == [12, 11]
