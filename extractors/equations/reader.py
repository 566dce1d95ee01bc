"""One expression inside a text, read by a machine with two states: an operand is expected, or an operator.

Units, comments and the beginning of the next equation end an expression or are passed over; the reader goes back to the
last place where the expression was complete. Look-ahead is bounded, so reading is linear.
"""

from collections.abc import Sequence
from typing import NamedTuple

from extractors.equations.answer_tokens import (
    BREAK,
    CIRCLE,
    CURRENCIES,
    CURRENCY_WORDS,
    LAW_PRODUCTS,
    NAME,
    NUMBER,
    ROOTS,
    SIGN,
    UNIT_LETTERS,
    WORD,
    WORD_OPERATORS,
    Token,
    VariableNames,
)
from extractors.equations.phrases import equation_follows, is_article, is_ratio, is_unit, line_starts, units_end

LOST_SIGN = 2
_LABEL = 3
"""Pieces of a bracketed number: ``(3) v = 6`` is the equation with this number, or one that follows from it."""
MAX_PIECES = 200
MAX_DEPTH = 30
_OPEN = {"(": ")", "[": ")", "{": ")"}
_CLOSE = frozenset(")]}")
_BINARY = frozenset({"+", "-", "*", "/", "^", "**", "±", "+/-"})


class ExpressionPieces(NamedTuple):
    """The pieces of an expression for the parser, and the token after it."""

    pieces: tuple[str, ...]
    end: int


