"""Release rules: which problems may be published."""

import re
from collections.abc import Callable, Iterable

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.config import ReleaseConfig
from corpus.reasons import Reason
from corpus.records import Problem

RuleRefusal = tuple[Reason, str]

_SEPARATORS = re.compile(r"[\s_-]+")


def release_reason(problem: Problem, config: ReleaseConfig) -> RuleRefusal | None:
    """Why a problem may not be published, as reason and sentence; None if every rule lets it through."""
    refusals = (rule(problem, config) for rule in RULES)
    return next((refusal for refusal in refusals if refusal is not None), None)


def license_rule(problem: Problem, config: ReleaseConfig) -> RuleRefusal | None:
    """Only listed licenses, compared without regard to case, spaces and hyphens; an empty list lets all through."""
    if not config.allowed_licenses:
        return None
    if problem.license is None:
        return Reason.LICENSE_NOT_ALLOWED, "the source states no license; release.allowed_licenses asks for one"
    if normal_license(problem.license) not in {normal_license(name) for name in config.allowed_licenses}:
        allowed = ", ".join(config.allowed_licenses)
        return (
            Reason.LICENSE_NOT_ALLOWED,
            f"license {problem.license!r} is not among release.allowed_licenses ({allowed})",
        )
    return None


RULES: tuple[Callable[[Problem, ReleaseConfig], RuleRefusal | None], ...] = (license_rule,)


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
