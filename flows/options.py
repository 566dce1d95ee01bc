"""Options and arguments that several commands take."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.roles import FileRole

DATA = "data"
CORPUS_HELP = r"NAME, NAME/ID or a folder (a version), or \[NAME=]FORMAT:PATH\[@IDS]"  # brackets are markup in help

DataOption = Annotated[
    str,
    typer.Option("--data", envvar="WORDQUARRY_DATA", help="The data folder: posts, stage outputs, versions."),
    FileRole.DATA,
]
PostsOption = Annotated[
    list[Path] | None, typer.Option("--posts", help="Posts in JSON Lines; may be given again."), FileRole.READ
]
LabelsOption = Annotated[list[Path] | None, typer.Option("--labels", help="Labels in JSON Lines."), FileRole.READ]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Configuration, TOML."), FileRole.READ]
GateOption = Annotated[
    Path | None,
    typer.Option("--gate", help="Bounds to be accepted before latest moves, TOML; default: --config."),
    FileRole.READ,
]
NameOption = Annotated[str, typer.Option("--name", help="The dataset's name.")]
ShardsOption = Annotated[int | None, typer.Option("--shards", min=1, max=512, help="Parts to split the work into.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, max=64, help="Number of worker processes.")]
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Leave out records that cannot be read, and say so.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
CorpusArgument = Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP), FileRole.CORPUS]
AgainstOption = Annotated[
    list[str] | None,
    typer.Option("--against", help=f"A benchmark; may be given again. {CORPUS_HELP}"),
    FileRole.CORPUS,
]
FoldsOption = Annotated[
    Path | None, typer.Option("--folds", help="A folder with one list of ids for each fold."), FileRole.READ
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Where to write; standard output by default."), FileRole.MADE
]
VersionArgument = Annotated[
    str, typer.Argument(metavar="VERSION", help="NAME (its latest), NAME/ID or a folder."), FileRole.CORPUS
]
JudgedStage = Literal["answers", "equations", "in_scope"]
