"""Tables as text: columns in line for a terminal, and Markdown, written and read back."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|: -]+")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines with aligned columns.

    >>> aligned([["a", "bb"], ["ccc", "d"]])
    ['  a    bb', '  ccc  d']
    """
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return [f"  {line.rstrip()}" for line in lines]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table; pipes are escaped and each cell is one line.

    >>> markdown_table(["a"], [["x|y"]])
    ['| a |', '|---|', '| x\\\\|y |']
    """

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(' '.join(cell.replace('|', chr(92) + '|').split()) for cell in cells)} |"

    return [line(head), "|---" * len(head) + "|", *map(line, rows)]


def markdown_frame(frame: pd.DataFrame, title: str = "") -> str:
    """A frame as Markdown under its title in bold, with an empty line behind it; its index is no column.

    >>> markdown_frame(pd.DataFrame({"of": ["all"], "n": [3]}), "right")
    '**right**\\n\\n| of | n |\\n|---|---|\\n| all | 3 |\\n'
    """
    table = markdown_table([str(name) for name in frame], frame.astype(str).to_numpy())
    return "\n".join([*([f"**{title}**", ""] if title else []), *table, ""])


def aligned_frame(frame: pd.DataFrame) -> list[str]:
    """A frame as lines with aligned columns, its head first; its index is no column.

    >>> aligned_frame(pd.DataFrame({"of": ["all"], "n": [3]}))
    ['  of   n', '  all  3']
    """
    return aligned([[str(name) for name in frame], *frame.astype(str).to_numpy()])


def tables_in(markdown: str) -> list[dict[str, Any]]:
    """Every table of a Markdown text as data: title, columns and rows, cells as text.

    The title is the bold line above a table; a table without one is named by the head of its first column.

    >>> tables_in("**right**\\n\\n| of | share |\\n|---|---:|\\n| x\\\\|y | 92.0 % (n=87) |\\n")
    [{'title': 'right', 'columns': ['of', 'share'], 'rows': [['x|y', '92.0 % (n=87)']]}]
    """
    found: list[dict[str, Any]] = []
    title, inside = "", False
    for line in markdown.splitlines():
        if not line.startswith("|"):
            title = line.strip("* ") if line.startswith("**") else title
            inside = False
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip()[1:-1])]
        if not inside:
            found.append({"title": title or cells[0], "columns": cells, "rows": []})
            title = ""
        elif not _RULE.fullmatch(line.strip()):
            found[-1]["rows"].append(cells)
        inside = True
    return found
