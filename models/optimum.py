"""The least value of a smooth convex function: Newton's method with conjugate gradients and bounds on the variables.

It starts at a fixed point, decides by nothing but exact arithmetic (``models/exact.py``) and so takes the same steps on
every machine; library solvers do not, since their sums depend on the processor. After Nocedal and Wright, Numerical
Optimization, algorithm 7.1, and Bertsekas for the bounds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from models.exact import Matrix, dot

STEPS: Final = 200
CONJUGATE_STEPS: Final = 400
HALVINGS: Final = 30
DECREASE: Final = 1e-4
"""The share of the promised decrease that a step has to bring (Armijo)."""


@dataclass(frozen=True)
class Point:
    """A function at one place: its value, its gradient, and the product of its second derivatives with a vector."""

    value: float
    gradient: Matrix
    curvature: Callable[[Matrix], Matrix]


Smooth = Callable[[Matrix], Point]


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value of each variable."""

    least: Matrix
    most: Matrix

    def inside(self, place: Matrix) -> Matrix:
        """The nearest place within the bounds."""
        return np.clip(place, self.least, self.most)

    def held(self, place: Matrix, move: Matrix) -> Matrix:
        """1 for each variable that could follow ``move``, 0 where it stands at its bound already."""
        stuck = ((place <= self.least) & (move < 0)) | ((place >= self.most) & (move > 0))
        return np.where(stuck, 0.0, 1.0)


def minimum(function: Smooth, start: Matrix, bounds: Bounds | None = None, tolerance: float = 1e-6) -> Matrix:
    """Where ``function`` is least: no element of the gradient is beyond ``tolerance`` there, but at a bound.

    It ends early where no step brings a decrease any more.
    """
    bounds = bounds or Bounds(np.full(start.shape, -np.inf), np.full(start.shape, np.inf))
    place = bounds.inside(start)
    here = function(place)
    for _ in range(STEPS):
        move = _direction(here, place, bounds, tolerance)
        found = None if move is None else _along(function, here, place, move, bounds)
        if found is None:
            break
        place, here = found
    return place


def _direction(here: Point, place: Matrix, bounds: Bounds, tolerance: float) -> Matrix | None:
    """Newton's direction among the variables that can move; None at the optimum."""
    free = bounds.held(place, -here.gradient)
    slope = float(np.abs(here.gradient * free).max())
    if slope <= tolerance:
        return None
    while True:
        move = _newton(here, free, min(0.1, np.sqrt(slope)))
        kept = free * bounds.held(place, move)
        if np.array_equal(kept, free):
            return move
        free = kept


def _newton(here: Point, free: Matrix, accuracy: float) -> Matrix:
    """Conjugate gradients for Newton's equations, to a share ``accuracy`` of the gradient."""
    move = np.zeros_like(free)
    rest = -here.gradient * free
    way, size = rest, dot(rest, rest)
    enough = size * accuracy * accuracy
    for _ in range(CONJUGATE_STEPS):
        if size <= enough:
            break
        bent = here.curvature(way) * free
        along = dot(way, bent)
        if along <= 0:
            break
        length = size / along
        move, rest = move + length * way, rest - length * bent
        before, size = size, dot(rest, rest)
        way = rest + (size / before) * way
    return move


def _along(function: Smooth, here: Point, place: Matrix, move: Matrix, bounds: Bounds) -> tuple[Matrix, Point] | None:
    """The first of the whole step, its half, its quarter ... that brings a decrease."""
    length = 1.0
    for _ in range(HALVINGS):
        reached = bounds.inside(place + length * move)
        promised = dot(here.gradient, reached - place)
        there = function(reached)
        if promised < 0 and there.value <= here.value + DECREASE * promised:
            return reached, there
        length /= 2
    return None
