"""Commands that make something new of posts and corpora: versions, models, variations."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from flows.command_line.collect_commands import UrlsOption, where
from flows.command_line.options import (
    CORPUS_HELP,
    DATA,
    ConfigOption,
    CorpusArgument,
    DataOption,
    FileRole,
    GateOption,
    JsonOption,
    LabelsOption,
    NameOption,
    PostsOption,
    ShardsOption,
    SkipBadOption,
    VersionArgument,
    WorkersOption,
)


def demo(as_json: JsonOption = False, data: DataOption = "demo") -> None:
    """Serve the bundled site on loopback, crawl it, build a version; show the funnel, the quality and the report."""
    from flows.command_line.commands import run_demo

    run_demo(data, as_json)


def build(
    posts: PostsOption = None,
    config: ConfigOption = None,
    gate: GateOption = None,
    name: NameOption = "quarry",
    data: DataOption = DATA,
    shards: ShardsOption = None,
    workers: WorkersOption = 1,
    runner: Annotated[
        str,
        typer.Option(
            help="Where parts are made: here (in this command), process (by Prefect, with --workers), auto (here where "
            "little is new), or dask://HOST:PORT (a Dask scheduler)."
        ),
    ] = "auto",
    rank: Annotated[int | None, typer.Option(min=0, help="Of several builds together, which this is.")] = None,
    of: Annotated[int | None, typer.Option(min=1, max=1024, help="How many builds work together.")] = None,
    wait: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for another rank that shows no sign of life.")
    ] = 600,
    skip_bad: SkipBadOption = False,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=CORPUS", help=f"Drop what stands in this benchmark; {CORPUS_HELP}"),
        FileRole.CORPUS,
    ] = None,
    incomplete_benchmark: Annotated[
        bool,
        typer.Option(
            "--incomplete-benchmark", help="Build even if records of a benchmark cannot be read; the manifest says so."
        ),
    ] = False,
    incomplete_store: Annotated[
        bool,
        typer.Option("--incomplete-store", help="Build even if the post store lacks batches; the manifest says so."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build a new version from the post store, or from files of posts alone."""
    from flows.command_line.commands import run_build

    if (rank is None) != (of is None) or (rank is not None and of is not None and rank >= of):
        raise typer.BadParameter("give --rank I --of N, with I from 0 to N - 1", param_hint="--rank")
    if rank is not None and (workers > 1 or runner != "auto"):
        raise typer.BadParameter("each rank is one process; give --workers and --runner without", param_hint="--rank")
    together = None if rank is None or of is None else (rank, of, wait)
    how: dict[str, Any] = {"shards": shards, "workers": workers, "runner": runner}
    how |= {"skip_bad": skip_bad, "incomplete_store": incomplete_store, "gate": gate}
    how |= {"against": against or (), "incomplete_benchmark": incomplete_benchmark}
    run_build(data, name, (posts or [], config), how, (together, as_json))


def rebuild(
    version: VersionArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Compare with the version, byte for byte.")] = False,
    posts: PostsOption = None,
    warc: Annotated[
        list[Path] | None,
        typer.Option(help="Read the posts again from this web archive, or folder of them."),
        FileRole.READ,
    ] = None,
    shards: ShardsOption = None,
    data: DataOption = DATA,
) -> None:
    """Build a version again from the same inputs; with --verify, say what differs and which stage did it."""
    from flows.command_line.commands import run_rebuild

    if posts and warc:
        raise typer.BadParameter("give --posts or --warc, not both", param_hint="--warc")
    run_rebuild(data, version, (posts or [], warc or []), shards, verify)


def schedule(
    cron: Annotated[str, typer.Option(help="When to crawl and build, e.g. '0 3 * * *'.")],
    source: Annotated[str | None, typer.Option(help="Crawl this source before each build.")] = None,
    url: Annotated[str | None, typer.Option(help="Where the source is.")] = None,
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
    from flows.command_line.commands import run_schedule

    run_schedule(data, name, cron, (source, where(url, urls)), (posts or [], config, gate, ui))


ModelKind = Literal["all", "posts", "systems", "answers", "publication", "tags"]


def train(
    kind: Annotated[ModelKind, typer.Argument(metavar="[MODEL]", help="Which one; all are those that ship.")] = "all",
    labels: LabelsOption = None,
    posts: PostsOption = None,
    agreement: Annotated[
        list[Path] | None,
        typer.Option("--from-agreement", help="For answers: posts that label themselves where their answers agree."),
        FileRole.READ,
    ] = None,
    corpus: Annotated[
        str | None, typer.Option(help="For tags: a corpus that says types or grades, as asdiv:PATH."), FileRole.CORPUS
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit a model from labels, with scores beside floor rows; without labels, on what ships with the checkout."""
    from flows.training import TrainingInput, run_train

    if (corpus is not None) != (kind == "tags"):
        raise typer.BadParameter("train tags learns from a --corpus, and no other model does", param_hint="--corpus")
    if agreement and kind != "answers":
        raise typer.BadParameter("posts label themselves for train answers alone", param_hint="--from-agreement")
    if (labels or posts) and kind not in ("posts", "systems", "answers"):
        raise typer.BadParameter("posts, systems and answers learn from labels", param_hint="--labels")
    if as_json and kind == "all":
        raise typer.BadParameter("the scores of one model are printed as JSON; name it", param_hint="--json")
    given = TrainingInput(data, tuple(labels or ()), tuple(posts or ()), tuple(agreement or ()), corpus)
    run_train(kind, given, as_json)


def calibrate(
    labels: Annotated[list[Path], typer.Option(help="Labels in JSON Lines."), FileRole.READ],
    posts: PostsOption = None,
    precision: Annotated[
        float | None, typer.Option(min=0, max=0.999, help="The precision to promise, if not the default.")
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Choose the threshold that keeps a promised precision on your own labels, 100 to 300 of them."""
    from flows.calibrating import run_calibrate

    run_calibrate(data, labels, posts or [], precision, as_json)


def vary(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Argument(help="Where to write the variations."), FileRole.MADE],
    kinds: Annotated[str, typer.Option(help="Names of kinds with commas between, or all.")] = "all",
    seed: Annotated[int, typer.Option(help="Which variations.")] = 7,
    file_format: Annotated[Literal["gold", "svamp"], typer.Option("--format", help="How they are written.")] = "gold",
    sheet: Annotated[
        Path | None,
        typer.Option("--audit-sheet", help="Where to write a sheet to judge some by hand, CSV."),
        FileRole.MADE,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Make variations of the problems of a corpus by rule, each with its proved answer."""
    from flows.corpora import run_vary

    run_vary(data, corpus, out, (kinds, seed, file_format), sheet)
