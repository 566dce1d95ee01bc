"""Statements: what may stand on one line besides a single equation ("or", "and", commas and semicolons)."""

import re
from collections.abc import Iterable, Sequence

from extractors.expressions.grammar import parse_tokens
from extractors.expressions.tokens import MAX_LENGTH, NameScope, build_scope, declared_scope, tokenize, uses_scientific
from extractors.expressions.tree import Equation
from extractors.extraction_errors import LimitError

MAX_ALTERNATIVES = 16

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_AND = re.compile(r"\band\b|;|,(?=[^,;()]*=)", re.IGNORECASE)
_RELATION = re.compile(r"[=<>≤≥≠]|^\s*is_\w+\s*\(", re.ASCII)

TokenList = list[str]
StatementTokens = list[list[TokenList]]
"""Alternatives of conjunctions of token lists."""


def split_statement(text: str) -> list[list[str]]:
    """Alternatives ("or") of equations that hold together ("and", ``;``, a comma between equations).

    A part without a relation sign repeats the left side before it: ``x = 2 or 3``.

    >>> split_statement("x = 2 or 3")
    [['x = 2'], ['x =3']]
    """
    if len(text) > MAX_LENGTH:
        raise LimitError(f"statement of {len(text)} characters; at most {MAX_LENGTH} are read")
    alternatives: list[list[str]] = []
    previous = ""
    for part in _OR.split(text):
        equations: list[str] = []
        for index, piece in enumerate(_conjuncts(part)):
            if not index and not _RELATION.search(piece) and "=" in previous:
                piece = previous[: previous.rindex("=") + 1] + piece.strip()
            equations.append(piece.strip())
            previous = piece.strip()
        if equations:
            alternatives.append(equations)
    if len(alternatives) > MAX_ALTERNATIVES:
        raise LimitError(f"{len(alternatives)} alternatives; at most {MAX_ALTERNATIVES} are read")
    return alternatives or [[""]]


def _conjuncts(text: str) -> list[str]:
    """Splits at separators, but never inside brackets."""
    pieces, start, seen = [], 0, 0
    depth, equals = 0, False
    for match in _AND.finditer(text):
        between = text[seen : match.start()]
        depth += between.count("(") - between.count(")")
        equals = equals or "=" in between
        seen = match.end()
        if depth == 0 and equals:
            pieces.append(text[start : match.start()])
            start, equals = seen, False
    pieces.append(text[start:])
    return [piece for piece in pieces if piece.strip()]


def tokenize_statement(
    text: str, declared: frozenset[str] | set[str], *, decimal_comma: bool = False
) -> StatementTokens:
    """The token lists of a statement."""
    text = text.rstrip(" \t\r\n.,;")
    if "or" not in text and "and" not in text and ";" not in text and "," not in text and "O" not in text:
        scientific = uses_scientific(text, declared)
        return [[tokenize(text, scientific=scientific, decimal_comma=decimal_comma)]]
    parts = split_statement(text) if not decimal_comma else [[text]]
    return [
        [
            tokenize(piece, scientific=uses_scientific(piece, declared), decimal_comma=decimal_comma)
            for piece in conjunction
        ]
        for conjunction in parts
    ]


def parse_statement(statement: StatementTokens, scope: NameScope) -> tuple[tuple[Equation, ...], ...]:
    """The equations of each alternative."""
    if len(statement) == 1 and len(statement[0]) == 1:
        return (parse_tokens(statement[0][0], scope),)
    return tuple(
        tuple(equation for tokens in conjunction for equation in parse_tokens(tokens, scope))
        for conjunction in statement
    )


def parse_alternatives(text: str, names: Sequence[str] = ()) -> tuple[tuple[Equation, ...], ...]:
    """The alternatives of a statement, each a conjunction of equations and conditions.

    Raises ``ExtractionError`` and ``LimitError`` like ``grammar.parse_equation``.

    >>> [len(alternative) for alternative in parse_alternatives("x = 2 and y = 3 or x = 4")]
    [2, 1]
    """
    statement = tokenize_statement(text, frozenset(names))
    return parse_statement(statement, build_scope([tokens for part in statement for tokens in part], names))


def parse_equations(texts: Iterable[str], names: Sequence[str]) -> list[Equation]:
    """The equations of several texts, each read by itself as ``grammar.parse_equation`` does; ``names`` are unknowns.

    Where no other names occur, as in templates, all are read in one scope.

    >>> [equation.relation for equation in parse_equations(["x + y = 9", "x = 2y = 6"], ("x", "y"))]
    ['=', '=', '=']
    """
    known = declared_scope(names)
    equations: list[Equation] = []
    for text in texts:
        tokens = tokenize(text.rstrip(" \t\r\n.,;"), scientific=uses_scientific(text, known.declared))
        foreign = [token for token in tokens if token.isidentifier() and token not in known.declared]
        equations.extend(parse_tokens(tokens, build_scope((tokens,), names) if foreign else known))
    return equations
