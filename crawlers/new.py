"""A new source, begun: ``python -m crawlers.new SITE`` makes a spider, a page parser, a test and a page, born red.

The parser reads nothing until the site's class names are filled in, so the test fails until then. What has to be named
elsewhere is printed.
"""

import argparse
import keyword
import re
import sys
from pathlib import Path
from string import Template

ROOT = Path(__file__).resolve().parents[1]
_TEMPLATES = Path(__file__).parent / "templates" / "source"
_SLUG = re.compile(r"[a-z][a-z0-9_]{1,30}")

FILES = {
    "crawlers/parsers/$slug.py": "parser.py.txt",
    "crawlers/spiders/${slug}_spider.py": "spider.py.txt",
    "tests/crawlers/test_${slug}_parser.py": "test.py.txt",
    "tests/crawlers/pages/$slug.html": "page.html",
}
"""What is made, by path below the checkout, and from which template."""


def begin(slug: str, root: Path = ROOT) -> tuple[Path, ...]:
    """Write the four files of a source; returns their paths.

    Raises ValueError for a name that is no slug (``[a-z][a-z0-9_]+``) or a word of Python, FileExistsError if one of
    the files is there: then none is written.
    """
    if not _SLUG.fullmatch(slug) or keyword.iskeyword(slug):
        raise ValueError(f"{slug[:40]!r} cannot name a source; use lower-case letters, digits and _, such as my_forum")
    made = {root / Template(path).substitute(slug=slug): _filled(template, slug) for path, template in FILES.items()}
    for path in made:
        if path.exists():
            raise FileExistsError(f"{path} exists already; choose another name")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(made)


def _filled(template: str, slug: str) -> str:
    text = (_TEMPLATES / template).read_text(encoding="utf-8")
    name = "".join(part.capitalize() for part in slug.split("_"))
    return Template(text).substitute(slug=slug, name=name, host=slug.strip("_").replace("_", "-"))


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Begin a source in a checkout and say what is next; exit status 1 with one line on standard error if it cannot."""
    parser = argparse.ArgumentParser(description="Make spider, parser, test and page of a new source.")
    parser.add_argument("site", help="its name in code, such as my_forum")
    options = parser.parse_args(arguments)
    if not (root / "pyproject.toml").is_file():
        sys.stderr.write(f"error: a source is made in a checkout, and {root} is not one; run it there\n")
        return 1
    try:
        paths = begin(options.site, root)
    except (ValueError, FileExistsError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    made = "\n".join(str(path.relative_to(root)) for path in paths)
    sys.stdout.write(made + _filled("next.txt", options.site))
    return 0


if __name__ == "__main__":
    sys.exit(main())
