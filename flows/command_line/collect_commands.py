"""Commands that bring posts into the post store, and take care of it: crawl, ingest, and the group ``store``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.command_line.options import DATA, Commands, ConfigOption, DataOption, FileRole, SkipBadOption, WorkersOption

store_app = Commands(help="Take posts out of the data folder, mend it, tidy it.")
UrlOption = Annotated[
    str | None, typer.Option("--url", help="Where to start. Without it, the bundled site is served on loopback.")
]
UrlsOption = Annotated[
    Path | None, typer.Option("--urls", help="A file of thread addresses, one per line."), FileRole.READ
]
FileFormat = Literal["jsonl", "parquet", "stackexchange", "yahoo", "warc", "cc-index"]


def where(url: str | None, urls: Path | None) -> str | Path | None:
    """What a crawl begins with: an address, a file of addresses, or what the source says itself."""
    if url is not None and urls is not None:
        raise typer.BadParameter("give --url or --urls, not both", param_hint="--urls")
    return urls or url


def crawl(
    source: Annotated[
        str, typer.Argument(help="bundled (the site that comes with wordquarry), algebra, or pages (any site).")
    ],
    url: UrlOption = None,
    urls: UrlsOption = None,
    data: DataOption = DATA,
    config: ConfigOption = None,
    max_pages: Annotated[int | None, typer.Option(help="Budget of requests.")] = None,
    private_addresses: Annotated[
        bool | None, typer.Option("--private-addresses", help="The site may be at a private address.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, max=600, help="Seconds a page may take; it is asked for four times.")
    ] = 15,
    archive: Annotated[bool, typer.Option("--archive", help="Keep responses as WARC, to be ingested again.")] = False,
) -> None:
    """Crawl a source into the post store; run again, it continues, or fetches what has changed."""
    from curation.config_file import load_crawl_config
    from flows.command_line.commands import run_crawl

    given = {"max_pages": max_pages, "private_addresses": private_addresses}
    crawls = load_crawl_config(config, {name: value for name, value in given.items() if value is not None})
    run_crawl(data, (source, where(url, urls)), crawls, timeout, archive)


def ingest(
    file: Annotated[Path, typer.Argument(help="A file of posts, a dump or a web archive."), FileRole.READ],
    file_format: Annotated[FileFormat, typer.Option("--format", help="What the file is; warc is also WACZ.")] = "jsonl",
    source: Annotated[str | None, typer.Option(help="The source of posts that do not name one; a dump's site.")] = None,
    retrieved_at: Annotated[str | None, typer.Option(help="UTC time of posts without one.")] = None,
    skip_bad: SkipBadOption = False,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only threads with this tag or category; may be given again.")
    ] = None,
    columns: Annotated[str, typer.Option(help="Fields by columns, e.g. question=title+body,answers.text=reply.")] = "",
    archives: Annotated[
        Path | None, typer.Option(help="Where the files are that an index names."), FileRole.READ
    ] = None,
    workers: WorkersOption = 1,
    data: DataOption = DATA,
) -> None:
    """Read posts from a file, a dump or a web archive into the post store."""
    from flows.ingesting import IngestRequest, run_ingest

    tags, many = tuple(tag or ()), workers
    run_ingest(
        IngestRequest(data, file, file_format, source, retrieved_at, skip_bad, tags, columns, archives, workers=many)
    )


@store_app.command()
def forget(
    post: Annotated[str, typer.Argument(metavar="POST_ID|URL", help="A post's id, or the address of its thread.")],
    push_it: Annotated[
        bool, typer.Option("--push", help="Send the new versions to where the old ones were pushed.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option(envvar="WORDQUARRY_KEY", help="A file with a key that signs the line in the log."),
        FileRole.READ,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Forget a post: a tombstone stays, and versions, and what was pushed of them, are made anew without it."""
    from flows.ingesting import run_forget

    run_forget(data, post, key, push_it)


@store_app.command()
def recover(
    given: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Posts, a web archive, or a folder of them; may be given again."),
        FileRole.READ,
    ] = None,
    accept_loss: Annotated[
        bool, typer.Option("--accept-loss", help="Go on without what cannot be found; versions will say so.")
    ] = False,
    data: DataOption = DATA,
) -> None:
    """Recover what can still be read of a damaged store, and say what is lost."""
    from flows.ingesting import run_recover

    run_recover(data, given or [], accept=accept_loss)


@store_app.command()
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    data: DataOption = DATA,
) -> None:
    """Remove stage outputs that no published version came through, and say how many bytes they held."""
    from corpus.workspace import Workspace
    from curation.building import pruning
    from flows.console import Reporter

    done = pruning.prune(Workspace(data), dry_run=dry_run)
    reporter, what = Reporter(), "to be removed" if dry_run else "removed"
    reporter.text(f"kept for {done.versions} versions: {done.kept} stage outputs, {done.kept_bytes} bytes")
    reporter.text(f"{what}: {done.removed} stage outputs, {done.removed_bytes} bytes")
