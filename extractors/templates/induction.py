"""Template induction: from a problem and its equations to slots, their alignment to textual numbers, and constants.

After Upadhyay and Chang, "Annotating Derivations" (EACL 2017), section 3: a slot for each textual number that the
equations use, an exact constant for each number that stands nowhere in the text. A template is printed in one form,
``a * m + b * n = c``: every equation is expanded, terms with unknowns on the left; slots are named ``a`` to ``l`` in
the order in which they are printed, unknowns ``m`` to ``z``, further ones with a digit. What is no polynomial after
clearing denominators, or has more than MAX_TERMS terms, is printed as it was written.
"""

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from extractors.expressions.tree import (
    Equation,
    Name,
    Node,
    Num,
    names_of,
    render,
    render_number,
    substitute,
    transform,
)
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import Polynomial, content, terms
from extractors.quantities.numbers import Number
from extractors.solve.equation_systems import System, parse_system
from extractors.solve.solving import implies
from extractors.templates.matching import Alignment, Matcher, Occurrence, align, equivalent_groups, replacements
from extractors.templates.rational import PolynomialRing

SLOT_LETTERS = "abcdefghijkl"
UNKNOWN_LETTERS = "mnopqrstuvwxyz"
MAX_TERMS = 24
_LONG = 2_000

_SlotTerm = tuple[tuple[tuple[int, int], ...], Fraction]


