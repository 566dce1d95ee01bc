"""The commands ``ingest`` and ``forget``: no flows, each is one read and one write."""

from dataclasses import dataclass
from pathlib import Path

import typer

from corpus.errors import InputError
from corpus.forgetting import forget
from corpus.workspace import Workspace
from crawlers.ingest import read_posts
from flows.console import Reporter

JSONL = "jsonl"


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
    from crawlers.dumps.loading import origin_of, with_origin

    file, source = request.file, request.source
    result = read_posts(file, request.skip_bad, source) if source else read_posts(file, request.skip_bad)
    posts = result.posts
    if request.retrieved_at is not None:
        given = request.retrieved_at
        posts = tuple(post.model_copy(update={"retrieved_at": post.retrieved_at or given}) for post in posts)
    origin = origin_of(file, read_posts)
    posts = tuple(with_origin(post, origin) for post in posts)
    upsert = Workspace(request.data).posts.upsert(posts)
    reporter = Reporter()
    for rejected in result.rejected:
        reporter.line(rejected.message)
    reporter.text(
        f"{file}: {len(posts)} posts ({upsert.new} new, {upsert.changed} changed, {upsert.unchanged} unchanged), "
        f"{result.merged} duplicates merged, {len(result.rejected)} lines rejected"
    )


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
        f"{taken.forgotten} forgotten before, {loaded.contradicting} contradicting"
    )
    reporter.text(f"records: {tally.read} read, {tally.used} used, refused: {refused}")
    removed = tally.removed
    reporter.text(f"removed: {removed.mails} mails, {removed.phones} phone numbers, {removed.names} names")
    if loaded.failure is not None:
        raise InputError(f"{loaded.failure}; {posts} posts read before it are stored") from loaded.failure
    if loaded.faults and not request.skip_bad:
        raise InputError(
            f"{loaded.first_fault}; {loaded.faults} such faults in all, everything else is stored "
            "(--skip-bad accepts them)"
        )


def run_forget(data: str, post: str) -> None:
    """The command ``forget``."""
    done = forget(Workspace(data), post)
    found = ", ".join(done.post_ids) or "nothing is stored under it; it will not be taken in"
    Reporter().text(f"forgotten: {found}")
    Reporter().text(f"batches written anew: {done.batches}, stage outputs removed: {done.outputs}")
