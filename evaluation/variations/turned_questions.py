"""Variations that ask for something else (SVAMP: question sensitivity, invert operation; GSM-Plus: reversal).

``Ann has 3 red pens and 5 blue pens. How many pens does Ann have in all?`` may ask for the difference (another
structure), or for the sum or the difference of two other kinds of things that Ann has as well (another object), or
tell the sum and ask for one of its parts.
"""

import contextlib
import random
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from evaluation.variations.asked_question import BASE, LEFT, NAME, OBJECTS, PAST, TOTALS, AskedQuestion, asked_of
from evaluation.variations.inserted_sentences import NOT_OWNED
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    NewNumber,
    Piece,
    SourceProblem,
    TextEdit,
    VariationDraft,
    key_of,
    written_like,
)
from extractors.expressions.tree import Binary, Name, Node, names_of, walk
from extractors.templates.matching import decimal_places

_FIRST, _SECOND, _RESULT = "@first", "@second", "@result"
_PAIRS: Final = (
    ("rulers", "erasers"),
    ("spoons", "forks"),
    ("cups", "plates"),
    ("hats", "scarves"),
    ("candles", "lamps"),
    ("pillows", "blankets"),
)
_GENERAL: Final = frozenset({"have", "buy", "sell", "get", "receive"})
_JOINT: Final = re.compile(r",? and (?:then )?|, ")
_AFTER: Final = r"(?= ?[.,?]| (?:to|in|at|on|from|for|and|with|during|yesterday|today)\b)"
_TOGETHER: Final = re.compile(r"\b[A-Z][a-z]+ and [A-Z][a-z]+\b|\b(?:store|shop|restaurant|team|library|factory)\b")
"""Who may be "they" that own something together."""


class ListedObjects(NamedTuple):
    """Numbers that are listed with the names of their things, and the question for how many there are of all."""

    asked: AskedQuestion
    numbers: tuple[int, ...]
    names: tuple[str, ...]


def listed_of(source: SourceProblem) -> ListedObjects | None:
    """The list of a problem whose answer is the sum of the numbers that one sentence lists with their things."""
    asked = asked_of(source)
    if asked is None or asked.money or asked.tail not in TOTALS | {""} or len(source.used) < 2:
        return None
    numbers = tuple(sorted(source.used))
    if numbers != tuple(range(numbers[0], numbers[0] + len(numbers))) or not _is_sum(source):
        return None
    names = []
    for place in numbers:
        end = source.numbers[place].end
        found = re.compile(rf" ({OBJECTS}){_AFTER}").match(source.text, end)
        behind = _JOINT.match(source.text, found.end()) if found else None
        last = place == numbers[-1]
        if found is None or not (last or (behind and behind.end() == source.numbers[place + 1].start)):
            return None
        names.append(found[1])
    distinct = len(set(names)) == len(names) and not re.search(r"\b(?:more|less|fewer|than|each)\b", source.text)
    return ListedObjects(asked, numbers, tuple(names)) if distinct else None


def _is_sum(source: SourceProblem) -> bool:
    """Whether the expression adds every number once."""
    assert source.expression is not None, "a problem without one has no question that is taken apart"
    parts = list(walk(source.expression))
    leaves = [part.name for part in parts if isinstance(part, Name)]
    sums = all(isinstance(part, Name) or (isinstance(part, Binary) and part.op == "+") for part in parts)
    return sums and sorted(leaves) == sorted(map(key_of, source.used))


def same_object_different_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The difference of two kinds of things is asked for instead of their sum."""
    listed = listed_of(source)
    if listed is None:
        raise AbstainedError
    first, second = chooser.sample(range(len(listed.numbers)), 2)
    values = [source.values[key_of(place)] for place in listed.numbers]
    if values[first] == values[second]:
        raise AbstainedError(Abstention.NO_VALUES)
    more, less = (first, second) if values[first] > values[second] else (second, first)
    question = listed.asked.again(f"How many more {listed.names[more]} than {listed.names[less]}", "")
    edit = _instead(source, listed.asked, (question,))
    return source.asking([edit], Binary("-", *(Name(key_of(listed.numbers[place])) for place in (more, less))))


def _instead(source: SourceProblem, asked: AskedQuestion, pieces: Sequence[Piece]) -> TextEdit:
    """Pieces in place of the question; its condition stays, as a sentence."""
    return TextEdit(asked.start, len(source.text), (*source.as_sentence(asked.condition), *pieces))


def _part_of_sum(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The sum is told, and one of the things that are listed is asked for."""
    listed = listed_of(source)
    if listed is None:
        raise AbstainedError
    chosen = chooser.randrange(1, len(listed.numbers))
    number = source.numbers[listed.numbers[chosen]]
    rest: Node = Name(_RESULT)
    for place, other in enumerate(listed.numbers):
        rest = rest if place == chosen else Binary("-", rest, Name(key_of(other)))
    question = listed.asked.again(f"How many {listed.names[chosen]}", "")
    return _told(source, listed.asked, TextEdit(number.start, number.end, ("some",)), (question, rest))