def print_template(
    equations: Sequence[Equation], is_slot: Callable[[str], bool]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The printed equations and the printed name of every name in them.

    >>> from extractors.expressions.grammar import parse_equation
    >>> print_template(parse_equation("k*x - h = 2*(x + k)"), lambda name: name in "hk")
    (('a * m - 2 * m = 2 * a + b',), {'k': 'a', 'x': 'm', 'h': 'b'})
    """
    names = {"slot": iter(_names(SLOT_LETTERS)), "unknown": iter(_names(UNKNOWN_LETTERS))}
    given: dict[str, str] = {}

    def name_of(name: str) -> str:
        if name not in given:
            kind = "slot" if is_slot(name) else "unknown"
            new = next(names[kind], None)
            if new is None:
                raise LimitError(f"a template with more than {len(given)} names")
            given[name] = new
        return given[name]

    printed = tuple(_print_equation(equation, is_slot, name_of) for equation in equations)
    if any(len(text) > _LONG for text in printed):
        raise LimitError(f"a template equation of more than {_LONG} characters")
    return printed, given


def _names(letters: str) -> list[str]:
    return [letter + digit for digit in ("", *"123456789") for letter in letters]


def _print_equation(equation: Equation, is_slot: Callable[[str], bool], name_of: Callable[[str], str]) -> str:
    order = names_of(equation.left, equation.right)
    try:
        ring = PolynomialRing(order, [equation])
        numerator, denominator = ring.difference(equation)
    except LimitError:
        return _as_written(equation, order, name_of)
    if ring.atoms or not 0 < len(numerator) <= MAX_TERMS:
        return _as_written(equation, order, name_of)
    slots = {index for name, index in ring.names.items() if is_slot(name)}
    terms = _terms(numerator, denominator)
    left = sorted((term for term in terms if _holds_unknown(term, slots)), key=lambda term: _place(term, slots))
    right = sorted((term for term in terms if not _holds_unknown(term, slots)), key=lambda term: _place(term, slots))
    sign = -1 if (left or right)[0][1] < 0 else 1
    known = {index: name for name, index in ring.names.items()}

    def side(chosen: Sequence[_SlotTerm], factor: int) -> str:
        return _sum([(monomial, factor * value) for monomial, value in chosen], known, slots, name_of)

    return f"{side(left, sign)} = {side(right, -sign)}" if left else f"{side(right, sign)} = 0"


def _as_written(equation: Equation, order: Sequence[str], name_of: Callable[[str], str]) -> str:
    renamed = {name: Name(name_of(name)) for name in order}
    text = render(Equation(substitute(equation.left, {**renamed}), substitute(equation.right, {**renamed})))
    return re.sub(r"(?<=[\w)])([-+*/=])(?=[\w(])", r" \1 ", text)


def _terms(numerator: Polynomial, denominator: Polynomial) -> list[_SlotTerm]:
    """The terms with exact coefficients; a denominator with names in it has been multiplied out."""
    divisor = denominator.leading_coefficient() if denominator.is_constant() else content(numerator)
    return [(monomial, Fraction(value, int(divisor))) for monomial, value in terms(numerator)]


def _holds_unknown(term: _SlotTerm, slots: set[int]) -> bool:
    return any(index not in slots for index, _ in term[0])


def _place(term: _SlotTerm, slots: set[int]) -> tuple[object, ...]:
    """By unknowns in order of appearance, higher powers first, then by slots."""
    unknowns = [(index, -exponent) for index, exponent in term[0] if index not in slots]
    return (
        -sum(-exponent for _, exponent in unknowns),
        unknowns,
        [part for part in term[0] if part[0] in slots] or [(999, 0)],
    )


def _sum(terms: Sequence[_SlotTerm], known: Mapping[int, str], slots: set[int], name_of: Callable[[str], str]) -> str:
    text = ""
    for monomial, value in terms:
        first = sorted(monomial, key=lambda part: part[0] not in slots)
        factors = [name_of(known[index]) + (f" ^ {exponent}" if exponent > 1 else "") for index, exponent in first]
        if abs(value) != 1 or not factors:
            number = render_number(abs(value))
            factors.insert(0, f"({number})" if "/" in number and factors else number)
        sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
        text += sign + " * ".join(factors)
    return text or "0"


MAX_EQUATIONS = 24
_SLOT_MARK = "@"
_DIGITS = re.compile(r"\bdigits?\b", re.IGNORECASE)


@dataclass(frozen=True)
class AlignedSlot:
    """A slot of a template and the textual number it stands for: ``question[start:end]`` has the value ``value``."""

    slot: str
    value: Fraction
    start: int
    end: int


@dataclass(frozen=True)
class InducedTemplate:
    """A template with its alignment, slots in order.

    ``ambiguous``: some number of the equations stands in the text several times, not as one quantity restated, so that
    a person has to decide. ``candidates`` gives for each slot the indexes of the textual numbers it may stand for, best
    first. ``equivalent_numbers`` are groups of indexes into the numbers given that restate one quantity.
    """

    template: tuple[str, ...]
    alignment: tuple[AlignedSlot, ...]
    ambiguous: bool
    equivalent_numbers: tuple[tuple[int, ...], ...]
    candidates: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class OpenTemplate:
    """A template with a slot for each number of the equations, and the textual numbers each slot may stand for.

    ``slots`` and ``ranked`` go together: indexes into the numbers given, best first, numbers that restate one quantity
    once. A slot with several is for a person to decide.
    """

    template: tuple[str, ...]
    slots: tuple[str, ...]
    ranked: tuple[tuple[int, ...], ...]


def induce(
    question: str,
    numbers: Sequence[Number],
    equations: Sequence[str],
    unknowns: Sequence[str] | None = None,
    decided: Mapping[int, int] = MappingProxyType({}),
) -> InducedTemplate:
    """The template of a system and its alignment to the numbers found in the question.

    Without ``unknowns`` every name is one. Equations that the ones before imply are left out. ``decided`` gives the
    textual number of some slots of the open template, by their place. Raises ExtractionError for equations outside the
    grammar and inequalities, LimitError beyond the bounds.

    >>> from extractors.quantities.numbers import find_numbers
    >>> text = "The sum of two numbers is 20 and their difference is 6."
    >>> found = induce(text, find_numbers(text)[1:], ["x + y = 20", "x - y = 6"], ["x", "y"])
    >>> found.template, [(slot.slot, text[slot.start : slot.end]) for slot in found.alignment]
    (('m + n = a', 'm - n = b'), [('a', '20'), ('b', '6')])
    """
    marked = _Marked.of(question, numbers, (equations, unknowns))
    alignment = marked.alignment
    chosen = [decided.get(place, number) for place, number in enumerate(alignment.chosen)]
    template, named = marked.printed(chosen)
    slots = sorted(((new, chosen[place]) for new, place in named), key=lambda slot: (len(slot[0]), slot))
    last = {number: place for place, number in enumerate(chosen)}
    return InducedTemplate(
        template=template,
        alignment=tuple(AlignedSlot(slot, numbers[i].value, numbers[i].start, numbers[i].end) for slot, i in slots),
        ambiguous=any(len(all_) > 1 and place not in decided for place, all_ in enumerate(alignment.choices)),
        equivalent_numbers=marked.groups,
        candidates=tuple(alignment.ranked(last[i]) for _, i in slots),
    )


def open_template(
    question: str, numbers: Sequence[Number], equations: Sequence[str], unknowns: Sequence[str] | None = None
) -> OpenTemplate:
    """What ``induce`` has to decide: slots in the order of their places. Raises like ``induce``.

    >>> from extractors.quantities.numbers import find_numbers
    >>> text = "Ann has 6 red and 6 blue pens, Tom 20."
    >>> open_template(text, find_numbers(text), ["x = 20 - 6 - 6"])
    OpenTemplate(template=('m = a - b - c',), slots=('a', 'b', 'c'), ranked=((2,), (0, 1), (1, 0)))
    """
    marked = _Marked.of(question, numbers, (equations, unknowns))
    places = range(len(marked.occurrences))
    template, named = marked.printed(places)
    slots = {place: slot for slot, place in named}
    ranked = tuple(marked.alignment.ranked(place) for place in places)
    return OpenTemplate(template, tuple(slots.get(place, "") for place in places), ranked)


@dataclass(frozen=True)
class _Marked:
    """A system whose numbers that stand in the text are marked, and their alignment."""

    equations: tuple[Equation, ...]
    occurrences: tuple[Occurrence, ...]
    groups: tuple[tuple[int, ...], ...]
    alignment: Alignment

    @classmethod
    def of(
        cls, question: str, numbers: Sequence[Number], system: tuple[Sequence[str], Sequence[str] | None]
    ) -> "_Marked":
        equations, unknowns = system
        read = _equations_of(parse_system(equations, unknowns or None))
        matcher = Matcher(numbers, place_values=_DIGITS.search(question) is not None)
        marked = tuple(Equation(matcher.mark(e.left), matcher.mark(e.right), e.relation) for e in read)
        groups = equivalent_groups(question, numbers)
        occurrences = tuple(matcher.occurrences)
        return cls(marked, occurrences, groups, align(question, numbers, occurrences, groups))

    def printed(self, chosen: Sequence[int]) -> tuple[tuple[str, ...], list[tuple[str, int]]]:
        """The template with one slot for each number chosen, and for each slot a place that has it."""
        values = replacements(self.occurrences, chosen)
        filled = [Equation(substitute(e.left, values), substitute(e.right, values), e.relation) for e in self.equations]
        template, printed = print_template(filled, lambda name: name.startswith(_SLOT_MARK))
        places = {number: place for place, number in reversed(list(enumerate(chosen)))}
        named = [(new, places[int(old[1:])]) for old, new in printed.items() if old.startswith(_SLOT_MARK)]
        return template, named


def induce_without_text(equations: Sequence[str], unknowns: Sequence[str] | None = None) -> tuple[str, ...]:
    """The template of a system whose problem text is not there: a slot for each number that it is written with.

    This is what can be said of Dolphin18K's published annotations; with the text, numbers that do not stand in it
    would be constants. Raises like ``induce``.

    >>> induce_without_text(["x + y = 20", "x - 2*y = 6"])
    ('m + n = a', 'm - b * n = c')
    """
    marks = itertools.count()

    def leaf(node: Node) -> Node | None:
        return Name(f"{_SLOT_MARK}{next(marks)}") if isinstance(node, Num) else None

    system = _equations_of(parse_system(equations, unknowns or None))
    marked = [Equation(transform(e.left, leaf), transform(e.right, leaf), e.relation) for e in system]
    return print_template(marked, lambda name: name.startswith(_SLOT_MARK))[0]


def _equations_of(system: System) -> list[Equation]:
    """The equations without those that the ones before imply."""
    if not system.equations:
        raise ExtractionError("no equation in the system")
    if len(system.equations) > MAX_EQUATIONS:
        raise LimitError(f"a system of {len(system.equations)} equations; a template has at most {MAX_EQUATIONS}")
    kept: list[Equation] = []
    for equation in system.equations:
        before = system._replace(equations=tuple(kept), conditions=())
        if not (kept and names_of(equation.left, equation.right) and implies(before, equation)):
            kept.append(equation)
    return kept
