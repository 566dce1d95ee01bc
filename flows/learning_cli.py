"""The command groups ``train`` and ``label``: what models are fitted on, and fitting them."""

from pathlib import Path
from typing import Annotated

import typer

from flows.options import DATA, DataOption, JsonOption, PostsOption
from flows.roles import Commands, FileRole

LabelsOption = Annotated[list[Path] | None, typer.Option("--labels", help="Labels in JSON Lines."), FileRole.READ]

train_app = Commands(
    help="Fit a model from labels, with scores beside floor rows; without a name all of them.",
    invoke_without_command=True,
)
label_app = Commands(help="Label posts by hand, the most useful first.", no_args_is_help=True)


@train_app.callback()
def train(context: typer.Context) -> None:
    """Fit a model from labels, with scores beside floor rows; without a name all of them."""
    if context.invoked_subcommand is None:
        train_all()


@train_app.command("all")
def train_all(data: DataOption = DATA) -> None:
    """Fit posts, systems, answers and publication anew, on what ships with the checkout."""
    from flows.training import run_train_all

    run_train_all(data)


@train_app.command("posts")
def train_posts(
    labels: LabelsOption = None,
    posts: PostsOption = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit the post classifier; without options, on the bundled site's training labels."""
    from flows.training import run_train_posts

    run_train_posts(data, labels or [], posts or [], as_json)


@train_app.command("systems")
def train_systems(
    labels: LabelsOption = None,
    posts: PostsOption = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit the system model; without options, on what ships with the checkout."""
    from flows.training import run_train_systems

    run_train_systems(data, labels or [], posts or [], as_json)


@train_app.command("answers")
def train_answers(
    labels: LabelsOption = None,
    posts: PostsOption = None,
    agreement: Annotated[
        list[Path] | None,
        typer.Option("--from-agreement", help="Posts that label themselves where equations and closing values agree."),
        FileRole.READ,
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit the answer ranker; without options, on the bundled site's training labels."""
    from flows.training import run_train_answers

    run_train_answers(data, labels or [], posts or [], agreement or [], as_json)


@train_app.command("publication")
def train_publication(as_json: JsonOption = False, data: DataOption = DATA) -> None:
    """Fit the publication model, which says how likely scope, answer and system are right, on real posts."""
    from flows.training import run_train_publication

    run_train_publication(data, as_json)


@train_app.command("tags")
def train_tags(
    corpus: Annotated[
        str, typer.Option("--corpus", help="A corpus that says types or grades, as asdiv:PATH."), FileRole.CORPUS
    ],
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Fit the tag model on a corpus of yours that says problem types or grades, for release.tags; none ships."""
    from flows.training import run_train_tags

    run_train_tags(data, corpus, as_json)


def calibrate(
    labels: Annotated[list[Path], typer.Option("--labels", help="Labels in JSON Lines."), FileRole.READ],
    posts: PostsOption = None,
    precision: Annotated[
        float | None,
        typer.Option("--precision", min=0, max=0.999, help="The precision to promise, if not the default."),
    ] = None,
    as_json: JsonOption = False,
    data: DataOption = DATA,
) -> None:
    """Choose the threshold that keeps a promised precision on your own labels, 100 to 300 of them."""
    from flows.calibrating import run_calibrate

    run_calibrate(data, labels, posts or [], precision, as_json)


@label_app.command("posts")
def label_posts(
    out: Annotated[
        Path, typer.Option("--out", help="The sheet; JSON Lines, or .json for Label Studio."), FileRole.KEPT
    ],
    posts: PostsOption = None,
    labels: Annotated[
        list[Path] | None, typer.Option("--labels", help="Labels that exist already."), FileRole.READ
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, max=10_000, help="Posts to put on the sheet.")] = 50,
    drawn: Annotated[bool, typer.Option("--drawn", help="A sample of the posts as they come, for calibrate.")] = False,
    data: DataOption = DATA,
) -> None:
    """Write a sheet of posts to label: uncertain first, diverse; rows that are filled in stay."""
    from flows.label_commands import run_label_posts

    run_label_posts(data, (posts or [], labels or []), n, out, drawn)


@label_app.command("import")
def label_import(
    sheet: Annotated[
        Path, typer.Argument(help="A filled-in sheet, or tasks exported from Label Studio as JSON."), FileRole.READ
    ],
    out: Annotated[Path, typer.Option("--out", help="Where the labels go, for train posts --labels."), FileRole.MADE],
) -> None:
    """Turn a filled-in sheet into a labels file."""
    from flows.label_commands import run_label_import

    run_label_import(sheet, out)
