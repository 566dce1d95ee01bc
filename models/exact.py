"""Arithmetic whose result is the same on every machine, whatever the processor, the BLAS kernels or the threads.

What differs between machines is the order of sums in a matrix product, fused multiplication, and the last bit of
exponentials and logarithms. Here features lie on a binary grid and products are cut so that every partial sum is an
integer below 2**53 in units of the grid: such sums are exact in any order, fused or not. All else is elementwise
addition, multiplication and division, which IEEE 754 defines to the bit.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

Matrix = NDArray[np.float64]
GRID_BITS: Final = 16
"""Features and weights are multiples of 2**-16; a product of two is exact as long as the sum stays below 2**21."""
EXACT_BITS: Final = 53
_LN2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
_LOG2_E: Final = 1.4426950408889634
_EXP: Final = tuple(1 / math.factorial(power) for power in range(14))
_EXP_BACK: Final = _EXP[-2::-1]
_FEW: Final = 24
"""Up to so many numbers are quicker one by one than as an array."""
_LOG: Final = tuple(1 / power for power in range(1, 28, 2))
_LOG_BACK: Final = _LOG[-2::-1]
_ROOT_HALF: Final = math.sqrt(0.5)


def on_grid(values: ArrayLike) -> Matrix:
    """The nearest multiples of 2**-16.

    >>> on_grid([0.1, -2.0]).tolist()
    [0.100006103515625, -2.0]
    """
    step = 2.0**GRID_BITS
    result: Matrix = np.rint(np.asarray(values, dtype=np.float64) * step) / step + 0.0
    return result


def exp(values: ArrayLike) -> Matrix:
    """The exponential function of values between -700 and 700, others at these bounds; within 3e-16 of the truth.

    >>> float(exp(0.0)), abs(float(exp(1.0)) - math.e) < 1e-15
    (1.0, True)
    """
    given = np.asarray(values, dtype=np.float64)
    if 0 < given.size <= _FEW:
        return np.array([_exp(value) for value in given.ravel().tolist()]).reshape(given.shape)
    bounded = np.clip(given, -700.0, 700.0)
    powers = np.rint(bounded * _LOG2_E)
    rest = (bounded - powers * _LN2_HIGH) - powers * _LN2_LOW
    result = np.full_like(rest, _EXP[-1])
    for factor in _EXP[-2::-1]:
        result = result * rest + factor
    return np.asarray(np.ldexp(result, powers.astype(np.int32)))


def _exp(value: float) -> float:
    """The same steps for one number, to the bit."""
    bounded = min(max(value, -700.0), 700.0)
    power = round(bounded * _LOG2_E)
    rest = (bounded - power * _LN2_HIGH) - power * _LN2_LOW
    result = _EXP[-1]
    for factor in _EXP_BACK:
        result = result * rest + factor
    return math.ldexp(result, power)


def log(values: ArrayLike) -> Matrix:
    """The natural logarithm of positive values, within 1e-15 of the truth.

    >>> float(log(8.0)) == math.log(8)
    True
    """
    given = np.asarray(values, dtype=np.float64)
    if 0 < given.size <= _FEW:
        return np.array([_log(value) for value in given.ravel().tolist()]).reshape(given.shape)
    parts, powers = np.frexp(given)
    small = parts < _ROOT_HALF
    parts, powers = np.where(small, 2 * parts, parts), powers - small
    ratio = (parts - 1) / (parts + 1)
    square = ratio * ratio
    series = np.full_like(ratio, _LOG[-1])
    for factor in _LOG_BACK:
        series = series * square + factor
    return np.asarray(powers * _LN2_HIGH + (2 * ratio * series + powers * _LN2_LOW))


def _log(value: float) -> float:
    """The same steps for one number, to the bit."""
    part, power = math.frexp(value)
    if part < _ROOT_HALF:
        part, power = 2 * part, power - 1
    ratio = (part - 1) / (part + 1)
    square, series = ratio * ratio, _LOG[-1]
    for factor in _LOG_BACK:
        series = series * square + factor
    return power * _LN2_HIGH + (2 * ratio * series + power * _LN2_LOW)


def sigmoid(values: ArrayLike) -> Matrix:
    """The logistic function."""
    return np.asarray(1 / (1 + exp(-np.asarray(values, dtype=np.float64))))


def softmax(scores: Matrix) -> Matrix:
    """The share of each score among those of the last axis, by their exponentials."""
    if scores.ndim == 1 and 0 < scores.size <= _FEW:
        given = scores.tolist()
        highest = max(given)
        powers = [_exp(value - highest) for value in given]
        whole = _folded(powers)
        return np.array([power / whole for power in powers])
    found = exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(found / total(np.moveaxis(found, -1, 0))[..., None])


def total(values: Matrix) -> Matrix:
    """The sum over the first axis in one fixed order: the halves are added until one row is left.

    >>> float(total(np.array([1.0, 2.0, 4.0])))
    7.0
    """
    if not len(values):
        return np.zeros(values.shape[1:])
    while len(values) > 1:
        half = (len(values) + 1) // 2
        folded = values[:half].copy()
        folded[: len(values) - half] += values[half:]
        values = folded
    return np.asarray(values[0])


def _folded(values: list[float]) -> float:
    """The same sum of a few numbers."""
    while len(values) > 1:
        half = (len(values) + 1) // 2
        upper = values[half:]
        values = [value + upper[place] if place < len(upper) else value for place, value in enumerate(values[:half])]
    return values[0]


def dot(first: Matrix, second: Matrix) -> float:
    """The sum of all products of two arrays of one shape."""
    return float(total((first * second).ravel()))


class GridMatrix:
    """A matrix on the grid, dense or sparse, whose products are the same on every machine."""

    def __init__(self, rows: Matrix | csr_matrix) -> None:
        """Put the values of ``rows`` on the grid."""
        if isinstance(rows, np.ndarray):
            self.rows = on_grid(rows)
        else:
            self.rows = csr_matrix((on_grid(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        sizes = abs(self.rows)
        self._by_row = float(np.max(np.asarray(sizes.sum(axis=1)), initial=0.0))
        self._by_column = float(np.max(np.asarray(sizes.sum(axis=0)), initial=0.0))

    def times(self, right: Matrix, parts: int = 2) -> Matrix:
        """The product with ``right``, which is cut to ``parts`` times 20 bits or more."""
        return _product(self.rows, self._by_row, right, parts)

    def transposed_times(self, right: Matrix, parts: int = 2) -> Matrix:
        """The product of the transposed matrix with ``right``."""
        return _product(self.rows.T, self._by_column, right, parts)


def _product(rows: Matrix | csr_matrix, reach: float, right: Matrix, parts: int) -> Matrix:
    """The sum of exact products with the leading bits of ``right``, the next bits, and so on.

    ``reach`` is the largest sum of sizes that meets in one element of the product. In units of the grids it takes
    ``GRID_BITS`` more bits; what is left of 53 bits, less one for rounding up, is for ``right``.
    """
    result = np.zeros((rows.shape[0], *right.shape[1:]))
    for _ in range(parts):
        largest = float(np.max(np.abs(right), initial=0.0))
        if not largest or not reach:
            break
        bits = EXACT_BITS - 1 - GRID_BITS - math.frexp(reach)[1] - math.frexp(largest)[1]
        leading = np.ldexp(np.rint(np.ldexp(right, bits)), -bits)
        result = result + rows @ leading
        right = right - leading
    return result
