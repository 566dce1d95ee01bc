"""The wheel works outside a checkout: all modules and data are in it, and commands run from any folder.

``tests.flows.test_main_job`` runs its demo from the same installation.
"""

import json
import re
from pathlib import Path

import pytest

from corpus.code import CHECKOUT, INSTALLED, PACKAGES, shipped_data
from tests.flows.command import ROOT
from tests.flows.installed import installed, packages_of, run_installed

FACE = "wordquarry"
WITH_LISTS = ("extractors", "models", "crawlers", "curation")


@pytest.fixture(scope="module")
def packages() -> Path:
    """Where the wheel was installed to."""
    return packages_of(installed())


def modules(root: Path) -> set[str]:
    """The modules of the project below a folder, by path."""
    return {str(path.relative_to(root)) for name in (*PACKAGES, FACE) for path in (root / name).rglob("*.py")}


def test_every_module_is_in_the_wheel(packages: Path) -> None:
    assert modules(packages) == modules(ROOT)
    assert (packages / FACE / "py.typed").is_file()


@pytest.mark.rows("part", ["models", "labels", "own", "samples", "site"])
def test_shipped_data_is_in_the_wheel_byte_for_byte(packages: Path, part: str) -> None:
    source = ROOT / CHECKOUT / part
    names = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    assert names
    for name in names:
        assert (packages / INSTALLED / part / name).read_bytes() == (source / name).read_bytes()


def test_files_that_modules_read_are_in_the_wheel(packages: Path) -> None:
    folders = ("audits/pages", "evaluation/gold_corpora/judged", *(f"{name}/wordlists" for name in WITH_LISTS))
    read = [path for folder in folders for path in (ROOT / folder).iterdir()]
    assert read
    assert [path for path in read if not (packages / path.relative_to(ROOT)).is_file()] == []


def test_shipped_data_is_where_it_was_installed(packages: Path) -> None:
    assert shipped_data(packages) == packages / INSTALLED
    assert shipped_data() == ROOT / CHECKOUT


def test_an_installed_command_says_its_version(tmp_path: Path) -> None:
    done = run_installed("--version", folder=tmp_path)
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version
    assert (done.returncode, done.stdout) == (0, f"wordquarry {version[1]}\n"), done.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [("wordquarry sheet ag", "agreement"), ("wordquarry build --incomplete-s", "--incomplete-store")],
)
def test_the_shell_completes_commands_and_options(tmp_path: Path, words: str, completed: str) -> None:
    asked = {"_WORDQUARRY_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert run_installed(folder=tmp_path, env=asked).stdout.split() == [completed]


def test_an_installed_stage_reads_with_its_models(tmp_path: Path) -> None:
    record = {"id": 7, "question": "Two numbers add up to 12 and differ by 2.", "answers": [{"text": "x+y=12, x-y=2"}]}
    done = run_installed("stage", "equations", "--min-votes", 1, folder=tmp_path, given=json.dumps(record))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["solutions"] == [{"x": "7", "y": "5"}]
    assert list(tmp_path.iterdir()) == []


def test_a_source_is_made_in_a_checkout_only(tmp_path: Path, packages: Path) -> None:
    done = run_installed("-m", "crawlers.new", "my_forum", folder=tmp_path, program="python")
    assert (done.returncode, done.stderr) == (
        1,
        f"error: a source is made in a checkout, and {packages.resolve()} is not one; run it there\n",
    )


def test_the_installed_package_is_the_one_that_is_imported(tmp_path: Path, packages: Path) -> None:
    code = "import wordquarry; print(wordquarry.__file__, wordquarry.find_numbers('6 pens')[0].raw)"
    done = run_installed("-c", code, folder=tmp_path, program="python")
    assert done.stdout.split() == [str(packages / FACE / "__init__.py"), "6"], done.stderr
