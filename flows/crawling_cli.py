"""The commands ``crawl`` and ``schedule``: what is asked of a site, once or again and again."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import DATA, ConfigOption, DataOption, GateOption, NameOption, PostsOption
from flows.roles import FileRole

UrlsOption = Annotated[
    Path | None, typer.Option("--urls", help="A file of thread addresses, one per line."), FileRole.READ
]


def crawl(
    source: Annotated[
        str, typer.Argument(help="bundled (the site that comes with wordquarry), algebra, or pages (any site).")
    ],
    url: Annotated[
        str | None, typer.Option("--url", help="Where to start. Without it, the bundled site is served on loopback.")
    ] = None,
    urls: UrlsOption = None,
    data: DataOption = DATA,
    config: ConfigOption = None,
    max_pages: Annotated[int | None, typer.Option("--max-pages", help="Budget of requests.")] = None,
    max_bytes: Annotated[int | None, typer.Option("--max-bytes", help="Budget of bytes downloaded.")] = None,
    max_hours: Annotated[float | None, typer.Option("--max-hours", help="Budget of time.")] = None,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", help="Only addresses that match, as in robots.txt: /q/*.html$")
    ] = None,
    deny: Annotated[
        list[str] | None, typer.Option("--deny", help="Leave out addresses that match, also those of --allow.")
    ] = None,
    private_addresses: Annotated[
        bool | None, typer.Option("--private-addresses", help="The site may be at a private address.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=600, help="Seconds a page may take; it is asked for four times.")
    ] = 15,
    archive: Annotated[bool, typer.Option("--archive", help="Keep responses as WARC, to be ingested again.")] = False,
) -> None:
    """Crawl a source into the post store; run again, it continues, or fetches what has changed."""
    from corpus.config_file import load_crawl_config
    from flows.commands import run_crawl

    given = {
        "max_pages": max_pages,
        "max_bytes": max_bytes,
        "max_hours": max_hours,
        "allow": allow or None,
        "deny": deny or None,
        "private_addresses": private_addresses,
    }
    crawls = load_crawl_config(config, {name: value for name, value in given.items() if value is not None})
    run_crawl(data, (source, _where(url, urls)), crawls, timeout, archive)


def schedule(
    cron: Annotated[str, typer.Option("--cron", help="When to crawl and build, e.g. '0 3 * * *'.")],
    source: Annotated[str | None, typer.Option("--source", help="Crawl this source before each build.")] = None,
    url: Annotated[str | None, typer.Option("--url", help="Where the source is.")] = None,
    urls: UrlsOption = None,
    posts: PostsOption = None,
    config: ConfigOption = None,
    gate: GateOption = None,
    name: NameOption = "quarry",
    ui: Annotated[
        bool, typer.Option("--ui", help="Show Prefect's pages on loopback, with a report of each version.")
    ] = False,
    data: DataOption = DATA,
) -> None:
    """Crawl and build on a cron schedule, until stopped."""
    from flows.commands import run_schedule

    run_schedule(data, name, cron, (source, _where(url, urls)), (posts or [], config, gate, ui))


def _where(url: str | None, urls: Path | None) -> str | Path | None:
    if url is not None and urls is not None:
        raise typer.BadParameter("give --url or --urls, not both", param_hint="--urls")
    return urls or url
