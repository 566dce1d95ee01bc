"""Cutting a release: fragments and what is unreleased become a version, and the version is set where it is stated."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPEC = importlib.util.spec_from_file_location("cut_release", ROOT / ".ci" / "cut_release.py")
assert SPEC is not None
assert SPEC.loader is not None
release = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release)
LOG = "# Changelog\n\n## Unreleased\n\nReading\n\n- One.\n\n## 0.1.0\n\nThe main job.\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with two fragments."""
    for folder in ("changelog.d", "docs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "CHANGELOG.md").write_text(LOG)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\nrequires = "other>=0.1.0"\n')
    (tmp_path / "docs" / "python.md").write_text("install wordquarry-0.1.0-py3-none-any.whl\n")
    (tmp_path / "changelog.d" / "a.md").write_text("Sources\n\n- Two.\n")
    (tmp_path / "changelog.d" / "b.md").write_text("Reading\n\n- Three,\n  over two lines.\n")
    return tmp_path


def test_a_release_gathers_what_is_unreleased(checkout: Path) -> None:
    release.main(checkout, "0.2.0")
    assert (checkout / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## Unreleased\n\n## 0.2.0\n\nReading\n\n- One.\n- Three,\n  over two lines.\n\n"
        "Sources\n\n- Two.\n\n## 0.1.0\n\nThe main job.\n"
    )
    assert (checkout / "pyproject.toml").read_text() == '[project]\nversion = "0.2.0"\nrequires = "other>=0.1.0"\n'
    assert (checkout / "docs" / "python.md").read_text() == "install wordquarry-0.2.0-py3-none-any.whl\n"
    assert list((checkout / "changelog.d").iterdir()) == []


def test_nothing_is_released_twice(checkout: Path) -> None:
    release.main(checkout, "0.2.0")
    with pytest.raises(ValueError, match="nothing is unreleased"):
        release.main(checkout, "0.3.0")


def test_a_version_has_three_numbers(checkout: Path) -> None:
    with pytest.raises(ValueError, match=r"give one such as 0\.2\.0"):
        release.main(checkout, "")
    assert (checkout / "CHANGELOG.md").read_text() == LOG


def test_a_fragment_is_a_section_and_a_list() -> None:
    for path in (ROOT / "changelog.d").glob("*.md"):
        ((title, entries),) = release.sections(path.read_text(encoding="utf-8")).items()
        assert title, path
        assert all(line.startswith(("- ", "  ")) for line in entries.splitlines()), path


def test_the_changelog_of_now_can_be_cut() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    cut = release.joined(text, ["Sources\n\n- New.\n"], "9.9.9")
    assert cut.startswith("# Changelog\n\n## Unreleased\n\n## 9.9.9\n\n")
    assert sorted(set(text.split("\n")) - set(cut.split("\n"))) == []
