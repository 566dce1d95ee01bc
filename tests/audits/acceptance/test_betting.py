"""The gate's test: its error against exact enumeration and simulation, its bound, and the sizes that follow from it."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from audits.acceptance.betting import (
    Blocks,
    JudgedRound,
    Terms,
    accepting_capital,
    allowed_wrong,
    block_sizes,
    decision,
    first_rows,
    more_rows,
    most_wrong,
    refusing_capital,
)
from audits.acceptance.gate_report import weighted_estimate
from benchmarks.gate_error import ACCEPTED, Case, simulate

BOUND = Fraction(97, 100)


def clean_rounds(population: int, rounds: int, wrong: int = 0) -> list[JudgedRound]:
    """Rounds of 20 rows with so many wrong ones in each."""
    found = []
    for place in range(rounds):
        left = population - 20 * place
        found.append(JudgedRound(left, (Blocks(left // 20, 20 - wrong, wrong),)))
    return found


@pytest.mark.rows("wrong", [(1, 1, 0, 0, 0, 0, 0), (0, 0, 0, 1, 0, 0, 1), (1, 0, 1, 1, 0, 0, 0)])
def test_the_expected_capital_of_a_round_is_at_most_one_whatever_the_blocks_hold(wrong: tuple[int, ...]) -> None:
    sizes, ends = block_sizes(len(wrong), 3), [0, 2, 4, 7]
    blocks = [wrong[begin:end] for begin, end in itertools.pairwise(ends)]
    assert sizes == [len(block) for block in blocks] == [2, 2, 3]
    accepting, refusing = [], []
    for drawn in itertools.product(*blocks):
        counts = [Blocks(size, int(not row), int(row)) for size, row in zip(sizes, drawn, strict=True)]
        one = [JudgedRound(len(wrong), tuple(counts))]
        if sum(wrong) - sum(drawn) <= len(wrong) - 3:
            chance = math.prod(1 / size for size in sizes)
            accepting.append(chance * math.exp(accepting_capital(one, sum(wrong))))
            refusing.append(chance * math.exp(refusing_capital(one, sum(wrong))))
    assert 0.3 < sum(accepting) <= 1 + 1e-12
    assert 0.3 < sum(refusing) <= 1 + 1e-12


def test_a_clean_sample_is_accepted_and_a_bad_one_refused() -> None:
    assert [decision(clean_rounds(2000, rounds), 2000, BOUND, 0.05) for rounds in (0, 6, 8)] == [
        "more",
        "more",
        "accepted",
    ]
    assert decision(clean_rounds(2000, 4, wrong=3), 2000, BOUND, 0.05) == "refused"


def test_the_bound_says_what_the_decision_says() -> None:
    for rounds in (clean_rounds(2000, 7), clean_rounds(2000, 8), clean_rounds(2000, 30, wrong=0)):
        most = most_wrong(rounds, 2000, 0.05)
        assert (most <= allowed_wrong(2000, BOUND)) == (decision(rounds, 2000, BOUND, 0.05) == "accepted")


def test_when_every_row_is_judged_the_count_decides() -> None:
    whole = [JudgedRound(40, (Blocks(2, 20, 0),)), JudgedRound(20, (Blocks(1, 18, 2),))]
    assert most_wrong(whole, 40, 0.05) == 2
    assert decision(whole, 40, Fraction(95, 100), 0.05) == "accepted"
    assert decision(whole, 40, Fraction(96, 100), 0.05) == "refused"


def test_the_estimate_is_weighted_by_the_blocks() -> None:
    rounds = [JudgedRound(100, (Blocks(4, 0, 5), Blocks(16, 5, 0))), JudgedRound(90, (Blocks(9, 10, 0),))]
    assert weighted_estimate([], 100) is None
    assert weighted_estimate(rounds, 100) == pytest.approx(1 - (10 * 20 + 10 * 5) / 20 / 100)


def test_the_first_sheet_is_larger_for_a_harder_bound_and_never_more_than_there_is() -> None:
    sizes = [first_rows(Terms(5000, Fraction(bound).limit_denominator(100), 0.05), 0.99) for bound in (0.9, 0.95, 0.97)]
    assert sizes == sorted(sizes)
    assert sizes[0] <= 100 < sizes[-1]
    assert first_rows(Terms(60, BOUND, 0.05), 0.985) == 60


def test_more_rows_are_those_that_decide_if_it_goes_on_so() -> None:
    terms = Terms(2000, BOUND, 0.05)
    asked = more_rows(terms, clean_rounds(2000, 4), 0.995)
    assert 60 <= asked <= 100
    assert more_rows(terms, clean_rounds(2000, 4, wrong=2), 0.995) < 200  # to a refusal
    assert more_rows(Terms(100, BOUND, 0.05), clean_rounds(100, 2), 0.97) <= 60


@pytest.mark.rows("where", ["spread", "clump"])
def test_false_acceptance_holds_over_a_thousand_runs(where: str) -> None:
    assert simulate(Case(300, "0.9", 31, where), 1000).share(ACCEPTED) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 1000)
    assert simulate(Case(300, "0.9", 9, where), 200).share(ACCEPTED) > 0.95


def test_the_simulation_decides_as_the_gate_does() -> None:
    case, random = Case(300, "0.9", 20), np.random.default_rng([3, 0])
    rows, rounds, found = case.rows, list[JudgedRound](), "more"
    while found == "more":
        sizes = block_sizes(len(rows), 20)
        drawn = np.cumsum([0, *sizes[:-1]]) + (random.random(len(sizes)) * sizes).astype(int)
        pairs = list(zip(sizes, rows[drawn], strict=True))
        blocks = tuple(
            Blocks(size, sum(one == (size, 0) for one in pairs), sum(one == (size, 1) for one in pairs))
            for size in sorted(set(sizes))
        )
        rounds.append(JudgedRound(len(rows), blocks))
        rows = np.delete(rows, drawn)
        found = decision(rounds, 300, Fraction(9, 10), 0.05)
    outcome = simulate(case, 1, seed=3)
    assert (outcome.ends[0], outcome.rows[0]) == ({"accepted": 1, "refused": -1}[found], sum(o.rows for o in rounds))
