"""The command line: every command of the contract, each a thin shell that imports what it needs when it runs."""

import importlib.metadata
import sys
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from corpus.errors import CorpusError
from corpus.open_files import command_files
from extractors.extraction_errors import ExtractionError
from flows.checking_cli import align_app, audit_app
from flows.crawling_cli import crawl, schedule
from flows.doctor_cli import doctor
from flows.interruption import INTERRUPTED, MESSAGE
from flows.learning_cli import calibrate, label_app, train_app
from flows.log import LOG, log_to, note, noted_end
from flows.options import (
    CORPUS_HELP,
    DATA,
    ConfigOption,
    CorpusArgument,
    DataOption,
    GateOption,
    JsonOption,
    NameOption,
    OfOption,
    OutOption,
    PostsOption,
    ProbesOption,
    ProfileOption,
    RankOption,
    RunnerOption,
    ShardsOption,
    SkipBadOption,
    VersionArgument,
    WaitOption,
    WorkersOption,
)
from flows.push_cli import push
from flows.roles import STANDARD, Commands, FileRole
from flows.solver_cli import solve_eval, vary
from flows.streams import take_streams

app = Commands(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"wordquarry {importlib.metadata.version('wordquarry')}")
        raise typer.Exit


@app.callback()
def begin(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
    log: Annotated[
        Path | None, typer.Option("--log", envvar=LOG, help="Add what happens, with times, to this file."), FileRole.LOG
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Write also over files that wordquarry did not write.")
    ] = False,
) -> None:
    """Builds corpora of math word problems out of crawled community Q&A."""
    context.with_resource(command_files(replace=replace))
    if log is not None:
        log_to(log)


app.command()(crawl)
app.command()(schedule)
app.command()(push)
app.command("solve-eval")(solve_eval)
app.command()(vary)
app.command()(doctor)
app.command()(calibrate)
app.add_typer(train_app, name="train")
app.add_typer(label_app, name="label")
app.add_typer(audit_app, name="audit")
app.add_typer(align_app, name="align")


@app.command()
def demo(as_json: JsonOption = False, data: DataOption = "demo") -> None:
    """Serve the bundled site on loopback, crawl it, build a version; show the funnel, the quality and the report."""
    from flows.commands import run_demo

    run_demo(data, as_json)


@app.command()
def ingest(
    file: Annotated[Path, typer.Argument(help="A file of posts, a dump or a web archive."), FileRole.READ],
    file_format: Annotated[
        str, typer.Option("--format", help="jsonl, parquet, stackexchange, yahoo, warc (also WACZ) or cc-index.")
    ] = "jsonl",
    source: Annotated[
        str | None, typer.Option("--source", help="The source of posts that do not name one; a dump's site.")
    ] = None,
    retrieved_at: Annotated[str | None, typer.Option("--retrieved-at", help="UTC time of posts without one.")] = None,
    skip_bad: SkipBadOption = False,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="Only threads with this tag or category; may be given again.")
    ] = None,
    columns: Annotated[
        str, typer.Option("--columns", help="Fields by columns, e.g. question=title+body,answers.text=reply.")
    ] = "",
    archives: Annotated[
        Path | None, typer.Option("--archives", help="Where the files are that an index names."), FileRole.READ
    ] = None,
    workers: WorkersOption = 1,
    data: DataOption = DATA,
) -> None:
    """Read posts from a file, a dump or a web archive into the post store."""
    from flows.ingesting import IngestRequest, run_ingest

    run_ingest(
        IngestRequest(
            data=data,
            file=file,
            file_format=file_format,
            source=source,
            retrieved_at=retrieved_at,
            skip_bad=skip_bad,
            tags=tuple(tag or ()),
            columns=columns,
            archives=archives,
            workers=workers,
        )
    )


