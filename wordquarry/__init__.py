"""Math word problems out of community Q&A: the functions of wordquarry that are of use in a notebook.

Each reads or compares one thing and returns a small frozen record. Values are exact: ``fractions.Fraction`` where they
are rational. docs/python.md shows every function in three lines. What takes long to import is imported by the function
that needs it.
"""

from importlib.metadata import version as _version

from corpus.errors import CorpusError
from extractors.extraction_errors import ExtractionError
from wordquarry.functions import (
    Reading,
    Slot,
    Solution,
    Template,
    classify,
    diversity,
    find_numbers,
    grade,
    load,
    parse_answer,
    rank,
    read_thread,
    same_template,
    solve,
    template_of,
)

__version__ = _version("wordquarry")

__all__ = [
    "CorpusError",
    "ExtractionError",
    "Reading",
    "Slot",
    "Solution",
    "Template",
    "__version__",
    "classify",
    "diversity",
    "find_numbers",
    "grade",
    "load",
    "parse_answer",
    "rank",
    "read_thread",
    "same_template",
    "solve",
    "template_of",
]
