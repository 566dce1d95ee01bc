"""What an answer states, read whole: formulas, points, sets, intervals, relations, functions, matrices.

``statement_of`` reads nothing that it does not understand to the last sign, so that whoever compares two statements
knows all that both texts say.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from evaluation.metrics.formula_reader import FormulaReader, Held, JoinedSets, RelationChain, StatedItem
from evaluation.metrics.notation_tokens import WORD, notation_tokens
from extractors.answers.elements import DECIMAL_COMMA
from extractors.expressions.tree import Call, Name, Node
from extractors.extraction_errors import ExtractionError
from extractors.quantities.units import UNIT_NAMES

MAX_STATEMENT: Final = 1_500
RELATIONS: Final = frozenset(["=", "<", ">", "<=", ">=", "!=", "≈", "\\in", "\\notin"])
_SEPARATORS: Final = frozenset([",", "\\\\", WORD + "and", WORD + "or"])
_SET_SIGNS: Final = frozenset(["\\cup", "\\cap", "\\setminus"])
_CLOSERS: Final = {"(": (")", "]"), "[": ("]", ")"), "{": ("}",), "\\{": ("\\}",), "\\langle": ("\\rangle",)}
_DOMAINS: Final = frozenset("ℝℤℕℚℂ")
_UNIT_WORDS: Final = frozenset(WORD + name for name in UNIT_NAMES) | {
    WORD + name for name in ("units", "unit", "square", "cubic", "sq", "radians", "radian", "rad", "per")
}
_REAL: Final = r"(?:all|any|every|the set of(?: all)?)?[ ]?(?:real numbers?|reals)"
_NAMED: Final = r"\$?(?:[ ]?[a-z](?:\s?(?:\\in|∈)\s?(?:\\mathbb\s?\{?R\}?|ℝ))?\b)?\$?"
_PHRASES: Final = (
    (re.compile(r"\\(?:text|mathrm|textrm|mbox)\s?\{([^{}\\]{3,80})\}"), r" \1 "),
    (re.compile(r"\(\s*mod(?:ulo)?\s+([0-9]{1,9})\s*\)|\\(?:pmod|bmod|mod)(?![a-z])|\bmod(?:ulo)?\b"), r" \\mod \1 "),
    (re.compile(rf"{_REAL}[ ]?{_NAMED}[ ]?,?[ ]?(?:except(?: for)?|other than|excluding)(?P<rest>.+)", re.I | re.S),
     r"\\mathbb{R} \\setminus \\{\g<rest>\\}"),
    (re.compile(rf"(?:{_REAL}|all|any|every)[ ]?{_NAMED}[ ]?,?[ ]?(?:such that|with|where|for which|satisfying)\b",
                re.I), ""),
    (re.compile(rf"\A\s?{_REAL}[ ]?{_NAMED}\s?\Z", re.I), r"\\mathbb{R}"),
    (re.compile(r"\A\s?(?:no (?:real |integer )?solutions?|(?:the )?empty set|there (?:is|are) no (?:real )?solutions?"
                r")\s?\.?\Z", re.I), r"\\emptyset"),
    (re.compile(r"\b(?:for|when|if)[ ](?=[a-z\\]+[ ]?(?:>|<|\\[gl]))"), r"\\if "),
)  # fmt: skip
_QUALIFIER: Final = re.compile(
    r"(?:[,;.]|\s)\s*\(?\s*(?:(?:for|where|with)\b(?P<said>.*)"
    r"|(?P<free>(?:[a-z]\s*,\s*)*[a-z]\s*(?:\\in|∈)\s*(?:\\mathbb\s*\{?\s*[ZN]\s*\}?|\\Z|ℤ|Z\b).*)"
    r"|(?P<lone>[a-z] (?:is |are )?(?:an |any )?(?:arbitrary )?(?:integer|constant)s?\b.*))\Z",
    re.S,
)
_ALL_INTEGERS: Final = re.compile(
    r"\A\s*(?:all|any|every)?\s*(?:positive )?integers?\b(?=.*[a-z].*[<>\\≥≤])", re.I | re.S
)
_INTEGER: Final = re.compile(r"integer|\\mathbb\s*\{?\s*[ZN]|ℤ|\bZ\b")
_CONSTANT: Final = re.compile(r"constant|\breal\b|arbitrary|\\mathbb\s*\{?\s*R|ℝ")
_LIMITED: Final = re.compile(r"[<>≤≥=≠]|\\(?:[gl]e|[gl]t|ne)|\b(?:even|odd|prime|positive|negative|not|otherwise|non)")
_OVER_ALL: Final = re.compile(r"\A\s*(?:all|any|every|each)\s+(?:positive|non-?negative)(?=\s+integers?)")
_FOR_NUMBERS: Final = re.compile(r"%|\\\$|(?<![\w.])[0-9]{0,30}\.?[0-9]{1,30}e[+-]?[0-9]|[0-9] and [0-9]{1,30}/[0-9]")
"""Percent, money, ``1e-3`` and "1 and 1/2" are numbers, and no formulas."""
_LETTER: Final = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_ROUGHLY: Final = re.compile(r"\A\s*(?:approximately|approx\.?|about|roughly|≈|\\approx)\s*", re.I)


class AnswerStatement(NamedTuple):
    """What an answer states, beside what it says of it.

    ``units`` are the words behind its numbers, ``integers`` and ``constants`` the names that stand for any of them,
    ``roughly`` whether it calls itself a rounding. ``other`` is the reading with ``1/2x`` as 1/(2x), if that differs.
    """

    item: StatedItem
    text: str
    units: tuple[str, ...] = ()
    integers: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    roughly: bool = False
    other: StatedItem | None = None
    bases: tuple[str, ...] = ()


@lru_cache(maxsize=2048)
def statement_of(text: str) -> AnswerStatement | None:
    """What an answer states; None where any sign of it is not understood.

    >>> found = statement_of("x = \\\\frac{1}{2}")
    >>> found.item.operators, statement_of("a lot of it"), statement_of("25%")
    (('=',), None, None)
    """
    if len(text) > MAX_STATEMENT or (text.count("$") - text.count("\\$")) % 2 or _FOR_NUMBERS.search(text):
        return None
    if text[:1] == "$" == text[-1:] and text.count("$") == 2:
        text = text[1:-1]
    roughly = _ROUGHLY.match(text)
    body = _without_dollars(text[roughly.end() :] if roughly else text).strip().rstrip(" \n\t.")
    for pattern, plain in _PHRASES:
        body = pattern.sub(plain, body)
    try:
        return _stated(body, text, roughly is not None or "≈" in text or "\\approx" in text)
    except (ExtractionError, IndexError, ValueError, ZeroDivisionError):
        return None


def _without_dollars(text: str) -> str:
    return text.replace("$", " ") if "$" in text else text


def _stated(body: str, text: str, roughly: bool) -> AnswerStatement | None:
    integers: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    whole = _ALL_INTEGERS.match(body)
    if whole is not None:
        body = body[whole.end() :]
    qualifier = _QUALIFIER.search(body)
    if qualifier is not None:
        said = qualifier["said"] or qualifier["free"] or qualifier["lone"]
        if _LIMITED.search(_OVER_ALL.sub("", said)):
            return None
        names = frozenset(_LETTER.findall(re.sub(r"\\mathbb\s*\{?\s*[A-Z]", "", said))) - {"a"}
        integers = names if _INTEGER.search(said) else integers
        constants = names if _CONSTANT.search(said) else constants
        body = body[: qualifier.start()]
    tokens = notation_tokens(body)
    reader = StatementReader(tokens)
    item = reader.whole()
    other = StatementReader(tokens, tight=True).whole() if reader.loose else None
    units = tuple(unit.strip(WORD) for unit in reader.units)
    if DECIMAL_COMMA.fullmatch(body) or (units and isinstance(item, Held) and item.kind == "list"):
        return None
    return AnswerStatement(item, text, units, integers, constants, roughly, other, tuple(reader.bases))


class StatementReader(FormulaReader):
    """Reads clauses: relations between sides, joined by commas, ``and`` and ``or``."""

    def __init__(self, tokens: list[str], *, tight: bool = False) -> None:
        super().__init__(tokens, tight=tight)
        self.units: list[str] = []

    def whole(self) -> StatedItem:
        """All of the tokens; ExtractionError where one of them is left."""
        items, joined = self.statements(("",))
        if not items:
            raise ExtractionError("nothing")
        return items[0] if len(items) == 1 else Held("list", tuple(items), joined)

    def statements(self, ends: tuple[str, ...]) -> tuple[list[StatedItem], str]:
        """Clauses up to one of some tokens, and the word that joins them: ``or``, ``and``, both, or none."""
        items: list[StatedItem] = []
        words: dict[str, None] = {}
        while self.symbol not in ends:
            items.append(self.clause())
            parted = False
            while self.symbol in _SEPARATORS:
                word = self.step()
                parted = True
                if word[0] == WORD:
                    words[word[1:]] = None
            if not parted and self.symbol not in ends:
                raise ExtractionError(f"unexpected: {self.symbol[:20]}")
        return items, "/".join(words)

    def clause(self) -> StatedItem:
        """A side, or a chain of relations."""
        sides, signs = [self.head() or self.side()], []
        while self.symbol in RELATIONS:
            signs.append(self.step())
            sides.append(self.side())
        if self.symbol == "\\mod":
            self.step()
            sides[-1] = Held("residue", (sides[-1], self.sum()))
        while self.symbol[:1] == WORD and self.symbol not in _SEPARATORS:
            if self.symbol not in _UNIT_WORDS:
                raise ExtractionError(f"a word: {self.symbol[1:20]}")
            self.units.append(self.step())
            if self.symbol == "^" and self.tokens[self.at + 1] in ("2", "3"):
                self.units.append("^" + self.tokens[self.at + 1])
                self.at += 2
        return RelationChain(tuple(sides), tuple(signs)) if signs else sides[0]

    def head(self) -> Node | None:
        """``f(x)`` before an equals sign: the name of a value, and no product."""
        letter = self.symbol
        if not (letter.isalpha() and letter.isascii() and len(letter) == 1) or self.tokens[self.at + 1] != "(":
            return None
        depth = 0
        for place in range(self.at + 1, len(self.tokens)):
            depth += (self.tokens[place] == "(") - (self.tokens[place] == ")")
            if not depth:
                break
        if self.tokens[place + 1 : place + 2] != ["="]:
            return None
        inside = self.tokens[self.at + 2 : place]
        self.at = place + 1
        return Call("head", (Name(letter), *map(Name, "".join(inside).split(","))))

    def side(self) -> StatedItem:
        """A formula, or sets joined."""
        left = self.sum()
        while self.symbol in _SET_SIGNS:
            sign = self.step()
            left = JoinedSets(sign, left, self.sum())
        return left

    def operand(self) -> StatedItem:
        """A set of numbers that has a letter of its own, else what a formula has."""
        if self.symbol in _DOMAINS:
            name = self.step()
            if self.symbol == "^":
                self.step()
                name += self.index() if self.symbol == "{" else self.step()
            return Held("domain", (), name)
        if self.symbol == "\\emptyset":
            self.step()
            return Held("set", ())
        return super().operand()

    def bracketed(self, opening: str) -> StatedItem:
        """A formula in brackets, a point, an interval, a set."""
        self.step()
        self.depth += 1
        if self.depth > 30:
            raise ExtractionError("nested too deeply")
        bars, in_set = self.bars, self.in_set
        self.bars, self.in_set = 0, opening == "\\{"
        items, joined = self.statements((*_CLOSERS[opening], *(("|", ":") if opening == "\\{" else ())))
        closing = self.step()
        if closing in ("|", ":"):
            conditions, _ = self.statements(_CLOSERS[opening])
            self.step()
            items = [Held("where", (items[0], *conditions))]
        self.bars, self.in_set = bars, in_set
        self.depth -= 1
        return _held(opening, closing, items, joined)


def _held(opening: str, closing: str, items: list[StatedItem], joined: str) -> StatedItem:
    held = tuple(items)
    if opening == "\\{":
        return (
            held[0] if len(held) == 1 and isinstance(held[0], Held) and held[0].kind == "where" else Held("set", held)
        )
    if joined or not held:
        raise ExtractionError("words in brackets")
    if len(held) == 1:
        if opening + closing not in ("()", "[]", "{}"):
            raise ExtractionError("brackets that do not fit")
        return held[0]
    if opening == "{":
        return Held("set", held)
    marks = opening + closing if opening != "\\langle" else "()"
    return Held("tuple", held) if marks == "()" else Held("interval", held, marks)
