"""The command ``push``."""

from typing import Annotated

import typer

from flows.options import DATA, DataOption, VersionArgument
from flows.roles import FileRole


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
