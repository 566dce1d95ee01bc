"""Problem type, group of types and grade of ASDiv, told by models fitted on the other folds (Miao et al., ACL 2020).

The labels are those of ``Solution-Type`` (24 types) and ``Grade`` (1 to 6). A difficulty is told by plain figures.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Final

from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.solvers.cross_validation import folds_of, shared_corpus
from models.tag_model import EQUATIONS, TEXT
from models.tag_training import HeldOutGuess, TypedProblem, held_out_tags, majority_hits, typed_problems

_BY_GROUP: Final = {
    "addition and subtraction": "Addition Subtraction Sum Difference",
    "multiplication and division": "Multiplication Common-Division Floor-Division Ceil-Division Surplus",
    "change over time": "TVQ-Initial TVQ-Change TVQ-Final",
    "aggregation": "Comparison Set-Operation Ratio Number-Operation Number-Pattern Sequential-Operation",
    "algebra": "Algebra-1 Algebra-2",
    "domain knowledge": "GCD LCM Geometry UnitTrans",
}
GROUPS: Final[Mapping[str, str]] = {kind: group for group, kinds in _BY_GROUP.items() for kind in kinds.split()}
"""The group of each of the 24 types. These six are ours: the paper prints three categories."""
TARGETS: Final = {"problem_type": 85.0, "grade": 60.0}
SURE: Final = 0.9
CONFUSED: Final = 5
"""How many problems a confusion has that the table names."""
READ: Final = {TEXT: "from the text", EQUATIONS: "from text and equations"}


def tag_report(name: str, problems: Sequence[TypedProblem], folds: Sequence[Set[str]]) -> ReadingReport:
    """The tags of a corpus out of fold, beside the most frequent label of the other folds.

    The failures are the confusions by text and equations, each as ``tag: label taken for label``.
    """
    shares: list[Share] = []
    failures: list[Failure] = []
    for tag, target in TARGETS.items():
        floor, found = majority_hits(problems, folds, tag), held_out_tags(problems, folds, tag)
        near, alike = ("within one grade", _near) if tag == "grade" else ("of the right group", _same_group)
        shares.append(Share(f"{tag}, floor: the most frequent", _share([a == b for a, b in floor])))
        shares.append(Share(f"{tag}, floor, {near}", _share([alike(a, b) for a, b in floor])))
        for reading, guesses in found.items():
            title, sure = f"{tag}, {READ[reading]}", [one for one in guesses if one.guess.probability >= SURE]
            goal = target if reading == EQUATIONS else None
            shares.append(Share(title, _share([_is_right(one) for one in guesses]), goal))
            shares.append(Share(f"{title}, {near}", _share([alike(one.told, one.guess.label) for one in guesses])))
            certain = f"{title}, where probability is {SURE} or more"
            shares.append(Share(certain, _share([_is_right(one) for one in sure])))
        read = [one for one in found[EQUATIONS] if one.problem.terms[-1]]
        shares.append(Share(f"{tag}, problems whose equations are read", _share([_is_right(one) for one in read])))
        failures += [_failure(tag, one) for one in found[EQUATIONS] if not _is_right(one)]
    rule = (
        f"Labels of {name} told by multinomial logistic regression (scikit-learn) fitted on the other folds, "
        f"{len(folds)} by digest of the id; its settings were chosen on these folds, so these are development figures. "
        "Intervals: Wilson, 95 %."
    )
    return ReadingReport("Tags", rule, tuple(shares), tuple(failures))


def _share(right: Sequence[bool]) -> Proportion:
    return Proportion(sum(right), len(right))


def _is_right(one: HeldOutGuess) -> bool:
    return one.told == one.guess.label


def _same_group(told: str, guessed: str) -> bool:
    return told == guessed or GROUPS.get(told, told) == GROUPS.get(guessed, guessed)


def _near(told: str, guessed: str) -> bool:
    return told == guessed or (told.isdecimal() and guessed.isdecimal() and abs(int(told) - int(guessed)) <= 1)


def _failure(tag: str, one: HeldOutGuess) -> Failure:
    kind = f"{tag}: {one.told} taken for {one.guess.label}"
    return Failure(one.problem.problem_id, kind, f"probability {one.guess.probability:.2f}")


def tag_table(shared: Path) -> ReadingReport:
    """The tags of ASDiv, all 2,305 problems in five folds by digest of the id; the released folds leave some out.

    Of the confusions those that CONFUSED problems or more share.
    """
    corpus, _ = shared_corpus(shared, "ASDiv")
    report = tag_report(corpus.name, typed_problems(corpus), folds_of(corpus, None)[0])
    counts = Counter(one.kind for one in report.failures)
    return replace(report, failures=tuple(one for one in report.failures if counts[one.kind] >= CONFUSED))
