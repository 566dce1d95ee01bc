"""Where posts of a broken store may be read again: the files it was read from, crawls, stage outputs, other stores."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.errors import CorpusError, InputError
from corpus.folders.files import Folder
from corpus.outputs import KEPT, MORE
from corpus.post_store.batch_files import Source
from corpus.post_store.recovery import Place
from corpus.post_store.store import PostStore
from corpus.records import Post
from corpus.schema import salvage
from corpus.workspace import Workspace
from crawlers.crawling.crawl_run import POSTS
from crawlers.dumps.loading import ARCHIVES, READERS
from crawlers.dumps.tally import Options, Tally
from crawlers.ingest import read_posts
from crawlers.posts import LINES
from crawlers.thread_records import DEFAULT_SOURCE, RejectedLine

CRAWLS, STAGES = "crawls", "stages"
_POSTS_STAGE = "posts"


def places(workspace: Workspace, store: PostStore, given: list[Path], tell: Callable[[str], None]) -> list[Place]:
    """Every place to look in for posts of a store, likeliest first; ``tell`` gets a line where one cannot be read.

    ``given`` are files of posts, web archives, or folders of them that the user names.
    """
    data = Path(workspace.folder.path)

    def careful(read: Callable[[], Iterator[Post]]) -> Callable[[], Iterator[Post]]:
        def posts() -> Iterator[Post]:
            try:
                yield from read()
            except CorpusError as error:
                tell(str(error))

        return posts

    found = [Place(str(path), careful(lambda path=path: _read_path(path))) for path in given]  # type: ignore[misc]
    for source in _sources(store):
        found += [
            Place(name, careful(lambda path=path, source=source: _read_file(path, source)))  # type: ignore[misc]
            for name, path in _paths(source, data)
        ]
    for folder in sorted((data / CRAWLS).glob("*")) if workspace.folder.local else ():
        place = careful(lambda folder=folder: _read_crawl(folder))  # type: ignore[misc]
        found.append(Place(f"{CRAWLS}/{folder.name}", place, own=store.folder.path == workspace.posts.folder.path))
    for name, other in workspace.stores().items():
        if other.folder.path != store.folder.path:
            found.append(Place(name, careful(lambda other=other: _read_store(other)), own=False))  # type: ignore[misc]
    outputs = Place(f"{STAGES}/{_POSTS_STAGE}", careful(lambda: _read_outputs(workspace.outputs.folder)), own=False)
    return [*found, outputs]


def _sources(store: PostStore) -> list[Source]:
    """What batches were read from, that of broken batches first."""
    entries = store.list.entries()
    ordered = [*(name for name in store.left_out if name in entries), *entries]
    sources = [source for name in ordered if (source := entries[name].source) is not None]
    return [source for place, source in enumerate(sources) if source not in sources[:place]]


def _paths(source: Source, data: Path) -> Iterator[tuple[str, Path]]:
    """The files of a source with their names: a path in the data folder, else as it was given."""
    for name in source.get("paths", ()):
        path = data / name
        yield str(name), path if path.exists() else Path(name)


def _read_file(path: Path, source: Mapping[str, Any]) -> Iterator[Post]:
    file_format = str(source.get("format"))
    retrieved_at, named = source.get("retrieved_at"), str(source.get("source") or "")
    if file_format == LINES:
        yield from read_posts(path, skip_bad=True, source=named or DEFAULT_SOURCE).posts
        return
    if file_format not in READERS:
        raise InputError(f"{path}: unknown format {file_format[:40]!r}; name the file with --from")
    options = Options(
        source=named,
        retrieved_at=retrieved_at,
        tags=frozenset(source.get("tags", ())),
        columns=tuple((str(one), str(other)) for one, other in source.get("columns", ())),
        archives=Path(source["archives"]) if source.get("archives") else None,
    )
    for entry in READERS[file_format](path, options, Tally()):
        if not isinstance(entry, RejectedLine):
            yield entry


def _read_path(path: Path) -> Iterator[Post]:
    """A file of posts or a web archive, or every one below a folder."""
    if path.is_dir():
        for file in sorted(file for file in path.rglob("*") if file.name.endswith((*ARCHIVES, ".jsonl"))):
            yield from _read_path(file)
    elif path.name.lower().endswith(ARCHIVES):
        yield from _read_file(path, {"format": "warc"})
    else:
        yield from read_posts(path, skip_bad=True).posts


def _read_crawl(folder: Path) -> Iterator[Post]:
    """What a crawl kept: the posts of its last round, and the pages in its archives."""
    if (folder / POSTS).exists():
        yield from read_posts(folder / POSTS, skip_bad=True).posts
    for file in sorted(file for file in folder.rglob("*") if file.name.endswith(ARCHIVES)):
        yield from _read_file(file, {"format": "warc"})


def _read_store(store: PostStore) -> Iterator[Post]:
    for batch in store.files():
        if "-" not in batch:
            yield from store.read_batch(batch)


def _read_outputs(folder: Folder) -> Iterator[Post]:
    """The posts that builds spread over shards."""
    for key in (folder / _POSTS_STAGE).names():
        part = folder / _POSTS_STAGE / key
        for name in (KEPT, MORE[KEPT]):
            if part.exists(name):
                yield from salvage(part.read(name), Post)
