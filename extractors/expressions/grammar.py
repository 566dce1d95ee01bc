"""The equation grammar: a Pratt parser over the tokens of ``tokens.py``.

Binding powers: relations 0, ``+ -`` 10, ``* / mod`` and the implicit product 20, signs 25, ``^`` 30, postfix 40. The
implicit product binds like ``*``, so ``1/2x`` is ``(1/2)*x``, as answerers mean it.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from extractors.expressions.tokens import (
    ALIASES,
    KIND,
    NAME,
    NUMBER,
    PREDICATES,
    PREFIX,
    NameScope,
    build_scope,
    declared_scope,
    make_call,
    number,
    tokenize,
    tokenize_line,
)
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, walk
from extractors.extraction_errors import ExtractionError, LimitError

MAX_DEPTH = 60
ADDITIVE, PRODUCT, SIGN, POWER = 10, 20, 25, 30

_BINARY = {"+": ADDITIVE, "-": ADDITIVE, "±": ADDITIVE, "+/-": ADDITIVE, "*": PRODUCT, "/": PRODUCT}
_SPELLING = {"+/-": "±"}
_RELATION = {
    "=": "=", "==": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!=", "<>": "!=",
}  # fmt: skip
_END = frozenset({"", ")", ",", ";", *_RELATION})
"""Symbols that end an expression."""
_POSTFIX = frozenset({"^", "**", "%", "!", "°"})
_ONE = Num(Fraction(1))


class Parser:
    """One pass over one token list; use ``parse_tokens``."""

    __slots__ = ("bars", "depth", "position", "scope", "tokens")

    def __init__(self, tokens: Sequence[str], scope: NameScope) -> None:
        self.tokens, self.scope = tokens, scope
        self.position = self.depth = self.bars = 0

    def fail(self, what: str) -> ExtractionError:
        """An error that names the place."""
        found = self.tokens[self.position] if self.position < len(self.tokens) else ""
        return ExtractionError(f"{what} at token {self.position + 1} ({ascii(found[:20]) if found else 'the end'})")

    def expect(self, symbol: str) -> None:
        """Steps over a symbol that must be here."""
        if self.tokens[self.position] != symbol:
            raise self.fail(f"expected {symbol}")
        self.position += 1

    def relations(self) -> tuple[Equation, ...]:
        """The whole token list as a chain of relations or one predicate."""
        tokens = self.tokens
        if tokens[0] in PREDICATES and tokens[1] == "(":
            self.position = 2
            call = Call(PREDICATES[tokens[0]], self.arguments(tokens[0]))
            chain = [Equation(call, _ONE, "is")]
        else:
            left, chain = self.side(0), []
            while (relation := _RELATION.get(tokens[self.position])) is not None:
                self.position += 1
                right = self.side(0)
                chain.append(Equation(left, right, relation))
                left = right
        if tokens[self.position]:
            raise self.fail("unexpected symbol")
        if not chain:
            raise ExtractionError("no relation sign")
        return tuple(chain)

    def expression(self, minimum: int) -> Node:
        """An expression whose operators bind at least as strongly as ``minimum``."""
        self.deepen()
        left = self.operand()
        tokens = self.tokens
        while (symbol := tokens[self.position]) not in _END:
            power = _BINARY.get(symbol)
            if power is not None:
                if power < minimum:
                    break
                self.position += 1
                right = self.divisor(left) if symbol == "/" else None
                left = Binary(_SPELLING.get(symbol, symbol), left, right or self.side(power + 1))
            elif symbol in _POSTFIX:
                new = self.postfix(symbol, left, minimum)
                if new is None:
                    break
                left = new
            elif minimum <= PRODUCT and self.starts_operand(symbol):
                left = self.implicit(symbol, left)
            else:
                break
        self.depth -= 1
        return left

    def side(self, minimum: int) -> Node:
        """``expression`` for what stands beside an operator: mostly one number or unknown, which ends quickly."""
        symbol = self.tokens[self.position]
        node = self.scope.atoms.get(symbol) or (number(symbol) if KIND.get(symbol[:1]) is NUMBER else None)
        if node is not None:
            following = self.tokens[self.position + 1]
            if following in _END or _BINARY.get(following, POWER) < minimum:
                self.position += 1
                return node
        return self.expression(minimum)

    def divisor(self, left: Node) -> Node | None:
        """``(x+y)/7v`` divides by ``7*v``: after a number, as in ``1/2v``, the quotient is a factor instead."""
        tokens, at = self.tokens, self.position
        if KIND.get(tokens[at][:1]) is not NUMBER or KIND.get(tokens[at + 1][:1]) is not NAME:
            return None
        if len(tokens[at + 1]) > 1 or KIND.get(tokens[at - 2][:1]) is NUMBER or tokens[at + 2] == "(":
            return None
        if self.scope.x_is_times or not any(isinstance(node, Name) for node in walk(left)):
            return None
        return Binary("*", self.operand(), self.expression(PRODUCT + 1))

    def deepen(self) -> None:
        """Counts one level of nesting."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LimitError(f"nested deeper than {MAX_DEPTH}")

    def starts_operand(self, symbol: str) -> bool:
        """Whether an operand can begin with a symbol, so that a product sign is understood."""
        kind = KIND.get(symbol[0])
        if kind is NUMBER:
            return self.tokens[self.position - 1] == ")"
        return kind is NAME or symbol in ("(", "√") or (symbol == "|" and not self.bars)

    def implicit(self, symbol: str, left: Node) -> Node:
        """A product without a sign, or with ``x`` as its sign."""
        if self.scope.x_is_times and symbol[0] in "xX" and (len(symbol) == 1 or symbol[1:].isdecimal()):
            self.position += 1
            if len(symbol) > 1:
                factor = number(symbol[1:])
                powered = self.postfix("^", factor, 0) if self.tokens[self.position] in ("^", "**") else None
                return Binary("*", left, powered or factor)
        return Binary("*", left, self.expression(PRODUCT + 1))

    def postfix(self, symbol: str, left: Node, minimum: int) -> Node | None:
        """Applies a postfix operator or a power; None where it binds too weakly for the caller."""
        if symbol == "%":
            return self.percent(left, minimum)
        self.position += 1
        if symbol == "!":
            self.deepen()
            return Call("factorial", (left,))
        if symbol == "°":
            return self.sexagesimal(left)
        if minimum > POWER:
            self.position -= 1
            return None
        return Binary("^", left, self.expression(SIGN + 1 if self.tokens[self.position] != "-" else SIGN))

    def percent(self, left: Node, minimum: int) -> Node | None:
        """``10%`` of a number is hundredths; after an unknown and before an operand ``%`` is the remainder."""
        following = self.tokens[self.position + 1]
        is_constant = not any(isinstance(node, Name) for node in walk(left))
        if is_constant or not following or not (KIND.get(following[0]) or following == "("):
            self.position += 1
            return Num(left.value / 100) if isinstance(left, Num) else Binary("/", left, Num(Fraction(100)))
        if minimum > PRODUCT:
            return None
        self.position += 1
        return Binary("%", left, self.expression(PRODUCT + 1))

    def sexagesimal(self, degrees: Node) -> Node:
        """``71°18'`` in degrees; a lone degree sign changes nothing."""
        for divisor, mark in ((60, "'"), (3600, '"')):
            symbol = self.tokens[self.position]
            if not symbol or KIND.get(symbol[0]) is not NUMBER or self.tokens[self.position + 1] != mark:
                break
            self.position += 2
            degrees = Binary("+", degrees, Num(number(symbol).value / divisor))
        return degrees

    def operand(self) -> Node:
        """A number, name, call, bracket, sign or absolute value."""
        symbol = self.tokens[self.position]
        atom = self.scope.atoms.get(symbol)
        if atom is not None:
            self.position += 1
            return atom
        kind = KIND.get(symbol[:1])
        if kind is NUMBER:
            self.position += 1
            return self.mixed(symbol)
        if kind is NAME:
            self.position += 1
            return self.named(symbol)
        if symbol == "(":
            self.position += 1
            bars, self.bars = self.bars, 0
            node = self.expression(0)
            self.expect(")")
            self.bars = bars
            return node
        return self.marked(symbol)

    def marked(self, symbol: str) -> Node:
        """An operand that begins with a sign, a root or a bar."""
        if symbol not in ("-", "+", "±", "+/-", "√", "|"):
            raise self.fail("expected a number, a name or a bracket")
        self.position += 1
        if symbol == "|":
            return self.absolute()
        if symbol == "√":
            return Call("sqrt", (self.expression(SIGN + 1),))
        if symbol == "+" and self.tokens[self.position] == "-":
            self.position += 1
            symbol = "±"
        operand = self.expression(SIGN)
        return operand if symbol == "+" else Unary("±" if symbol == "+/-" else symbol, operand)

    def absolute(self) -> Node:
        """The inside of ``|...|``."""
        self.bars += 1
        node = self.expression(0)
        self.expect("|")
        self.bars -= 1
        return Call("abs", (node,))

    def mixed(self, symbol: str) -> Node:
        """A number, with the fraction of a mixed number behind it."""
        tokens, at = self.tokens, self.position
        whole = number(symbol)
        if KIND.get(tokens[at][:1]) is not NUMBER or tokens[at + 1] != "/":
            return whole
        following = tokens[at]
        parts = (symbol, following, tokens[at + 2])
        if not all(part.isdecimal() for part in parts) or not int(parts[2]):
            return whole
        self.position += 3
        return Num(whole.value + Fraction(int(following), int(parts[2])))

    def named(self, symbol: str) -> Node:
        """An unknown, a function call, a constant or letters run together."""
        scope = self.scope
        if len(symbol) == 1 and symbol not in "CPe":
            return Name(scope.rename.get(symbol, symbol))
        split = scope.splits.get(symbol)
        if split is not None:
            return self.product_of(split)
        if symbol in ALIASES and (self.tokens[self.position] == "(" or symbol in PREFIX):
            return self.call(symbol)
        if symbol[:4] == "log_" and symbol[4:].isdecimal():
            return Call("log", (self.expression(SIGN + 1), number(symbol[4:])))
        special = self.special(symbol)
        return Name(scope.rename.get(symbol, symbol)) if special is None else special

    def product_of(self, letters: tuple[str, ...]) -> Node:
        """Letters run together as a product; a power behind them belongs to the last letter."""
        rename = self.scope.rename
        nodes: list[Node] = [Name(rename.get(letter, letter)) for letter in letters]
        if self.tokens[self.position] in ("^", "**"):
            last = self.postfix("^", nodes[-1], 0)
            nodes[-1] = last if last is not None else nodes[-1]
        product = nodes[0]
        for node in nodes[1:]:
            product = Binary("*", product, node)
        return product

    def special(self, symbol: str) -> Node | None:
        """Constants, ``C(n, r)``, and functions glued to one letter (``sinx``)."""
        following = self.tokens[self.position]
        if symbol in ("pi", "Pi", "PI"):
            return Call("pi", ())
        if symbol == "e" and following in ("^", "**"):
            return Call("e", ())
        if symbol in "CP" and following == "(" and self.has_comma():
            return self.call("comb" if symbol == "C" else "perm")
        if symbol[:-1] in PREFIX and symbol[-1] in self.scope.names and symbol != "cost":
            return Call(ALIASES[symbol[:-1]], (Name(symbol[-1]),))
        return None

    def has_comma(self) -> bool:
        """Whether the bracket that opens here holds a comma of its own."""
        depth = 0
        for symbol in self.tokens[self.position :]:
            depth += (symbol == "(") - (symbol == ")")
            if depth <= 0:
                return False
            if depth == 1 and symbol in (",", ";"):
                return True
        return False

    def call(self, symbol: str) -> Node:
        """A function with bracketed arguments, or a prefix function before one operand."""
        following = self.tokens[self.position]
        if following == "(":
            self.position += 1
            return make_call(symbol, self.arguments(symbol))
        if symbol == "log" and following in ("2", "10") and self.tokens[self.position + 1] == "(":
            self.position += 2
            return Call("log", (*self.arguments(symbol), number(following)))
        return Call(ALIASES[symbol], (self.expression(SIGN + 1),))

    def arguments(self, symbol: str) -> tuple[Node, ...]:
        """Arguments up to the closing bracket; Dolphin18K also separates them by a space alone."""
        args = [self.expression(0)]
        while self.tokens[self.position] != ")":
            if self.tokens[self.position] in (",", ";"):
                self.position += 1
            elif symbol[0] != "_" or KIND.get(self.tokens[self.position][:1]) is not NUMBER:
                raise self.fail("expected , or )")
            args.append(self.expression(0))
        self.position += 1
        return tuple(args)


