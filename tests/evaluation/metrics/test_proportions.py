"""Intervals against values worked out by hand."""

import pytest

from evaluation.metrics.proportions import Proportion, Stratum, f1_interval, weighted
from models.label_split import wilson


@pytest.mark.rows(
    ("hits", "n", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (135, 145, 0.8777, 0.9621)],
)
def test_wilson_interval(hits: int, n: int, low: float, high: float) -> None:
    found = Proportion(hits, n)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert wilson(hits, n) == (pytest.approx(found.low), pytest.approx(found.high))


def test_proportion_in_one_line() -> None:
    assert str(Proportion(27, 29)) == "93.1 % [78.0, 98.1] (n=29)"
    assert str(Proportion(0, 0)) == "n/a (n=0)"
    assert Proportion(0, 0).value is None


@pytest.mark.rows(("hits", "n"), [(3, 2), (-1, 2)])
def test_more_hits_than_rows_are_refused(hits: int, n: int) -> None:
    with pytest.raises(ValueError, match="is not a proportion"):
        Proportion(hits, n)


def test_strata_are_weighted_by_population() -> None:
    # 0.8 * 18/20 + 0.2 * 5/10 = 0.82; Kish 1 / (0.64/20 + 0.04/10) = 27.78 is below 0.1476 / 0.00388 = 38.04
    found = weighted([Stratum("large", 80, 18, 20), Stratum("small", 20, 5, 10)])
    assert found.value == pytest.approx(0.82)
    assert found.effective_n == pytest.approx(1 / 0.036)
    assert (found.low, found.high) == (pytest.approx(0.6417, abs=2e-4), pytest.approx(0.9206, abs=2e-4))
    assert (found.n, found.population, found.unseen) == (30, 100, 0)


def test_a_noisy_heavy_stratum_lowers_the_effective_size() -> None:
    # p = 0.9 * 0.5 + 0.1 = 0.55; 0.2475 / (0.81 * 0.25 / 10) = 12.22 is below Kish 1 / (0.081 + 0.01/30) = 12.30
    found = weighted([Stratum("heavy", 90, 5, 10), Stratum("light", 10, 30, 30)])
    assert found.effective_n == pytest.approx(0.2475 / 0.02025)


def test_all_right_still_has_an_interval() -> None:
    found = weighted([Stratum("a", 50, 5, 5), Stratum("b", 50, 5, 5)])
    assert found.value == 1.0
    assert found.effective_n == pytest.approx(10)
    assert found.low == pytest.approx(0.7225, abs=1e-4)


def test_proportional_sample_is_as_good_as_a_simple_one() -> None:
    found = weighted([Stratum("a", 60, 6, 6), Stratum("b", 40, 0, 4)])
    assert (found.value, found.effective_n) == (pytest.approx(0.6), pytest.approx(10))


def test_strata_without_judgement_are_said() -> None:
    found = weighted([Stratum("a", 60, 6, 6), Stratum("b", 40, 0, 0)])
    assert (found.value, found.unseen) == (1.0, 40)
    assert "40 of 100 in strata not judged" in str(found)
    assert weighted([Stratum("b", 40, 0, 0)]).value is None


def test_f1_interval_is_that_of_the_overlap() -> None:
    value, low, high = f1_interval(8, 1, 1)
    # J = 8/10: F1 = 1.6/1.8, ends from Wilson of 8/10
    assert value == pytest.approx(16 / 18)
    assert low == pytest.approx(2 * 0.4902 / 1.4902, abs=1e-4)
    assert high == pytest.approx(2 * 0.9433 / 1.9433, abs=1e-4)


def test_intervals_are_those_of_scipy_to_the_bit() -> None:
    from scipy.stats import binomtest  # takes a second, in which the other tests are done

    for n in (1, 2, 7, 71, 84, 196, 1000):
        for hits in range(0, n + 1, max(1, n // 20)):
            found, ours = binomtest(hits, n).proportion_ci(0.95, method="wilson"), Proportion(hits, n)
            assert (ours.low, ours.high) == (found.low, found.high), (hits, n)
