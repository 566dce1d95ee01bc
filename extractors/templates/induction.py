"""Template induction: from a problem and its equations to slots, their alignment to textual numbers, and constants.

After Upadhyay and Chang, "Annotating Derivations" (EACL 2017), section 3: a slot for each textual number that the
equations use, an exact constant for each number that stands nowhere in the text.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from extractors.algebra.solving import implies
from extractors.algebra.systems import System, parse_system
from extractors.errors import ExtractionError, LimitError
from extractors.expressions.functions import PREFIX
from extractors.expressions.tree import Equation, Name, Node, Num, names_of, substitute, transform
from extractors.quantities.numbers import Number
from extractors.templates.alignment import align, equivalent_groups
from extractors.templates.matching import Matcher, replacements
from extractors.templates.printing import print_template

MAX_EQUATIONS = 24
_SLOT_MARK = "@"
_DIGITS = re.compile(r"\bdigits?\b", re.IGNORECASE)
_WORD = re.compile(r"\b[a-z]{3,8}+\b(?! *\()")


@dataclass(frozen=True)
class Slot:
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
    alignment: tuple[Slot, ...]
    ambiguous: bool
    equivalent_numbers: tuple[tuple[int, ...], ...]
    candidates: tuple[tuple[int, ...], ...] = ()


def induce(
    question: str, numbers: Sequence[Number], equations: Sequence[str], unknowns: Sequence[str] | None = None
) -> InducedTemplate:
    """The template of a system and its alignment to the numbers found in the question.

    Without ``unknowns`` every name is one. Equations that the ones before imply are left out. Raises
    ExtractionError for equations outside the grammar, inequalities and alternatives, LimitError beyond the bounds.

    >>> from extractors.quantities.numbers import find_numbers
    >>> text = "The sum of two numbers is 20 and their difference is 6."
    >>> found = induce(text, find_numbers(text)[1:], ["x + y = 20", "x - y = 6"], ["x", "y"])
    >>> found.template, [(slot.slot, text[slot.start : slot.end]) for slot in found.alignment]
    (('m + n = a', 'm - n = b'), [('a', '20'), ('b', '6')])
    """
    system = _equations_of(parse_system(equations, _declared(equations, unknowns)))
    matcher = Matcher(numbers, place_values=_DIGITS.search(question) is not None)
    marked = [Equation(matcher.mark(e.left), matcher.mark(e.right), e.relation) for e in system]
    groups = equivalent_groups(question, numbers)
    alignment = align(question, numbers, matcher.occurrences, groups)
    values = replacements(matcher.occurrences, alignment.chosen)
    filled = [Equation(substitute(e.left, values), substitute(e.right, values), e.relation) for e in marked]
    template, printed = print_template(filled, lambda name: name.startswith(_SLOT_MARK))
    named = [(new, int(old[1:])) for old, new in printed.items() if old.startswith(_SLOT_MARK)]
    slots = sorted(named, key=lambda slot: (len(slot[0]), slot))
    return InducedTemplate(
        template=template,
        alignment=tuple(Slot(slot, numbers[i].value, numbers[i].start, numbers[i].end) for slot, i in slots),
        ambiguous=alignment.ambiguous,
        equivalent_numbers=groups,
        candidates=tuple(alignment.candidates[i] for _, i in slots),
    )


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

    system = _equations_of(parse_system(equations, _declared(equations, unknowns)))
    marked = [Equation(transform(e.left, leaf), transform(e.right, leaf), e.relation) for e in system]
    return print_template(marked, lambda name: name.startswith(_SLOT_MARK))[0]


def _declared(equations: Sequence[str], unknowns: Sequence[str] | None) -> tuple[str, ...] | None:
    """The unknowns; without any, words that would be read as a function and a letter, such as ``cost`` and ``tank``."""
    if unknowns:
        return tuple(unknowns)
    words = dict.fromkeys(word for text in equations for word in _WORD.findall(text))
    return tuple(word for word in words if word[:-1] in PREFIX and word[-1] not in "abcxyz") or None


def _equations_of(system: System) -> list[Equation]:
    """The equations without those that the ones before imply."""
    if system.alternatives:
        raise ExtractionError("alternatives ('or') in a system; a template holds one system")
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
