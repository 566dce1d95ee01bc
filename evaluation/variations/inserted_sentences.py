"""Variations with a sentence more (SVAMP: add relevant or irrelevant information; GSM-Plus: one operation more)."""

import random
import re
from fractions import Fraction
from typing import Final

from evaluation.variations.asked_question import LEFT, TOTALS, AskedQuestion, asked_of
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    NewNumber,
    Piece,
    SourceProblem,
    TextEdit,
    VariationDraft,
    sentence_like,
)
from extractors.expressions.tree import Binary, Name
from extractors.text.wordlists import read_list, words

_ADDED: Final = "@added"
_GIVEN_NAMES: Final = frozenset(words(read_list("extractors/given_names")))
_WOMEN: Final = ("Laura", "Emma", "Nina", "Sarah", "Julia", "Clara", "Rosa")
_MEN: Final = ("Peter", "David", "Martin", "Oscar", "Simon", "Felix", "Victor")
_THINGS: Final = (
    "stickers", "marbles", "postcards", "seashells", "comic books", "keychains", "baseball cards", "stamps",
)  # fmt: skip
_RELATIONS: Final = ("friend", "cousin", "neighbor")
_ELLIPTIC: Final = re.compile(
    r"\bhow (?:many|much) (?:does|do|did|are|were|is|was|will|would|can|could|should|more|had|has|have|"
    r"[a-z]+ (?:each|in all))\b",
    re.I,
)
_GROUP: Final = re.compile(
    r"\b(?:they|them|their|it|its|these|those|this|that|both|all|altogether|together|total|combined|everyone"
    r"|everybody|each|every|we|our|one|ones|others?)\b",
    re.I,
)


