"""Commands that look at versions and posts, write them elsewhere, and see that they are whole."""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.command_line.options import (
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

if TYPE_CHECKING:
    from corpus.versioning.versions import Version

SHOWN = 5
MOST_LOST = 1_000
"""Spans that lead nowhere which are looked for before they are told."""


def explain(
    post_id: Annotated[str, typer.Argument(metavar="POST_ID")],
    version: Annotated[
        str | None, typer.Option(help="NAME or NAME/ID; default: the only dataset."), FileRole.CORPUS
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Follow one post through the stages: verdict, score, evidence and reason of each."""
    from audits.inspect.explain import explain as explained
    from audits.inspect.explain import last_build
    from corpus.workspace import Workspace
    from flows.console import Reporter

    workspace = Workspace(data)
    Reporter().show(explained(workspace, last_build(workspace, version), post_id), as_json)


def diff(old: VersionArgument, new: VersionArgument, as_json: JsonOption = False, data: DataOption = DATA) -> None:
    """Show what changed between two versions, by problem, and which stage changed it."""
    from audits.inspect.differences import diff as differences
    from corpus.workspace import Workspace
    from flows.console import Reporter

    workspace = Workspace(data)
    versions = workspace.versions
    Reporter().show(differences(workspace, versions.open(old), versions.open(new)), as_json)


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
    if file_format is not None:
        raise typer.BadParameter("posts have no benchmark format", param_hint="--format")
    from corpus.canonical import canonical_json
    from corpus.folders.result_files import result_text
    from corpus.workspace import Workspace

    workspace = Workspace(data)
    rows = list(workspace.posts.posts().values()) if what == "posts" else workspace.versions.open(what).problems()
    with result_text(out) as sink:
        for row in rows:
            sink.write(canonical_json(row.model_dump(mode="json")) + "\n")


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
        typer.Option(min=1, max=100, help="Answers that must agree on a system.", show_default="as in the build, 1"),
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
        typer.Option(help="Where to write a statement (in-toto) about the version; solves it as well."),
        FileRole.MADE,
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="An Ed25519 key, PEM, that signs the statement (DSSE)."), FileRole.READ
    ] = None,
    data: DataOption = DATA,
) -> None:
    """Read every file of a version against its manifest, without building; say what differs.

    Every span in it is followed to its characters.
    """
    from corpus.errors import ConfigError, VersionError
    from corpus.folders.result_files import write_results
    from corpus.versioning.manifest import faults
    from corpus.versioning.verification import envelope, lost_spans, read_signing_key, statement
    from corpus.workspace import Workspace
    from flows.console import Reporter

    if key and not attest:
        raise ConfigError("--key signs a statement; say with --attest FILE where it goes")
    signing = read_signing_key(key) if key else None
    opened = Workspace(data).versions.open(version)
    files = opened.manifest["files"]
    found = faults(opened.folder, opened.manifest) or list(
        islice(lost_spans(opened.folder, opened.manifest), MOST_LOST)
    )
    if found:
        more = f" (and {len(found) - SHOWN} more)" if len(found) > SHOWN else ""
        raise VersionError(
            f"{opened.label} is not what was published: {'; '.join(found[:SHOWN])}{more}; restore the files, or move "
            f"{opened.folder} away and build again (rebuild --verify says where they differ)"
        )
    size = sum(facts["bytes"] for facts in files.values())
    Reporter().text(
        f"{opened.label}: {len(files) + 1} files as published, {opened.manifest['rows']} rows, "
        f"{size} bytes beside the manifest; every span leads to its characters"
    )
    solved = _solve_again(opened) if solve or attest else {}
    if attest:
        said = statement(opened, solved)
        write_results([(attest, (said if signing is None else envelope(said, signing)).decode())])


def _solve_again(version: "Version") -> dict[str, int]:
    """How many systems SymPy solves as they are published, otherwise (none: VersionError), and not at all."""
    from corpus.errors import VersionError
    from evaluation.gold_corpora.gold_systems import version_opinions
    from extractors.solve.second_solver import Opinion
    from flows.console import Reporter

    found = version_opinions(version.problems())
    counts = Counter(one.opinion for one in found.values())
    reasons = Counter(one.why for one in found.values() if one.opinion is Opinion.NOT_SOLVED)
    why = f" ({', '.join(f'{reason}: {count}' for reason, count in sorted(reasons.items()))})" if reasons else ""
    Reporter().text(
        f"{version.label}: {len(found)} systems solved once more by SymPy, {counts[Opinion.AGREES]} agree, "
        f"{counts[Opinion.DISAGREES]} disagree, {counts[Opinion.NOT_SOLVED]} it does not solve{why}"
    )
    other = [f"{id_}: {one.why}" for id_, one in found.items() if one.opinion is Opinion.DISAGREES]
    if other:
        more = f" (and {len(other) - SHOWN} more)" if len(other) > SHOWN else ""
        raise VersionError(
            f"{version.label} has systems that SymPy solves otherwise: {'; '.join(other[:SHOWN])}{more}; look at them "
            "with wordquarry explain, and report what our solver gets wrong"
        )
    return {str(opinion): counts[opinion] for opinion in Opinion}


def push(
    version: VersionArgument,
    to: Annotated[
        str,
        typer.Option(help="A folder, a URL that fsspec knows (s3://...), or hf://datasets/OWNER/NAME."),
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
    from corpus.delivery import pushing
    from corpus.delivery.push_places import place_of
    from corpus.workspace import Workspace
    from flows.console import Reporter

    workspace, reporter = Workspace(data), Reporter()
    opened = workspace.versions.open(version)
    place = place_of(to, workspace, opened, private=not public)
    plan, where = pushing.push(workspace, opened, place, candidate=candidate, send=yes)
    reporter.text("\n".join(plan.lines()))
    if where is not None:
        reporter.text(f"sent to {where}")
    elif plan.files or plan.gone:
        reporter.text("nothing was sent; --yes sends it")
    else:
        reporter.text(f"{to} has {opened.label} already")
