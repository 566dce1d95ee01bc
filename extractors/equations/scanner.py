"""The equation scanner: where in an answer expressions and chains of equations stand.

One forward pass over the tokens; time is linear in the length of the text.

Numbers that an answer states outside of its working are announced: results of its chains, and numbers in its prose.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.equations.answer_tokens import (
    BREAK,
    CHECK_WORDS,
    CONNECTIVES,
    CURRENCIES,
    CURRENCY_WORDS,
    EQUALS_WORDS,
    MAX_PRODUCT,
    NAME,
    NUMBER,
    NUMBER_GUARDS,
    OTHER,
    ROOTS,
    SIGN,
    WORD,
    Token,
    gather,
    split,
)
from extractors.equations.identities import is_arithmetic
from extractors.equations.phrases import LARGER, LOOK_AHEAD, long_ratio_end, number_of, two_units
from extractors.equations.reader import LOST_SIGN, ExpressionPieces, Reader

MAX_LABEL_WORDS = 8
MAX_SEGMENTS = 12
_OPERATORS = frozenset({"*", "/", "^", "**", "times", "plus", "minus", "over"})
_STEERING = CHECK_WORDS | EQUALS_WORDS | ROOTS | CURRENCY_WORDS
"""Words that begin an expression, a chain or a section."""


class Segment(NamedTuple):
    """One side of a chain: ``pieces`` for the parser, or None where it is in words."""

    pieces: tuple[str, ...] | None
    words: tuple[str, ...]
    start: int
    end: int


class Chain(NamedTuple):
    """``a = b = c``; ``checking``: in a check section; ``tail``: the word right behind it, if any.

    ``size``: the last number with the smaller unit behind it, as in ``= 2 hr 15 min``.
    """

    segments: tuple[Segment, ...]
    checking: bool
    tail: str
    size: Fraction | None = None

    @property
    def start(self) -> int:
        """Where it begins in the plain text."""
        return self.segments[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.segments[-1].end


class LooseExpression(NamedTuple):
    """An expression outside of an equation; ``named``: words right around it say what it is."""

    pieces: tuple[str, ...]
    start: int
    end: int
    named: bool
    checking: bool


class Scan(NamedTuple):
    """What an answer holds."""

    chains: tuple[Chain, ...]
    expressions: tuple[LooseExpression, ...]
    tokens: Sequence[Token]


class _Scanner:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.variables = gather(tokens)
        self.chains: list[Chain] = []
        self.expressions: list[LooseExpression] = []
        self.checking = False

    def scan(self) -> Scan:
        at, tokens, words = 0, self.tokens, self.variables.words
        last = len(tokens) - 2
        while at < last:
            token = tokens[at]
            if token.kind == WORD:
                word = token.text
                lower = word.lower()
                # no expression can begin with any other word
                product = len(word) <= MAX_PRODUCT and self.variables.is_product(word)
                if not product and lower not in _STEERING and word not in words:
                    at += 1
                    continue
                self.checking = self.checking or lower in CHECK_WORDS
            elif token.kind == BREAK or (token.kind == OTHER and token.text not in CURRENCIES):
                at += 1
                continue
            at = self._step(at)
        return Scan(tuple(self.chains), tuple(self.expressions), self.tokens)

    def _run(self, at: int, in_chain: bool) -> ExpressionPieces | None:
        return Reader(self.tokens, self.variables, in_chain).read(at)

    def _step(self, at: int) -> int:
        token = self.tokens[at]
        if self._is_equals(at):
            left = self._words_before(at)
            return self._chain(left, at) if left.words else at + 1
        if token.kind == SIGN and token.text not in "([{-+±":
            return at + 1
        if token.kind == NUMBER and (self._is_guarded(at) or self._is_exponent(at)):
            return at + 1
        ratio = long_ratio_end(self.tokens, at) if self.tokens[at + 1].text == ":" else None
        if ratio is not None:
            return ratio
        run = self._run(at, in_chain=False)
        if run is None:
            return at + 1
        if self._is_equals(run.end):
            return self._chain(self._first_segment(run, at), run.end)
        if len(run.pieces) > 1:
            self.expressions.append(self._expression(run, at))
        return run.end

    def _is_guarded(self, at: int) -> bool:
        """Whether the number belongs to the words before it and the next token begins an equation."""
        before, after = self.tokens[at - 1], self.tokens[at + 1]
        return (
            at > 0 and before.kind == WORD and before.text.lower() in NUMBER_GUARDS and after.kind == NAME and after.gap
        )

    def _is_exponent(self, at: int) -> bool:
        """Whether a number is the exponent of something that was not read."""
        return at > 0 and self.tokens[at - 1].text in ("^", "**")

    def _is_equals(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind == SIGN:
            return token.text == "=" or token.text == "=="
        if token.kind != WORD or token.text.lower() not in EQUALS_WORDS:
            return False
        following = self.tokens[at + 1]
        return token.text.lower() != "equal" or following.kind != WORD or following.text in ("to", "twice", "half")

    def _first_segment(self, run: ExpressionPieces, at: int) -> Segment:
        """The left side; a bare number behind a word ("interest at 8% = ") only ends a left side in words."""
        if self._ends_words(run, at) or self._lost_sign_before(at):
            return self._words_before(run.end)
        if is_arithmetic(run.pieces) and self._is_doubtful(run, at):
            return self._words_before(run.end)
        return Segment(run.pieces, self._label_before(at), self.tokens[at].start, self.tokens[run.end - 1].end)

    def _lost_sign_before(self, at: int) -> bool:
        """Whether two blanks stand between an operand that no equation took and this one: ``x  y = 9``."""
        before = self.tokens[at - 1]
        if not at or self.tokens[at].start - before.end != LOST_SIGN or not (before.kind == NAME or before.text == ")"):
            return False
        return not self.chains or before.end > self.chains[-1].end

    def _is_doubtful(self, run: ExpressionPieces, at: int) -> bool:
        """Whether arithmetic looks like a part of a longer expression, or like a count in a left side of words."""
        return self._is_cut_off(run, at) or (
            len(run.pieces) == 1 and self.tokens[run.end - 1].kind == WORD and self._is_number_behind(run.end)
        )

    def _is_number_behind(self, at: int) -> bool:
        right = self._run(at + 1, in_chain=True)
        return right is not None and is_arithmetic(right.pieces)

    def _is_cut_off(self, run: ExpressionPieces, at: int) -> bool:
        """Whether the words or signs before arithmetic speak for more of it that was not read."""
        before, first = self.tokens[at - 1], self.tokens[at]
        if not at or before.kind == BREAK:
            return False
        if first.text in "+-":
            return self.tokens[at + 1].gap and before.kind in (WORD, NAME, NUMBER)
        if before.text in _OPERATORS or before.kind == NUMBER:
            return True
        if before.text == ":":
            return not first.gap and self.tokens[at - 2].kind == NUMBER
        if before.text == "of":
            return self.tokens[at - 2].kind == WORD and self.tokens[at - 3].kind == NUMBER
        return before.text in ("x", "X") and first.kind == NUMBER

    def _ends_words(self, run: ExpressionPieces, at: int) -> bool:
        """Whether a left side is only the end of one in words: "interest at 8% = ", "number of 5p = "."""
        before = self.tokens[at - 1] if at else None
        if before is None or before.kind != WORD or self.tokens[at].kind != NUMBER or len(run.pieces) > 2:
            return False
        if before.text == "of" and len(run.pieces) == 2:
            return True
        return run.pieces[-1] in ("%", run.pieces[0]) and before.text.lower() not in CONNECTIVES

    def _label_before(self, at: int) -> tuple[str, ...]:
        """The word right before an expression or its colon, as in "number 10t+u"."""
        before = self.tokens[at - 1] if at else None
        if before is not None and before.text == ":" and at > 1:
            before = self.tokens[at - 2]
        return (before.text,) if before is not None and before.kind == WORD else ()

    def _words_before(self, at: int) -> Segment:
        """The words of the line that end at a token, back to a punctuation mark or a chain."""
        start = at
        while start > 0 and at - start < MAX_LABEL_WORDS:
            token = self.tokens[start - 1]
            if token.kind not in (WORD, NAME, NUMBER) and token.text not in "()'%#":
                break
            if self.chains and token.start < self.chains[-1].end:
                break
            start -= 1
        words = tuple(token.text for token in self.tokens[start:at] if token.kind == WORD)
        return Segment(None, words, self.tokens[start].start, self.tokens[at - 1].end)

    def _chain(self, left: Segment, at: int) -> int:
        """Reads a chain from its first equals sign on; returns where to go on."""
        segments, first = [left], at
        while self._is_equals(at) and len(segments) < MAX_SEGMENTS:
            at += 1
            if self.tokens[at].text == "to":
                at += 1
            if self.tokens[at].kind == BREAK:
                at += 1
            first = at
            segment, at = self._right(at)
            segments.append(segment)
            at = self._continuation(at)
        tail = self.tokens[at].text if self.tokens[at].kind == WORD else ""
        if any(segment.pieces for segment in segments):
            has_units = tail.lower().rstrip("s") in LARGER and self.tokens[first].kind == NUMBER
            size = two_units(self.tokens, first) if has_units else None
            self.chains.append(Chain(tuple(segments), self.checking, tail, size))
        return at

    def _right(self, at: int) -> tuple[Segment, int]:
        run = self._run(at, in_chain=True)
        if run is not None:
            return Segment(run.pieces, (), self.tokens[at].start, self.tokens[run.end - 1].end), run.end
        end = at
        while (end < at + LOOK_AHEAD and self.tokens[end].kind in (WORD, NAME, NUMBER)) or self.tokens[
            end
        ].text in "'#$":
            end += 1
        start = self.tokens[at].start
        words = tuple(token.text for token in self.tokens[at:end] if token.kind == WORD)
        return Segment(None, words, start, self.tokens[end - 1].end if end > at else start), end

    def _continuation(self, at: int) -> int:
        """The equals sign at the start of the next line, if the line goes on there."""
        look = at
        while look < min(at + 12, len(self.tokens) - 1) and self.tokens[look].kind == WORD:
            look += 1
        breaks = 0
        while look < len(self.tokens) - 1 and self.tokens[look].kind == BREAK and breaks < 2:
            look, breaks = look + 1, breaks + 1
        return look if breaks and self.tokens[look].text == "=" else at

    def _expression(self, run: ExpressionPieces, at: int) -> LooseExpression:
        before, after = self.tokens[at - 1] if at else None, self.tokens[run.end]
        named = after.kind == WORD or (before is not None and before.kind == WORD)
        if not named and at > 1 and before is not None and before.kind in (BREAK, SIGN, "other"):
            named = self.tokens[at - 2].kind in (WORD, BREAK)
        return LooseExpression(run.pieces, self.tokens[at].start, self.tokens[run.end - 1].end, named, self.checking)


def scan(text: str) -> Scan:
    """The chains and expressions of a plain text in order of appearance; total and linear in its length.

    >>> [[s.pieces for s in chain.segments] for chain in scan("so 2x + 3 = 15 - x apples, and x = 12/3 = 4").chains]
    [[('2', 'x', '+', '3'), ('15', '-', 'x')], [('x',), ('12', '/', '3'), ('4',)]]
    """
    return _Scanner(split(text)).scan()


class Announced(NamedTuple):
    """A number that the answer states outside of its working; ``percent``: it was written with that sign.

    ``part``: it belongs to a fraction, or to a size in two units, that is announced as well.
    """

    value: Fraction
    start: int
    percent: bool
    checking: bool
    part: bool = False


def prose_numbers(found: Scan) -> list[Announced]:
    """The numbers in prose, in order of appearance."""
    spans = [(chain.start, chain.end) for chain in found.chains]
    check_from = min((chain.start for chain in found.chains if chain.checking), default=None)
    out: list[Announced] = []
    at = 0
    for index, token in enumerate(found.tokens):
        if token.kind != NUMBER:
            continue
        while at < len(spans) and spans[at][1] <= token.start:
            at += 1
        if (at < len(spans) and spans[at][0] <= token.start) or _is_guarded(found.tokens, index):
            continue
        out.extend(_prose_numbers(found.tokens, index, check_from))
    return out


def _is_denominator(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is the denominator of a fraction that was read at its numerator."""
    return index > 1 and tokens[index - 1].text == "/" and tokens[index - 2].kind == NUMBER