@app.command()
def forget(
    post: Annotated[str, typer.Argument(metavar="POST_ID|URL", help="A post's id, or the address of its thread.")],
    push_it: Annotated[
        bool, typer.Option("--push", help="Send the new versions to where the old ones were pushed.")
    ] = False,
    key: Annotated[
        Path | None,
        typer.Option("--key", envvar="WORDQUARRY_KEY", help="A file with a key that signs the line in the log."),
        FileRole.READ,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Forget a post: a tombstone stays, and versions, and what was pushed of them, are made anew without it."""
    from flows.ingesting import run_forget

    run_forget(data, post, key, push_it)


@app.command()
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
    from flows.recovering import run_recover

    run_recover(data, given or [], accept=accept_loss)


@app.command()
def prune(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    data: DataOption = DATA,
) -> None:
    """Remove stage outputs that no published version came through, and say how many bytes they held."""
    from flows.inspection import run_prune

    run_prune(data, dry_run)


@app.command()
def build(
    posts: PostsOption = None,
    config: ConfigOption = None,
    gate: GateOption = None,
    name: NameOption = "quarry",
    data: DataOption = DATA,
    shards: ShardsOption = None,
    workers: WorkersOption = 1,
    runner: RunnerOption = "auto",
    rank: RankOption = None,
    of: OfOption = None,
    wait: WaitOption = 600,
    skip_bad: SkipBadOption = False,
    against: Annotated[
        list[str] | None,
        typer.Option("--against", metavar="NAME=CORPUS", help=f"Drop what stands in this benchmark; {CORPUS_HELP}"),
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
    from flows.commands import run_build

    if (rank is None) != (of is None) or (rank is not None and of is not None and rank >= of):
        raise typer.BadParameter("give --rank I --of N, with I from 0 to N - 1", param_hint="--rank")
    if rank is not None and (workers > 1 or runner != "auto"):
        raise typer.BadParameter("each rank is one process; give --workers and --runner without", param_hint="--rank")
    together = None if rank is None or of is None else (rank, of, wait)
    how: dict[str, Any] = {"shards": shards, "workers": workers, "runner": runner}
    how |= {"skip_bad": skip_bad, "incomplete_store": incomplete_store, "gate": gate}
    how |= {"against": against or (), "incomplete_benchmark": incomplete_benchmark}
    run_build(data, name, (posts or [], config), how, (together, as_json))


@app.command()
def rebuild(
    version: VersionArgument,
    verify: Annotated[bool, typer.Option("--verify", help="Compare with the version, byte for byte.")] = False,
    posts: PostsOption = None,
    warc: Annotated[
        list[Path] | None,
        typer.Option("--warc", help="Read the posts again from this web archive, or folder of them."),
        FileRole.READ,
    ] = None,
    shards: ShardsOption = None,
    data: DataOption = DATA,
) -> None:
    """Build a version again from the same inputs; with --verify, say what differs and which stage did it."""
    from flows.commands import run_rebuild

    if posts and warc:
        raise typer.BadParameter("give --posts or --warc, not both", param_hint="--warc")
    run_rebuild(data, version, (posts or [], warc or []), shards, verify)


@app.command()
def verify(
    version: VersionArgument,
    solve: Annotated[bool, typer.Option("--solve", help="Solve every system once more, with SymPy.")] = False,
    attest: Annotated[
        Path | None,
        typer.Option("--attest", help="Where to write a statement (in-toto) about the version; solves it as well."),
        FileRole.MADE,
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="An Ed25519 key, PEM, that signs the statement (DSSE)."),
        FileRole.READ,
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Read every file of a version against its manifest, without building; say what differs."""
    from flows.inspection import run_verify

    run_verify(data, version, solve, (attest, key))


@app.command()
def diff(old: VersionArgument, new: VersionArgument, as_json: JsonOption = False, data: DataOption = DATA) -> None:
    """Show what changed between two versions, by problem, and which stage changed it."""
    from flows.inspection import run_diff

    run_diff(data, old, new, as_json)


@app.command()
def explain(
    post_id: Annotated[str, typer.Argument(metavar="POST_ID")],
    version: Annotated[
        str | None, typer.Option("--version", help="NAME or NAME/ID; default: the only dataset."), FileRole.CORPUS
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Follow one post through the stages: verdict, score, evidence and reason of each."""
    from flows.inspection import run_explain

    run_explain(data, post_id, version, as_json)


@app.command()
def stats(
    corpus: CorpusArgument,
    as_json: JsonOption = False,
    file_format: Annotated[str, typer.Option("--format", help="text, markdown, json or html")] = "text",
    out: OutOption = None,
    profile: ProfileOption = None,
    probes: ProbesOption = None,
    data: DataOption = DATA,
) -> None:
    """Print the figures of a corpus that papers report."""
    from flows.corpora import run_stats

    run_stats(data, [corpus], (profile, probes), "json" if as_json else file_format, out)


@app.command()
def compare(
    corpora: Annotated[list[str], typer.Argument(metavar="CORPUS...", help=CORPUS_HELP), FileRole.CORPUS],
    as_json: JsonOption = False,
    file_format: Annotated[str, typer.Option("--format", help="text, markdown, json or html")] = "text",
    out: OutOption = None,
    profile: ProfileOption = None,
    probes: ProbesOption = None,
    data: DataOption = DATA,
) -> None:
    """Print the figures of several corpora side by side."""
    from flows.corpora import run_stats

    run_stats(data, corpora, (profile, probes), "json" if as_json else file_format, out)


@app.command()
def leaks(
    corpus: CorpusArgument,
    against: Annotated[
        list[str] | None, typer.Option("--against", help=f"A benchmark; {CORPUS_HELP}"), FileRole.CORPUS
    ] = None,
    share: Annotated[float, typer.Option("--share", help="Share of the words that may differ in a near leak.")] = 0.3,
    as_json: JsonOption = False,
    file_format: Annotated[str, typer.Option("--format", help="text, markdown or json")] = "text",
    out: OutOption = None,
    data: DataOption = DATA,
) -> None:
    """List problems of a corpus that also appear in benchmarks, word for word or nearly so."""
    from flows.corpora import run_leaks

    run_leaks(data, corpus, against or [], (share, "json" if as_json else file_format), out)


@app.command()
def export(
    what: Annotated[
        str, typer.Argument(metavar="posts|CORPUS", help=f"'posts' for the post store; {CORPUS_HELP}"), FileRole.CORPUS
    ],
    out: Annotated[
        Path | None, typer.Argument(help="Where to write; standard output by default."), FileRole.MADE
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="A format of benchmarks (draw, asdiv, gsm8k, gold, ...) or of trainers (trl, verl, nemo-rl, lm-eval, "
            "inspect).",
        ),
    ] = None,
    skip_bad: SkipBadOption = False,
    data: DataOption = DATA,
) -> None:
    """Write posts or problems as JSON Lines, or problems in the format of a benchmark or a trainer."""
    from corpus.benchmarks.reading import is_benchmark

    if what != "posts" and (file_format is not None or is_benchmark(what)):
        from flows.corpora import export_corpus

        export_corpus(data, what, file_format, out, skip_bad=skip_bad)
        return
    from flows.inspection import run_export

    if file_format is not None:
        raise typer.BadParameter("posts have no benchmark format", param_hint="--format")
    run_export(data, what, out)


@app.command()
def stage(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The stage.")],
    source: Annotated[
        Path | None, typer.Argument(metavar="[IN]", help="Standard input by default, or for -."), FileRole.READ
    ] = None,
    sink: Annotated[
        Path | None, typer.Argument(metavar="[OUT]", help="Standard output by default, or for -."), FileRole.MADE
    ] = None,
    config: ConfigOption = None,
    min_votes: Annotated[
        int | None,
        typer.Option(
            "--min-votes",
            min=1,
            max=100,
            help="Answers that must agree on a system.",
            show_default="as in the build, 1",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first record that cannot be processed.")
    ] = False,
    data: DataOption = DATA,
) -> None:
    """Run one stage alone over JSON Lines, as a build runs it: one line out for each line in, same order, same id."""
    from flows.stage_command import NAMES, StageOptions, run_stage_command

    if name not in NAMES:
        raise typer.BadParameter(f"unknown stage {name!r}; there are: {', '.join(NAMES)}", param_hint="NAME")
    files = (None if source == STANDARD else source, None if sink == STANDARD else sink)
    run_stage_command(name, files, StageOptions(data, config, min_votes, strict))


@app.command(context_settings={"ignore_unknown_options": True})  # "-3" is an answer
def grade(
    answer: Annotated[str, typer.Argument(help="The answer, in any notation that parse-answer reads.")],
    gold: Annotated[str, typer.Argument(help="The gold answer.")],
    tolerance: Annotated[str, typer.Option("--tolerance", help="Relative to the gold: 0.01 or 1/100.")] = "0",
    as_json: JsonOption = False,
) -> None:
    """Say whether an answer is the gold answer: right, wrong or undecided, and why."""
    from flows.grade_command import run_grade

    try:
        near = Fraction(tolerance)
    except (ValueError, ZeroDivisionError):
        near = Fraction(-1)
    if near < 0:
        raise typer.BadParameter(f"{tolerance!r} is not a tolerance; give 0, 0.01 or 1/100", param_hint="--tolerance")
    run_grade(answer, gold, near, as_json)


@app.command()
def quality(
    what: Annotated[list[str] | None, typer.Argument(help="Names of figures; without one, all.")] = None,
    as_json: JsonOption = False,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the tables in docs/figures; make figures writes the pages.")
    ] = False,
    data: DataOption = "quality",
) -> None:
    """Measure quality against gold labels, as docs/quality.md shows it."""
    from flows.quality import RECORDS, run_quality

    run_quality(what or ["all"], data, as_json, RECORDS if record else None)


def main() -> None:
    """Run a command; an expected failure is one line on standard error and exit status 1, wrong usage 2."""
    take_streams()
    with noted_end():
        _run()


def _fail(message: str) -> NoReturn:
    line = f"wordquarry: {' '.join(message.split())}"
    note(line)
    typer.echo(line, err=True)
    sys.exit(1)


def _run() -> None:
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except (CorpusError, ExtractionError) as error:
        _fail(str(error))
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        what = error.strerror or type(error).__name__
        _fail(f"cannot use{where}: {what}; check the path, its permissions and free space")
    except SystemExit as ended:
        if ended.code == INTERRUPTED:  # typer's own end of a KeyboardInterrupt, which says nothing
            typer.echo(MESSAGE, err=True)
        raise


if __name__ == "__main__":
    main()
