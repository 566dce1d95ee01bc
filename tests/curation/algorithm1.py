"""Two independent judges of template equivalence for tests: the paper's algorithm, and a check in a prime field.

Neither shares code with the canonical keys: trees are evaluated number by number.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary

PRIME = (1 << 61) - 1
VECTORS = 10


class LinearTemplate:
    """A template with as many equations as unknowns, linear in them."""

    def __init__(self, template: Sequence[str]) -> None:
        names = sorted({name for text in template for name in re.findall(r"[a-z]\d*", text)})
        self.slots = [name for name in names if name[0] <= "l"]
        self.unknowns = [name for name in names if name[0] > "l"]
        self.equations = [equation for text in template for equation in parse_equation(text, tuple(names))]

    def rows(self, env: Mapping[str, Any], number: Callable[[Fraction], Any]) -> list[list[Any]]:
        """Coefficients of the unknowns and, last, the constant, from values at zero and at the unit vectors."""
        zero = dict.fromkeys(self.unknowns, number(Fraction(0)))
        found = []
        for equation in self.equations:

            def residue(point: dict[str, Any], equation: Equation = equation) -> Any:
                whole = {**env, **point}
                return evaluate(equation.left, whole, number) - evaluate(equation.right, whole, number)

            constant = residue(zero)
            found.append(
                [residue(zero | {name: number(Fraction(1))}) - constant for name in self.unknowns] + [constant]
            )
        return found


def evaluate(node: Node, env: Mapping[str, Any], number: Callable[[Fraction], Any]) -> Any:
    """The value of an arithmetic tree."""
    match node:
        case Num(value):
            return number(value)
        case Name(name):
            return env[name]
        case Unary("-", operand):
            return number(Fraction(0)) - evaluate(operand, env, number)
        case Binary("^", left, Num(exponent)):
            return evaluate(left, env, number) ** int(exponent)
        case Binary(op, left, right):
            a, b = evaluate(left, env, number), evaluate(right, env, number)
            return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}[op]()
    raise TypeError(node)


def vectors_for(count: int) -> np.ndarray:
    """Ten random vectors; the same for all templates with that many slots."""
    return np.random.default_rng(7 + count).uniform(-1, 1, (VECTORS, count))


def solutions(template: LinearTemplate, vectors: np.ndarray) -> np.ndarray:
    """Solutions for each vector of slot values, NaN where there is no unique one."""
    env = {slot: vectors[:, index] for index, slot in enumerate(template.slots)}
    rows = template.rows(env, lambda value: np.full(len(vectors), float(value)))
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    matrix, constant = table[..., :-1], table[..., -1]
    if matrix.shape[-1] != matrix.shape[-2]:
        return np.full((len(vectors), len(template.unknowns)), np.nan)
    regular = np.abs(np.linalg.det(matrix)) > 1e-12
    found = np.full((len(vectors), len(template.unknowns)), np.nan)
    found[regular] = np.linalg.solve(matrix[regular], -constant[regular][..., None])[..., 0]
    return found


def renamed_solutions(template: LinearTemplate) -> np.ndarray:
    """Solutions under every renaming of slots: renamings x vectors x unknowns."""
    vectors = vectors_for(len(template.slots))
    orders = list(itertools.permutations(range(len(template.slots))))
    stacked = np.concatenate([vectors[:, list(order)] for order in orders])
    return solutions(template, stacked).reshape(len(orders), VECTORS, -1)


def equal_as_sets(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Whether two arrays of solutions hold the same distinct values, along the last axis, within a relative 1e-6."""
    close = np.abs(first[..., :, None] - second[..., None, :]) <= 1e-6 * (1 + np.abs(second[..., None, :]))
    same: np.ndarray = close.any(-1).all(-1) & close.any(-2).all(-1)
    return same


def algorithm1(first: np.ndarray, second: np.ndarray) -> bool:
    """The paper's Algorithm 1: some renaming of the second makes all random solutions equal those of the first."""
    return bool(equal_as_sets(first[0][None], second).all(-1).any())


class Residue:
    """A number modulo PRIME."""

    def __init__(self, value: int) -> None:
        self.value = value % PRIME

    def __add__(self, other: "Residue") -> "Residue":
        return Residue(self.value + other.value)

    def __sub__(self, other: "Residue") -> "Residue":
        return Residue(self.value - other.value)

    def __mul__(self, other: "Residue") -> "Residue":
        return Residue(self.value * other.value)

    def __truediv__(self, other: "Residue") -> "Residue":
        return Residue(self.value * pow(other.value, -1, PRIME))

    def __pow__(self, exponent: int) -> "Residue":
        return Residue(pow(self.value, exponent, PRIME))


def prime_solution(template: LinearTemplate, order: Sequence[int]) -> frozenset[int] | None:
    """The set of solution values modulo a prime at one fixed point, slots taken in the given order."""
    env = {
        slot: Residue(pow(5, 37 * (place + 3) ** 5, PRIME)) for slot, place in zip(template.slots, order, strict=True)
    }
    rows = template.rows(env, lambda value: Residue(value.numerator * pow(value.denominator, -1, PRIME)))
    table = [[entry.value for entry in row] for row in rows]
    size = len(template.unknowns)
    if len(table) != size:
        return None
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        inverse = pow(table[column][column], -1, PRIME)
        table[column] = [value * inverse % PRIME for value in table[column]]
        for row in range(size):
            if row != column:
                factor = table[row][column]
                table[row] = [(a - factor * b) % PRIME for a, b in zip(table[row], table[column], strict=True)]
    return frozenset(-row[-1] % PRIME for row in table)


def prime_equivalent(first: LinearTemplate, second: LinearTemplate) -> bool:
    """Whether some renaming makes the solutions equal modulo the prime."""
    orders = itertools.permutations(range(len(first.slots)))
    target = prime_solution(first, range(len(first.slots)))
    return len(first.slots) == len(second.slots) and any(prime_solution(second, order) == target for order in orders)
