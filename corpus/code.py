"""The digest of the code a stage runs: its module and all of the project it imports, directly or not.

Comparing the whole import closure is what makes a changed helper invalidate the stages that use it, and only those.
"""

import ast
import functools
import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("extractors", "corpus", "models", "crawlers", "curation", "audits", "flows")


def module_file(module: str) -> Path | None:
    """The source file of a project module, or None for a package or a module from elsewhere.

    >>> module_file("corpus.code").name
    'code.py'
    """
    if module.split(".", 1)[0] not in PACKAGES:
        return None
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else None


@functools.cache
def imported_modules(module: str) -> tuple[str, ...]:
    """Project modules that one module imports, sorted."""
    path = module_file(module)
    if path is None:
        return ()
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(sorted(name for name in names if module_file(name)))


@functools.cache
def code_digest(module: str) -> str:
    """SHA-256 over the sources of a module's import closure within the project.

    Raises KeyError for a module that is not one of the project's files.
    """
    if module_file(module) is None:
        raise KeyError(f"{module} is not a module of this project")
    closure, waiting = {module}, [module]
    while waiting:
        for name in imported_modules(waiting.pop()):
            if name not in closure:
                closure.add(name)
                waiting.append(name)
    whole = hashlib.sha256()
    for name in sorted(closure):
        path = module_file(name)
        assert path is not None
        whole.update(f"{name}\n".encode() + path.read_bytes())
    return whole.hexdigest()[:32]
