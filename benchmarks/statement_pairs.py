"""Families of pairs for ``grade`` in the notation of competitions, true and false by how they are made."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb, isqrt
from random import Random
from typing import Final

Drawn = Iterator[tuple[str, str, bool]]


def latex(value: Fraction) -> str:
    """A fraction in LaTeX."""
    if value.denominator == 1:
        return str(value)
    return f"{'-' if value < 0 else ''}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def radicals(chance: Random) -> Drawn:
    """Square roots: simplified, rationalised, nested, rounded."""
    n, k, a = chance.choice((2, 3, 5, 6, 7, 10)), chance.randint(2, 9), chance.randint(1, 20)
    yield f"$\\sqrt{{{n * k * k}}}$", f"{k}\\sqrt{{{n}}}", True
    yield f"\\frac{{{a}}}{{\\sqrt{{{n}}}}}", f"$\\dfrac{{{a}\\sqrt{n}}}{{{n}}}$", True
    yield f"$\\sqrt{{{a * a + n}+{2 * a}\\sqrt{{{n}}}}}$", f"${a}+\\sqrt{{{n}}}$", True
    yield f"\\frac{{{k * k * n - a * a}}}{{{k}\\sqrt{{{n}}}-{a}}}", f"{a}+{k}\\sqrt{{{n}}}", k * k * n != a * a
    digits = isqrt(n * 10**10)
    yield f"{digits // 10**5}.{digits % 10**5:05d}", f"$\\sqrt{{{n}}}$", True
    yield f"{digits // 10**5}.{(digits + 7) % 10**5:05d}", f"$\\sqrt{{{n}}}$", False
    yield f"$\\sqrt{{{n * k * k + 1}}}$", f"{k}\\sqrt{{{n}}}", False
    yield f"$\\sqrt{{{a * a + n}+{2 * a}\\sqrt{{{n}}}}}$", f"${a}-\\sqrt{{{n}}}$", False
    yield f"${a}+{k}\\sqrt{{{n}}}$", f"${k}+{a}\\sqrt{{{n}}}$", a == k
    yield f"${a}\\pm\\sqrt{{{n}}}$", f"{a}-\\sqrt{n if n < 10 else '{10}'}, {a}+\\sqrt{{{n}}}", True
    yield f"${a}\\pm\\sqrt{{{n}}}$", f"${a}+\\sqrt{{{n}}}$", False


def regions(chance: Random) -> Drawn:
    """Sets of real numbers: the same set written otherwise, and one end or bracket changed."""
    a, b = sorted(chance.sample(range(-9, 30), 2))
    x = chance.choice("xtay")
    yield f"${a} \\le {x} < {b}$", f"$[{a}, {b})$", True
    yield f"${x} < {a}$ or ${x} > {b}$", f"$(-\\infty, {a}) \\cup ({b}, \\infty)$", True
    yield f"$\\{{{x} \\mid {x} \\ne {a}\\}}$", f"all real numbers except {a}", True
    yield f"$(-\\infty,{a})\\cup({a},\\infty)$", f"$\\mathbb{{R}} \\setminus \\{{{a}\\}}$", True
    yield f"$2{x} - {2 * abs(b)} \\geq 0$", f"$[{abs(b)}, +\\infty)$", True
    yield f"$|{x}| \\le {abs(b) + 1}$", f"$[-{abs(b) + 1}, {abs(b) + 1}]$", True
    yield f"${x} \\ge {a}$", f"$({a}, \\infty)$", False
    yield f"${a} \\le {x} \\le {b}$", f"$[{a}, {b})$", False
    yield f"${x} < {a}$ or ${x} > {b}$", f"${a} < {x} < {b}$", False
    yield f"${x} < {a}$", f"${x} > {a}$", False
    yield f"$(-\\infty, {a}] \\cup ({b}, \\infty)$", f"$(-\\infty, {a}) \\cup ({b}, \\infty)$", False
    yield f"all real numbers except {b}", f"$\\mathbb{{R}} \\setminus \\{{{a}\\}}$", False


def functions(chance: Random) -> Drawn:
    """Polynomials and rational functions: expanded, factored, with another variable; a coefficient changed."""
    a, b, c = (chance.randint(1, 12) for _ in range(3))
    x, t = chance.sample("xtuy", 2)
    expanded = f"{x}^2 + {a + b}{x} + {a * b}" if a + b > 1 else ""
    yield f"$f({x}) = ({x}+{a})({x}+{b})$", f"$f({x}) = {expanded}$", True
    yield f"$f({t}) = ({t}+{a})({t}+{b})$", f"$f({x}) = {expanded}$", True
    yield f"$({x}+{a})({x}-{b + a})$", f"${x}^2 - {b}{x} - {a * (a + b)}$", True
    yield (
        f"$\\frac{{1}}{{{x}+{a}}} + \\frac{{{c}}}{{{x}-{b}}}$",
        (f"$\\frac{{{c + 1}{x} + {a * c} - {b}}}{{({x}+{a})({x}-{b})}}$"),
        True,
    )
    yield f"$f({x}) = ({x}+{a})({x}+{b})$", f"$f({x}) = {x}^2 + {a + b}{x} + {a * b + 1}$", False
    yield f"$f({x}) = {a}{x} + {b}$", f"$f({t}) = {b}{t} + {a}$", a == b
    yield f"$f({x}) = {a}{x}$ and $f({x}) = -{b}{x}$", f"$f({x}) = -{b}{x}, f({x}) = {a}{x}$", True
    yield f"$f({x}) = {a}{x}$ and $f({x}) = -{b}{x}$", f"$f({x}) = {a}{x}$", False
    yield f"${a}\\sin^2 {x}$", f"${a} - {a}\\cos^2 {x}$", True
    yield f"${a}\\sin^2 {x}$", f"${a} + {a}\\cos^2 {x}$", False
    yield f"${a + 1}^{{n+{b}}}$", f"${(a + 1) ** b} \\cdot {a + 1}^n$", True
    yield f"${a + 1}^{{n+{b}}}$", f"${a + 1}^n + {(a + 1) ** b}$", False
    yield f"$\\binom{{n+{a}}}{{2}}$", f"$\\frac{{(n+{a})(n+{a - 1})}}{{2}}$", True
    yield f"$\\binom{{n+{a}}}{{2}}$", f"$\\frac{{(n+{a})(n+{a + 1})}}{{2}}$", False


def curves(chance: Random) -> Drawn:
    """Lines and circles: sides exchanged, times a factor; a sign or a constant changed."""
    a, b, c, k = (chance.randint(2, 9) for _ in range(4))
    yield f"${a}x + {b}y = {c}$", f"${a * k}x + {b * k}y - {c * k} = 0$", True
    yield f"$y = {latex(Fraction(a, b))}x + {c}$", f"${a}x - {b}y = -{b * c}$", True
    yield f"$(x-{a})^2 + (y+{b})^2 = {c}$", f"$x^2 + y^2 - {2 * a}x + {2 * b}y + {a * a + b * b} = {c}$", True
    yield f"${a}x + {b}y = {c}$", f"${a}x - {b}y = {c}$", False
    yield f"${a}x + {b}y = {c}$", f"${a * k}x + {b * k}y = {c}$", False
    yield f"$y = {a}x + {b}$", f"$y = {b}x + {a}$", a == b
    yield f"$(x-{a})^2 + y^2 = {c}$", f"$(x+{a})^2 + y^2 = {c}$", False


def constants(chance: Random) -> Drawn:
    """Logarithms, powers, counts, angles, bases, complex numbers, matrices."""
    a, b, n = chance.randint(2, 9), chance.randint(2, 9), chance.randint(5, 12)
    yield f"$\\log_{a} {a**b}$", str(b), True
    yield f"$\\ln {a * b}$", f"$\\ln {a} + \\ln {b}$", True
    yield f"$\\ln {a * b}$", f"$\\ln {a} \\cdot \\ln {b}$", False
    yield f"$\\binom{{{n}}}{{{a}}}$" if a <= n else "1", f"${comb(n, a) or 1}$", True
    yield f"${a} \\cdot {b}^{{{n + 1}}}$", f"${a * b} \\cdot {b}^{{{n}}}$", True
    yield f"${a} \\cdot {b}^{{{n}}}$", f"${(a * b)}^{{{n}}}$", False
    yield f"${30 * a}^\\circ$", f"$\\frac{{{a}\\pi}}{{6}}$", True
    yield f"${30 * a}^\\circ$", f"$\\frac{{{a}\\pi}}{{3}}$", False
    yield f"${n:b}_2$", f"{n}", True
    yield f"${n:b}_2$", f"{n + 1}", False
    yield f"${a} + {b}i$", f"${b}i + {a}$", True
    yield f"$\\frac{{{a * a + b * b}}}{{{a} - {b}i}}$", f"${a} + {b}i$", True
    yield f"${a} + {b}i$", f"${a} - {b}i$", False
    rows = f"{a} & {b} \\\\ {n} & 1"
    yield f"\\begin{{pmatrix}} {rows} \\end{{pmatrix}}", f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}", True
    yield (
        f"\\begin{{pmatrix}} {rows} \\end{{pmatrix}}",
        f"\\begin{{pmatrix}} {a} & {n} \\\\ {b} & 1 \\end{{pmatrix}}",
        b == n,
    )


def sentences(chance: Random) -> Drawn:
    """An answer within words, and families that a whole number names."""
    a, b = chance.sample(range(2, 90), 2)
    value = latex(Fraction(a, b))
    yield f"**Answer:** {a}.", str(a), True
    yield f"The answer is {a}, in total.", f"${a}$", True
    yield f"Therefore, there are {a} ways.", str(a), True
    yield f"So the value of $x$ is $\\boxed{{{value}}}$.", f"{a}/{b}", True
    yield f"Hence the minimum is ${value}$, attained at $x={b}$.", f"{a}/{b}", True
    yield f"The only solutions are $({a},{b})$ and $({b},{a})$.", f"$({b},{a}), ({a},{b})$", True
    yield (
        f"$x = \\frac{{\\pi}}{{{a}}} + k\\pi, k \\in \\mathbb{{Z}}$",
        (f"$x = \\frac{{\\pi}}{{{a}}} + n\\pi$, where $n$ is an integer"),
        True,
    )
    yield (
        f"$x = \\frac{{\\pi}}{{{a}}} + k\\pi, k \\in \\mathbb{{Z}}$",
        (f"$x = \\frac{{\\pi}}{{{a}}} + 2n\\pi, n \\in \\mathbb{{Z}}$"),
        False,
    )
    yield f"({chance.choice('ABCDE')}) {a}", f"${a}$", True
    yield f"There are at least {a} ways.", str(a), False
    yield f"There are not {a} ways.", str(a), False
    yield f"The answer is {b}.", str(a), False
    yield f"Hence the minimum is ${value}$, attained at $x={b}$.", f"{b}", a == b * b
    yield f"$T({a}) = {b}$", str(b), True
    yield f"$T({a}) = {b}$", str(a), False


STATEMENT_FAMILIES: Final[tuple[Callable[[Random], Drawn], ...]] = (
    radicals, regions, functions, curves, constants, sentences
)  # fmt: skip
