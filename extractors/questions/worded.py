"""Arithmetic in words: "7 less than three times a number is 38" -> ``((3*x)-7)=38``.

A recursive descent over the tokens of a page. What a phrase such as "the larger" stands for is given by the frame; the
grammar knows only the words of arithmetic. Nothing is guessed: a clause that does not come out to its end is no clause.
A ``QuestionReading`` is what clauses state together, before it is solved.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from extractors.questions.wording import Page, is_number
from extractors.text.wordlists import read_list, words

MAX_DEPTH: Final = 8
Phrases: TypeAlias = Mapping[str, Sequence[tuple[tuple[str, ...], str]]]
"""First word -> phrases that begin with it, longest first, each with what it stands for."""

UNITS: Final = frozenset(words(read_list("extractors/measured_units")))
_FILLERS: Final = frozenset(words(read_list("extractors/fillers")))
_MORE: Final = dict.fromkeys(words("more greater larger bigger longer older higher wider taller"), "+")
_THAN: Final = _MORE | dict.fromkeys(words("less fewer smaller shorter younger lower"), "-")
"""Comparatives before "than" -> the sign of what stands before them."""
_MULTIPLES: Final = {"twice": "2", "double": "2", "thrice": "3", "triple": "3", "half": "1/2", "quarter": "1/4"}
_AFTER: Final = {"squared": "^2", "cubed": "^3", "doubled": "*2", "tripled": "*3", "halved": "/2"}
_OF_TWO: Final = {"sum": "+", "total": "+", "product": "*", "quotient": "/", "difference": "-"}


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Phrases separated by ``|``, as words."""
    return tuple(map(words, text.split("|")))


