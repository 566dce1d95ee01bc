"""Commands that look at versions and posts, write them elsewhere, and see that they are whole."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import (
    CORPUS_HELP,
    DATA,
    STANDARD,
    ConfigOption,
    DataOption,
    FileRole,
    JsonOption,
    SkipBadOption,
    VersionArgument,
)


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


def diff(old: VersionArgument, new: VersionArgument, as_json: JsonOption = False, data: DataOption = DATA) -> None:
    """Show what changed between two versions, by problem, and which stage changed it."""
    from flows.inspection import run_diff

    run_diff(data, old, new, as_json)


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


def push(
    version: VersionArgument,
    to: Annotated[
        str,
        typer.Option("--to", help="A folder, a URL that fsspec knows (s3://...), or hf://datasets/OWNER/NAME."),
        FileRole.SENT,
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Send it; without this, only what would change is shown.")] = False,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="Also a version that its gate has not accepted yet.")
    ] = False,
    public: Annotated[bool, typer.Option("--public", help="A repository that has to be made is public.")] = False,
    data: DataOption = DATA,
) -> None:
    """Send a version whole to a folder, a bucket or a hub: shows first what would change there."""
    from flows.inspection import run_push

    run_push(data, version, to, (yes, candidate, public))
