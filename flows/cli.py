"""The command line: its commands by what one does with them.

The modules ``*_commands`` say what a command takes. They import what does the work when it runs, so that help, wrong
usage and completion are quick.
"""

import importlib.metadata
import sys
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from corpus.errors import CorpusError
from corpus.folders.open_files import command_files
from extractors.extraction_errors import ExtractionError
from flows.command_line import build_commands, collect_commands, judge_commands, look_commands, measure_commands
from flows.command_line.options import Commands, FileRole
from flows.processes.command_process import INTERRUPTED, LOG, MESSAGE, log_to, note, noted_end, take_streams

app = Commands(pretty_exceptions_enable=False)


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


PANELS: Final = {
    "Collect": (collect_commands.crawl, collect_commands.ingest),
    "Build": (
        build_commands.demo,
        build_commands.build,
        build_commands.rebuild,
        build_commands.schedule,
        build_commands.train,
        build_commands.calibrate,
        build_commands.vary,
    ),
    "Look": (look_commands.explain, look_commands.diff, look_commands.export, look_commands.stage),
    "Measure": (
        measure_commands.stats,
        measure_commands.leaks,
        measure_commands.diversity,
        measure_commands.doctor,
        measure_commands.score,
        measure_commands.solve_eval,
        measure_commands.quality,
    ),
    "Judge": (judge_commands.audit,),
    "Maintain": (look_commands.verify, look_commands.push),
}
"""Commands by what one does with them, as ``--help`` shows them."""

for _panel, _functions in PANELS.items():
    for _function in _functions:
        app.command(rich_help_panel=_panel)(_function)
app.command(rich_help_panel="Measure", context_settings={"ignore_unknown_options": True})(measure_commands.grade)
"""An answer may be "-3"."""
app.add_typer(judge_commands.sheet_app, name="sheet", rich_help_panel="Judge")
app.add_typer(judge_commands.gate_app, name="gate", rich_help_panel="Judge")
app.add_typer(collect_commands.store_app, name="store", rich_help_panel="Maintain")


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
