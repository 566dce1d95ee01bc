"""docs/python.md shows every public function in three lines, and the lines do what they say; importing is quick."""

import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import wordquarry
from corpus.folders.files import Folder
from corpus.records import Problem, TrainingRow
from corpus.versioning.versions import Versions
from tests.corpus.samples import every_field, problems, release

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
FUNCTIONS = [name for name in wordquarry.__all__ if inspect.isfunction(getattr(wordquarry, name))]
SLOW = ("flint", "numpy", "pandas", "prefect", "pyarrow", "pydantic", "scipy", "sympy", "textblob")


def examples(name: str) -> Sequence[doctest.Example]:
    """The lines of Python in the section of a function."""
    (block,) = re.findall(r"^```python\n(.*?)^```$", SECTIONS[name], re.MULTILINE | re.DOTALL)
    return doctest.DocTestParser().get_examples(block, name)


def test_the_page_has_a_section_for_each_function() -> None:
    assert sorted(SECTIONS) == sorted(FUNCTIONS)
    assert len(FUNCTIONS) == 11


@pytest.mark.parametrize("name", FUNCTIONS)
def test_three_lines_do_what_the_page_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Versions(Folder.at(tmp_path / "demo" / "versions")).publish(release("bundled"))
    monkeypatch.chdir(tmp_path)
    shown = examples(name)
    assert 1 < len(shown) <= 3
    assert f"wq.{name}(" in "".join(example.source for example in shown)
    done = doctest.DocTestRunner().run(doctest.DocTest(list(shown), {}, name, "docs/python.md", 0, None))
    assert (done.attempted, done.failed) == (len(shown), 0)


def test_a_version_becomes_a_frame_with_every_field(tmp_path: Path) -> None:
    version, _ = Versions(Folder.at(tmp_path / "versions")).publish(release("bundled"))
    small = wordquarry.load(str(version.folder))
    assert list(small.columns) == list(TrainingRow.model_fields)
    assert small["answer_values"].dropna().map(sum).tolist() == [12.5] * 8
    frame = wordquarry.load(str(version.folder), full=True)
    assert list(frame.columns) == list(Problem.model_fields)
    wanted = {problem.problem_id: every_field(problem) | problem.model_dump() for problem in problems()}
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    assert {row["problem_id"]: row for row in rows} == wanted
    assert frame["lexicon_diversity"].dtype == "float64"
    (tmp_path / "versions" / version.label / "README.md").write_text("changed")
    with pytest.raises(wordquarry.CorpusError, match=r"README\.md"):
        wordquarry.load("bundled", data=str(tmp_path))


def test_one_text_in_place_of_a_list_is_refused() -> None:
    for call in (wordquarry.solve, wordquarry.diversity, lambda text: wordquarry.rank("How many?", text)):
        with pytest.raises(TypeError, match=r"expected a list of texts, not one string; write \['x = 3'\]"):
            call("x = 3")  # type: ignore[operator]


def test_importing_the_package_imports_nothing_that_takes_long() -> None:
    code = f"import sys, wordquarry; print([name for name in {SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_the_version_is_that_of_the_installation() -> None:
    stated = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert stated
    assert wordquarry.__version__ == stated[1]
