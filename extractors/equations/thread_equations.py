"""What reading a thread gives, and the core of a system: the model without definitions that nothing in it uses.

What such a definition says is kept where it is asked: ``y = 81 - x`` becomes the expression ``81 - x``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Equation, Name, Node, names_of, render, substitute, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value
from extractors.solve.equation_systems import WITH_SOLUTIONS, Status


class Kind(StrEnum):
    """Where a system comes from."""

    SETUP = "setup"
    """The equations that an answer sets up."""
    MENDED = "mended"
    """The set-up without the one equation that most speaks against."""
    SECOND = "second"
    """What contradicts the set-up, as a set-up of its own."""
    PROVED = "proved"
    """The first equations that hold for the values with which the answer ends."""
    ARITHMETIC = "arithmetic"
    """Calculations without an unknown, one put into the other."""
    TOLD = "told"
    """A result for which only the words say how it was worked out."""


class AnswerSystem(NamedTuple):
    """A system read from one answer; a named tuple, since a thread has dozens of them.

    ``equations`` are in normal form; ``spans[k]`` is where equation ``k`` stands in the answer's raw text;
    ``solutions[i][j]`` is the value of ``unknowns[j]``. ``status`` is the solver's (``solved``, ``numeric``,
    ``underdetermined``), or ``stated`` for an answer without equations that states the winning solution.
    ``core`` counts the equations of the model; those behind them define what is asked. ``evidence`` holds a number for
    each of ``drafts.SYSTEM_EVIDENCE``; ``probability``, and the values that are ``asked``, each with its
    unknown, are what the system model makes of it.
    """

    answer: int
    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    status: Status
    spans: tuple[tuple[int, int], ...]
    linear: bool = True
    kind: Kind = Kind.SETUP
    core: int = 0
    evidence: tuple[float, ...] = ()
    probability: float = 0.0
    asked: tuple[tuple[str, Value], ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the system can be chosen."""
        return self.status in WITH_SOLUTIONS and bool(self.solutions)


@dataclass(frozen=True, slots=True)
class ThreadEquations:
    """The system of a thread, or none with the reason in ``note``.

    ``votes`` are the indexes of the answers that gave its solution; ``candidates`` the likeliest system of each answer,
    as evidence. ``linear`` is None where no system was returned. ``probability`` is that of the likeliest system, also
    where it is not returned. ``asked_counts`` says how likely the question asks for 1, 2, 3, and 4 or more values;
    ``asked`` are the values that are asked, each with its unknown, in the order of the set-up.
    """

    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    solutions: tuple[tuple[Value, ...], ...]
    votes: tuple[int, ...]
    candidates: tuple[AnswerSystem, ...]
    linear: bool | None
    note: str | None
    probability: float = 0.0
    asked_counts: tuple[float, ...] = ()
    asked: tuple[tuple[str, Value], ...] = ()

    @property
    def core(self) -> "Core":
        """The system as it is published, over what is asked; empty where no system was returned."""
        return core_of(self.equations or (), [name for name, _ in self.asked], self.unknowns)


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


def core_of(equations: Sequence[str], asked: Sequence[str] = (), unknowns: Sequence[str] = ()) -> Core:
    """The equations without definitions of a name that no other one uses; the last of them stays.

    ``asked`` names the unknowns whose values are asked, in order. What is only worked out (``x = 3 + 4``) goes where it
    is not asked, or, where nothing is known of that, where something else is set up. A system with an equation beyond
    the bounds of the grammar stays whole, over its ``unknowns``.

    >>> core_of(["x+y=11", "10*x+y+9=10*y+x", "N=10*x+y"], ["N"])[:3]
    (('x+y=11', '10*x+y+9=10*y+x'), ('x', 'y'), ('10*x+y',))
    >>> core_of(["2*r=5", "y=3+4"]).equations, core_of(["x=3+4", "y=2*3"]).equations
    (('2*r=5',), ('x=3+4', 'y=2*3'))
    >>> core_of(["x=3+4", "y=2*3"], ["y"]).equations
    ('y=2*3',)
    """
    try:
        kept = [(text, parse_equation(text)[0]) for text in equations]
    except ExtractionError:
        return Core(tuple(equations), tuple(unknowns), tuple(asked), {})
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
    return Core(
        tuple(text for text, _ in kept),
        names_of(*(side for _, tree in kept for side in (tree.left, tree.right))),
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
