"""Tokens of an answer in plain maths, as the equation scanner reads them, and the unknowns among them.

The words that decide where an equation begins and ends in prose stand here as well.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import Final, NamedTuple

from extractors.text.wordlists import read_list, words

WORD_OPERATORS: Final[dict[str, str]] = {"times": "*", "plus": "+", "minus": "-", "of": "*", "over": "/"}
"""Words between two operands that stand for a sign; ``of`` only behind a percentage or a fraction."""

EQUALS_WORDS: Final = frozenset({"equals", "equal"})


CONNECTIVES: Final = frozenset(words(read_list("extractors/connectives")))
"""Words that may stand right before an equation without being its left side."""

NOT_A_UNIT: Final = frozenset(words(read_list("extractors/not_a_unit")))
"""Words that never are the unit of the number before them; an equation ends there."""

NUMBER_GUARDS: Final = frozenset(words(read_list("extractors/number_guards")))
"""Words after which a number is an operand of the prose or a label: in "divide by 2 y = 3" the 2 is no factor of y."""

TWO_LETTER_WORDS: Final = frozenset(words(read_list("extractors/two_letter_words")))
"""Short words that are no products of two unknowns."""

SOLVING_WORDS: Final = frozenset(words(read_list("extractors/solving_words")))
"""Words beside the equations of a question that add nothing to them."""

LAW_PRODUCTS: Final = frozenset(words("bh lw lwh rt prt wh"))
"""Products as formulas of geometry, motion and interest write them: ``A = 1/2 bh``."""

CHECK_WORDS: Final = frozenset(words("""check checking proof verify verification ck chk checks test"""))
"""Words that open a section in which the result is put back into the problem."""

UNIT_WORDS: Final = frozenset(words(read_list("extractors/unit_words")))
"""Words that stay units even where the next equation could begin with them."""

CURRENCIES: Final = frozenset("$€£¢")
CURRENCY_WORDS: Final = frozenset({"rs", "usd", "dollars", "eur"})
ROOTS: Final = frozenset({"sqrt", "sqr", "rt"})

UNIT_LETTERS: Final = frozenset("mshgL")
"""Letters that are read as a unit behind a number unless the answer uses them as an unknown."""


NUMBER, NAME, WORD, SIGN, BREAK, OTHER = "number", "name", "word", "sign", "break", "other"

_TOKEN: Final = re.compile(
    r"([^\S\n]*+)("  # the blanks before a token
    r"[A-Za-z]+(?:_[A-Za-z0-9]{1,8}|\d{1,3}|&[A-Za-z]+)?(?:'[a-z]{1,2}(?![A-Za-z]))?"  # a word
    r"|\n"
    r"|\d++(?![\d., rnstRNST])"  # a number that nothing can go on from
    r"|\d{1,3}(?:,?\d{3})*(?:[sS][tT]|[nN][dD]|[rR][dD]|[tT][hH])(?![A-Za-z])"  # an ordinal
    r"|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"  # a number
    r"|(?:(?<=[$€£])[1-9]\d{0,2}(?: \d{3}){1,4}|[1-9]\d{0,2}(?: \d{3}){0,3} 000)(?!\d|,\d)(?:\.\d\d)?"
    r"|\d+(?:\.\d+)?|(?=\.)(?<!\d)(?<![Rr]s)(?<!RS)\.\d+"
    r"|\*\*|<=|>=|==|!=|\+/-|\+-(?=\s)|\S|\Z)"
)
_KINDS: Final = {
    **dict.fromkeys(ascii_letters, WORD),
    **dict.fromkeys(digits, NUMBER),
    **dict.fromkeys("-+*/^=()[]{}%!<>±√", SIGN),
    "\n": BREAK,
}
"""The kind of a token by its first character, where that settles it."""
MAX_DIGITS: Final = 40
_ORDINALS: Final = dict(
    zip(
        ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"),
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
        strict=True,
    )
)
"""Ordinals in digits by their words: as a text variable ("1st + 2nd = 41") they must not begin like a number."""


class Token(NamedTuple):
    """A token with its place in the plain text; ``gap`` tells whether space stands before it."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool


CIRCLE: Final = frozenset(("pi", "Pi", "PI"))
"""Spellings of the circle's constant, which is a name like a letter."""
_INDEXED: Final = re.compile(r"[A-Za-z](?:\d{1,2}|_[A-Za-z0-9]{1,3})\Z")


def split(text: str) -> list[Token]:
    """The tokens of a text, closed by two line breaks; numbers beyond 40 digits count as other characters."""
    tokens: list[Token] = []
    end = 0
    new = tuple.__new__
    for gap, raw in _TOKEN.findall(text):
        if not raw:
            break
        start = end + len(gap)
        end = start + len(raw)
        kind, written = _kind_of(raw) if end - start <= MAX_DIGITS else _kind_of.__wrapped__(raw)
        # half of the time of a call of Token, and a post has hundreds
        tokens.append(new(Token, (kind, written, start, end, gap != "")))
    tokens.append(Token(BREAK, "\n", end, end, False))
    tokens.append(Token(BREAK, "\n", end, end, False))
    return tokens


