"""The expected calibration error, and what chance alone makes of it, worked out by hand."""

import pytest

from evaluation.metrics.proportions import Calibration


def test_error_is_the_gap_by_tenths() -> None:
    # tenth 0.8: mean 0.85, half right, two items; tenth 0.9 with the end of the scale: mean 0.95, both right
    found = Calibration.of([(0.8, True), (0.9, True), (1.0, True), (0.89, False)])
    assert [(tenth.n, tenth.hits) for tenth in found.tenths] == [(2, 1), (2, 2)]
    assert found.error == pytest.approx(100 * (2 * 0.345 + 2 * 0.05) / 4)


def test_nothing_is_off_by_nothing() -> None:
    assert (Calibration.of([]).error, Calibration.of([]).chance) == (0.0, (0.0, 0.0))


@pytest.mark.rows(
    ("probabilities", "mean", "deviation"),
    [
        ([1.0, 1.0], 0.0, 0.0),
        ([0.5], 50.0, 0.0),
        # 0, 1 or 2 of two coins: off by 1, 0, 1 with chances 1/4, 1/2, 1/4
        ([0.5, 0.5], 25.0, 25.0),
        # one item a tenth: 0.2 is off by 0.2 (4 in 5) or 0.8 (1 in 5), mean 0.32, variance 0.16 - 0.1024
        ([0.2, 0.5], 100 * (0.32 + 0.5) / 2, 100 * 0.24 / 2),
    ],
)
def test_error_of_true_probabilities(probabilities: list[float], mean: float, deviation: float) -> None:
    for right in (True, False):
        found = Calibration.of([(probability, right) for probability in probabilities]).chance
        assert found == pytest.approx((mean, deviation))