def parse_tokens(tokens: Sequence[str], scope: NameScope) -> tuple[Equation, ...]:
    """A tokenized relation, chain of relations or predicate."""
    return Parser(tokens, scope).relations()


def parse_expression_tokens(tokens: Sequence[str], scope: NameScope) -> Node:
    """A tokenized expression without a relation sign."""
    parser = Parser(tokens, scope)
    node = parser.side(0)
    if tokens[parser.position]:
        raise parser.fail("unexpected symbol")
    return node


def parse_expression(text: str, names: Sequence[str] = ()) -> Node:
    """Parses an expression; ``names`` are unknowns that are never split nor read as functions.

    Raises ``ExtractionError`` for text outside the grammar and ``LimitError`` beyond its bounds.

    >>> from extractors.expressions.tree import render
    >>> render(parse_expression("1/2x + 3(y-1)"))
    '1/2*x+3*(y-1)'
    """
    tokens = tokenize(text, names)
    return parse_expression_tokens(tokens, build_scope((tokens,), names))


def parse_equation(text: str, names: Sequence[str] = ()) -> tuple[Equation, ...]:
    """Parses an equation, a chain ``a = b = c`` (several equations), a condition or a predicate.

    ``names`` are the known unknowns of the system. Raises ``ExtractionError`` and ``LimitError`` as above.

    >>> [equation.relation for equation in parse_equation("x = 2y = 8")]
    ['=', '=']
    """
    tokens = tokenize_line(text, names)
    return parse_tokens(tokens, build_scope((tokens,), names))


def parse_equations(texts: Iterable[str], names: Sequence[str]) -> list[Equation]:
    """The equations of several texts, each read by itself as ``parse_equation`` does; ``names`` are unknowns.

    Where no other names occur, as in templates, all are read in one scope.

    >>> [equation.relation for equation in parse_equations(["x + y = 9", "x = 2y = 6"], ("x", "y"))]
    ['=', '=', '=']
    """
    known = declared_scope(names)
    equations: list[Equation] = []
    for text in texts:
        tokens = tokenize_line(text, known.declared)
        foreign = [token for token in tokens if token.isidentifier() and token not in known.declared]
        equations.extend(parse_tokens(tokens, build_scope((tokens,), names) if foreign else known))
    return equations
