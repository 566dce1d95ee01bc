"""Solvers over a corpus by folds: each problem is solved by a solver that has not seen its fold."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_text
from corpus.errors import InputError
from evaluation.solvers.predictions import Prediction, Predictions
from evaluation.solvers.solver import MakeSolver

FOLDS = 5
Divided = tuple[list[set[str]], str]
"""The problem ids of each fold, and how they were divided."""


def folds_of(corpus: Corpus, folder: Path | None) -> Divided:
    """Problem ids of each fold: from a folder of id lists, or by the digest of the id into five.

    InputError where the lists do not divide the corpus.
    """
    if folder is None:
        folds: list[set[str]] = [set() for _ in range(FOLDS)]
        for problem in corpus.problems:
            folds[int(hashlib.sha256(problem.problem_id.encode()).hexdigest(), 16) % FOLDS].add(problem.problem_id)
        return folds, f"{FOLDS} folds by digest of the id"
    files = sorted(folder.glob("*.txt"))
    lists = [{line.strip() for line in read_text(file).splitlines() if line.strip()} for file in files]
    listed = sum(len(one) for one in lists)
    natives = {problem.native_id for problem in corpus.problems}
    if len(lists) < 2 or listed != len(set().union(*lists)) or not natives <= set().union(*lists):
        raise InputError(f"the lists in {folder} do not divide {corpus.name}: each id once, in two or more files")
    by_native = [{p.problem_id for p in corpus.problems if p.native_id in one} for one in lists]
    return by_native, f"{len(lists)} released folds"


def predicted(
    corpus: Corpus, folds: Sequence[set[str]], make: MakeSolver, extra: Sequence[GoldProblem] = ()
) -> Predictions:
    """The predictions of a solver for every problem, each fitted on the other folds and on ``extra`` problems."""
    found: dict[str, Prediction] = {}
    for fold in folds:
        solver = make()
        solver.fit([*(one for one in corpus.problems if one.problem_id not in fold), *extra])
        for problem in corpus.problems:
            if problem.problem_id in fold:
                answer = solver.solve(problem.question)
                if answer is not None:
                    found[problem.problem_id] = replace(answer, problem_id=problem.problem_id)
    return Predictions(found, ())
