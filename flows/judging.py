"""The command ``audit serve``; it loads nothing of the pipeline, so that a server that was killed is soon back."""

import contextlib
from pathlib import Path

from audits.sheets.serving import SheetServer
from flows.console import Reporter


def run_audit_serve(sheet: Path, port: int | None) -> None:
    """The command ``audit serve``: until interrupted."""
    reporter = Reporter()
    with SheetServer(sheet, port, reporter.line) as server, contextlib.suppress(KeyboardInterrupt):
        reporter.line(f"sheet at {server.url}; stop with Ctrl-C", logged=False)
        server.serve()
