"""Release rules: which problems may be published."""

import re
from collections.abc import Iterable, Sequence

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.records import Problem

_SEPARATORS = re.compile(r"[\s_-]+")


def license_fault(license_name: str | None, allowed: Sequence[str]) -> str | None:
    """Why a problem of this license may not be published, in a sentence; None if it may.

    Only listed licenses, compared without regard to case, spaces and hyphens; an empty list lets all through.
    """
    if not allowed:
        return None
    if license_name is None:
        return "the source states no license; release.allowed_licenses asks for one"
    if normal_license(license_name) not in {normal_license(name) for name in allowed}:
        return f"license {license_name!r} is not among release.allowed_licenses ({', '.join(allowed)})"
    return None


def normal_license(name: str) -> str:
    """A license name in one spelling.

    >>> normal_license("CC BY-SA 4.0") == normal_license("cc-by-sa-4.0")
    True
    """
    return _SEPARATORS.sub("-", name.strip().lower())


def license_counts(problems: Iterable[Problem | GoldProblem]) -> dict[str, int]:
    """Problems by license as stated, ``unstated`` for none; in alphabetical order."""
    counts: dict[str, int] = {}
    for problem in problems:
        name = problem.license or "unstated"
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))
