"""Cuts a release: ``make release VERSION=0.2.0``.

The fragments of ``changelog.d`` join what stands under Unreleased in CHANGELOG.md, under the new version, and go; the
version is set in pyproject.toml and in the pages that name the wheel. Commit and tag are left to a person. A fragment
is a file: its first line names a section of the changelog, a list follows.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNRELEASED = "## Unreleased\n"
_SECTION = re.compile(r"^(?=[A-Z][^\n]*\n\n)", re.MULTILINE)
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def sections(text: str) -> dict[str, str]:
    """The entries of a part of the changelog by the line that names their section."""
    found: dict[str, str] = {}
    for part in _SECTION.split(text):
        title, _, entries = part.strip().partition("\n\n")
        if title:
            found[title] = "\n".join(filter(None, [found.get(title), entries.strip()]))
    return found


def joined(changelog: str, fragments: list[str], version: str) -> str:
    """The changelog with the unreleased entries and the fragments under a version; ValueError if there are none."""
    head, heading, rest = changelog.partition(UNRELEASED)
    unreleased, mark, older = rest.partition("\n## ")
    entries = sections("\n\n".join([unreleased, *fragments]))
    if not heading or not entries:
        raise ValueError("nothing is unreleased; write a fragment in changelog.d first")
    body = "\n\n".join(f"{title}\n\n{lines}" for title, lines in entries.items())
    return f"{head}{UNRELEASED}\n## {version}\n\n{body}\n{mark}{older}"


def main(root: Path, version: str) -> None:
    """Write the files of a release."""
    if not _VERSION.fullmatch(version):
        raise ValueError(f"{version!r} is not a version; give one such as 0.2.0")
    project = root / "pyproject.toml"
    stated = re.search(r'^version = "(.+)"$', project.read_text("utf-8"), re.MULTILINE)
    if stated is None:
        raise ValueError(f"{project} states no version")
    fragments = sorted((root / "changelog.d").glob("*.md"))
    log = root / "CHANGELOG.md"
    log.write_text(joined(log.read_text("utf-8"), [path.read_text("utf-8") for path in fragments], version), "utf-8")
    replaced = {project: f'version = "{stated[1]}"', root / "docs" / "python.md": f"wordquarry-{stated[1]}-py3"}
    for path, text in replaced.items():
        path.write_text(path.read_text("utf-8").replace(text, text.replace(stated[1], version)), "utf-8")
    for path in fragments:
        path.unlink()


if __name__ == "__main__":
    try:
        main(ROOT, sys.argv[1] if len(sys.argv) == 2 else "")
    except ValueError as error:
        sys.exit(f"error: {error}")
