"""The generator of sources: four files that fit the house, and a test that is red until they are filled in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crawlers.new import FILES, ROOT, begin, main

GREEN = """
from crawlers.markup import flat, parse_document
from crawlers.posts import ParsedAnswer
from crawlers.threads import Draft, finished


def parse_thread(html: str, url: str) -> ParsedThread | None:
    root = parse_document(html)
    rows = [] if root is None else [flat(row) for row in root.iter("div")]
    if not rows:
        return None
    answers = (ParsedAnswer("1", rows[1][3:], False, -1), ParsedAnswer("2", rows[2][8:], True, 4))
    return finished(Draft("1", url, flat(next(root.iter("h1"))), rows[0].partition(": ")[2], None, answers))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the packages that the made files import."""
    for package in ("crawlers", "corpus", "extractors"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *command], cwd=checkout, env=environment, capture_output=True, text=True)


def test_a_new_source_is_born_red_and_can_become_green(checkout: Path) -> None:
    begin("my_forum", checkout)
    test = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/crawlers/test_my_forum_parser.py"]
    red = run(checkout, *test)
    assert red.returncode == 1, red.stdout
    assert "the parser reads nothing yet" in red.stdout
    assert "1 passed, 4 errors" in red.stdout
    with (checkout / "crawlers" / "parsers" / "my_forum.py").open("a") as parser:
        parser.write(GREEN)
    green = run(checkout, *test)
    assert "5 passed" in green.stdout, green.stdout


def test_the_made_spider_is_a_spider(checkout: Path) -> None:
    begin("my_forum", checkout)
    script = (
        "from crawlers.spiders.my_forum import MyForumSpider as S; s = S(base_url='http://a.example');"
        "print(s.name, s.links('<a>', 'u'), list(s.threads('<a>', 'u')))"
    )
    said = run(checkout, "-c", script)
    assert said.stdout == "my_forum Links(threads=(), listings=()) []\n", said.stderr


def test_made_files_pass_the_linters(checkout: Path) -> None:
    paths = [str(path) for path in begin("my_forum", checkout) if path.suffix == ".py"]
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert ruff
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for command in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        assert subprocess.run([ruff, *command, *config, *paths], cwd=checkout).returncode == 0


def test_nothing_is_overwritten(checkout: Path) -> None:
    (checkout / "crawlers" / "spiders" / "my_forum.py").write_text("mine")
    with pytest.raises(FileExistsError, match=r"my_forum\.py exists already"):
        begin("my_forum", checkout)
    assert not (checkout / "crawlers" / "parsers" / "my_forum.py").exists()
    assert (checkout / "crawlers" / "spiders" / "my_forum.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "My", "../x", "a-b", "1a", "x" * 40])
def test_names_that_cannot_be_modules_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot name a source"):
        begin(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundled"]) == 1
    assert "exists already" in capsys.readouterr().err
    assert len(FILES) == 4
