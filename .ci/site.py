"""What the documentation site holds beside ``docs/*.md``: the pages of the checkout's root, a reference of the public
functions from their docstrings, and every decision. A hook of MkDocs (``mkdocs.yml``).
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import wordquarry

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
}
"""Pages of the root and their names on the site."""
REFERENCE = "reference.md"
DECISIONS = "Decisions"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the decisions in the navigation."""
    pages = sorted(path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir, "adr").glob("*.md"))
    for part in config.nav or []:
        if DECISIONS in part:
            part[DECISIONS] = sorted(pages, key=lambda page: (page != "adr/README.md", page))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the root and the reference."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_from_root(text)))
    files.append(File.generated(config, REFERENCE, content="\n".join(_reference())))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Lead links out of ``docs`` to the pages of the root."""
    for source, name in PAGES.items():
        markdown = re.sub(rf"\]\((?:\.\./)+{re.escape(source)}", f"]({name}", markdown)
    return markdown


def _from_root(text: str) -> str:
    """A page of the root as one of ``docs``."""
    for source, name in PAGES.items():
        text = text.replace(f"]({source}", f"]({name}")
    return text.replace("](docs/", "](")


def _reference() -> Iterator[str]:
    yield from ("# Python functions and records", "", inspect.getdoc(wordquarry) or "", "")
    for name in wordquarry.__all__:
        thing = getattr(wordquarry, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            yield from _entry(name, thing)


def _entry(name: str, thing: Any) -> Iterator[str]:
    """A section: the signature, then the docstring with its examples as code."""
    yield from (f"## {name}", "")
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        signature = re.sub(r"'([^']+)'", r"\1", str(inspect.signature(thing)))
        yield from ("```python", f"{name}{signature}", "```", "")
    blocks = re.split(r"\n\n(?=>>> )", inspect.getdoc(thing) or "")
    yield from (blocks[0], "")
    for block in blocks[1:]:
        example, _, rest = block.partition("\n\n")
        yield from ("```python", example, "```", "", rest, "")
