"""The commands ``ingest`` and ``forget``: no flows, each is one read and one write."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from corpus.canonical import canonical_json
from corpus.errors import InputError
from corpus.forgetting import forget
from corpus.intake import Taken
from corpus.workspace import Workspace
from crawlers.dumps.tally import Tally
from crawlers.ingest import read_posts
from crawlers.origin import file_origin, file_source, with_origin
from crawlers.posts import Removed
from flows.console import Reporter

INGESTS, JSONL = "ingests", "jsonl"


@dataclass(frozen=True)
class IngestRequest:
    """What the command was asked for."""

    data: str
    file: Path
    file_format: str = JSONL
    source: str | None = None
    retrieved_at: str | None = None
    skip_bad: bool = False
    tags: tuple[str, ...] = ()
    columns: str = ""
    archives: Path | None = None


def run_ingest(request: IngestRequest) -> None:
    """Posts of a file into the post store; what is left out is named on standard error."""
    if request.file_format == JSONL and not request.columns:
        _ingest_lines(request)
    else:
        _ingest_dump(request)


def _ingest_lines(request: IngestRequest) -> None:
    """JSON Lines as ``export`` writes them: all or, with ``skip_bad``, all that can be read."""
    file, source = request.file, request.source
    result = read_posts(file, request.skip_bad, source) if source else read_posts(file, request.skip_bad)
    posts = result.posts
    if request.retrieved_at is not None:
        given = request.retrieved_at
        posts = tuple(post.model_copy(update={"retrieved_at": post.retrieved_at or given}) for post in posts)
    origin = file_origin(file, read_posts.__module__)
    posts = tuple(with_origin(post, origin) for post in posts)
    store = Workspace(request.data).posts
    store.source = file_source([file], sha256=origin.response_sha256, source=source)
    upsert = store.upsert(posts)
    forgotten = len(posts) - upsert.new - upsert.changed - upsert.unchanged
    taken = Taken(upsert.new, upsert.changed, upsert.unchanged, forgotten)
    _record(request, origin.response_sha256, Tally.of(result).counts() | {"posts": asdict(taken), "whole": True})
    reporter = Reporter()
    for rejected in result.rejected:
        reporter.line(rejected.message)
    reporter.text(
        f"{file}: {len(posts) - forgotten} posts ({upsert.new} new, {upsert.changed} changed, {upsert.unchanged} "
        f"unchanged), {forgotten} forgotten before, {result.merged} duplicates merged, {len(result.rejected)} "
        "lines rejected"
    )
    reporter.text(_removed(result.removed))


def _ingest_dump(request: IngestRequest) -> None:
    """A dump, streamed: what can be read is stored, and then a fault is an error unless ``skip_bad`` allows it."""
    from crawlers.dumps.loading import READERS, load
    from crawlers.dumps.tables import parse_columns
    from crawlers.dumps.tally import Options

    if request.file_format not in READERS:
        raise typer.BadParameter(
            f"unknown format {request.file_format!r}; there are: {', '.join(READERS)}", param_hint="--format"
        )
    options = Options(
        source=(request.source or "").lower(),
        retrieved_at=request.retrieved_at,
        tags=frozenset(tag.lower() for tag in request.tags),
        columns=parse_columns(request.columns),
        archives=request.archives,
    )
    reporter = Reporter()
    loaded = load(request.file, request.file_format, options, Workspace(request.data).posts, reporter.line)
    taken, tally = loaded.taken, loaded.tally
    posts = taken.new + taken.changed + taken.unchanged
    refused = ", ".join(f"{reason.value} {count}" for reason, count in sorted(tally.refused.items())) or "none"
    reporter.text(
        f"{request.file}: {posts} posts ({taken.new} new, {taken.changed} changed, {taken.unchanged} unchanged), "
        f"{taken.forgotten} forgotten before, {taken.contradicting} contradicting"
    )
    reporter.text(f"records: {tally.read} read, {tally.used} used, refused: {refused}")
    reporter.text(_removed(tally.removed))
    if loaded.removed:
        reporter.text(f"removed by the site (404 or 410): {loaded.removed} posts, not in the next version")
    _record(request, loaded.sha256, tally.counts() | {"posts": asdict(taken), "whole": loaded.failure is None})
    if loaded.failure is not None:
        raise InputError(f"{loaded.failure}; {posts} posts read before it are stored") from loaded.failure
    if loaded.faults and not request.skip_bad:
        raise InputError(
            f"{loaded.first_fault}; {loaded.faults} such faults in all, everything else is stored "
            "(--skip-bad accepts them)"
        )


def _record(request: IngestRequest, sha256: str | None, counts: dict[str, Any]) -> None:
    """Keep what an ingest counted beside the store, under the digest of its file, if that could be read."""
    record = {"file": request.file.name, "format": request.file_format, "sha256": sha256, **counts}
    if sha256:
        Workspace(request.data).folder.write(f"{INGESTS}/{sha256[:16]}.json", canonical_json(record).encode())


def _removed(removed: Removed) -> str:
    others = [
        f"{count} {what}"
        for what, count in (
            ("handles", removed.handles),
            ("personal numbers", removed.numbers),
            ("addresses", removed.places),
        )
        if count
    ]
    known = f"removed: {removed.mails} mails, {removed.phones} phone numbers, {removed.names} names"
    return ", ".join([known, *others])


def run_forget(data: str, post: str) -> None:
    """The command ``forget``."""
    from crawlers.crawl_forgetting import clear_crawls

    workspace = Workspace(data)
    crawls = workspace.folder / "crawls"
    done = forget(workspace, post, lambda traces: clear_crawls(Path(crawls.path), traces) if crawls.local else 0)
    found = ", ".join(done.post_ids) or "nothing is stored under it; it will not be stored later either"
    Reporter().text(f"forgotten: {found}")
    Reporter().text(f"batches rewritten: {done.batches}, stage outputs removed: {done.outputs}")
    Reporter().text(f"pages, records and lines removed from the files of crawls: {done.kept}")