def _table(text: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Phrases with what follows each behind a colon, separated by ``|``."""
    pairs = (part.rsplit(":", 1) for part in text.split("|"))
    return tuple((words(phrase), meaning) for phrase, meaning in pairs)


_OPERATORS: Final = _table(
    "increased by:{0}+{1}|plus:{0}+{1}|+:{0}+{1}|added to:{1}+{0}|decreased by:{0}-{1}|minus:{0}-{1}"
    "|-:{0}-{1}|less:{0}-{1}|subtracted from:{1}-{0}|taken from:{1}-{0}|times:{0}*{1}|*:{0}*{1}"
    "|multiplied by:{0}*{1}|divided by:{0}/{1}"
)
_RELATIONS: Final = _phrases(
    "is equal to|is same as|is|are|was|were|equals|equal|gives|give|makes|make|=|result is|answer is"
    "|you get|becomes|it is"
)
_SUMS: Final = _phrases("add up to|total|make|is|are|equals")
_ENDS: Final = frozenset(words(read_list("extractors/clause_ends")))
_STARTS: Final = frozenset(words(read_list("extractors/clause_starts")))
_FRACTION: Final = re.compile(r"\(\d+/\d+\)")
_SHARE: Final = re.compile(r"\(\(\d+/\d+\)\*")
_UNKNOWN: Final = re.compile(r"[a-z]")


class WordedExpression(NamedTuple):
    """An expression in the syntax of equations, and the place behind it."""

    text: str
    end: int


class Clause(NamedTuple):
    """An equation that a clause states, over the tokens ``[start, end)``."""

    equation: str
    start: int
    end: int


def phrases_of(table: Mapping[str, str]) -> Phrases:
    """Phrases by their first word, longest first."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase, meaning in table.items():
        found.setdefault(words(phrase)[0], []).append((words(phrase), meaning))
    return {first: sorted(rows, key=lambda row: -len(row[0])) for first, rows in found.items()}


def clauses(tokens: Sequence[str], phrases: Phrases) -> Iterator[Clause]:
    """The equations that the clauses of a question state, from left to right.

    >>> table = phrases_of({"number": "x"})
    >>> [c.equation for c in clauses("7 less than 3 times a number is 38 .".split(), table)]
    ['((3*x)-7)=38']
    """
    grammar = _Grammar(tokens, phrases)
    at = last = 0
    while at < len(tokens):
        begins = at in (0, last) or tokens[at - 1] in _STARTS or (tokens[at - 1] == "and" and at - last in (1, 2))
        clause = grammar.clause(at) if begins else None
        if clause is not None:
            yield clause
            last = clause.end
        at = max(at + 1, last)


class _Grammar:
    def __init__(self, tokens: Sequence[str], phrases: Phrases) -> None:
        self.tokens, self.phrases = (*tokens, ".", ".", ".", "."), phrases

    def _at(self, at: int, phrase: Sequence[str]) -> bool:
        return self.tokens[at : at + len(phrase)] == phrase

    def clause(self, at: int) -> Clause | None:
        """An equation that begins at a token and ends where a clause ends."""
        left = self.expression(at)
        if left is None:
            return None
        clause = self._related(at, left) or self._summed(at, left)
        return clause if clause is not None and self.tokens[clause.end] in _ENDS else None

    def _related(self, at: int, left: WordedExpression) -> Clause | None:
        """``A is B``; "the result is" may follow a comma."""
        begin = left.end + (self.tokens[left.end] == ",")
        begin += self.tokens[begin] == "then"
        relation = next((phrase for phrase in _RELATIONS if self._at(begin, phrase)), None)
        right = self.expression(begin + len(relation)) if relation else None
        return None if right is None else Clause(f"{left.text}={right.text}", at, right.end)

    def _summed(self, at: int, left: WordedExpression) -> Clause | None:
        """``A and B make C``."""
        other = self.expression(left.end + 1) if self.tokens[left.end] == "and" else None
        if other is None:
            return None
        verb = next((phrase for phrase in _SUMS if self._at(other.end, phrase)), None)
        right = self.expression(other.end + len(verb)) if verb else None
        return None if right is None else Clause(f"{left.text}+{other.text}={right.text}", at, right.end)

    def expression(self, at: int) -> WordedExpression | None:
        """Terms joined from left to right, as they are spoken."""
        left = self._term(at, 0)
        while left is not None:
            longer = self._continued(left)
            if longer is None:
                return left
            left = longer
        return None

    def _continued(self, left: WordedExpression) -> WordedExpression | None:
        """An expression with the operation that follows it; "and the result is doubled" changes all of it."""
        begin = left.end
        begin += 2 if self._at(begin, ("and", "result")) else self.tokens[begin] in ("when", "and")
        begin += self.tokens[begin] in ("is", "are", "was")
        if self.tokens[begin] in _AFTER:
            return WordedExpression(f"(({left.text}){_AFTER[self.tokens[begin]]})", begin + 1)
        for phrase, form in _OPERATORS:
            if self._at(begin, phrase):
                return self._joined(left, form, begin + len(phrase))
        return None

    def _joined(self, left: WordedExpression, form: str, at: int) -> WordedExpression | None:
        """The result of an operation in words; a percentage is taken of what it changes."""
        right = self._term(at, 1) if self.tokens[at] != "than" else None
        if right is None:
            return None
        if self.tokens[right.end] == "%":
            return WordedExpression(f"({form.format(left.text, f'{left.text}*{right.text}/100')})", right.end + 1)
        return WordedExpression(f"({form.format(left.text, right.text)})", right.end)

    def _term(self, at: int, depth: int) -> WordedExpression | None:
        if depth > MAX_DEPTH or at >= len(self.tokens) - 2:
            return None
        known = self._of_two(at, depth) or self._phrase(at)
        if known is not None:
            after = self.tokens[known.end]
            return (
                WordedExpression(f"{known.text}{_AFTER[after]}", known.end + 1)
                if after in ("squared", "cubed")
                else known
            )
        token = self.tokens[at]
        if is_number(token):
            return self._counted(at, depth)
        if token in _MULTIPLES:
            return self._multiple(_MULTIPLES[token], at + 1, depth)
        return self._term(at + 1, depth + 1) if token in _FILLERS else None

    def _phrase(self, at: int) -> WordedExpression | None:
        found = ((phrase, meaning) for phrase, meaning in self.phrases.get(self.tokens[at], ()) if self._at(at, phrase))
        return next((WordedExpression(meaning, at + len(phrase)) for phrase, meaning in found), None)

    def _of_two(self, at: int, depth: int) -> WordedExpression | None:
        """``the sum of A and B``, ``the difference between A and B``, ``the square of A``, ``what percent of A``."""
        word, following = self.tokens[at], self.tokens[at + 1]
        if word in ("square", "cube") and following == "of":
            return self._wrapped("({0}" + _AFTER[f"{word}d"] + ")", at + 2, depth)
        if self._at(at, ("what", "%", "of")):
            return self._wrapped("(x/100*{0})", at + 3, depth)
        if word not in _OF_TWO or following not in ("of", "between"):
            return None
        first = self._term(at + 2, depth + 1)
        links = ("and", "plus") if _OF_TWO[word] == "+" else ("and",)
        if first is None or self.tokens[first.end] not in links:
            return None
        second = self._term(first.end + 1, depth + 1)
        return (
            None if second is None else WordedExpression(_of_both(_OF_TWO[word], first.text, second.text), second.end)
        )

    def _wrapped(self, form: str, at: int, depth: int) -> WordedExpression | None:
        """The term at a place, put into a form."""
        other = self._term(at, depth + 1)
        return None if other is None else WordedExpression(form.format(other.text), other.end)

    def _counted(self, at: int, depth: int) -> WordedExpression | None:
        """A number, and what it counts: ``3 times ...``, ``5 more than ...``, ``20 % of ...``, ``2/3 of ...``."""
        number, following = self.tokens[at], self.tokens[at + 1]
        if following == "times" or (following == "of" and "/" in number):
            return self._multiple(number, at + 2, depth)
        if following == "%":
            return self._percentage(number, at + 2, depth)
        if following in _MULTIPLES and number == "1":
            return self._multiple(_MULTIPLES[following], at + 2, depth)
        end = at + 1
        while self.tokens[end] in UNITS and end < at + 4:
            end += 1
        if self.tokens[end] in _THAN and self.tokens[end + 1] == "than":
            return self._wrapped("({0}" + _THAN[self.tokens[end]] + _literal(number) + ")", end + 2, depth)
        return WordedExpression(_literal(number), end)

    def _percentage(self, number: str, at: int, depth: int) -> WordedExpression | None:
        """``20 % of A``, ``20 % more than A``; the bare number before the sign else."""
        if self.tokens[at] == "of":
            return self._wrapped(f"({_literal(number)}/100*" + "{0})", at + 1, depth)
        if self.tokens[at] in _THAN and self.tokens[at + 1] == "than":
            return self._wrapped("({0}*(1" + f"{_THAN[self.tokens[at]]}{_literal(number)}/100))", at + 2, depth)
        return WordedExpression(_literal(number), at - 1)

    def _multiple(self, factor: str, at: int, depth: int) -> WordedExpression | None:
        """A multiple of the term that follows; "three times as old" is none of this grammar."""
        if self.tokens[at] == "as" or self.tokens[at + 1 : at + 2] == ("than",):
            return None
        return self._wrapped(f"({_literal(factor)}*" + "{0})", at, depth)


def _of_both(sign: str, first: str, second: str) -> str:
    """Two expressions under a sign; "a third and a fourth of a number" shares the number, a difference has no order."""
    shared = _SHARE.match(second) if _FRACTION.fullmatch(first) else None
    if shared is not None:
        first = f"({first}*{second[shared.end() :]}"
    if sign == "-" and _UNKNOWN.search(second) and shared is None:
        return f"abs({first}-{second})"
    return f"({first}{sign}{second})"


def _literal(number: str) -> str:
    return f"({number})" if "/" in number or number.startswith("-") else number


UNIT: Final = f"(?:(?:{'|'.join(sorted(UNITS))}) )" + "{0,2}"
"""Up to two units, each with a blank behind."""
LEAN: Final = frozenset(words(read_list("extractors/lean_words")))
"""Words that clauses do without."""
_NAME: Final = re.compile(r"\b[a-z]\b")


class QuestionReading(NamedTuple):
    """What a question states: equations over its unknowns, all of them positive or whole where it says so.

    ``asked`` are the unknowns that it is about, all where it is empty; ``pick`` is "max" or "min" where the largest or
    the smallest value alone is asked; ``exact``: just these values are asked, nothing made out of them.
    """

    equations: tuple[str, ...]
    unknowns: tuple[str, ...]
    positive: bool = True
    whole: bool = False
    asked: tuple[str, ...] = ()
    pick: str = ""
    exact: bool = False


def single(equation: str) -> QuestionReading:
    """A question for the one unknown ``x`` of an equation."""
    return QuestionReading((equation,), ("x",), exact=True)


def read_clauses(
    page: Page, phrases: Phrases, unknowns: tuple[str, ...], fixed: tuple[str, ...] = ()
) -> QuestionReading | None:
    """The clauses of a page as equations after those that are fixed; None where they leave out a number.

    None as well where no clause relates unknowns: "one is 90 inches and the other is 72" states values, no problem.
    """
    found = list(clauses(page.tokens, phrases))
    for clause in found:
        page.used.update(place for place in page.weighty if clause.start <= place < clause.end)
    stated = dict.fromkeys((*fixed, *(clause.equation for clause in found if clause.equation != "x=x")))
    related = len(unknowns) == 1 or any(len(_NAME.findall(equation)) > 1 for equation in stated)
    return QuestionReading(tuple(stated), unknowns) if related and page.complete and len(stated) > len(fixed) else None
