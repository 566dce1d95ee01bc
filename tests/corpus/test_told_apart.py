"""A figure beside the limit that it misses."""

import math

from hypothesis import given
from hypothesis import strategies as st

from corpus.shown_text import told_apart

SHARES = st.floats(0, 1)


@given(SHARES, SHARES)
def test_what_is_told_stands_in_the_order_of_the_figures(value: float, limit: float) -> None:
    told, least = map(float, told_apart(value, limit))
    assert (told < least, told > least) == (value < limit, value > limit)


def test_neighbours_are_told_apart() -> None:
    for limit in (0.8, 0.9, 0.95, 1.0, 1e-9):
        value = math.nextafter(limit, 0)
        assert float(told_apart(value, limit)[0]) < float(told_apart(value, limit)[1])
