"""The digest of the code a stage runs: its module, all of the project it imports, their word lists and libraries.

Comparing the whole import closure is what makes a changed helper, a changed list, or another version of a library,
invalidate the stages that use it, and only those. The data that travels with the code is found here too.
"""

import ast
import functools
import hashlib
import importlib.metadata
import re
import sys
from functools import cache
from pathlib import Path

from extractors.text.wordlists import list_file, read_list

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("extractors", "corpus", "models", "crawlers", "curation", "evaluation", "audits", "flows")
_IMPORT = re.compile(r"^[ \t]*((?:from [.\w]+ )?import (?:\([^)]*\)|.+))", re.MULTILINE)
_READER = f"{read_list.__name__}("
_LIST = re.compile(rf"\b{re.escape(_READER)}[\"']([^\"']+)[\"']")
DISTRIBUTIONS = {"ahocorasick": "pyahocorasick", "flint": "python-flint", "sklearn": "scikit-learn"}
UNPACKERS = {"backports", "brotli", "compression", "py7zr"}
"""Libraries that unpack: what a packed file holds is the same whoever unpacks it, and not everybody has all of them."""


@functools.cache
def module_file(module: str) -> Path | None:
    """The source file of a project module, or None for a package or a module from elsewhere.

    >>> module_file("corpus.code").name
    'code.py'
    """
    if module.split(".", 1)[0] not in PACKAGES:
        return None
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else None


def _absolute(module: str, node: ast.ImportFrom) -> str:
    """The module an import names, also where it is written relative to the importing one."""
    package = module.split(".")[: -node.level] if node.level else []
    return ".".join([*package, *([node.module] if node.module else [])])


@functools.cache
def _uses(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a project module imports and which word lists it reads.

    The lines that begin as imports do, and the calls that name a list, are enough; tests hold that against all modules.
    """
    path = module_file(module)
    if path is None:
        return (), ()
    source = path.read_text(encoding="utf-8")
    names = set[str]()
    for node in ast.parse("\n".join(_IMPORT.findall(source))).body:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(module, node)
            names.add(origin)
            names.update(f"{origin}.{alias.name}" for alias in node.names)
    lines = (line for line in source.splitlines() if _READER in line and ">>>" not in line)
    return tuple(sorted(names)), tuple(sorted({name for line in lines for name in _LIST.findall(line)}))


def imported_names(module: str) -> tuple[str, ...]:
    """Everything a project module imports, by absolute name, sorted."""
    return _uses(module)[0]


def lists_of(module: str) -> tuple[str, ...]:
    """The word lists that a project module reads, by package and list, sorted.

    >>> lists_of("extractors.quantities.numerals")[:3]
    ('extractors/denominators', 'extractors/multipliers', 'extractors/number_units')
    """
    return _uses(module)[1]


@functools.cache
def imported_modules(module: str) -> tuple[str, ...]:
    """Project modules that one module imports, sorted."""
    return tuple(name for name in imported_names(module) if module_file(name))


@functools.cache
def _closure(module: str) -> list[str]:
    closure, waiting = {module}, [module]
    while waiting:
        for name in imported_modules(waiting.pop()):
            if name not in closure:
                closure.add(name)
                waiting.append(name)
    return sorted(closure)


def libraries(module: str) -> dict[str, str]:
    """Installed versions of the libraries that a module's import closure uses, without the standard library and what
    unpacks."""
    roots = {name.split(".", 1)[0] for part in _closure(module) for name in imported_names(part)}
    foreign = sorted(roots - {*PACKAGES, *sys.stdlib_module_names, *UNPACKERS})
    names = [DISTRIBUTIONS.get(root, root) for root in foreign]
    return {name: importlib.metadata.version(name) for name in names}


@functools.cache
def code_digest(module: str) -> str:
    """SHA-256 over a module's import closure within the project: its sources, its word lists, its libraries' versions.

    Raises KeyError for a module that is not one of the project's files.
    """
    if module_file(module) is None:
        raise KeyError(f"{module} is not a module of this project")
    whole = hashlib.sha256(repr(sorted(libraries(module).items())).encode())
    for name in _closure(module):
        path = module_file(name)
        assert path is not None
        whole.update(f"{name}\n".encode() + path.read_bytes())
        for title in lists_of(name):
            whole.update(f"{title}\n".encode() + list_file(title).read_bytes())
    return whole.hexdigest()[:32]


INSTALLED = Path("wordquarry", "data")
CHECKOUT = Path("data")


@cache
def shipped_data(root: Path = ROOT) -> Path:
    """The folder of the shipped data: ``wordquarry/data`` of an installed wheel, ``data`` of a checkout.

    ``root`` is the folder that holds the packages. Without either folder the answer is that of a checkout, so that a
    message about a missing file names a place that can be filled.

    >>> sorted(path.name for path in (shipped_data() / "models").glob("*.json"))
    ['answers.json', 'posts.json', 'publication.json', 'systems.json']
    """
    installed = root / INSTALLED
    return installed if installed.is_dir() else root / CHECKOUT