def _is_guarded(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is an operand of the prose ("divide by -2") or a label ("step 2")."""
    before = index - 1
    if before >= 0 and tokens[before].text in "-$(":
        before -= 1
    return before >= 0 and tokens[before].text.lower() in NUMBER_GUARDS


def _prose_numbers(tokens: Sequence[Token], index: int, check_from: int | None) -> Iterator[Announced]:
    """A number of the prose, and with what follows it: a fraction, ``7 hrs and 12 min``."""
    token, following = tokens[index], tokens[index + 1]
    value = number_of(token)
    if following.text == "/" and tokens[index + 2].kind == NUMBER and number_of(tokens[index + 2]):
        value /= number_of(tokens[index + 2])
    elif index and tokens[index - 1].text == "-" and not token.gap:
        value = -value
    checking = check_from is not None and token.start >= check_from
    size = two_units(tokens, index)
    part = size is not None or _is_denominator(tokens, index) or _is_second(tokens, index)
    yield Announced(value, token.start, following.text == "%", checking, part)
    if size is not None:
        yield Announced(size, token.start, False, checking)


def _is_second(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is the second one of a size in two units."""
    at = index - 1
    while at > 0 and tokens[at].text in ("and", ",", "&"):
        at -= 1
    return at > 0 and tokens[at - 1].kind == NUMBER and two_units(tokens, at - 1) is not None
