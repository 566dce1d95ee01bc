"""ASDiv's formulas: arithmetic with units and names in brackets, definitions, remainders, ratios, comparisons, clocks.

``x:Amy's books; (x+18)-15=9`` is a definition and an equation, ``47/6=7 r5`` a quotient with its remainder,
``15:18=5:6`` a ratio, ``5, 7, 10, 14`` a sequence, ``hh:mm=3:30 p.m.`` a time of day, ``2 (dime)*10 (cent/dime)``
arithmetic with its units (Miao et al., ACL 2020, and the data notes of ASDiv 1.0).

As equations they have what is asked for unknowns, and earlier results where later steps use them:
``43+19+16=78; 78-77=1`` becomes ``x=43+19+16-77``; ``x:Amy's books; (x+18)-15=9`` keeps its unknown; ``47/6=7 r5``
becomes its quotient or its remainder by the solution type of the problem.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from extractors.expressions.grammar import parse_expression_tokens
from extractors.expressions.tokens import NameScope, build_scope, tokenize
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, names_of, render, transform
from extractors.extraction_errors import ExtractionError, LimitError

MAX_FORMULA = 2000
MAX_STATEMENTS = 40

_DEFINITION = re.compile(r"([A-Za-z])\s*:\s*([^=<>]*)\Z")
_SEQUENCE = re.compile(r"-?\d+(?:\.\d+)?(?:[,.]\s+-?\d+(?:\.\d+)?){2,60}", re.ASCII)
_CLOCK = re.compile(r"hh:mm(?::ss)?\s*=\s*(.+)")
_REMARK = re.compile(r"[A-Za-z][A-Za-z']*(?: [A-Za-z0-9'.]+){2,20}")
_RELATION = re.compile(r"(<=|>=|=|<|>|\bequals\b)")
_BRACKET = re.compile(r"\s*\(([^()]*)\)")
_WORD = re.compile(r"[A-Za-z]+")
_REMAINDER = re.compile(r"(?<=[\d)])\s+r\s?(\d{1,20})\Z", re.ASCII)
_UNIT = re.compile(r"(?<=[\d.)])\s+([A-Za-z][A-Za-z']*+(?: [A-Za-z']++){0,3})\Z", re.ASCII)
_GLUED = re.compile(r"\d[A-Za-z]\b", re.ASCII)
_OPERATOR = re.compile(r"[+*^=<>]|-\s?\d", re.ASCII)


class Side(NamedTuple):
    """One side of a relation: several terms for a ratio; a remainder; the name or unit that was written beside it."""

    terms: tuple[Node, ...]
    remainder: int | None = None
    label: str | None = None
    unit: str | None = None


class Statement(NamedTuple):
    """A part of a formula between semicolons.

    ``kind``: definition (``text`` is what the unknown stands for), chain (``sides`` and the ``relations`` between
    them; a single side has none), sequence (one side), clock (``text`` is the time) or remark (``text``).
    """

    kind: str
    sides: tuple[Side, ...] = ()
    relations: tuple[str, ...] = ()
    name: str = ""
    text: str = ""


def parse_asdiv(text: str) -> tuple[Statement, ...]:
    """The statements of an ASDiv formula, with one scope of names for all of them.

    Raises ``ExtractionError`` for text outside the notation and ``LimitError`` beyond its bounds.

    >>> [statement.kind for statement in parse_asdiv("x:Amy's books; (x+18)-15=9")]
    ['definition', 'chain']
    >>> parse_asdiv("47/6=7 r5")[0].sides[1].remainder
    5
    """
    if len(text) > MAX_FORMULA:
        raise LimitError(f"formula of {len(text)} characters; at most {MAX_FORMULA} are read")
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if not parts or len(parts) > MAX_STATEMENTS:
        raise ExtractionError("no statement") if not parts else LimitError(f"more than {MAX_STATEMENTS} statements")
    definitions = {index: match for index, part in enumerate(parts) if (match := _DEFINITION.match(part))}
    names = tuple(dict.fromkeys(match[1] for match in definitions.values()))
    drafts = [_draft(part, names) if index not in definitions else None for index, part in enumerate(parts)]
    tokens = [tokens for draft in drafts if draft for side in draft.sides for tokens in side.tokens]
    scope = build_scope(tokens, names)
    return tuple(
        _finished(draft, scope) if draft else Statement("definition", name=definitions[i][1], text=definitions[i][2])
        for i, draft in enumerate(drafts)
    )


class _DraftSide(NamedTuple):
    tokens: tuple[list[str], ...]
    remainder: int | None
    label: str | None
    unit: str | None


class _Draft(NamedTuple):
    kind: str
    sides: tuple[_DraftSide, ...] = ()
    relations: tuple[str, ...] = ()
    text: str = ""


def _draft(part: str, names: Sequence[str]) -> _Draft:
    """A statement that defines nothing, tokenized; labels and units taken out."""
    clock = _CLOCK.match(part)
    if clock is not None:
        return _Draft("clock", text=_BRACKET.sub("", clock[1].rsplit("=", 1)[-1]).strip())
    if _SEQUENCE.fullmatch(part):
        terms = re.split(r"[,.]\s+", part)
        return _Draft("sequence", (_DraftSide(tuple(tokenize(term) for term in terms), None, None, None),))
    pieces = _RELATION.split(part)
    if len(pieces) == 1 and _REMARK.fullmatch(part):
        return _Draft("remark", text=part)
    relations = tuple("=" if piece == "equals" else piece for piece in pieces[1::2])
    return _Draft("chain", tuple(_draft_side(piece, names) for piece in pieces[::2]), relations)


def _draft_side(text: str, names: Sequence[str]) -> _DraftSide:
    labels: list[str] = []

    def without_label(match: re.Match[str]) -> str:
        if not _is_label(match[1], names):
            return match[0]
        labels.append(match[1].strip())
        return " "

    text = _BRACKET.sub(without_label, text).strip()
    remainder = _REMAINDER.search(text)
    text = text[: remainder.start()] if remainder else text
    unit = _UNIT.search(text)
    if unit is not None and unit[1] not in names:
        text = text[: unit.start()]
    parts = text.split(":")
    return _DraftSide(
        tuple(tokenize(part) for part in parts),
        int(remainder[1]) if remainder else None,
        labels[-1] if labels else None,
        unit[1] if unit else None,
    )


def _is_label(content: str, names: Sequence[str]) -> bool:
    """Whether brackets hold a unit or a name rather than an operand: words that are no unknowns and no operators."""
    words = _WORD.findall(content)
    if not words or _OPERATOR.search(content):
        return False
    if all(word in names for word in words) or _GLUED.search(content):
        return False
    return not content.strip()[0].isdecimal() or any(len(word) > 2 for word in words)


def _finished(draft: _Draft, scope: NameScope) -> Statement:
    sides = tuple(
        Side(tuple(parse_expression_tokens(t, scope) for t in side.tokens), side.remainder, side.label, side.unit)
        for side in draft.sides
    )
    return Statement(draft.kind, sides, draft.relations, text=draft.text)


_UNKNOWNS = "xyzuvwmnpqrst"


def asdiv_equations(formula: str, solution_type: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations of a formula and their unknowns.

    Raises ExtractionError for formulas outside the notation and for those that hold no equation: comparisons,
    sequences, times of day, remarks.

    >>> asdiv_equations("43+19+16=78; 78-77=1", "Difference")
    (('x=43+19+16-77',), ('x',))
    >>> asdiv_equations("47/6=7 r5", "Surplus")
    (('x=47-6*floor(47/6)',), ('x',))
    >>> asdiv_equations("x:Amy's books; (x+18)-15=9", "Algebra-1")
    (('x+18-15=9',), ('x',))
    """
    statements = parse_asdiv(formula)
    chains = [statement for statement in statements if statement.kind == "chain"]
    others = {statement.kind for statement in statements} - {"chain", "definition", "remark"}
    if others:
        raise ExtractionError(f"a {sorted(others)[0]} is not an equation", code="unsupported")
    if not chains or any(set(chain.relations) != {"="} for chain in chains):
        raise ExtractionError("a comparison or a bare number is not an equation", code="unsupported")
    names = names_of(*[term for chain in chains for side in chain.sides for term in side.terms])
    if names:
        return _with_unknowns(chains), names
    return _arithmetic(chains, solution_type)