def _told(source: SourceProblem, asked: AskedQuestion, edit: TextEdit, how: tuple[str, Node]) -> VariationDraft:
    """The problem with a number hidden by an edit, its answer told, and a question for another expression."""
    (question, expression), answer, told = how, source.values[source.asked[0]], asked.stated()
    if told is None or decimal_places(answer) is None:
        raise AbstainedError
    raw = written_like("1.00" if asked.money and answer.denominator != 1 else "1", answer)
    said = source.as_sentence(asked.condition, [edit])
    end = (*said, told[0], NewNumber(_RESULT, raw), f"{told[1]} {question}")
    edits = [one for one in (edit,) if one.start < asked.start]
    return source.asking([*edits, TextEdit(asked.start, len(source.text), end)], expression, {_RESULT: answer})


def different_object_same_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Two other kinds of things of the same owner are told, and asked for by the operation of the original."""
    return _other_objects(source, chooser, same=True)


def different_object_different_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Two other kinds of things of the same owner are told, and asked for by another operation."""
    return _other_objects(source, chooser, same=False)


def _operator(source: SourceProblem, *, same: bool) -> str:
    """Plus or minus, as the original has it, or has it not."""
    right = source.expression
    if not isinstance(right, Binary):
        raise AbstainedError
    plain = right.op in "+-" and {type(right.left), type(right.right)} == {Name}
    if same and not plain:
        raise AbstainedError
    return right.op if same else "-" if plain and right.op == "+" else "+"


def _other_objects(source: SourceProblem, chooser: random.Random, *, same: bool) -> VariationDraft:
    asked, operator = asked_of(source), _operator(source, same=same)
    told = _also(asked) if asked is not None and not asked.money else None
    if asked is None or told is None or asked.noun in NOT_OWNED or asked.tail not in TOTALS | LEFT | {""}:
        raise AbstainedError
    if asked.subject == "they" and not _TOGETHER.search(source.text):
        raise AbstainedError
    names = chooser.choice([names for names in _PAIRS if not any(name in source.text for name in names)])
    smaller, larger = sorted(chooser.sample([n for n in range(3, 30) if Fraction(n) not in source.values.values()], 2))
    first, second = (larger, smaller) if operator == "-" else chooser.choice([(larger, smaller), (smaller, larger)])
    how = f"How many {names[0]} and {names[1]}" if operator == "+" else f"How many more {names[0]} than {names[1]}"
    question = asked.again(how, "in all" if operator == "+" else "")
    numbers = NewNumber(_FIRST, str(first)), NewNumber(_SECOND, str(second))
    pieces = (told, numbers[0], f" {names[0]} and ", numbers[1], f" {names[1]}. {question}")
    given = {_FIRST: Fraction(first), _SECOND: Fraction(second)}
    answer = Binary(operator, Name(_FIRST), Name(_SECOND))
    return source.asking([_instead(source, asked, pieces)], answer, given)


def _also(asked: AskedQuestion) -> str | None:
    """The beginning of a sentence that lists more things of the same owner."""
    if asked.verb == "have" and asked.subject:
        return f"{asked.owner} also {asked.has} "
    past = PAST.get(asked.verb) if asked.subject and asked.verb in _GENERAL else None
    return f"{asked.owner} also {past} " if past and asked.auxiliary == "did" else None


_START: Final = re.compile(
    rf"(?:\A|[.,] )(?:In [a-z ]+, )?(?P<owner>{NAME}|He|She|They|There|[Tt]he [a-z]+|An? [a-z]+(?: [a-z]+)?) "
    r"(?:had|has|have|were|are) \$?\Z"
)
_CHANGE: Final = re.compile(
    rf"(?:Then,? |Later,? )?(?P<subject>{NAME}|[Hh]e|[Ss]he|[Tt]hey) (?P<verb>{'|'.join(BASE)}) (?P<number>\$?\S+)"
    rf"(?P<moved> of them| more {OBJECTS}| more| {OBJECTS}|)"
    r"(?P<tail>(?: (?:to|from|at|in|on|for|away|with|during|last|off|along)\b[^.,]{0,50})?)\.?"
)
_VAGUE_VERBS: Final = frozenset({"had", "bakes"})


