"""The core of a system: the model that was set up, without what only defines the quantities that are asked."""

from collections.abc import Sequence

from curation.reconciliation import template_id
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Equation, Name, Node, names_of
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import induce_without_text


def core_of(equations: Sequence[str]) -> list[str]:
    """The equations without definitions of a name that no other one uses; the last of them stays.

    What is only worked out (``x = 3 + 4``) is taken away where something else is set up.

    >>> core_of(["x+y=11", "10*x+y+9=10*y+x", "N=10*x+y"]), core_of(["2*r=5", "y=3+4"]), core_of(["x=3+4", "y=2*3"])
    (['x+y=11', '10*x+y+9=10*y+x'], ['2*r=5'], ['x=3+4', 'y=2*3'])
    """
    kept = list(equations)
    while len(kept) > 1:
        trees = [parse_equation(text)[0] for text in kept]
        loose = [place for place, tree in enumerate(trees) if _defines(tree, trees[:place] + trees[place + 1 :])]
        if not loose:
            break
        del kept[loose[-1]]
    return kept


def _defines(tree: Equation, others: Sequence[Equation]) -> bool:
    """Whether an equation says what a name is that stands nowhere else."""
    used = set(names_of(*(side for other in others for side in (other.left, other.right))))
    for name, definition in _pairs(tree):
        if isinstance(name, Name) and name.name not in used and name.name not in names_of(definition):
            return bool(names_of(definition)) or not all(map(_works_out, others))
    return False


def _works_out(tree: Equation) -> bool:
    """Whether an equation only gives a name the value of some numbers."""
    return any(isinstance(name, Name) and not names_of(value) for name, value in _pairs(tree))


def _pairs(tree: Equation) -> tuple[tuple[Node, Node], ...]:
    return (tree.left, tree.right), (tree.right, tree.left)


def has_form(found: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether the cores of two systems have one template, whatever the names; False for what has none."""
    try:
        return _template(found) == _template(gold)
    except ExtractionError:
        return False


def _template(equations: Sequence[str]) -> str:
    return template_id(induce_without_text(core_of(equations)))