class Reader:
    """Reads one expression; ``at`` walks over the tokens, ``pieces`` collects what the parser gets."""

    def __init__(self, tokens: Sequence[Token], variables: VariableNames, in_chain: bool) -> None:
        self.tokens, self.variables, self.in_chain = tokens, variables, in_chain
        self.pieces: list[str] = []
        self.depth = 0
        self.at = self.first = 0

    def read(self, at: int) -> ExpressionPieces | None:
        """The longest complete expression that begins at a token."""
        self.at = self.first = at
        pieces, complete, end = self.pieces, 0, at
        expects_operand = True
        while len(pieces) < MAX_PIECES:
            outcome = self._operand() if expects_operand else self._operator()
            if outcome is None:
                break
            expects_operand = outcome
            if not expects_operand and not self.depth:
                complete, end = len(pieces), self.at
        return ExpressionPieces(tuple(pieces[:complete]), end) if complete else None

    def _take(self, piece: str, count: int = 1) -> None:
        self.pieces.append(piece)
        self.at += count

    def _operand(self) -> bool | None:
        """Consumes what may stand where an operand is expected; True: still expecting, None: nothing fits."""
        token = self.tokens[self.at]
        if token.kind == NUMBER:
            self._take(token.text)
            return False
        if token.kind == NAME:
            if is_article(self.tokens, self.at):
                return None
            self._take(token.text)
            return False
        if token.kind == SIGN:
            return self._operand_sign(token.text)
        if token.kind == WORD:
            return self._operand_word(token.text)
        if token.text in CURRENCIES and self.tokens[self.at + 1].text not in CURRENCIES:
            self.at += 1
            return True
        return None

    def _operand_sign(self, sign: str) -> bool | None:
        if sign in _OPEN and self.depth < MAX_DEPTH:
            self.depth += 1
            self._take("(")
            return True
        if sign in "-+" or sign in ("±", "+/-"):
            self._take(sign)
            return True
        return None

    def _operand_word(self, word: str) -> bool | None:
        lower = word.lower()
        following = self.tokens[self.at + 1]
        if lower in ROOTS and (following.text == "(" or following.kind == NUMBER):
            self._take("sqrt")
            return True
        if lower in CURRENCY_WORDS:
            end = self.at + (2 if following.text == "." else 1)
            if self.tokens[end].kind in (NUMBER, SIGN):
                self.at = end
                return True
        if word in self.variables.words and self._stands_alone(self.at):
            self._take(word)
            return False
        if self.variables.is_product(word) and not self._is_word_around():
            self._letters(word)
            return False
        return None

    def _letters(self, word: str) -> None:
        for index, letter in enumerate(word):
            if index:
                self.pieces.append("*")
            self.pieces.append(letter)
        self.at += 1

    def _stands_alone(self, at: int) -> bool:
        following = self.tokens[at + 1]
        return following.kind != WORD or not following.gap

    def _is_word_around(self) -> bool:
        return self.tokens[self.at + 1].kind == WORD or (self.at > 0 and self.tokens[self.at - 1].kind == WORD)

    def _operator(self) -> bool | None:
        """Consumes what may follow an operand; True: an operand has to follow, None: the expression ends."""
        token = self.tokens[self.at]
        if token.kind == SIGN:
            return self._operator_sign(token)
        if token.kind == NUMBER:
            return self._second_number(token)
        if token.kind == NAME:
            return self._second_name(token)
        if token.kind == WORD:
            return self._second_word(token)
        return self._skipped(token)

    def _skipped(self, token: Token) -> bool | None:
        """Takes the colon of a proportion; passes over a currency behind its number."""
        before, following = self.tokens[self.at - 1], self.tokens[self.at + 1]
        if is_ratio(self.tokens, self.at):
            self._take("/")
            return True
        if token.gap or before.kind != NUMBER or (following.kind == NUMBER and not following.gap):
            return None
        if token.text not in CURRENCIES:
            return None
        self.at += 1
        return False

    def _operator_sign(self, token: Token) -> bool | None:
        sign = token.text
        if sign == "/" and self._per_unit():
            return False
        if sign in _BINARY:
            self._take(sign)
            return True
        if sign in _CLOSE:
            if not self.depth:
                return None
            self.depth -= 1
            self._take(")")
            return False
        if sign in _OPEN:
            return self._bracket(token)
        if sign == "%" or (sign == "!" and not self.tokens[self.at + 1].gap and self.tokens[self.at + 1].kind == SIGN):
            self._take(sign)
            return False
        return None

    def _bracket(self, token: Token) -> bool | None:
        """An opening bracket behind an operand: a factor, unless it numbers the equation."""
        if self.depth >= MAX_DEPTH or (token.gap and self._is_label()):
            return None
        self.depth += 1
        self._take("(")
        return True

    def _is_label(self) -> bool:
        """Whether a bracket behind a complete side of an equation holds its number: ``u + v = 20  (1)``."""
        number, close, behind = (self.tokens[min(self.at + n, len(self.tokens) - 1)] for n in (1, 2, 3))
        ends = number.text.isdecimal() and close.text in _CLOSE and behind.kind == BREAK
        return ends and self.in_chain and not self.depth

    def _per_unit(self) -> bool:
        """Skips ``/hour`` behind a number or its unit."""
        if not is_unit(self.tokens, self.variables, self.at + 1):
            return False
        self.at += 2
        self.at = self._units_end() or self.at
        return True

    def _second_number(self, token: Token) -> bool | None:
        """A number behind an operand: the fraction of a mixed number, or a factor glued to a bracket."""
        before = self.tokens[self.at - 1]
        if not token.gap and before.text in _CLOSE:
            self.pieces.append("*")
            self._take(token.text)
            return False
        fraction = self.tokens[self.at + 1 : self.at + 3]
        if not token.gap or before.kind != NUMBER or not before.text.isdecimal() or not token.text.isdecimal():
            return None
        if len(fraction) < 2 or fraction[0].text != "/" or not fraction[1].text.isdecimal():
            return None
        if int(token.text) >= int(fraction[1].text):
            return None
        self.pieces.extend((token.text, "/", fraction[1].text))
        self.at += 3
        return False

    def _second_name(self, token: Token) -> bool | None:
        """A letter behind an operand: times, a unit, a factor, or the beginning of the next equation."""
        before, following = self.tokens[self.at - 1], self.tokens[self.at + 1]
        if token.text in "xX" and self._is_times(token, following):
            self._take("*")
            return True
        if self._is_glued_times(token):
            self.pieces.append("*")
            self._take(token.text[1:])
            return False
        if token.text in "rR" and before.kind == following.kind == NUMBER:
            return None
        if self._is_unit_letter(token, before, following):
            self.at += 3 if following.text == "^" else 1
            return False
        if not token.gap or token.text in CIRCLE:
            self._take(token.text)
            return False
        if is_article(self.tokens, self.at) or not self._spaced_factor(before):
            return None
        self._take(token.text)
        return False

    def _units_end(self) -> int | None:
        return units_end(self.tokens, self.variables, self.at, self.in_chain)

    def _is_times(self, token: Token, following: Token) -> bool:
        numeric = following.kind == NUMBER or following.text in CURRENCIES
        if token.gap and following.gap:
            letters = following.text == "(" or (following.kind == NAME and following.text not in "xX")
            return numeric or (letters and token.text not in self.variables.letters)
        return numeric and token.text not in self.variables.letters

    def _is_glued_times(self, token: Token) -> bool:
        """``5x2`` for 5 times 2, where no x is about."""
        glued = self.pieces[-1].isdecimal() and not token.gap and token.text[0] in "xX"
        return glued and token.text[1:].isdecimal() and self.variables.letters.isdisjoint(("x", "X", token.text))

    def _is_unit_letter(self, token: Token, before: Token, following: Token) -> bool:
        behind = before.kind == NUMBER or (before.text == ")" and token.gap)
        if token.text in self.variables.letters or not behind:
            return False
        if following.text == "^":
            return token.text == "m" and token.gap and self.in_chain
        if token.text == "l":
            return token.gap and self.in_chain and following.kind == BREAK
        return token.text in UNIT_LETTERS and following.kind != NUMBER and following.text != "("

    def _spaced_factor(self, before: Token) -> bool:
        """Whether a letter set apart by a space is a factor: ``1.75 x = 8.75``, but not ``= 42 b = 21``.

        Where two blanks stand a sign may have been lost; a bracketed number before it is that of an equation.
        """
        if self.tokens[self.at].start - before.end == LOST_SIGN:
            return False
        if before.kind == NAME:
            if not CIRCLE.isdisjoint(self.pieces):
                return True
            return not self.in_chain and self.at == self.first + 1 and line_starts(self.tokens, self.first)
        if before.kind != NUMBER and before.text not in _CLOSE and before.text != "%":
            return False
        if len(self.pieces) == _LABEL and self.pieces[0] == "(" and self.pieces[1].isdecimal():
            return False
        return not (self.in_chain and equation_follows(self.tokens, self.at))

    def _second_word(self, token: Token) -> bool | None:
        """A word behind an operand: an operator in words, or a unit inside the equation."""
        lower = token.text.lower()
        if lower in WORD_OPERATORS and self._word_operator(lower):
            self._take(WORD_OPERATORS[lower])
            return True
        if lower in ("divided", "multiplied") and self.tokens[self.at + 1].text == "by":
            self._take("/" if lower == "divided" else "*", 2)
            return True
        if lower in ROOTS and self.tokens[self.at + 1].text == "(":
            self.pieces.append("*")
            self._take("sqrt")
            return True
        if self._is_factor_word(token):
            self.pieces.append("*")
            self._letters(token.text)
            return False
        end = self._units_end()
        if end is None or self.tokens[self.at - 1].kind not in (NUMBER, SIGN):
            return None
        self.at = end
        return False

    def _is_factor_word(self, token: Token) -> bool:
        """A product of letters glued to its number (``2xy``), or that of a law behind a number (``1/2 bh``)."""
        if self.tokens[self.at - 1].kind != NUMBER or not self.variables.is_product(token.text):
            return False
        return not token.gap or (token.text.lower() in LAW_PRODUCTS and self.tokens[self.at + 1].kind != WORD)

    def _word_operator(self, word: str) -> bool:
        following = self.tokens[self.at + 1]
        if following.kind not in (NUMBER, NAME) and following.text not in ("(", "$"):
            return False
        if word == "of":
            return self.pieces[-1] == "%" or (len(self.pieces) > 1 and self.pieces[-2] == "/")
        return following.kind != NAME or following.text in self.variables.letters
