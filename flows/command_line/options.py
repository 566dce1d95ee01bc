"""What the files that a command is given are to it, and the guard that every command runs behind.

Each parameter that names a file has a role beside its type: ``Annotated[Path, typer.Option(...), FileRole.READ]``.
Before a command runs, what it reads is told to ``corpus.folders.open_files``, and it fails where it is to write to one
of them, or over a file of somebody else. Commands are made with ``Commands``, so that none is without its guard.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from corpus.folders.open_files import STANDARD_ERROR, STANDARD_OUTPUT, check_place, current_files, reads, spare_inputs

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])
STANDARD = Path("-")
"""Standard input or output by its short name."""


class FileRole(Enum):
    """What a file that a parameter names is to the command."""

    READ = "a file or folder that is read"
    BESIDE = "a file that is read, and beside which others are written"
    CORPUS = "a corpus or version that is read, by its specification"
    DATA = "the data folder"
    KEPT = "a file that is written anew with what people put into it"
    MADE = "a file that is written"
    SENT = "a folder or address that files are sent to"
    LOG = "a file that lines are added to"


OUTPUTS = frozenset({FileRole.BESIDE, FileRole.KEPT, FileRole.MADE, FileRole.SENT, FileRole.LOG})


def roles(function: Callable[..., Any]) -> dict[str, FileRole]:
    """The role of each parameter of a command that has one."""
    parameters = inspect.signature(function).parameters.values()
    found = ((one.name, said) for one in parameters for said in get_args(one.annotation) if isinstance(said, FileRole))
    return dict(found)


class _BareFlags:
    """Help shows no type behind a flag, which takes no value."""

    def get_params(self, ctx: Any) -> Any:
        """Like that of the command."""
        found = super().get_params(ctx)  # type: ignore[misc]
        for one in found:
            if getattr(one, "is_flag", False) and one.metavar is None:
                one.metavar = ""
        return found


class GuardedCommand(_BareFlags, TyperCommand):
    """A command of ``Commands``."""


class CommandGroup(_BareFlags, TyperGroup):
    """The group that ``Commands`` become."""


class Commands(typer.Typer):
    """A group of commands, each of which runs behind its guard."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=CommandGroup, no_args_is_help=True, **settings)

    def command(self, *names: Any, **settings: Any) -> Callable[[CommandFunction], CommandFunction]:
        """Like ``Typer.command``."""
        register = super().command(*names, cls=GuardedCommand, **settings)

        def registered(function: CommandFunction) -> CommandFunction:
            register(guarded(function))
            return function

        return registered


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command that fails before it begins where it is to write where it reads, or over what others wrote."""
    said = roles(function)
    writes = not OUTPUTS.isdisjoint(said.values())

    @functools.wraps(function)
    def run(**given: Any) -> Any:
        named = [(role, one) for name, role in said.items() for one in _listed(given[name])]
        for role, one in named:
            if writes or role is not FileRole.CORPUS:  # a specification is followed anyway when the corpus is read
                _take(role, one)
        for place in (STANDARD_OUTPUT, STANDARD_ERROR):
            spare_inputs(place)
        for role, one in named:
            _check(role, one)
        return function(**given)

    return run


def _listed(value: Any) -> Iterator[Any]:
    values = value if isinstance(value, list | tuple) else [value]
    return (one for one in values if one is not None and one != STANDARD)


def _take(role: FileRole, value: Any) -> None:
    """Tell the files of a command of one that it reads, or of a folder that is not for its user's files."""
    if role in (FileRole.READ, FileRole.BESIDE):
        reads(value)
    elif role is FileRole.CORPUS:
        from corpus.benchmarks.reading import paths_of

        for path in paths_of(value):
            reads(path)
    elif role is FileRole.DATA:
        from corpus.workspace import Workspace

        current_files().rooms.extend(Workspace(value).rooms())


def _check(role: FileRole, value: Any) -> None:
    """InputError where a file that is to be written may not be."""
    if role is FileRole.MADE:
        from corpus.folders.result_files import check_result

        check_result(value)
    elif role is FileRole.KEPT:
        check_place(value)
    elif role is FileRole.SENT and not value.startswith("hf://"):
        from corpus.folders.files import Folder

        place = Folder.at(value)
        if place.local:
            check_place(Path(place.path))


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
    list[str] | None, typer.Option("--against", help=f"A benchmark; may be given again. {CORPUS_HELP}"), FileRole.CORPUS
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
