"""Options and arguments that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

from flows.roles import FileRole

DataOption = Annotated[
    str,
    typer.Option("--data", envvar="WORDQUARRY_DATA", help="The data folder: posts, stage outputs, versions."),
    FileRole.DATA,
]
PostsOption = Annotated[
    list[Path] | None, typer.Option("--posts", help="Posts in JSON Lines; may be given again."), FileRole.READ
]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Configuration, TOML."), FileRole.READ]
GateOption = Annotated[
    Path | None,
    typer.Option("--gate", help="Bounds to be accepted before latest moves, TOML; default: --config."),
    FileRole.READ,
]
NameOption = Annotated[str, typer.Option("--name", help="The dataset's name.")]
ShardsOption = Annotated[int | None, typer.Option("--shards", min=1, max=512, help="Parts to split the work into.")]
WorkersOption = Annotated[int, typer.Option("--workers", min=1, max=64, help="Number of worker processes.")]
RunnerOption = Annotated[
    str,
    typer.Option(
        "--runner",
        help="Where parts are made: here (in this command), process (by Prefect, with --workers), auto (here where "
        "little is new), or dask://HOST:PORT (a Dask scheduler).",
    ),
]
RankOption = Annotated[int | None, typer.Option("--rank", min=0, help="Of several builds together, which this is.")]
OfOption = Annotated[int | None, typer.Option("--of", min=1, max=1024, help="How many builds work together.")]
WaitOption = Annotated[
    float, typer.Option("--wait", min=1, help="Seconds to wait for another rank that shows no sign of life.")
]
SkipBadOption = Annotated[bool, typer.Option("--skip-bad", help="Leave out records that cannot be read, and say so.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
CORPUS_HELP = r"NAME, NAME/ID or a folder (a version), or \[NAME=]FORMAT:PATH\[@IDS]"  # brackets are markup in help
CorpusArgument = Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP), FileRole.CORPUS]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Where to write; standard output by default."), FileRole.MADE
]
ProfileOption = Annotated[str | None, typer.Option("--profile", help="Normaliser profile of lexicon diversity.")]
ProbesOption = Annotated[
    bool | None, typer.Option("--probes/--no-probes", help="Shallow probes; by default up to 5,000 problems.")
]
VersionArgument = Annotated[
    str, typer.Argument(metavar="VERSION", help="NAME (its latest), NAME/ID or a folder."), FileRole.CORPUS
]

DATA = "data"
