"""A system of equations: what was read, before it is solved.

Dolphin18K's ``unkn:/equ:`` blocks are read here, too.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.expressions.grammar import parse_expression_tokens, parse_tokens
from extractors.expressions.tokens import build_scope, tokenize, tokenize_line
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, names_of, walk
from extractors.extraction_errors import ExtractionError, LimitError


class Status(StrEnum):
    """The state of a system; its value is the word that commands and records publish."""

    SOLVED = "solved"
    """All solutions are known."""
    NUMERIC = "numeric"
    """Found by a bounded search; perhaps not all."""
    UNDERDETERMINED = "underdetermined"
    """An unknown is free."""
    INCONSISTENT = "inconsistent"
    """The equations contradict each other, or there is no real solution."""
    UNSUPPORTED = "unsupported"
    """Beyond the solver."""
    MALFORMED = "malformed"
    """Not readable as equations."""
    TOO_LARGE = "too_large"
    """Beyond the limits of size or work."""
    STATED = "stated"
    """No equations; an answer states the values of a solution. The solver never gives it."""

    def __repr__(self) -> str:
        """The published word, quoted."""
        return repr(self.value)


WITH_SOLUTIONS: Final = frozenset({Status.SOLVED, Status.NUMERIC})
"""The states in which a system has solutions."""
STATUSES: Final = tuple(status for status in Status if status is not Status.STATED)
"""The states that the solver gives."""


MAX_BLOCK = 20_000

_LINE_END = re.compile(r"[\r\n]+")
_PREFIX = re.compile(r":?\s*(unkn|equ)\s*:", re.IGNORECASE)
_LATE_PREFIX = re.compile(r"(?<=[A-Za-z0-9)])\s*equ\s*:")
_ROUND = re.compile(r"(_round\([^(),]{1,200}?) +(-?\d+\))", re.ASCII)
_LOST_DEGREE = re.compile(r"(?<=\d)\?\?")
_LOST_PI = re.compile(r"(?<=[<>=])(\s*\d{1,3})\?\?(?=\s*\Z)", re.ASCII)
_COUNT = re.compile(r"(?<![A-Za-z_])C\((\d{2,6})\)", re.ASCII)


def read_dolphin(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations and the unknowns (names or expressions) of a Dolphin18K block, as texts.

    Lines without a prefix are equations; ``unkn: yequ: ...`` lost its line break. Raises ``ExtractionError`` where no
    unknown is declared (data notes of Dolphin18K; Huang et al., ACL 2016).

    >>> read_dolphin("unkn: x,y\\r\\nequ: x + y = 9\\r\\nequ: x = 2*y")
    (('x + y = 9', 'x = 2*y'), ('x', 'y'))
    """
    if len(text) > MAX_BLOCK:
        raise LimitError(f"block of {len(text)} characters; at most {MAX_BLOCK} are read")
    unknowns: list[str] = []
    equations: list[str] = []
    for line in _LINE_END.split(_LATE_PREFIX.sub("\nequ:", text)):
        match = _PREFIX.match(line.strip())
        body = (line.strip()[match.end() :] if match else line).strip()
        if match and match.group(1).lower() == "unkn":
            unknowns += split_unknowns(body)
        elif body:
            equations.append(_repaired(body))
    if not unknowns:
        raise ExtractionError("no unkn: line")
    return tuple(equations), tuple(unknowns)


def split_unknowns(text: str) -> list[str]:
    """Unknowns separated by ``,`` or ``;`` outside brackets; one pair of outer square brackets is dropped.

    >>> split_unknowns("_round(x, 1); 2*n-1")
    ['_round(x, 1)', '2*n-1']
    """
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == ";" or (char == "," and depth == 0):
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [_repaired(part.strip()) for part in parts if part.strip()]


def _repaired(text: str) -> str:
    """Separators of function arguments that are a space only, ``C(105)`` for C(10, 5), lost degree signs and thetas.

    A damaged number that bounds a range (``0 <= x <= 2??``) is a multiple of pi.
    """
    if "??" in text:
        if "<" in text or ">" in text:
            text = _LOST_PI.sub(r"\1*pi", text)
        text = _LOST_DEGREE.sub("°", text).replace("??", "theta")
    if "_round(" in text:
        text = _ROUND.sub(r"\1, \2", text)
    return _COUNT.sub(r"_comb(\1)", text) if "C(" in text else text


MAX_EQUATIONS = 400
MAX_CHARACTERS = 20_000
"""Characters of all equations of a system together."""
PI = Call("pi", ())
STAND_INS = frozenset(
    {Binary("/", Num(Fraction(22)), Num(Fraction(7)))}
    | {Num(Fraction(text)) for text in ("3.14", "3.142", "3.1416", "3.14159")}
)
"""Numbers with which people reckon in place of the circle's constant."""


def holds_circle(*nodes: Node) -> bool:
    """Whether the circle's constant stands in some trees; unknowns beside it have approximate values."""
    return any(part == PI for node in nodes for part in walk(node))


