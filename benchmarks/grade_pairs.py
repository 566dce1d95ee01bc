"""Pairs of answer and gold whose truth is known by how they are made, for ``grade``.

Each family draws an answer as plain data (a value, named values, a time), writes it twice in different ways, and writes
a near miss of it: one value, label, sign, unit, factor, bracket or half of the day changed. The last six families are
in the notation of competitions. Nothing here reads text.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb, isqrt
from random import Random
from typing import Final, NamedTuple

from evaluation.metrics.grade_marks import Mark
from evaluation.metrics.grading import grade

SEED: Final = 20_260
Drawn = Iterator[tuple[str, str, bool]]
"""Answer, gold, and whether they say the same."""
NOUNS: Final = ("boys", "girls", "hens", "goats", "pens", "books", "apples", "coins", "trucks", "tickets")
PEOPLE: Final = ("Ann", "Bob", "Carla", "David", "Emma", "Frank")
UNKNOWNS: Final = "abnpqxyz"
ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
CONVERTED: Final = (
    ("feet", "inches", 12), ("hours", "minutes", 60), ("km", "m", 1000), ("yards", "feet", 3), ("weeks", "days", 7),
    ("dollars", "cents", 100), ("pounds", "ounces", 16), ("kg", "g", 1000), ("minutes", "seconds", 60),
)  # fmt: skip
FOREIGN: Final = (
    *(("feet", "pounds"), ("hours", "miles"), ("dollars", "euros"), ("kg", "liters")),
    ("feet", "square feet"),
)


class GradePair(NamedTuple):
    """An answer, a gold answer, whether they say the same, and the family they are of."""

    answer: str
    gold: str
    same: bool
    family: str


class GradeTally(NamedTuple):
    """What ``grade`` made of some pairs: marks by family and truth, the pairs wrongly called right, and seconds."""

    marks: Counter[tuple[str, bool, Mark]]
    false_rights: tuple[GradePair, ...]
    seconds: float


def in_words(value: int) -> str:
    """A whole number below 1,000 in English."""
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10 - 2] + (f"-{ONES[value % 10]}" if value % 10 else "")
    rest = value % 100
    return f"{ONES[value // 100]} hundred" + (f" and {in_words(rest)}" if rest else "")


def drawn_value(chance: Random) -> Fraction:
    """A value as answers have them: mostly whole, some of them fractions or decimals, few negative."""
    kind, sign = chance.random(), -1 if chance.random() < 0.15 else 1
    if kind < 0.6:
        return Fraction(sign * chance.randint(1, 999))
    if kind < 0.8:
        return sign * Fraction(chance.randint(1, 99), chance.choice((2, 3, 4, 5, 6, 7, 8, 9)))
    return sign * Fraction(chance.randint(1, 9999), 100)


def written(value: Fraction, chance: Random) -> str:
    """A value in one of its spellings."""
    sign, size = "-" if value < 0 else "", abs(value)
    ways = [f"{sign}{size}"]
    if size.denominator == 1:
        whole = int(size)
        ways += [f"{sign}{whole}.0", f"{sign}{whole}", f"{sign}{2 * whole}/2"]
        ways += [in_words(whole)] if not sign and 0 < whole < 1000 else []
    else:
        times, (whole, part) = chance.randint(2, 5), divmod(size, 1)
        ways += [f"{sign}{size.numerator * times}/{size.denominator * times}"]
        ways += [f"{sign}\\frac{{{size.numerator}}}{{{size.denominator}}}", f"\\( {sign}{size} \\)"]
        ways += [f"{sign}{whole} {part}"] if whole else []
    if 100 % size.denominator == 0:
        ways.append(f"{sign}{float(size)}")
    return chance.choice(ways)


def near_miss(value: Fraction, chance: Random) -> Fraction:
    """Another value that looks like this one: sign, reciprocal, a factor, one more."""
    ways = [-value, value + 1, value - 1, value * 10, value / 10, value * 2, value + Fraction(1, 2)]
    ways += [1 / value] if abs(value) != 1 else []
    return chance.choice([way for way in ways if way != value])


def framed(text: str, chance: Random) -> str:
    """A value within the words of an answer."""
    return chance.choice(("{}", "{}", "The answer is {}", "x = {}", "\\boxed{{{}}}", "Answer: {}", "${}$")).format(text)


def values(chance: Random) -> Drawn:
    """One value."""
    value = drawn_value(chance)
    other = near_miss(value, chance)
    yield framed(written(value, chance), chance), written(value, chance), True
    yield framed(written(other, chance), chance), written(value, chance), False


def counted(chance: Random) -> Drawn:
    """One value with what it counts."""
    value, (noun, other) = Fraction(chance.randint(2, 900)), chance.sample(NOUNS, 2)
    yield f"{written(value, chance)} {noun}", f"{value} {noun}", True
    yield f"{value} {noun}", f"{written(value, chance)}", True
    yield f"{value} {noun}", f"{value} {other}", False
    yield f"{near_miss(value, chance)} {noun}", f"{value} {noun}", False
    turn = chance.choice(("at least", "at most", "more than", "less than", "not", "fewer than", "over", "nearly"))
    yield f"{turn} {value}", f"{value}", False


def measured(chance: Random) -> Drawn:
    """One value with a unit."""
    large, small, factor = chance.choice(CONVERTED)
    value = chance.randint(2, 90)
    yield f"{value} {large}", f"{value * factor} {small}", True
    yield f"{value * factor} {small}", f"{value}.0 {large}", True
    yield f"{value} {large}", f"{value} {small}", False
    yield f"{value} {large}", f"{value * factor + 1} {small}", False
    one, other = chance.choice(FOREIGN)
    yield f"{value} {one}", f"{value} {other}", False
    yield f"{value}%", f"{value} {large}", False
    yield f"{value} {large} per hour", f"{value} {large}", False


def named(chance: Random) -> Drawn:
    """Named values, in the order of either; the values exchanged; a name exchanged; with other values."""
    size = chance.choice((2, 2, 3))
    numbers = chance.sample(range(2, 400), size)
    style = chance.randrange(4)
    pools: tuple[Sequence[str], ...] = (NOUNS, PEOPLE, UNKNOWNS, PEOPLE)
    names = chance.sample(list(pools[style]), size)
    forms = ("{1} {0}", "{0}: {1}", "{0} = {1}", "{0} is {1}")
    spelled = [forms[style].format(name, number) for name, number in zip(names, numbers, strict=True)]
    moved = numbers[1:] + numbers[:1]
    wrong = [forms[style].format(name, number) for name, number in zip(names, moved, strict=True)]
    gold = _joined(spelled, chance)
    yield _joined(chance.sample(spelled, size), chance), gold, True
    yield _joined(wrong, chance), gold, False
    yield _joined(chance.sample(wrong, size), chance), gold, False
    off = [*spelled[:-1], forms[style].format(names[-1], numbers[-1] + chance.choice((-1, 1, 10)))]
    yield _joined(off, chance), gold, False
    yield _joined([str(number) for number in moved], chance), gold, False
    yield _joined(spelled[:-1], chance), gold, False


def _joined(parts: Sequence[str], chance: Random) -> str:
    sign = chance.choice((", ", "; ", " and "))
    return f"{', '.join(parts[:-1])}{sign}{parts[-1]}" if len(parts) > 1 else parts[0]


def listed(chance: Random) -> Drawn:
    """Values without names: in any order, but not with one more, less or other; "or" is not "and"."""
    numbers = chance.sample(range(2, 400), chance.choice((2, 2, 3, 4)))
    texts = [str(number) for number in numbers]
    gold = chance.choice((", ".join(texts), "{" + "; ".join(texts) + "}"))
    yield ", ".join(chance.sample(texts, len(texts))), gold, True
    yield ", ".join([*texts[:-1], str(numbers[-1] + 1)]), gold, False
    yield ", ".join([*texts, texts[0]]), gold, False
    yield ", ".join(texts[:-1]), gold, False
    yield " or ".join(texts), " and ".join(texts), False
    yield " or ".join(texts[::-1]), " or ".join(texts), True
    yield " and ".join(texts), " or ".join(texts), False
    yield texts[0], " or ".join(texts), False
    yield " or ".join(texts), texts[0], False


def points(chance: Random) -> Drawn:
    """Points, lists of them, and intervals: the order, the brackets and each coordinate count."""
    a, b = sorted(chance.sample(range(-20, 60), 2))
    yield f"({a}, {b})", f"({a},{b})", True
    yield f"({a}, {b}.0)", f"({a}, {b})", True
    yield f"({b}, {a})", f"({a}, {b})", False
    yield f"(x, y) = ({a}, {b})", f"(y, x) = ({a}, {b})", False
    yield f"x = {b}, y = {a}", f"({a}, {b})", False
    brackets = ("(", ")"), ("[", "]"), ("[", ")"), ("(", "]")
    one, other = chance.sample(brackets, 2)
    yield f"{one[0]}{a}, {b}{one[1]}", f"{other[0]}{a}, {b}{other[1]}", False
    yield f"{one[0]}{a}, {b}{one[1]}", f"{one[0]}{a}, {b + 1}{one[1]}", False
    pairs = [(chance.randint(0, 1200), chance.randint(0, 1200)) for _ in range(chance.choice((2, 3)))]
    spelled = [f"({x}, {y})" for x, y in pairs]
    yield ", ".join(chance.sample(spelled, len(spelled))), ", ".join(spelled), True
    if len(set(pairs)) == len(pairs):
        yield ",".join([*spelled, spelled[0]]), ",".join(spelled[:-1]), False
        yield ", ".join([*spelled[:-1], f"({pairs[-1][0]}, {pairs[-1][1] + 1})"]), ", ".join(spelled), False
        swapped = [f"({y}, {x})" for x, y in pairs]
        if {(y, x) for x, y in pairs} != set(pairs):
            yield ", ".join(swapped), ", ".join(spelled), False


def ratios(chance: Random) -> Drawn:
    """Ratios up to a factor, in their order."""
    a, b = chance.sample((2, 3, 4, 5, 6, 7, 8, 9), 2)
    times = chance.choice((2, 3, 4))
    yield f"{a * times}:{b * times}" if b * times < 10 else f"{a}:{b}", f"{a}:{b}", True
    yield f"{a} to {b}", f"{a} : {b}", True
    yield f"{b}:{a}", f"{a}:{b}", False
    yield f"{a}:{b + 1}" if b < 9 else f"{a + 1}:{b}", f"{a}:{b}", False
    yield f"{a}:{b}:{a + b}", f"{a}:{b}", False
    yield f"boys:girls = {a}:{b}", f"girls:boys = {a}:{b}", False
    yield f"{a}, {b}", f"{a}:{b}", False


def times(chance: Random) -> Drawn:
    """Times of the day: another hour, another half of the day, a time of the same quotient."""
    hour, minute = chance.randint(1, 11), chance.choice((0, 5, 10, 15, 20, 30, 45, 50))
    half, other = chance.sample(("am", "pm"), 2)
    shown = f"{hour}:{minute:02d}"
    yield f"{shown} {half}", f"{shown} {half.upper()}", True
    yield f"{shown} {half[0]}.m.", f"{shown}{half}", True
    yield f"{shown} {half}", f"{shown} {other}", False
    yield f"{hour} {half}", f"{hour} {other}", False
    yield f"{hour} in the morning", f"{hour} in the evening", False
    yield f"{hour % 12 + 1}:{minute:02d} {half}", f"{shown} {half}", False
    yield f"{hour % 12 + 1}:{minute:02d}", shown, False
    yield f"{hour + 12}:{minute:02d}", f"{shown} pm", True
    yield f"{hour + 12}:{minute:02d}", f"{shown} am", False
    if minute and hour * 2 <= 12 and minute * 2 < 60:
        yield f"{hour * 2}:{minute * 2:02d}", shown, False
    yield f"{shown} {half} and {hour} {other}", f"{shown} {other} and {hour} {half}", False


def boxed(chance: Random) -> Drawn:
    """Several boxes: one of them is not all of them."""
    numbers = chance.sample(range(2, 400), 3)
    boxes = [f"\\boxed{{{number}}}" for number in numbers]
    yield ", ".join(boxes), ", ".join(map(str, numbers)), True
    yield ", ".join(boxes), str(chance.choice(numbers)), False
    yield f"first {boxes[0]}, then {boxes[1]}", str(numbers[1]), False
    yield f"so {boxes[0]}. Again: {boxes[0]}", str(numbers[0]), True


def hedged(chance: Random) -> Drawn:
    """More than one answer at once, another option, another unknown or expression."""
    a, b = chance.sample(range(2, 400), 2)
    yield f"{a} | {b}", str(b), False
    one, other = chance.sample("ABCDE", 2)
    yield f"({one}) {a}", f"({other}) {a}", False
    yield f"{one}) {a} or {other}) {b}", one, False
    yield f"{one}", f"({one})", True
    first, second = chance.sample(UNKNOWNS, 2)
    yield f"{first} = {a}", f"{second} = {a}", False
    yield f"{first} = {a}{second}", f"{second} = {a}{first}", False
    yield f"{a}{first} + {b}", f"{b} + {a}{first}", True
    yield f"{a}{first} + {b}", f"{a}{first} - {b}", False
    yield f"{first} > {a}", f"{first} < {a}", False
    yield f"{first} > {a}", str(a), False


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


FAMILIES: Final[tuple[Callable[[Random], Drawn], ...]] = (
    values, counted, measured, named, listed, points, ratios, times, boxed, hedged, radicals, regions,
    functions, curves, constants, sentences,
)  # fmt: skip


def grade_pairs(count: int, seed: int = SEED) -> Iterator[GradePair]:
    """So many pairs, the same for the same seed."""
    chance, made = Random(seed), 0  # noqa: S311
    while True:
        for family in FAMILIES:
            for answer, gold, same in family(chance):
                if made == count:
                    return
                made += 1
                yield GradePair(answer, gold, same, family.__name__)


def graded_pairs(count: int, seed: int = SEED) -> GradeTally:
    """What ``grade`` makes of so many pairs."""
    begun = time.perf_counter()
    marks: Counter[tuple[str, bool, Mark]] = Counter()
    false_rights = []
    for pair in grade_pairs(count, seed):
        mark = grade(pair.answer, pair.gold).mark
        marks[pair.family, pair.same, mark] += 1
        if mark is Mark.RIGHT and not pair.same:
            false_rights.append(pair)
    return GradeTally(marks, tuple(false_rights), time.perf_counter() - begun)
