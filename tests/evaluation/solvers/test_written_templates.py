"""SVAMP's majority template; templates and counts were worked out by hand."""

from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from evaluation.solvers.cross_validation import folds_of
from evaluation.solvers.probes import MAJORITY_TEMPLATE, majority_template_share, probes_of, written_template


def _problem(name: str, question: str, equation: str) -> GoldProblem:
    return GoldProblem(problem_id=name, native_id=name, origin="gold", question=question, equations=(equation,))


@pytest.mark.rows(
    ("question", "equation", "template"),
    [
        ("Ann has 3 pens and gets 5 more.", "x=3+5", "x=n0+n1"),
        ("Ann has 3 pens and gets 5 more.", "x=5+3", "x=n1+n0"),
        ("Ann has 4 pens, Bob has 4 and Cy has 4.", "x=4+4+4+4", "x=n0+n1+n2+n2"),
        ("Ann has 9 dimes and loses 2 of them.", "x=9-2", "x=n0-n1"),
        ("Ann and her 4 friends pay 1.5 dollars each.", "x1=1.5*(1+4)", "x1=n1*(1+n0)"),
    ],
)
def test_numbers_are_places_in_the_text(question: str, equation: str, template: str) -> None:
    assert written_template(_problem("p", question, equation)) == (template,)


def test_the_majority_of_the_other_folds(tmp_path: Path) -> None:
    less = [_problem(f"l{n}", f"Ann has {9 + n} pens and loses {n}.", f"x={9 + n}-{n}") for n in range(1, 5)]
    more = [_problem(f"m{n}", f"Ann has {9 + n} pens and finds {n}.", f"x={9 + n}+{n}") for n in range(1, 4)]
    (tmp_path / "0.txt").write_text("l1\nm1\nm2\n", encoding="utf-8")
    (tmp_path / "1.txt").write_text("l2\nl3\nl4\nm3\n", encoding="utf-8")
    found = probes_of(Corpus("made", "gold", 7, (*less, *more)), tmp_path)
    # The first fold is told "less" by the second one (3 of 4), the second one "more" by the first one (2 of 3).
    assert found.shares[-1].name == MAJORITY_TEMPLATE
    assert (found.shares[-1].proportion.hits, found.shares[-1].proportion.n) == (2, 7)


@pytest.mark.shared
def test_the_published_share_of_asdiv_a(shared_data: Path) -> None:
    folds = shared_data / "asdiv" / "nfolds" / "asdiv-a"
    corpus = read_corpus(f"asdiv:{shared_data / 'asdiv' / 'ASDiv.xml'}@{folds}")
    found = majority_template_share(corpus, folds_of(corpus, folds)[0])
    assert (found.hits, found.n) == (258, 1218)  # SVAMP prints 21.2 %
