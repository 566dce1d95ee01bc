"""From an ASDiv formula to equations: what is asked as unknowns, earlier results put where later steps use them.

``43+19+16=78; 78-77=1`` becomes ``x=43+19+16-77``; ``x:Amy's books; (x+18)-15=9`` keeps its unknown; ``47/6=7 r5``
becomes its quotient or its remainder by the solution type of the problem (ASDiv, Miao et al., ACL 2020, section 2).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from corpus.benchmarks.asdiv_formulas import Side, Statement, parse_asdiv
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, names_of, render, transform
from extractors.extraction_errors import ExtractionError

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