def _with_unknowns(chains: Sequence[Statement]) -> tuple[str, ...]:
    found: list[str] = []
    for chain in chains:
        for left, right in pairwise(chain.sides):
            equation = Equation(_value(left), _value(right))
            if names_of(equation.left, equation.right):
                found.append(render(equation))
    return tuple(found)


def _value(side: Side) -> Node:
    """A side as one expression; a ratio of two terms is their quotient."""
    if len(side.terms) > 2:
        raise ExtractionError("a ratio of more than two terms is not a single value", code="unsupported")
    return side.terms[0] if len(side.terms) == 1 else Binary("/", side.terms[0], side.terms[1])


def _arithmetic(chains: Sequence[Statement], solution_type: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One equation for each result that no later step uses."""
    results: dict[Fraction, Node] = {}
    used: set[Fraction] = set()

    def earlier(node: Node) -> Node | None:
        if isinstance(node, Num) and node.value in results:
            used.add(node.value)
            return results[node.value]
        return None

    for chain in chains:
        expression = transform(_value(chain.sides[0]), earlier)
        for value, node in _ends(chain, expression, solution_type):
            results[value] = node
            used.discard(value)
    asked = [node for value, node in results.items() if value not in used]
    if not asked or len(asked) > len(_UNKNOWNS):
        raise ExtractionError("no result, or more results than unknowns are named", code="unsupported")
    equations = [render(Equation(Name(name), node)) for name, node in zip(_UNKNOWNS, asked, strict=False)]
    return tuple(equations), tuple(_UNKNOWNS[: len(asked)])


def _ends(chain: Statement, expression: Node, solution_type: str) -> list[tuple[Fraction, Node]]:
    """The printed results of a chain with what gives them."""
    last = chain.sides[-1]
    end = _value(last)
    if last.remainder is None or not isinstance(end, Num):
        return [(_printed(end), expression)]
    quotient, remainder = Call("floor", (expression,)), Fraction(last.remainder)
    if not isinstance(expression, Binary) or expression.op != "/":
        raise ExtractionError("a remainder without a division", code="unsupported")
    rest = Binary("-", expression.left, Binary("*", expression.right, quotient))
    if solution_type == "Surplus":
        return [(remainder, rest)]
    if solution_type == "Ceil-Division":
        return [(end.value + (remainder > 0), Call("ceiling", (expression,)))]
    if solution_type == "Floor-Division":
        return [(end.value, quotient)]
    return [(end.value, quotient), (remainder, rest)]


def _printed(node: Node) -> Fraction:
    """The number a result prints; a quotient of two numbers is one."""
    if isinstance(node, Num):
        return node.value
    if isinstance(node, Binary) and node.op == "/":
        left, right = node.left, node.right
        if isinstance(left, Num) and isinstance(right, Num) and right.value:
            return left.value / right.value
    raise ExtractionError("the formula does not end in a number", code="unsupported")
