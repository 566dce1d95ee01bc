"""Dolphin18K, DRAW and Alg-514: systems read and solved, and their gold answers within the solutions; and by SymPy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from corpus.benchmarks.gold_problems import Corpus
from corpus.benchmarks.reading import read_corpus
from corpus.records import Problem
from corpus.versioning.versions import Version
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_json, read_lines
from evaluation.metrics.value_matching import close, same_value, within
from extractors.answers.parsing import parse_answer
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import approximate, parse_value
from extractors.solve.equation_systems import (
    WITH_SOLUTIONS,
    Status,
    System,
    parse_dolphin,
    parse_system,
    with_all_unknowns,
)
from extractors.solve.second_solver import Opinion, SecondOpinion, second_opinion
from extractors.solve.solving import SolveResult, solve, solve_texts

DOLPHIN_TOLERANCE = Fraction(1, 1000)
DRAW_TOLERANCE = Fraction(1, 100)
_PARTLY = Fraction(2, 100)


class SystemFailure(StrEnum):
    """Why an annotated system does not give its annotated answer."""

    NOT_PARSED = "not parsed"
    NOT_A_NUMBER = "gold is not a number"
    CONTRADICTORY = "contradictory equations"
    TOO_FEW = "too few equations"
    NOT_SOLVED = "not solved"
    ROUNDED = "gold rounded to few digits"
    SOME_VALUES = "some gold values reproduced"
    POWER_OF_TEN = "gold is a power of ten off"
    OTHER_VALUES = "other values than the gold"


class _JudgedGoldSystem(NamedTuple):
    id: str
    parsed: bool
    status: Status
    right: bool
    kind: SystemFailure | None
    detail: str


def dolphin(shared: Path) -> ReadingReport:
    """The development set of Dolphin18K: its annotated systems read, solved, and their gold answers reproduced."""
    records = [r for r in read_json(shared / "dolphin18k" / "dev_urls.json") if r["equations"]]
    judged = [_dolphin_record(record) for record in records]
    failures = tuple(Failure(j.id, j.kind, j.detail) for j in judged if j.kind is not None)
    return ReadingReport(
        "Dolphin18K development set",
        "Gold within the solutions: every gold value is a value of one solution at 1e-3, absolute and relative "
        "together (Dolphin18K, section 3.3), for any of the gold's alternatives. Where a record does not declare all "
        "its unknowns, the undeclared ones count as well; where it leaves one free, the values of the others that it "
        "determines. Golds that are not numbers count as failures.",
        (
            Share("parsed", Proportion.of(j.parsed for j in judged), 99.8),
            Share("solved", Proportion.of(j.status in WITH_SOLUTIONS for j in judged), 98.5),
            Share("gold within the solutions", Proportion.of(j.right for j in judged), 94.5),
        ),
        failures,
        tuple(failure for failure in failures if failure.kind in SUSPECT),
    )


SUSPECT = frozenset(
    (SystemFailure.CONTRADICTORY, SystemFailure.OTHER_VALUES, SystemFailure.SOME_VALUES, SystemFailure.POWER_OF_TEN)
)
"""Classes in which the record contradicts itself: the annotated equations do not have the annotated answer."""


def _dolphin_record(record: dict[str, Any]) -> _JudgedGoldSystem:
    alternatives = [[approximate(value) for value in values] for values in parse_answer(record["ans"])]
    try:
        system = parse_dolphin(record["equations"])
    except ExtractionError as error:
        return _JudgedGoldSystem(
            record["id"],
            parsed=False,
            status=Status.MALFORMED,
            right=False,
            kind=SystemFailure.NOT_PARSED,
            detail=str(error),
        )
    result = solve(system)
    solutions = _values(result)
    right = _any_within(alternatives, solutions)
    if not right and alternatives:
        right = _any_within(alternatives, _values(solve(with_all_unknowns(system))))
    if not solutions and alternatives and result.status in (Status.UNDERDETERMINED, Status.UNSUPPORTED):
        right = right or _any_within(alternatives, [_determined(with_all_unknowns(system))])
    kind = None if right else _classified(alternatives, solutions, result)
    detail = f"gold {record['ans']}; {_given(solutions) or result.detail}"
    return _JudgedGoldSystem(record["id"], parsed=True, status=result.status, right=right, kind=kind, detail=detail)


def _given(solutions: Sequence[Sequence[Fraction]]) -> str:
    """The first solution in short, to be held against the gold."""
    return f"the equations give {'; '.join(f'{float(value):.6g}' for value in solutions[0])}" if solutions else ""


def _values(result: SolveResult) -> list[list[Fraction]]:
    return [[approximate(value) for value in solution] for solution in result.solutions]


def _any_within(golds: Sequence[Sequence[Fraction]], solutions: Sequence[Sequence[Fraction]]) -> bool:
    return any(within(gold, solution, DOLPHIN_TOLERANCE) for gold in golds for solution in solutions)


def _determined(system: System) -> list[Fraction]:
    """The values of the unknowns that a system determines although it leaves others free, one by one."""
    single = [
        solve(system._replace(unknowns=(name,), targets=(target,)))
        for name, target in zip(system.unknowns, system.targets, strict=True)
    ]
    return [row[0] for result in single if len(result.solutions) == 1 for row in _values(result)]


def _classified(
    golds: Sequence[Sequence[Fraction]], solutions: Sequence[Sequence[Fraction]], result: SolveResult
) -> SystemFailure:
    """The class of a failure, from what the gold and the solutions have in common."""
    if not golds:
        return SystemFailure.NOT_A_NUMBER
    if not solutions:
        unsolved = {Status.INCONSISTENT: SystemFailure.CONTRADICTORY, Status.UNDERDETERMINED: SystemFailure.TOO_FEW}
        return unsolved.get(result.status, SystemFailure.NOT_SOLVED)
    pairs = [(gold, [v for solution in solutions for v in solution]) for values in golds for gold in values]
    if all(any(_rounded_alike(value, gold) for value in values) for gold, values in pairs):
        return SystemFailure.ROUNDED
    if any(close(value, gold, DOLPHIN_TOLERANCE) for gold, values in pairs for value in values):
        return SystemFailure.SOME_VALUES
    if any(_scaled_alike(value, gold) for gold, values in pairs for value in values):
        return SystemFailure.POWER_OF_TEN
    return SystemFailure.OTHER_VALUES


def _rounded_alike(value: Fraction, gold: Fraction) -> bool:
    """Whether a gold value may be a coarse rounding: a whole number or 2 % off."""
    return abs(value - gold) <= max(_PARTLY * abs(gold), Fraction(1, 2) if gold.denominator == 1 else Fraction(0))


def _scaled_alike(value: Fraction, gold: Fraction) -> bool:
    return any(close(value * scale, gold, DOLPHIN_TOLERANCE) for scale in _SCALES if value)


_SCALES = tuple(Fraction(10) ** power for power in (-3, -2, -1, 1, 2, 3))


def draw(shared: Path) -> ReadingReport:
    """DRAW (train and dev): solved and matched."""
    return _template_set("DRAW", shared / "draw" / "draw.json")


def alg514(shared: Path) -> ReadingReport:
    """Alg-514: solved and matched."""
    return _template_set("Alg-514", shared / "alg514" / "kushman.json")


def _template_set(title: str, path: Path) -> ReadingReport:
    records = read_json(path)
    results = [solve_texts(record["lEquations"]) for record in records]
    matched = [_matched(r["lSolutions"], result) for r, result in zip(records, results, strict=True)]
    failures = [
        Failure(str(record["iIndex"]), result.status, f"gold {record['lSolutions']}; {result.detail}")
        for record, result, right in zip(records, results, matched, strict=True)
        if not right
    ]
    return ReadingReport(
        f"{title} systems",
        "Matched: every gold value is a value of the solution at 1e-2 (the gold is printed with two decimals).",
        (
            Share("solved", Proportion.of(result.status is Status.SOLVED for result in results), 100),
            Share("gold matched", Proportion.of(matched), 100),
        ),
        tuple(failures),
    )


def _matched(gold: Sequence[float], result: SolveResult) -> bool:
    wanted = [Fraction(str(value)) for value in gold]
    return any(within(wanted, solution, DRAW_TOLERANCE) for solution in _values(result))


JUDGED = Path(__file__).parent / "judged" / "answer_strings.jsonl"
"""The sample of answer strings read by hand: id, and the alternatives that the string states."""
_SAMPLE = 200


def answers(shared: Path) -> ReadingReport:
    """Dolphin18K's answer strings: read, and with as many values as their notation shows."""
    records = read_json(shared / "dolphin18k" / "dev_urls.json")
    silent = [Failure(record["id"], "no value", record["ans"]) for record in records if not parse_answer(record["ans"])]
    sample = answer_sample(records)
    judged = {line["id"]: line["expect"] for line in read_lines(JUDGED)}
    wrong = [
        Failure(record["id"], "read otherwise than by hand", record["ans"])
        for record in sample
        if record["id"] not in judged or not _as_judged(record["ans"], judged[record["id"]])
    ]
    return ReadingReport(
        "Dolphin18K answer strings",
        "Read: at least one alternative of numbers. Option letters and symbolic answers hold none, which is the right "
        "reading of them; they are listed and count against the share. The sample is drawn by content hash; each "
        "string was read by hand and its values written down, and right is a reading with exactly these values.",
        (
            Share("read as numbers", Proportion(len(records) - len(silent), len(records)), 99.7),
            Share("right in a sample checked by hand", Proportion(len(sample) - len(wrong), len(sample)), 99.7),
        ),
        (*silent, *wrong),
    )


def answer_sample(records: Sequence[dict[str, Any]], size: int = _SAMPLE) -> list[dict[str, Any]]:
    """A sample that depends on nothing but the records: those with the smallest SHA-256 of id and answer string."""
    return sorted(records, key=lambda r: sha256(f"{r['id']}\n{r['ans']}".encode()).hexdigest())[:size]


def _as_judged(text: str, expected: Sequence[Sequence[str]]) -> bool:
    return parse_answer(text) == tuple(tuple(Fraction(value) for value in values) for values in expected)


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
            Share(f"{name}: {kind}", Proportion.of(one.opinion is kind for one in some.values()))
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
