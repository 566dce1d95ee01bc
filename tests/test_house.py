"""What stands around the code: every way to check the project runs the same targets and the same commands."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FLOORS = ("extractors", "corpus", "models", "crawlers", "curation", "evaluation", "audits", "flows", "wordquarry")
PACKAGES = (*FLOORS, "benchmarks", ".ci")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py") if path.name != "__init__.py")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


@pytest.mark.rows(
    ("path", "called"),
    [
        (".ci/run", {"lint", "docs", "audit", "test"}),
        (".github/workflows/checks.yml", {"lint", "docs", "demo", "test"}),
        (".github/workflows/nightly.yml", {"test-full"}),
        (".devcontainer/devcontainer.json", {"lint", "demo"}),
        ("Dockerfile", {"demo", "test"}),
    ],
)
def test_every_check_calls_targets_of_the_makefile(path: str, called: set[str]) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    plain = re.sub(r"(?<=\bmake)(?: --\S+)+", "", text)
    assert set(" ".join(re.findall(r'\bmake(?: |", ")([a-z-]+(?: [a-z]+)*)', plain)).split()) == called
    assert called <= TARGETS


def test_hooks_before_a_commit_are_the_lint_set() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.+\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe
    linted = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe[1].splitlines()]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"entry: (.+?), language", hooks) == linted


def test_no_two_modules_have_one_name() -> None:
    names = Counter(path.name for path in MODULES)
    assert [str(path.relative_to(ROOT)) for path in MODULES if names[path.name] > 1] == []


def test_no_package_has_the_name_of_a_module() -> None:
    packages = {path.parent.name for path in MODULES}
    named = {str(path.relative_to(ROOT)) for path in MODULES if path.stem in packages}
    assert named == set()


TYPE = re.compile(r"^[ ]*class (\w+)|^(_?[A-Z]\w*[a-z]\w*)(?:: (?:TypeAlias|Final))? = ", re.MULTILINE)
"""A class, also an inner one, and another type that a module gives a name (``Row = tuple[str, int]``)."""
LIST = re.compile(r"""(?:"[a-z][A-Za-z'-]*",\s*){12,}"|\b(?:words|valued)\(\s*"+(?:[A-Za-z'-]+[\s\d]+){12,}""")
"""More than a dozen words between quotes, or in a text that is split into them."""


@cache
def sources() -> dict[str, str]:
    """Every module's text by its place."""
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in MODULES}


def test_no_two_types_have_one_name() -> None:
    places: dict[str, list[str]] = {}
    for place, source in sources().items():
        for found in TYPE.finditer(source):
            places.setdefault(found[1] or found[2], []).append(place)
    assert len(places) > 500
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_long_word_lists_are_files() -> None:
    readers = {place: source for place, source in sources().items() if place.split("/")[0] in FLOORS[:5]}
    assert {place: found[0] for place, source in readers.items() if (found := LIST.search(source))} == {}


POSSESSIVE_GROUP = re.compile(r"(?<!\\)[)}](?:[*+?]|\{\{?[0-9]+,?[0-9]*\}?\})\+")
"""``(?:ab?c)++``, or a group by its name in an f-string: Python up to 3.11.4 matches it wrongly (gh-106052)."""


@pytest.mark.rows("text", ["(?:ab?c)++", "(?:a|bc)*+", "(?:ab){2,3}+", "(?:ab){{2,}}+", "{_JOINT}?+"])
def test_a_possessive_group_is_seen(text: str) -> None:
    assert POSSESSIVE_GROUP.search(text)


def test_no_pattern_has_a_possessive_group() -> None:
    found = {path: POSSESSIVE_GROUP.findall(text) for path, text in sources().items()}
    assert {path: groups for path, groups in found.items() if groups} == {}, "write (?>(?:...)*) for (?:...)*+"
