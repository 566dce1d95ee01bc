"""What Prefect's pages show of a run: its name, the version that it built with its funnel, and a link to the report."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from corpus.card import funnel_lines
from corpus.shown_text import markdown_line
from corpus.workspace import Workspace
from flows.server import REPORTS, REPORTS_AT


def run_name(what: str, request: Any, field: str = "name") -> str:
    """The name of a run: what it does, and to which dataset or other field of its request.

    >>> run_name("build", {"name": "quarry"}), run_name("build", None)
    ('build quarry', 'build')
    """
    name = request.get(field) if isinstance(request, Mapping) else None
    return f"{what} {name}" if isinstance(name, str) else what


def crawl_page(counts: Mapping[str, Any]) -> str:
    """What a crawl did, as a Markdown table; counts within counts, as of what was stored, have a row each."""
    rows = []
    for name, value in counts.items():
        inner = value.items() if isinstance(value, Mapping) else [("", value)]
        rows += [f"| {f'{name} {part}'.strip()} | {markdown_line(str(one))} |" for part, one in inner]
    return "\n".join(["| count | value |", "|---|---|", *rows])


def outcome_line(built: Mapping[str, Any]) -> str:
    """What a build came to, in one line.

    >>> outcome_line({"version": "quarry/91bc", "rows": 12, "new": False, "parts": 10, "reused": 9})
    'quarry/91bc, 12 problems, there before; 9 of 10 parts reused'
    """
    state = "new" if built["new"] else "there before"
    reused = f"{built['reused']} of {built['parts']} parts reused"
    return f"{built['version']}, {built['rows']} problems, {state}; {reused}"


def version_page(built: Mapping[str, Any]) -> str:
    """A built version in Markdown: what it is, where it lies, and its funnel as a table."""
    waiting = ", ".join(built["not_accepted"])
    lines = [f"# {markdown_line(built['version'])}", "", outcome_line(built) + ".", ""]
    lines += [f"A candidate: {waiting} not accepted.", ""] if waiting else []
    return "\n".join([*lines, f"Folder: `{built['path']}`", "", *funnel_lines(built["funnel"])])


def write_report_of(data: str, version: str) -> str | None:
    """Write the report of a version where the server shows it; its address, or None where no pages are shown."""
    folder, address = os.environ.get(REPORTS), os.environ.get(REPORTS_AT)
    if not folder or not address:
        return None
    from audits.report.report_page import write_report

    workspace = Workspace(data)
    file = f"{version.replace('/', '-')}.html"
    write_report(workspace, workspace.versions.open(version), Path(folder) / file)
    return f"{address}/{file}"
