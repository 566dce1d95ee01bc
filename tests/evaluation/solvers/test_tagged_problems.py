"""The table of tags: groups of types, near grades, and its rows over a corpus of our own."""

from collections import Counter
from pathlib import Path

import pytest

from corpus.benchmarks.reading import read_corpus
from evaluation.solvers.cross_validation import folds_of
from evaluation.solvers.tagged_problems import GROUPS, tag_report
from models.tag_training import majority_hits, typed_problems
from tests.models.test_tag_model import typed_corpus


def test_rows_and_confusions_of_a_small_corpus() -> None:
    corpus = typed_corpus()
    wrong = corpus.problems[0].model_copy(update={"kind": "Difference", "details": {"Grade": "2"}})
    problems, folds = typed_problems(corpus), folds_of(corpus, None)[0]
    (odd,) = typed_problems(type(corpus)("one", "own", 1, (wrong,)))
    report = tag_report("own", [odd, *problems[1:]], folds)
    found = {share.name: (share.proportion.hits, share.proportion.n) for share in report.shares}
    assert found["problem_type, floor: the most frequent"] == (19, 30)
    assert found["problem_type, from text and equations"] == (29, 30)
    assert found["problem_type, from text and equations, of the right group"] == (30, 30)  # Difference is no Addition
    assert found["grade, from the text, within one grade"] == (30, 30)
    assert Counter(failure.kind for failure in report.failures) == {
        "problem_type: Difference taken for Addition": 1,
        "grade: 2 taken for 1": 1,
    }
    assert "85 %" in report.markdown()


@pytest.mark.shared
@pytest.mark.full
def test_every_type_of_asdiv_has_a_group(shared_data: Path) -> None:
    corpus = read_corpus(f"asdiv:{shared_data}/asdiv/ASDiv.xml")
    problems = typed_problems(corpus)
    assert len(problems) == 2305
    assert {one.labels["problem_type"] for one in problems} == set(GROUPS)
    assert (len(GROUPS), len(set(GROUPS.values()))) == (24, 6)
    floor = majority_hits(problems, folds_of(corpus, None)[0], "problem_type")
    assert sum(told == most for told, most in floor) == 453  # Subtraction, its misspelling among them
