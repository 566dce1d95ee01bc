"""The generator of sources: four files that fit the house, and a test that is red until they are filled in."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crawlers.new import FILES, ROOT, begin, main

NAMES = {
    'QUESTION, ANSWER, TEXT = "", "", ""': 'QUESTION, ANSWER, TEXT = "ask", "say", "txt"',
    'AUTHOR, VOTES, BEST = "", "", ""': 'AUTHOR, VOTES, BEST = "who", "count", "star"',
    'THREAD_LINK, LISTING_LINK = "", ""': 'THREAD_LINK, LISTING_LINK = "go", "more"',
}
PAGE = """<h1>How old is Mia?</h1><div class="ask">asked by <b class="who">late_bus_kid</b>
<p class="txt">Mia is 3 years older than Leo, who is 8.</p></div>
<div class="say" id="1"><i class="count">-1</i><p class="txt">no idea</p></div>
<div class="say" id="2"><i class="count">4</i><em class="star">best</em><p class="txt">8 + 3 = 11</p></div>"""


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
    fill_in(checkout)
    green = run(checkout, *test)
    assert "5 passed" in green.stdout, green.stdout


def fill_in(checkout: Path) -> None:
    """What a newcomer does first: the page, and the class names."""
    (checkout / "tests" / "crawlers" / "pages" / "my_forum.html").write_text(PAGE)
    parser = checkout / "crawlers" / "parsers" / "my_forum.py"
    text = parser.read_text()
    for old, new in NAMES.items():
        assert old in text
        text = text.replace(old, new)
    parser.write_text(text)


def test_filled_in_names_follow_links_and_refuse_posts_without_text(checkout: Path) -> None:
    begin("my_forum", checkout)
    fill_in(checkout)
    script = (
        "from crawlers.parsers.my_forum import *; u = 'https://a.example/l/';"
        "print(thread_links('<a class=go href=7>', u), listing_links('<a class=more href=/2><a href=3>', u));"
        "parse_thread('<p class=ask>', u)"
    )
    said = run(checkout, "-c", script)
    assert said.stdout == "('https://a.example/l/7',) ('https://a.example/2',)\n"
    assert "ExtractionError: https://a.example/l/ has a post without text block" in said.stderr


def test_the_made_spider_is_a_spider(checkout: Path) -> None:
    begin("my_forum", checkout)
    script = (
        "from crawlers.crawling.job import SOURCES; from crawlers.spiders.process import spider_of;"
        "assert 'my_forum' in SOURCES; s = spider_of('my_forum')(base_url='http://a.example');"
        "print(s.name, s.links('<a>', 'u'), list(s.threads('<a>', 'u')))"
    )
    said = run(checkout, "-c", script)
    assert said.stdout == "my_forum Links(threads=(), listings=()) []\n", said.stderr


def test_what_is_next_is_said_to_the_letter(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["my_forum"], checkout) == 1
    assert f"a source is made in a checkout, and {checkout} is not one; run it there" in capsys.readouterr().err
    (checkout / "pyproject.toml").touch()
    assert main(["my_forum"], checkout) == 0
    said = capsys.readouterr().out
    assert "\ncrawlers/spiders/my_forum_spider.py\n" in said
    assert "python -m pytest tests/crawlers/test_my_forum_parser.py" in said
    assert "at the head of crawlers/spiders/my_forum_spider.py what the site allows" in said


def test_made_files_pass_the_linters(checkout: Path) -> None:
    paths = [str(path) for path in begin("my_forum", checkout) if path.suffix == ".py"]
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert ruff
    config = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for command in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        assert subprocess.run([ruff, *command, *config, *paths], cwd=checkout).returncode == 0


def test_nothing_is_overwritten(checkout: Path) -> None:
    (checkout / "crawlers" / "spiders" / "my_forum_spider.py").write_text("mine")
    with pytest.raises(FileExistsError, match=r"my_forum_spider\.py exists already"):
        begin("my_forum", checkout)
    assert not (checkout / "crawlers" / "parsers" / "my_forum.py").exists()
    assert (checkout / "crawlers" / "spiders" / "my_forum_spider.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "My", "../x", "a-b", "1a", "x" * 40, "class"])
def test_names_that_cannot_be_modules_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot name a source"):
        begin(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bundled"]) == 1
    assert "exists already" in capsys.readouterr().err
    assert len(FILES) == 4