def reversed_question(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The answer is told, and what there was at first, or one part of a sum, is asked for."""
    for make in (_start_asked, _part_of_sum):
        with contextlib.suppress(AbstainedError):
            return make(source, chooser)
    raise AbstainedError


def _start_asked(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    asked = asked_of(source)
    starts = [] if asked is None else [place for place in source.used if _is_start(source, asked, place)]
    if asked is None or not starts:
        raise AbstainedError
    place = chooser.choice(starts)
    number = source.numbers[place]
    edit = TextEdit(number.start - asked.money, number.end, (_vague(asked),))
    subject = asked.subject
    question = f"{asked.how} did {subject} have at first?" if subject else f"{asked.how} were there at first?"
    return _turned(source, asked, edit, (question, key_of(place)))


def _vague(asked: AskedQuestion) -> str:
    return "some money" if asked.money else "some"


def _is_start(source: SourceProblem, asked: AskedQuestion, place: int) -> bool:
    """Whether a number is the stock of which the rest is asked for."""
    number = source.numbers[place]
    early = place == min(source.used) and number.start < asked.start and asked.tail in LEFT
    if not early or asked.verb not in ("have", "be") or (asked.money and source.text[number.start - 1] != "$"):
        return False
    start = _START.search(source.text[: number.start])
    objects = rf" {re.escape(asked.objects)}\b" if not asked.money else r"[ .,]"
    followed = re.match(objects, source.text[number.end :]) is not None
    return start is not None and followed and _same_owner(asked.subject, start["owner"]) and _is_alone(source, place)


def _same_owner(subject: str, owner: str) -> bool:
    """Whether what the question calls its owner may be the owner at the start: "they" is no single person."""
    if subject == "they":
        return owner in ("They", "There") or owner.lower().startswith(("the ", "a ", "an "))
    named = subject[:1].isupper() and owner[:1].isupper() and owner not in ("He", "She", "They", "There")
    return not named or owner in (subject, "The", "A") or owner.lower() == subject.lower()


def _is_alone(source: SourceProblem, place: int) -> bool:
    """Whether no other number is in the sentence before a change is told: one owner, one stock."""
    number = source.numbers[place]
    start, end = next(span for span in source.sentences if span[0] <= number.start < span[1])
    others = [one for other, one in enumerate(source.numbers) if other != place and start <= one.start < end]
    return not others or re.search(r", (?:but|and) |\bbut\b", source.text[number.end : others[0].start]) is not None


def invert_operation(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The answer is told, and the number by which a stock changed is asked for."""
    del chooser  # there is one change, and so one variation
    asked, spans = asked_of(source), source.sentences
    if asked is None or asked.tail not in LEFT | {""} or asked.verb not in ("have", "be"):
        raise AbstainedError
    start, end = asked.condition or spans[-2]
    change = _CHANGE.fullmatch(source.text, start, end)
    place = next((p for p in source.used if change and source.numbers[p].end == change.end("number")), None)
    if change is None or place is None or not _may_ask(source, asked, change):
        raise AbstainedError
    moved, subject = change["moved"], change["subject"]
    edit = TextEdit(*change.span("number"), (_vague(asked),))
    how = asked.how if not moved.startswith(" more") else f"How many more {asked.objects}"
    named = subject if re.match(NAME, subject) and subject not in ("He", "She", "They") else subject.lower()
    question = f"{how} did {named} {BASE[change['verb']]}{change['tail']}?"
    return _turned(source, asked, edit, (question, key_of(place)))


def _may_ask(source: SourceProblem, asked: AskedQuestion, change: re.Match[str]) -> bool:
    """Whether what changed is of the objects that are asked for, and nothing else changed in between."""
    said = change["moved"].split()
    same = not said if asked.money else bool(said) and said[-1] in (asked.noun, "them", "more")
    if change["verb"] in _VAGUE_VERBS or " and " in change["tail"]:
        return False
    return same and change["number"].startswith("$") is asked.money


def _turned(source: SourceProblem, asked: AskedQuestion, edit: TextEdit, how: tuple[str, str]) -> VariationDraft:
    """The problem with a number hidden by an edit, its answer told, and a question for the number (by its key)."""
    (question, key), right = how, source.expression
    assert right is not None, "a problem without one has no question that is taken apart"
    if source.values[source.asked[0]] in (0, 1):
        raise AbstainedError
    return _told(source, asked, edit, (question, isolated(right, key, Name(_RESULT))))


def isolated(node: Node, key: str, other: Node) -> Node:
    """What a name is where ``node`` is ``other``; AbstainedError unless it stands once in it, below ``+ - * /``.

    >>> isolated(Binary("-", Name("a"), Name("b")), "b", Name("c"))
    Binary(op='-', left=Name(name='a'), right=Name(name='c'))
    """
    if node == Name(key):
        return other
    once = sum(part == Name(key) for part in walk(node)) == 1
    if not isinstance(node, Binary) or node.op not in _LEFT or not once:
        raise AbstainedError
    if key in names_of(node.left):
        return isolated(node.left, key, Binary(_LEFT[node.op], other, node.right))
    if node.op in "-/":
        return isolated(node.right, key, Binary(node.op, node.left, other))
    return isolated(node.right, key, Binary(_LEFT[node.op], other, node.left))


_LEFT: Final = {"+": "-", "-": "+", "*": "/", "/": "*"}
