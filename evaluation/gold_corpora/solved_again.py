"""Systems of versions and corpora solved once more by SymPy: agreements, disagreements, and what it does not solve."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from corpus.benchmarks.gold_problems import Corpus
from corpus.benchmarks.reading import read_corpus
from corpus.records import Problem
from corpus.versions import Version
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.metrics.value_matching import same_value
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import parse_value
from extractors.solve.equation_systems import WITH_SOLUTIONS, Status, parse_system, with_all_unknowns
from extractors.solve.second_solver import Opinion, SecondOpinion, second_opinion
from extractors.solve.solving import solve

Opinions = Mapping[str, SecondOpinion]
"""By the id of the problem."""


def version_opinions(problems: Iterable[Problem]) -> Opinions:
    """What the second solver says of the solutions of some rows and of their answers; rows without a system are out."""
    return {problem.problem_id: problem_opinion(problem) for problem in problems if problem.equations}


def problem_opinion(problem: Problem) -> SecondOpinion:
    """What the second solver says of a row: of its solutions, and whether what is asked has the values of the answer.

    Our solver tells whether the row should hold all solutions. ExtractionError for a system that cannot be read.
    """
    system = parse_system(problem.equations or (), [*problem.unknowns, *(problem.asked or ())])
    published = [tuple(map(parse_value, solution)) for solution in problem.solutions]
    complete = solve(system).status is Status.SOLVED
    found = second_opinion(system, published, complete=complete)
    if found.opinion is not Opinion.AGREES or problem.asked is None:
        return found
    for place, answer in enumerate(problem.answer_exact, len(problem.unknowns)):
        if not any(same_value(row[place], parse_value(answer)) for row in found.rows):
            return found._replace(opinion=Opinion.DISAGREES, why=f"no solution of SymPy has the answer {answer}")
    return found


def corpus_opinions(corpus: Corpus) -> Opinions:
    """What the second solver says of our solutions of a corpus's systems; those that ours does not solve are out."""
    return dict(_corpus_opinions(corpus))


def _corpus_opinions(corpus: Corpus) -> Iterator[tuple[str, SecondOpinion]]:
    for problem in corpus.problems:
        if not problem.equations:
            continue
        try:
            system = with_all_unknowns(parse_system(problem.equations, problem.unknowns or None))
        except ExtractionError:
            continue
        result = solve(system)
        if result.status in WITH_SOLUTIONS:
            targets = dict(zip(system.unknowns, system.targets, strict=True))
            solved = system._replace(unknowns=result.unknowns, targets=tuple(targets[name] for name in result.unknowns))
            complete = result.status is Status.SOLVED
            yield problem.problem_id, second_opinion(solved, result.solutions, complete=complete)


def second_solver(versions: Mapping[str, Version], shared: Path) -> ReadingReport:
    """The table: the rows of some versions, and the systems of DRAW and Dolphin18K that our solver solves."""
    found = {name: version_opinions(version.problems()) for name, version in versions.items()}
    for name, spec in {"DRAW": "draw:draw/draw.json", "Dolphin18K": "dolphin:dolphin18k/dev_urls.json"}.items():
        kind, _, path = spec.partition(":")
        found[name] = corpus_opinions(read_corpus(f"{kind}:{shared / path}"))
    return opinion_report(found)


def opinion_report(found: Mapping[str, Opinions]) -> ReadingReport:
    """The table of the opinions of each source."""
    return ReadingReport(
        "A second solver",
        "SymPy solves each system that our solver solves, from our trees and within a budget of calls. Agrees: the "
        "same real solutions at 1e-9, or, where ours may not know all, all of ours; of a version also that what is "
        "asked has the values of the answer. Not solved are systems beyond the budget, with functions that SymPy "
        "refuses, with unknowns that only a search of integers determines, and those of which it loses a solution "
        "that holds by its own arithmetic.",
        tuple(
            Share(f"{name}: {kind}", Proportion(sum(one.opinion is kind for one in some.values()), len(some)))
            for name, some in found.items()
            for kind in Opinion
        ),
        tuple(
            Failure(id_, f"{name}: {one.why if one.opinion is Opinion.NOT_SOLVED else one.opinion}", one.why)
            for name, some in found.items()
            for id_, one in some.items()
            if one.opinion is not Opinion.AGREES
        ),
    )