class System(NamedTuple):
    """Equations with the unknowns that are asked for.

    ``targets`` are the expressions behind ``unknowns`` (mostly plain names; ``2*n-1`` in Dolphin18K). ``declared``
    tells whether the unknowns were given or collected from the equations.
    """

    equations: tuple[Equation, ...]
    conditions: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    targets: tuple[Node, ...]
    declared: bool


def parse_system(equations: Sequence[str], unknowns: Sequence[str] | None = None) -> System:
    """Parses equations that belong together: names, ``x`` as times and case drift are settled over all of them.

    ``unknowns`` may be expressions; without them every name is an unknown, in order of appearance. Raises
    ``ExtractionError`` or ``LimitError``.

    >>> parse_system(["x + y = 9", "y > 0"]).unknowns
    ('x', 'y')
    """
    if len(equations) > MAX_EQUATIONS:
        raise LimitError(f"{len(equations)} equations; at most {MAX_EQUATIONS} are read")
    length = sum(map(len, equations))
    if length > MAX_CHARACTERS:
        raise LimitError(f"system of {length} characters; at most {MAX_CHARACTERS} are read")
    wanted = [unknown.strip() for unknown in unknowns or ()]
    plain = {unknown for unknown in wanted if unknown.isidentifier() and unknown.isascii()}
    lines = [tokenize_line(text, plain) for text in equations]
    if any(token.lower() in ("or", "and") for tokens in lines for token in tokens):
        raise ExtractionError("several equations on one line")
    token_lists = [*lines, *_expressions(wanted, plain)]
    scope = build_scope(token_lists, _declared(wanted, plain, token_lists))
    parsed = [equation for tokens in lines for equation in parse_tokens(tokens, scope)]
    stated = tuple(equation for equation in parsed if equation.relation == "=")
    conditions = tuple(equation for equation in parsed if equation.relation != "=")
    if unknowns is None:
        found = names_of(*[side for equation in parsed for side in (equation.left, equation.right)])
        return System(stated, conditions, found, tuple(map(Name, found)), False)
    targets = tuple(
        [
            scope.atoms[text] if text in scope.atoms else parse_expression_tokens(tokenize(text, plain), scope)
            for text in wanted
        ]
    )
    return System(stated, conditions, tuple(wanted), targets, True)


def _expressions(wanted: Sequence[str], plain: set[str]) -> list[list[str]]:
    """Token lists of the unknowns that are expressions."""
    if any(not text for text in wanted):
        raise ExtractionError("an empty unknown")
    return [tokenize(text, plain) for text in wanted if text not in plain]


def _declared(wanted: Sequence[str], plain: set[str], token_lists: Sequence[Sequence[str]]) -> list[str]:
    """The unknowns that are names; ``ar`` next to ``a`` and ``r`` is a product."""
    names = [text for text in dict.fromkeys(wanted) if text in plain]
    words = [text for text in names if 1 < len(text) <= 3 and text.isalpha()]
    if not words:
        return names
    letters = {token for tokens in token_lists for token in tokens if len(token) == 1} | {
        n for n in names if len(n) == 1
    }
    return [text for text in names if text not in words or not letters.issuperset(text)]


def connected(system: System) -> System:
    """The equations and conditions that share unknowns with the targets, directly or through others."""
    names = set(names_of(*system.targets))
    parts = [(e, set(names_of(e.left, e.right))) for e in all_equations(system)]
    while grown := [own for _, own in parts if own & names and not own <= names]:
        names.update(*grown)
    kept = {id(equation) for equation, own in parts if own & names}
    return system._replace(
        equations=tuple(e for e in system.equations if id(e) in kept),
        conditions=tuple(c for c in system.conditions if id(c) in kept),
    )


def all_equations(system: System) -> list[Equation]:
    """Every equation and condition of a system."""
    return [*system.equations, *system.conditions]


def with_all_unknowns(system: System) -> System:
    """The system with its undeclared unknowns as unknowns; itself where there are none.

    >>> with_all_unknowns(parse_system(["x + y = 9"], ["x"])).unknowns
    ('x', 'y')
    """
    sides = [side for equation in all_equations(system) for side in (equation.left, equation.right)]
    more = tuple(name for name in names_of(*sides) if name not in system.unknowns)
    if not more:
        return system
    return system._replace(unknowns=system.unknowns + more, targets=system.targets + tuple(map(Name, more)))


def parse_dolphin(text: str) -> System:
    """A Dolphin18K annotation as a system; its unknowns may be expressions.

    Raises ``ExtractionError`` or ``LimitError``.

    >>> parse_dolphin("unkn: 2*n-1,2*n+1\\r\\nequ: (2*n-1)(2*n+1) = 143").unknowns
    ('2*n-1', '2*n+1')
    """
    equations, unknowns = read_dolphin(text)
    return parse_system(equations, unknowns)
