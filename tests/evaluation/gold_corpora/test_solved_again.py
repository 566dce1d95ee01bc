"""Systems solved once more: a row's wrong answer is found, and the counts of a corpus are those of its systems."""

from types import SimpleNamespace
from typing import Any, cast

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.records import Problem
from evaluation.gold_corpora.gold_systems import corpus_opinions, opinion_report, problem_opinion
from extractors.solve.second_solver import Opinion


def row(**changes: Any) -> Problem:
    """What the second solver looks at in a row: x + y = 9, 2x - y = 3, and y is asked."""
    facts = {
        "problem_id": "site:1", "equations": ("x+y=9", "2*x-y=3"), "unknowns": ("x", "y"), "asked": ("y",),
        "answer_exact": ("5",), "solutions": (("4", "5"),),
    }  # fmt: skip
    return cast(Problem, SimpleNamespace(**{**facts, **changes}))


def test_a_row_is_held_against_its_solutions_and_its_answer() -> None:
    assert problem_opinion(row()).opinion is Opinion.AGREES
    assert problem_opinion(row(asked=None, answer_exact=("7",))).opinion is Opinion.AGREES
    other = problem_opinion(row(answer_exact=("4",)))
    assert (other.opinion, other.why) == (Opinion.DISAGREES, "no solution of SymPy has the answer 4")
    wrong = problem_opinion(row(solutions=(("5", "4"),)))
    assert (wrong.opinion, wrong.why) == (Opinion.DISAGREES, "published is 5; 4; SymPy finds 4; 5; 5")


def test_a_corpus_counts_its_systems_that_are_solved() -> None:
    texts = [("x=3/4",), (), ("x+y=1",), ("x^2=x+1",)]
    problems = tuple(
        GoldProblem(problem_id=f"o:{number}", native_id=str(number), origin="o", equations=equations)
        for number, equations in enumerate(texts)
    )
    found = corpus_opinions(Corpus("ours", "o", len(problems), problems))
    assert {id_: one.opinion for id_, one in found.items()} == {"o:0": Opinion.AGREES, "o:3": Opinion.AGREES}
    assert "| ours: agrees | 100.00 % [34.24, 100.00] (2 of 2) |" in opinion_report({"ours": found}).markdown()
