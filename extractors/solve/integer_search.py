"""Small integer search: only where the system itself says that unknowns are integers in a bounded range.

Remainders of integer combinations: ``m%5=2`` and ``n%5=4`` say what ``(m+n)%5`` is.

Congruences are compatible with sums, differences, products and powers of integers, so inside ``E % n`` an unknown
with a known remainder for a multiple of ``n`` may be replaced by that remainder.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, names_of, substitute, transform
from extractors.polynomials.rational_forms import NamedTerms

MAX_RANGE = 10_000

Range = tuple[int, int]


def integer_ranges(conditions: Sequence[Equation], polynomials: Iterable[NamedTerms]) -> dict[str, Range]:
    """Bounded ranges of the unknowns that conditions make integers, in order of appearance.

    Digits run from 0 to 9; other integers need inequalities with numbers on both sides, or an equation which says that
    a product of integers is a constant.

    >>> from extractors.expressions.grammar import parse_equation
    >>> integer_ranges([*parse_equation("is_int(n)"), *parse_equation("0 < n < 5")], [])
    {'n': (1, 4)}
    """
    kinds: dict[str, bool] = {}
    for condition in conditions:
        if condition.relation == "is" and isinstance(condition.left, Call):
            _note_integers(condition.left, kinds)
    if not kinds:
        return {}
    out: dict[str, Range] = {}
    products = _product_bounds(polynomials, kinds)
    for name, is_digit in kinds.items():
        low, high = _bounds(name, conditions)
        if is_digit:
            low, high = max(0, low if low is not None else 0), min(9, high if high is not None else 9)
        elif name in products:
            low = -products[name] if low is None else max(low, -products[name])
            high = products[name] if high is None else min(high, products[name])
        if low is not None and high is not None and high - low < MAX_RANGE:
            out[name] = (low, high)
    return out


def _note_integers(call: Call, kinds: dict[str, bool]) -> None:
    """Notes the unknowns of a predicate; ``is_digit(a+1)`` makes ``a`` an integer, ``is_digit(a)`` a digit."""
    for arg in call.args:
        if isinstance(arg, Name):
            kinds[arg.name] = kinds.get(arg.name, False) or call.name == "is_digit"
    for arg in call.args:
        for name in names_of(arg):
            if not isinstance(arg, Name) and name in kinds:
                kinds.setdefault(name, False)


def _bounds(name: str, conditions: Sequence[Equation]) -> tuple[int | None, int | None]:
    """The least and greatest integer that the inequalities with numbers allow."""
    low: int | None = None
    high: int | None = None
    for condition in conditions:
        for unknown, bound, relation in (
            (condition.left, condition.right, condition.relation),
            (condition.right, condition.left, condition.relation.translate(str.maketrans("<>", "><"))),
        ):
            limit = _number(bound)
            if unknown != Name(name) or limit is None:
                continue
            if relation.startswith(">"):
                least = -(-limit.numerator // limit.denominator) + (relation == ">" and limit.denominator == 1)
                low = least if low is None else max(low, least)
            elif relation.startswith("<"):
                most = limit.numerator // limit.denominator - (relation == "<" and limit.denominator == 1)
                high = most if high is None else min(high, most)
    return low, high


def _number(node: Node) -> Fraction | None:
    if isinstance(node, Unary) and node.op == "-" and isinstance(node.operand, Num):
        return -node.operand.value
    return node.value if isinstance(node, Num) else None


def _product_bounds(polynomials: Iterable[NamedTerms], kinds: dict[str, bool]) -> dict[str, int]:
    """``k*m*n = c`` over integers bounds every factor by ``|c/k|``."""
    out: dict[str, int] = {}
    for p in polynomials:
        powers = [monomial for monomial in p if monomial]
        if len(p) != 2 or len(powers) != 1 or () not in p:
            continue
        names = [name for name, _ in powers[0]]
        head, tail = p[powers[0]], p[()]
        if all(name in kinds for name in names):
            for name in names:
                out[name] = min(out.get(name, MAX_RANGE), abs(tail) // abs(head))
    return out


Residues = dict[str, tuple[int, int]]
"""Unknown -> remainder and modulus."""


def with_residues(equations: Sequence[Equation], wanted: Sequence[str]) -> list[Equation]:
    """The equations with known remainders put in; those that only state one are dropped where nothing else needs them.

    >>> from extractors.expressions.grammar import parse_equation
    >>> texts = ["m%5=2", "n%5=4", "(m+n)%5=x"]
    >>> found = with_residues([parse_equation(text)[0] for text in texts], ["x"])
    >>> [names_of(equation.left, equation.right) for equation in found]
    [('x',)]
    """
    residues: Residues = {}
    for equation in equations:
        stated = _stated(equation)
        if stated is not None and 0 <= stated[1] < stated[2]:
            residues.setdefault(stated[0], stated[1:])
    if not residues:
        return list(equations)
    changed = [_reduced(equation, residues) for equation in equations]
    used = {name for e in changed if _stated(e) is None for name in names_of(e.left, e.right)} | set(wanted)
    kept = [e for e in changed if (stated := _stated(e)) is None or stated[0] in used or stated[0] not in residues]
    return kept or list(equations)


def _stated(equation: Equation) -> tuple[str, int, int] | None:
    """Unknown, remainder and modulus of ``u % n = r``."""
    parts = _modulus(equation.left)
    if parts is None or not isinstance(parts[0], Name) or not isinstance(equation.right, Num):
        return None
    remainder = equation.right.value
    return None if remainder.denominator != 1 else (parts[0].name, remainder.numerator, parts[1])


def _modulus(node: Node) -> tuple[Node, int] | None:
    """The dividend and the modulus of a remainder by a whole number."""
    if isinstance(node, Binary) and node.op == "%":
        left, right = node.left, node.right
    elif isinstance(node, Call) and node.name == "mod" and len(node.args) == 2:
        left, right = node.args
    else:
        return None
    if not isinstance(right, Num) or right.value.denominator != 1 or right.value < 1:
        return None
    return left, right.value.numerator


def _reduced(equation: Equation, residues: Residues) -> Equation:
    def leaf(node: Node) -> Node | None:
        parts = _modulus(node)
        if parts is None or isinstance(parts[0], Name) or not _is_integer_combination(parts[0]):
            return None
        known: dict[str, Node] = {
            name: Num(Fraction(residues[name][0]))
            for name in names_of(parts[0])
            if name in residues and residues[name][1] % parts[1] == 0
        }
        return Binary("%", substitute(parts[0], known), Num(Fraction(parts[1]))) if known else None

    return Equation(transform(equation.left, leaf), transform(equation.right, leaf), equation.relation)


def _is_integer_combination(node: Node) -> bool:
    """Whether a tree is built of whole numbers and unknowns by sums, differences, products and whole powers."""
    if isinstance(node, Num):
        return node.value.denominator == 1
    if isinstance(node, Name):
        return True
    if isinstance(node, Unary):
        return node.op == "-" and _is_integer_combination(node.operand)
    if not isinstance(node, Binary):
        return False
    if node.op == "^":
        return (
            isinstance(node.right, Num)
            and node.right.value.denominator == 1
            and node.right.value >= 0
            and (_is_integer_combination(node.left))
        )
    return node.op in "+-*" and _is_integer_combination(node.left) and _is_integer_combination(node.right)