@lru_cache(maxsize=8192)
def _kind_of(raw: str) -> tuple[str, str]:
    """Kind and text of the characters of a token."""
    kind = _KINDS.get(raw[0]) or (NUMBER if len(raw) > 1 or raw.isdecimal() else OTHER)
    if kind == NUMBER:
        return _numeral(raw)
    if kind == WORD and (len(raw) == 1 or raw in CIRCLE or (not raw.isalpha() and _INDEXED.match(raw))):
        return NAME, raw
    return kind, "+/-" if raw == "+-" else raw


def _numeral(raw: str) -> tuple[str, str]:
    """Kind and text of what begins like a number: an ordinal is a word; separators are left out."""
    if raw.isdecimal() and len(raw) <= MAX_DIGITS:
        return NUMBER, raw
    if raw[-1].isalpha():
        return WORD, _ORDINALS.get(raw.lower(), raw)
    if len(raw) > MAX_DIGITS:
        return OTHER, raw
    return NUMBER, raw.replace(",", "").replace(" ", "")


_AROUND = frozenset("+-*/^=()[]{}")
_MAX_GLUED = 4
MAX_PRODUCT = 3
"""Letters of a product without signs; those of laws have no more."""


class VariableNames(NamedTuple):
    """``letters``: unknowns of one letter or indexed ones; ``words``: text variables inside expressions."""

    letters: frozenset[str]
    words: frozenset[str]

    def is_product(self, word: str) -> bool:
        """Whether a short word is a product of unknowns (``xy``)."""
        if len(word) > MAX_PRODUCT:
            return False
        lower = word.lower()
        if lower in LAW_PRODUCTS and (word.islower() or word.isupper()):
            return True
        if not self.letters.issuperset(word):
            return False
        return lower not in TWO_LETTER_WORDS and lower not in NOT_A_UNIT and lower not in CONNECTIVES


def gather(tokens: Sequence[Token]) -> VariableNames:
    """The names that an answer uses as unknowns."""
    letters: set[str] = set()
    words: dict[str, int] = {}
    for index, token in enumerate(tokens):
        if token.kind == NAME:
            if _is_unknown(tokens, index):
                letters.add(token.text)
        elif token.kind == WORD:
            # a word of prose hardly ever touches a sign
            beside = tokens[index + 1].kind == SIGN or tokens[index - 1].kind == SIGN
            if beside and _is_operand(tokens, index):
                words[token.text] = words.get(token.text, 0) + 1
    found = frozenset(word for word, count in words.items() if count > 1 or _mixed_case(word))
    return VariableNames(frozenset(letters), found)


def _is_unknown(tokens: Sequence[Token], index: int) -> bool:
    """Whether a letter stands where only an unknown can: beside a sign, and not as a unit behind a number."""
    token, after = tokens[index], tokens[index + 1]
    before = tokens[index - 1] if index else None
    if token.text in "xX" and before is not None and before.kind == NUMBER and after.kind == NUMBER:
        return False
    if before is not None and before.text == "/" and index > 1 and tokens[index - 2].kind == WORD:
        return False
    if _is_glued_factor(tokens, index):
        return False
    if before is not None and before.kind == NUMBER:
        if before.gap or token.gap or not _signed(after):
            return False
        return token.text not in UNIT_LETTERS
    if _signed(after):
        return True
    if before is None or before.kind != SIGN or before.text not in _AROUND:
        return False
    return not (before.text == ")" and token.gap and token.text in UNIT_LETTERS)


def _is_glued_factor(tokens: Sequence[Token], index: int) -> bool:
    """Whether an indexed x stands in a product of numbers as far as one can see: ``10x10x10``."""
    for at in range(index, max(index - _MAX_GLUED, 0), -1):
        if tokens[at].gap or tokens[at].text[0] not in "xX" or not tokens[at].text[1:].isdecimal():
            return False
        if tokens[at - 1].kind == NUMBER:
            return True
    return False


def _signed(token: Token) -> bool:
    return token.kind == SIGN and token.text in _AROUND


def _is_operand(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word stands between signs, as a text variable does: ``cost = price - discount``."""
    word = tokens[index].text
    if word.lower() in NOT_A_UNIT or word.lower() in TWO_LETTER_WORDS or not index or word[0].isdecimal():
        return False
    if _is_unit_behind(tokens, index) or _is_hyphenated(tokens, index):
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    if before.kind == NUMBER or before.text == ")":
        return False
    inner = before.kind == SIGN and before.text in "+-*/=("
    outer = after.kind == SIGN and after.text in "+-*/=)"
    return (inner or before.kind != WORD) and (outer or after.kind != WORD) and (inner or outer)


def _is_unit_behind(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word is the unit of "$5/glass" or "25 km/week": the denominator of a number or its unit."""
    if tokens[index - 1].text != "/" or tokens[index].gap:
        return False
    before = tokens[index - 2]
    return before.kind == NUMBER or (index > 2 and before.kind in (WORD, NAME) and tokens[index - 3].kind == NUMBER)


def _is_hyphenated(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word goes on from a lower-case word and a hyphen without spaces: ``roll-ups``."""
    hyphen, before, word = tokens[index - 1], tokens[index - 2], tokens[index]
    glued = hyphen.text == "-" and not hyphen.gap and not word.gap
    return glued and before.kind == WORD and word.text.islower()


def _mixed_case(word: str) -> bool:
    """``Vp`` and ``tR``: two letters of which one is a capital."""
    return len(word) == 2 and word.lower() not in TWO_LETTER_WORDS and word[0].isupper() != word[1].isupper()
