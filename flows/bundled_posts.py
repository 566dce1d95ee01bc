"""The posts of the bundled site without a scheduler: crawled over real HTTP on loopback into a temporary folder."""

import functools
import tempfile
from pathlib import Path

from corpus.code import ROOT
from corpus.records import Post
from corpus.workspace import BUNDLED
from crawlers.bundled_site import serve
from crawlers.crawl_run import crawl
from crawlers.ingest import read_posts

THREADS = BUNDLED / "site" / "threads"
LABELS = BUNDLED / "labels"
SHARED = ROOT.parent / "shared" / "data"
"""Data of other sources, beside the checkout where it is there at all."""


@functools.cache
def bundled_posts() -> tuple[Post, ...]:
    """Every post of the bundled site, sorted by post id."""
    with tempfile.TemporaryDirectory(prefix="wordquarry-crawl-") as folder, serve(THREADS) as site:
        return read_posts(crawl("bundled", site.base_url, Path(folder)).posts_path).posts
