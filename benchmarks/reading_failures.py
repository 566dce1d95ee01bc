"""Every record that the readers fail on, by class: the page docs/reading-failures.md."""

import sys

from benchmarks.measuring import SHARED
from evaluation.gold_corpora.dolphin_systems import alg514, answers, dolphin, draw
from evaluation.gold_corpora.formula_answers import asdiv, mathqa
from evaluation.gold_corpora.mentions import gsm8k_calculations, numbers
from evaluation.gold_threads.prose import aqua, real_posts
from evaluation.metrics.reading_report import Failure, ReadingReport

LISTED = (dolphin, answers, draw, alg514, asdiv, mathqa, numbers, gsm8k_calculations, aqua, real_posts)
NOT_LISTED = ("gives no option", "option is not a number")
"""MathQA's classes that are too many to list and say nothing about the reader."""
MAX_DETAIL = 240
HEAD = """# Records that are not read right

Written by `python -m benchmarks.reading_failures` from the shared data; the figures are those of `wordquarry quality`.
A suspected gold error is a record that contradicts itself: its annotated equations, solved exactly, do not have its
annotated answer. The classes are assigned by rule, but for the real posts, which are explained by hand. The identifiers
are those of the sources; no problem text is repeated here.
"""


def section(report: ReadingReport) -> str:
    """One source: its figures, then its failures by class."""
    lines = [f"## {report.title}", "", *[f"- {share.name}: {share}" for share in report.shares], ""]
    suspected = {(failure.id, failure.kind) for failure in report.suspected}
    for kind in sorted({failure.kind for failure in report.failures}):
        members = [failure for failure in report.failures if failure.kind == kind]
        mark = ", suspected gold errors" if all((f.id, f.kind) in suspected for f in members) else ""
        lines += [f"### {kind} ({len(members)}{mark})", ""]
        lines += [] if kind in NOT_LISTED else [_item(failure) for failure in members]
        lines += ["Not listed." if kind in NOT_LISTED else "", ""] if kind in NOT_LISTED else [""]
    return "\n".join(lines)


def _item(failure: Failure) -> str:
    detail = failure.detail.replace("|", "/").replace("\n", " ").strip("; ")
    return f"- `{failure.id}` {detail[:MAX_DETAIL]}".rstrip()


def main() -> int:
    """Prints the page; exit status 1 without the shared data."""
    if not SHARED.is_dir():
        print(f"needs the shared data folder {SHARED}", file=sys.stderr)
        return 1
    print("\n".join([HEAD, *[section(measure(SHARED)) for measure in LISTED]]).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
