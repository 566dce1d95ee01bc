"""The core of a system: the model that was set up, without definitions that nothing in it uses.

What such a definition says is kept where it is asked: ``y = 81 - x`` becomes the expression ``81 - x``.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from extractors.expressions.grammar import parse_equation
from extractors.expressions.render import render
from extractors.expressions.tree import Equation, Name, Node, names_of, substitute, walk

ValueT = TypeVar("ValueT")
MAX_EXPRESSION: Final = 60
"""Nodes of an asked expression; a definition that would make a longer one stays an equation."""


class Core(NamedTuple):
    """The equations of the model, their unknowns, and what is asked as expressions over these.

    ``derived`` holds the expression of each unknown whose definition is left out.
    """

    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    asked: tuple[str, ...]
    derived: Mapping[str, str]

    def solutions(
        self, unknowns: Sequence[str], solutions: Sequence[Sequence[ValueT]]
    ) -> tuple[dict[str, ValueT], ...]:
        """The values of the unknowns, and of what the definitions left out derive, by its expression."""
        shown = {name: name for name in self.unknowns} | dict(self.derived)
        return tuple(
            {shown[name]: value for name, value in zip(unknowns, values, strict=True) if name in shown}
            for values in solutions
        )


def core_of(equations: Sequence[str], asked: Sequence[str] = ()) -> Core:
    """The equations without definitions of a name that no other one uses; the last of them stays.

    ``asked`` names the unknowns whose values are asked, in order. What is only worked out (``x = 3 + 4``) goes where it
    is not asked, or, where nothing is known of that, where something else is set up. Raises ExtractionError for
    equations that do not parse.

    >>> core_of(["x+y=11", "10*x+y+9=10*y+x", "N=10*x+y"], ["N"])[:3]
    (('x+y=11', '10*x+y+9=10*y+x'), ('x', 'y'), ('10*x+y',))
    >>> core_of(["2*r=5", "y=3+4"]).equations, core_of(["x=3+4", "y=2*3"]).equations
    (('2*r=5',), ('x=3+4', 'y=2*3'))
    >>> core_of(["x=3+4", "y=2*3"], ["y"]).equations
    ('y=2*3',)
    """
    kept = [(text, parse_equation(text)[0]) for text in equations]
    wanted: dict[str, Node] = {name: Name(name) for name in asked}
    derived: dict[str, Node] = {}
    while len(kept) > 1:
        loose = next(_loose([tree for _, tree in kept], wanted), None)
        if loose is None:
            break
        place, name, definition = loose
        del kept[place]
        derived = _with(derived, name, definition) | {name: definition}
        wanted = _with(wanted, name, definition)
    unknowns = names_of(*(side for _, tree in kept for side in (tree.left, tree.right)))
    return Core(
        tuple(text for text, _ in kept),
        tuple(dict.fromkeys(unknowns)),
        tuple(render(wanted[name]) for name in asked),
        {name: render(node) for name, node in derived.items()},
    )


def _with(nodes: Mapping[str, Node], name: str, definition: Node) -> dict[str, Node]:
    """Expressions with a definition put in, without those that it would make too long."""
    found = {one: substitute(node, {name: definition}) for one, node in nodes.items()}
    return {one: node for one, node in found.items() if _is_short(node)}


def _loose(trees: Sequence[Equation], wanted: Mapping[str, Node]) -> Iterator[tuple[int, str, Node]]:
    """The equations that may go, the last first: their place, what they define, and as what."""
    for place in range(len(trees) - 1, -1, -1):
        others = [*trees[:place], *trees[place + 1 :]]
        used = set(names_of(*(side for other in others for side in (other.left, other.right))))
        for name, definition in _pairs(trees[place]):
            if isinstance(name, Name) and name.name not in used and name.name not in names_of(definition):
                if _may_go(name.name, definition, others, wanted):
                    yield place, name.name, definition
                break


def _may_go(name: str, definition: Node, others: Sequence[Equation], wanted: Mapping[str, Node]) -> bool:
    if names_of(definition):
        return all(_is_short(substitute(node, {name: definition})) for node in wanted.values())
    if wanted:
        return all(name not in names_of(node) for node in wanted.values())
    return not all(map(_works_out, others))


def _is_short(node: Node) -> bool:
    return next(islice(walk(node), MAX_EXPRESSION, None), None) is None


def _works_out(tree: Equation) -> bool:
    """Whether an equation only gives a name the value of some numbers."""
    return any(isinstance(name, Name) and not names_of(value) for name, value in _pairs(tree))


def _pairs(tree: Equation) -> tuple[tuple[Node, Node], ...]:
    return (tree.left, tree.right), (tree.right, tree.left)
