"""What posts a build reads: the store and its snapshot, and what that store lacks. Needs no scheduler."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpus.store import PostStore, Snapshot
from corpus.workspace import Workspace
from crawlers.ingest import read_posts
from crawlers.origin import file_source
from flows.requests import BuildRequest


def take_posts(request: BuildRequest) -> tuple[str, Snapshot]:
    """The store a build reads, and its snapshot: the posts files given, or the post store.

    Files that were taken before (``request.input_store``) are not read again.
    """
    workspace = Workspace(request.data)
    if request.input_store is not None:
        store = workspace.folder / request.input_store
        return request.input_store, PostStore(store, incomplete=request.incomplete_store).snapshot()
    if not request.posts:
        return "posts", PostStore(workspace.posts.folder, incomplete=request.incomplete_store).snapshot()
    paths = [Path(path) for path in request.posts]
    posts = [post for path in paths for post in read_posts(path, skip_bad=request.skip_bad).posts]
    return workspace.add_input(posts, file_source(paths), incomplete=request.incomplete_store)


def store_state(request: BuildRequest, store: str) -> Mapping[str, Any]:
    """What the store behind a build lacks, for the manifest; of a rebuild what the version says of its own."""
    if request.store_state is not None:
        return request.store_state
    return PostStore(Workspace(request.data).folder / store, incomplete=request.incomplete_store).state()