def irrelevant_information(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """A sentence before the question tells how many other things another person has."""
    text = source.text
    start, end = source.sentences[-1]
    asked = text[start:end]
    person = next((name for name in re.findall(r"\b[A-Z][a-z]+\b", text[:start]) if name.lower() in _GIVEN_NAMES), None)
    earlier = "?" in text[:start] or re.search(r"\b[Hh]ow (?:many|much|old)\b", text[:start])
    if earlier or person is None or not re.search(r"\bhow (?:many|much|old|far|long)\b", asked, re.I):
        raise AbstainedError
    if _ELLIPTIC.search(asked) or _GROUP.search(asked) or re.search(r"\bthen\b", asked):
        raise AbstainedError
    name = _other_person(text, asked, chooser)
    thing = chooser.choice([thing for thing in _THINGS if thing.split()[-1] not in text.lower()] or [""])
    if not thing or name is None:
        raise AbstainedError
    verb = "had" if re.search(r"\b(?:did|was|were|had)\b", asked) else "has"
    value = _fresh(source, chooser, 3, 40)
    lead = sentence_like(source, f"{person}'s {chooser.choice(_RELATIONS)} {name} {verb} ")
    pieces = (lead, NewNumber(_ADDED, str(value)), sentence_like(source, f" {thing}.") + " ")
    return source.draft([TextEdit(start, start, pieces)], {_ADDED: Fraction(value)})


def _other_person(text: str, asked: str, chooser: random.Random) -> str | None:
    """A name that is not in the text, and that the pronouns of the question cannot mean."""
    she, he = re.search(r"\b(?:she|her|hers)\b", asked, re.I), re.search(r"\b(?:he|his|him)\b", asked, re.I)
    if she and he:
        return None
    names = _MEN if she else _WOMEN if he else (*_WOMEN, *_MEN)
    free = [name for name in names if name not in text]
    return chooser.choice(free) if free else None


def _fresh(source: SourceProblem, chooser: random.Random, low: int, high: int) -> int:
    """A whole number that no number and no value of the problem is."""
    taken = set(source.values.values())
    free = [value for value in range(low, high + 1) if Fraction(value) not in taken]
    if not free:
        raise AbstainedError(Abstention.NO_VALUES)
    return chooser.choice(free)


NOT_OWNED: Final = frozenset(
    words(
        "people children students kids boys girls customers friends classmates neighbors players men women guests "
        "tourists teachers workers members visitors brothers sisters passengers birds eggs seats legs arms feet ears "
        "shots wins runs games lives tables gardens beds places rooms groups stacks piles"
    )
)
"""What nobody has or gets more of, or only in another sense."""
_NOT_IN_BOXES: Final = frozenset(
    words(
        "apps songs messages emails problems points episodes jobs lawns ideas cats dogs cows pigs horses chickens "
        "ducks fish fishes animals trees houses rooms cars boxes followers acts flowers cans bags quizzes"
    )
)


def add_relevant_information(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Before the question the stock grows once more, and what there is then is asked for."""
    asked = _owned(source)
    answer = source.values[source.asked[0]]
    value = _fresh(source, chooser, 2, max(9, min(60, int(answer))))
    got, end = ("earned $", "more") if asked.money else ("got ", f"more {asked.objects}")
    question = asked.again(asked.how, "then" if asked.auxiliary == "did" else "now")
    return _extended(source, asked, (f"Then {asked.subject} {got}", "+", value, f" {end}. {question}"))


def one_more_operation(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """What is asked for is divided into boxes, or money of it is spent, and the result is asked for instead."""
    asked = _owned(source)
    answer = source.values[source.asked[0]]
    past = asked.auxiliary == "did"
    if asked.money:
        value = _fresh(source, chooser, 2, max(2, min(30, int(answer) - 1)))
        spend = "spent" if past else "spends" if asked.auxiliary == "does" else "spend"
        question = asked.again(asked.how, "then" if past else "now")
        return _extended(source, asked, (f"{asked.owner} then {spend} $", "-", value, f" on a book. {question}"))
    if asked.noun in _NOT_IN_BOXES:
        raise AbstainedError
    taken = set(source.values.values())
    sizes = [size for size in range(2, 10) if answer % size == 0 and answer > size and size not in taken]
    if not sizes:
        raise AbstainedError(Abstention.NO_VALUES)
    value = chooser.choice(sizes)
    were, remaining = "were" if past else "are", "remaining " if "left" in asked.tail else ""
    lead = f"All of {_possessive(asked.subject)} {remaining}{asked.objects} {were} then put into "
    end = f" boxes, with the same number in each box. How many {asked.objects} {were} in each box?"
    return _extended(source, asked, (lead, "/", value, end))


def _possessive(subject: str) -> str:
    """Whose a thing is.

    >>> _possessive("she"), _possessive("Ann"), _possessive("Ann and Bob")
    ('her', "Ann's", "Ann and Bob's")
    """
    return {"he": "his", "she": "her", "they": "their"}.get(
        subject, f"{subject}'" if subject.startswith("the ") and subject.endswith("s") else f"{subject}'s"
    )


def _owned(source: SourceProblem) -> AskedQuestion:
    """The question for what somebody has; AbstainedError for any other."""
    asked = asked_of(source)
    if asked is None or asked.verb != "have" or asked.tail not in LEFT | TOTALS | {""} or asked.noun in NOT_OWNED:
        raise AbstainedError
    if asked.money and re.search(r"\bcents?\b|¢|\bpenn(?:y|ies)\b|\b(?:dime|nickel|quarter)s?\b", source.text):
        raise AbstainedError
    if source.values[source.asked[0]] < 2 or source.values[source.asked[0]].denominator != 1:
        raise AbstainedError
    return asked


def _extended(source: SourceProblem, asked: AskedQuestion, how: tuple[str, str, int, str]) -> VariationDraft:
    """The problem with other words in place of its question, and one operation more by the number between these."""
    lead, operator, value, end = how
    if source.expression is None:
        raise AbstainedError
    pieces: tuple[Piece, ...] = (lead, NewNumber(_ADDED, str(value)), end)
    edit = TextEdit(asked.start, len(source.text), (*source.as_sentence(asked.condition), *pieces))
    draft = source.asking([edit], Binary(operator, source.expression, Name(_ADDED)), {_ADDED: Fraction(value)})
    if draft.values[source.asked[0]] <= 0:
        raise AbstainedError(Abstention.NO_VALUES)
    return draft
