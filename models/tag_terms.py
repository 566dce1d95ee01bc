"""What tags are told by: the words of a question, those of what it asks, its numbers and its length, its equations.

The shape of an equation system is told without its numbers: what is worked out last, by which operations, in how many.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from fractions import Fraction
from itertools import islice
from typing import Final, NamedTuple

from extractors.expressions.grammar import parse_expression
from extractors.expressions.tree import (
    Binary,
    Call,
    Equation,
    Name,
    Node,
    Num,
    children,
    names_of,
    render,
    substitute,
    transform,
    walk,
)
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.solve.equation_systems import all_equations, parse_system
from extractors.text.sentences import sentences

MAX_NODES: Final = 400
MAX_SHAPE: Final = 40
"""Characters of a shape that may be told from others."""
MANY: Final = 4
"""Counts beyond this are as this."""
_KNOWN: Final = frozenset(map(Fraction, (1, 2, 3, 4, 5, 7, 10, 12, 24, 60, 100, 180, 360, 1000)))
"""Constants that tell something; others are all alike."""
_ANY_NUMBER, _UNKNOWN = Name("n"), Name("x")


def read_equations(
    equations: Sequence[str], unknowns: Sequence[str] = (), asked: Sequence[str] = ()
) -> tuple[Equation, ...]:
    """The equations of a system, and one for each expression ``asked``, earlier results put in where they are used.

    Nothing for equations that are not understood, or that are too long.

    >>> [render(one) for one in read_equations(["y=3*4", "x=y+5"])]
    ['x=3*4+5']
    """
    try:
        found = all_equations(parse_system(equations, unknowns or None))
        wanted = [parse_expression(text, unknowns) for text in asked]
    except ExtractionError:
        return ()
    found += [Equation(Name(f"asked{place}"), node) for place, node in enumerate(wanted) if not isinstance(node, Name)]
    while _is_short(found):
        place = next((place for place in range(len(found)) if _is_earlier(found, place)), None)
        if place is None:
            return tuple(found)
        earlier = found.pop(place)
        values = dict.fromkeys(names_of(earlier.left), earlier.right)
        found = [Equation(substitute(e.left, values), substitute(e.right, values), e.relation) for e in found]
    return ()


def _sides(equations: Sequence[Equation]) -> list[Node]:
    return [side for one in equations for side in (one.left, one.right)]


def _is_short(equations: Sequence[Equation]) -> bool:
    nodes = (node for side in _sides(equations) for node in walk(side))
    return sum(1 for _ in islice(nodes, MAX_NODES + 1)) <= MAX_NODES


def _is_earlier(equations: Sequence[Equation], place: int) -> bool:
    """Whether an equation only works out what another one uses."""
    left, right, relation = equations[place]
    others = _sides([*equations[:place], *equations[place + 1 :]])
    return relation == "=" and isinstance(left, Name) and not names_of(right) and left.name in names_of(*others)


def steps(equations: Sequence[Equation]) -> int:
    """How many operations some equations take; a sum, or a product, of several numbers is one, rounding is none.

    >>> steps(read_equations(["x=18+7+(18-11)"])), steps(read_equations(["x=floor(47/6)"]))
    (2, 1)
    """
    nodes = [node for side in _sides(equations) for node in walk(side) if isinstance(node, Binary)]
    return len(nodes) - sum(node.op in "+*" and _op(part) == node.op for node in nodes for part in children(node))


def unknowns_of(equations: Sequence[Equation]) -> tuple[str, ...]:
    """The unknowns of some equations."""
    return names_of(*_sides(equations))


def _op(node: Node) -> str:
    """The operation of a node; a number is ``n`` and an unknown ``x``."""
    if isinstance(node, Name | Num):
        return "x" if isinstance(node, Name) else "n"
    return node.name if isinstance(node, Call) else node.op


def shape_terms(equations: Sequence[Equation], stated: Set[Fraction]) -> Iterator[str]:
    """Terms for the shape of some equations; ``stated`` are the numbers of the question, others are constants.

    >>> sorted(shape_terms(read_equations(["x=(9-6)*2"]), {Fraction(9), Fraction(6)}))[:4]
    ['1 equations', '1 times *', '1 times -', '1 unknowns']
    """
    nodes = [node for side in _sides(equations) for node in walk(side)]
    operations = [_op(node) for node in nodes if not isinstance(node, Num | Name)]
    counts = Counter(operations)
    yield f"{min(len(equations), MANY)} equations"
    yield f"{min(len(unknowns_of(equations)), MANY)} unknowns"
    yield f"{min(len(operations), MANY + 2)} operations"
    yield f"all {''.join(sorted(counts))}"
    yield f"order {''.join(operations)[:MAX_SHAPE]}"
    yield from (f"{min(count, MANY)} times {op}" for op, count in counts.items())
    constants = {node.value for node in nodes if isinstance(node, Num)} - stated
    yield from {f"constant {value if value in _KNOWN else 'other'}": None for value in sorted(constants)}
    for one in equations:
        yield from _worked_out(one)


def _worked_out(equation: Equation) -> Iterator[str]:
    """How an equation works out its unknown, or that it has to be solved for it."""
    if not isinstance(equation.left, Name) or names_of(equation.right):
        yield "set up"
        return
    root = equation.right
    yield f"last {_op(root)}"
    yield from (f"last {_op(root)}, part {place} {_op(part)}" for place, part in enumerate(children(root)))
    yield f"shape {render(transform(root, _masked))}"[:MAX_SHAPE]


def _masked(node: Node) -> Node | None:
    return _ANY_NUMBER if isinstance(node, Num) else _UNKNOWN if isinstance(node, Name) else None


BLOCKS: Final = {"question": 4, "asked": 4, "numbers": 3, "equations": 3}
"""Kinds of terms, and in how many problems a term has to stand so that a model learns it."""
MAX_QUESTION: Final = 4_000
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(r"[a-z']+|0|[?%$:]")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*")
_SYLLABLE: Final = re.compile(r"[aeiouy]+")


class TaggedText(NamedTuple):
    """A problem: its question, and its equations where they are known."""

    question: str
    equations: Sequence[str] = ()
    unknowns: Sequence[str] = ()
    asked: Sequence[str] = ()


def terms_of(problem: TaggedText) -> tuple[list[str], ...]:
    """The terms of a problem, a list for each of BLOCKS; the last is empty without equations that are understood."""
    text = problem.question[:MAX_QUESTION]
    parts = sentences(text)
    asking = " ".join([part for part in parts if part.endswith("?")] or parts[-1:])
    numbers = find_numbers(text)
    read = read_equations(problem.equations, problem.unknowns, problem.asked)
    shape = list(shape_terms(read, {number.value for number in numbers})) if read else []
    return _runs(text, 2), _runs(asking, 3), [*_number_terms(numbers), *_length_terms(text, len(parts))], shape


def _runs(text: str, longest: int) -> list[str]:
    """The runs of so many words and fewer, each numeral as 0.

    >>> _runs("How many of 12?", 2)[-3:]
    ['many of', 'of 0', '0 ?']
    """
    tokens = _TOKEN.findall(_NUMBER.sub("0", text.lower()))
    sizes = range(1, longest + 1)
    return [" ".join(tokens[at : at + size]) for size in sizes for at in range(len(tokens) - size + 1)]


def _number_terms(numbers: Sequence[Number]) -> Iterator[str]:
    yield f"{min(len(numbers), 2 * MANY)} numbers"
    yield from sorted({number.kind for number in numbers})
    values = [number.value for number in numbers]
    if values:
        yield f"largest of {int(max(map(abs, values))).bit_length()} bits"
        yield f"smallest of {int(min(map(abs, values))).bit_length()} bits"
    if len(values) > 1 and values[1]:
        yield "the larger first" if values[0] >= values[1] else "the smaller first"
        yield "divides" if (values[0] / values[1]).denominator == 1 else "does not divide"


def _length_terms(text: str, count: int) -> Iterator[str]:
    """Length and readability: words, sentences, and the grade of Kincaid et al. (1975) by words and syllables."""
    words, lines = _WORD.findall(text), max(1, count)
    letters = sum(map(len, words))
    syllables = sum(len(_SYLLABLE.findall(word.lower())) for word in words)
    yield f"{min(len(words) // 8, 12)} times 8 words"
    yield f"{min(lines, 8)} sentences"
    if words:
        grade = 0.39 * len(words) / lines + 11.8 * syllables / len(words) - 15.59
        yield f"{min(len(words) // lines // 4, 8)} times 4 words a sentence"
        yield f"{4 * letters // len(words)} quarter letters a word"
        yield f"readable at {min(max(int(grade), 0), 15)}"
