"""Code digests: a changed helper changes the digest of every module that reaches it, and of no other."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from corpus.code import PACKAGES, ROOT, code_digest, imported_modules, imported_names, libraries, lists_of
from curation.stages.registry import STAGES
from tests.tiers import in_turn

MODULES = [
    "corpus.canonical",
    "corpus.errors",
    "corpus.lines.jsonl",
    "corpus.outputs",
    "corpus.schema",
    "extractors.extraction_errors",
]
DIGESTS = """
import json, sys
from corpus.code import code_digest
print(json.dumps({name: code_digest(name) for name in json.loads(sys.argv[1])}))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the project's sources."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def digests(checkout: Path, modules: list[str], seed: str = "0") -> dict[str, str]:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-c", DIGESTS, json.dumps(modules)]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=True, timeout=60)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_a_changed_helper_changes_those_that_reach_it_and_no_others(checkout: Path) -> None:
    before = digests(checkout, MODULES)
    assert before == {name: code_digest(name) for name in MODULES}
    helper = checkout / "corpus/schema.py"
    helper.write_text(helper.read_text() + "\nMORE = 1\n")
    after = digests(checkout, MODULES)
    changed = {name for name in MODULES if before[name] != after[name]}
    assert changed == {"corpus.schema", "corpus.outputs"}


def test_a_changed_word_list_changes_those_that_reach_its_reader(checkout: Path) -> None:
    modules = ["extractors.quantities.numerals", "extractors.quantities.numbers", "extractors.privacy.mails"]
    before = digests(checkout, modules)
    units = checkout / "extractors/wordlists/number_units.txt"
    units.write_text(units.read_text() + "twenty\n")
    after = digests(checkout, modules)
    assert [name for name in modules if before[name] == after[name]] == ["extractors.privacy.mails"]


def test_digests_do_not_depend_on_the_place_or_the_hash_seed(checkout: Path) -> None:
    assert digests(checkout, MODULES, "1") == digests(ROOT, MODULES, "2")


def test_every_form_of_import_counts(checkout: Path) -> None:
    (checkout / "corpus/leaf.py").write_text("LEAF = 1\n")
    forms = {
        "plain": "import corpus.leaf\n",
        "from_package": "from corpus import leaf\n",
        "from_module": "from corpus.leaf import LEAF\n",
        "inside": "def late():\n    from corpus.leaf import LEAF\n    return LEAF\n",
        "relative": "from . import leaf\n",
        "relative_module": "from .leaf import LEAF\n",
        "twice_removed": "from corpus.plain import corpus\n",
        "not_at_all": "leaf = 1\n",
    }
    for name, text in forms.items():
        (checkout / f"corpus/{name}.py").write_text(text)
    modules = [f"corpus.{name}" for name in forms]
    before = digests(checkout, modules)
    (checkout / "corpus/leaf.py").write_text("LEAF = 2\n")
    after = digests(checkout, modules)
    assert [name for name in modules if before[name] == after[name]] == ["corpus.not_at_all"]


def test_modules_from_elsewhere_do_not_count() -> None:
    assert "corpus.errors" in imported_modules("corpus.schema")
    assert not [name for name in imported_modules("corpus.schema") if name.partition(".")[0] not in PACKAGES]


@pytest.mark.rows("name", ["corpus.nothing", "pyarrow.parquet", "corpus"])
def test_what_is_no_module_of_the_project(name: str) -> None:
    with pytest.raises(KeyError, match=f"{name} is not a module of this project"):
        code_digest(name)


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


@pytest.mark.rows(
    "module", [*(stage.module for stage in STAGES), "crawlers.posts", "crawlers.ingest", "curation.building.ranks"]
)
def test_every_library_that_a_digest_names_comes_with_a_plain_install(module: str) -> None:
    """The name by which a library is imported need not be the one by which it is installed."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plain, extras = told["dependencies"], told["optional-dependencies"]
    some = [one for one in plain if ";" in one] + [one for extra in extras.values() for one in extra]
    found = libraries(module)
    assert found.keys().isdisjoint(_name(one) for one in some)
    assert all(version[0].isdigit() for version in found.values())


def test_the_lines_of_imports_say_what_the_whole_source_says() -> None:
    """Of every module but the one that nobody imports and whose templates hold code."""
    templates = "crawlers.new"
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path.name != "__init__.py"]
    modules = sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files)
    assert not any(templates in imported_modules(module) for module in modules)
    modules.remove(templates)
    assert len(modules) > 300
    for module in in_turn(modules, 4):
        nodes = list(ast.walk(ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_bytes())))
        plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        origins = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        named = {
            f"{node.module}.{alias.name}" for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
        }
        assert set(imported_names(module)) == plain | origins | named, module
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        read = {ast.literal_eval(call.args[0]) for call in calls if getattr(call.func, "id", "") == "read_list"}
        assert set(lists_of(module)) == read, module
