"""What pages say of stages and sources, from their files: what each reads and does, its reasons, its configuration.

Pages hold these tables between ``<!-- table: NAME -->`` and ``<!-- end of table -->`` (``recorded_figures``).
"""

import ast
import importlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from corpus.code import imported_modules
from corpus.config import StageConfig
from corpus.folders.open_files import read_file
from corpus.reasons import Reason, ReasonCode
from crawlers.crawling.job import SOURCES, SPIDERS, SUFFIX
from curation.stages.registry import STAGES
from evaluation.table_text import markdown_table

_OWN: Final = list(Reason)
_FILES: Final = _OWN.index(Reason.MISSING_FIELD)
_BELOW: Final = ("curation.", "models.", "extractors.")


def stage_rows() -> Iterator[list[str]]:
    """Each stage, what it reads, the first paragraph of its file, and the modules of ours that it decides with."""
    for stage in STAGES:
        doc = inspect.getdoc(importlib.import_module(stage.module)) or ""
        does = " ".join(doc.partition("\n\n")[0].split()).partition(": ")[2].removesuffix(".")
        reads = "everything" if stage.decide_tables else ", ".join(stage.reads)
        modules = [name for name in imported_modules(stage.module) if name.startswith(_BELOW)]
        rules = [f"`{name.replace('.', '/')}.py`" for name in modules if not name.startswith("curation.stages.")]
        yield [f"`{stage.name}`", f"{reads}; the corpus at once" if stage.whole else reads, does, ", ".join(rules)]


def reason_rows() -> Iterator[list[str]]:
    """Each reason, who gives it, what it means and what may help."""
    groups: list[tuple[str, list[ReasonCode]]] = [
        ("ingest", [*_OWN[:_FILES]]),
        *((stage.name, list(stage.reasons)) for stage in STAGES),
        ("benchmark files", [*_OWN[_FILES:]]),
    ]
    for who, reasons in groups:
        yield from ([f"`{one.value}`", who, one.meaning, one.may_help] for one in reasons)


def meanings(kind: type[StageConfig]) -> dict[str, str]:
    """What each field of a configuration means: the text below it."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(tree, ast.ClassDef)
    said = {}
    for field, text in pairwise(tree.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            said[ast.unparse(field.target)] = " ".join(str(ast.literal_eval(text.value)).split())
    return said


def config_rows() -> Iterator[list[str]]:
    """Each field of each stage's configuration, its default and its meaning."""
    for stage in STAGES:
        said, defaults = meanings(stage.config), stage.config().model_dump(mode="json")
        yield from ([f"`{stage.table}.{name}`", json.dumps(value), said[name]] for name, value in defaults.items())


def source_rows() -> Iterator[list[str]]:
    """Each source, what it crawls, and what the head of its file says of posts, license and terms."""
    for source in SOURCES:
        doc = ast.get_docstring(ast.parse(read_file(SPIDERS / f"{source}{SUFFIX}.py"))) or ""
        crawls, _, terms = doc.partition("\n\n")
        yield [f"`{source}`", crawls.removesuffix("."), terms]


_ROWS: Final[Mapping[str, tuple[tuple[str, ...], Callable[[], Iterator[list[str]]]]]] = {
    "pipeline": (("stage", "reads", "what it does", "decides with"), stage_rows),
    "reasons": (("reason", "stage", "meaning", "what may help"), reason_rows),
    "sources": (("source", "what it crawls", "posts, license and terms"), source_rows),
    "configuration": (("field", "default", "meaning"), config_rows),
}


def page_table(name: str) -> list[str]:
    """The lines of a table; KeyError for another name."""
    columns, rows = _ROWS[name]
    return list(markdown_table(columns, list(rows())))
