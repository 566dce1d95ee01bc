"""Variations of what is asked of two kinds of things that are listed (SVAMP: question sensitivity).

``Ann has 3 red pens and 5 blue pens. How many pens does Ann have in all?`` may ask for the difference (another
structure), or for the sum or the difference of two other kinds of things that Ann has as well (another object).
"""

import random
import re
from dataclasses import replace
from fractions import Fraction
from typing import Final, NamedTuple

from evaluation.variations.asked_question import LEFT, OBJECTS, PAST, SUBJECT, TOTALS, AskedQuestion, asked_of
from evaluation.variations.inserted_sentences import NOT_OWNED
from evaluation.variations.rewritten_text import NewNumber, Piece, TextEdit, VariationDraft, as_sentence, rewritten
from evaluation.variations.source_problem import AbstainedError, Abstention, SourceProblem, key_of, spans_of_sentences
from extractors.expressions.tree import Binary, Equation, Name, Node, walk

_FIRST, _SECOND = "@first", "@second"
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
_MORE: Final = re.compile(
    rf"(?:If (?P<condition>[^?]{{6,160}}?), h|H)ow many more (?P<one>{OBJECTS}) (?:than (?P<two>{OBJECTS}) )?"
    rf"(?P<rest>(?:are|were) there|(?:does|did|do) {SUBJECT} [a-z]+)(?: than (?P<other>{OBJECTS}))? ?\?"
)


class ListedObjects(NamedTuple):
    """Numbers that are listed with the names of their things, and the question for how many there are of all."""

    asked: AskedQuestion
    numbers: tuple[int, ...]
    names: tuple[str, ...]


def listed_of(source: SourceProblem) -> ListedObjects | None:
    """The list of a problem whose answer is the sum of the numbers that one sentence lists with their things."""
    asked = asked_of(source)
    if asked is None or asked.money or source.only is None or asked.tail not in TOTALS | {""} or len(source.used) < 2:
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
    assert source.only is not None, "asked for by the caller"
    parts = list(walk(source.only[1]))
    leaves = [part.name for part in parts if isinstance(part, Name)]
    sums = all(isinstance(part, Name) or (isinstance(part, Binary) and part.op == "+") for part in parts)
    return sums and sorted(leaves) == sorted(map(key_of, source.used))


def same_object_different_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The difference of two kinds of things is asked for instead of the sum, or the sum instead of the difference."""
    listed = listed_of(source)
    if listed is None:
        return _sum_for_difference(source)
    first, second = chooser.sample(range(len(listed.numbers)), 2)
    values = [source.values[key_of(place)] for place in listed.numbers]
    if values[first] == values[second]:
        raise AbstainedError(Abstention.NO_VALUES)
    more, less = (first, second) if values[first] > values[second] else (second, first)
    question = listed.asked.again(f"How many more {listed.names[more]} than {listed.names[less]}", "")
    said = as_sentence(source, listed.asked.condition)
    text, places = rewritten(source, [TextEdit(listed.asked.start, len(source.text), (*said, question))])
    keys = [key_of(listed.numbers[place]) for place in (more, less)]
    return _operated(source, (text, places), ("-", keys[0], keys[1]))


def _sum_for_difference(source: SourceProblem) -> VariationDraft:
    start, end = spans_of_sentences(source.text)[-1]
    found = _MORE.fullmatch(source.text, start, end)
    two = found and (found["two"] or found["other"])
    if found is None or source.only is None or not two or len(source.used) != 2:
        raise AbstainedError(Abstention.NO_RULE)
    right = source.only[1]
    if not isinstance(right, Binary) or right.op != "-" or {type(right.left), type(right.right)} != {Name}:
        raise AbstainedError(Abstention.NO_RULE)
    names = {key_of(place): source.text[source.numbers[place].end :] for place in source.used}
    keys = [key for name in (found["one"], two) for key, after in names.items() if re.match(rf" {name}\b", after)]
    if sorted(keys) != sorted(names):
        raise AbstainedError(Abstention.NO_RULE)
    said = as_sentence(source, found.span("condition") if found["condition"] else None)
    question = f"How many {found['one']} and {two} {found['rest']} in all?"
    made = rewritten(source, [TextEdit(start, len(source.text), (*said, question))])
    return _operated(source, made, ("+", keys[0], keys[1]))


def part_of_sum(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The sum is told, and one of the things that are listed is asked for."""
    listed = listed_of(source)
    told = listed.asked.stated() if listed else None
    if listed is None or told is None:
        raise AbstainedError(Abstention.NO_RULE)
    place = chooser.randrange(1, len(listed.numbers))
    number, key = source.numbers[listed.numbers[place]], key_of(listed.numbers[place])
    unknown = source.asked[0]
    question = listed.asked.again(f"How many {listed.names[place]}", "")
    edit = TextEdit(number.start, number.end, ("some",))
    end: list[Piece] = [told[0], NewNumber(_FIRST, str(source.values[unknown])), f"{told[1]} {question}"]
    said = as_sentence(source, listed.asked.condition, [edit])
    edits = [TextEdit(listed.asked.start, len(source.text), (*said, *end))]
    if number.start < listed.asked.start:
        edits.append(edit)
    text, places = rewritten(source, edits)
    rest: Node = Name(_FIRST)
    for other in listed.numbers:
        rest = rest if key_of(other) == key else Binary("-", rest, Name(key_of(other)))
    values = {**source.values, _FIRST: source.values[unknown], unknown: source.values[key]}
    return VariationDraft(text, places, (Equation(Name(unknown), rest),), (unknown,), values)


def different_object_same_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Two other kinds of things of the same owner are told, and asked for by the operation of the original."""
    return _other_objects(source, chooser, same=True)


def different_object_different_structure(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Two other kinds of things of the same owner are told, and asked for by another operation."""
    return _other_objects(source, chooser, same=False)


def _operator(source: SourceProblem, *, same: bool) -> str:
    """Plus or minus, as the original has it, or has it not."""
    right = source.only[1] if source.only else None
    simple = (
        isinstance(right, Binary)
        and right.op in "+-"
        and isinstance(right.left, Name)
        and isinstance(right.right, Name)
    )
    if not isinstance(right, Binary) or (same and not simple):
        raise AbstainedError(Abstention.NO_RULE)
    if not simple:
        return "+"
    return right.op if same else "-" if right.op == "+" else "+"


def _other_objects(source: SourceProblem, chooser: random.Random, *, same: bool) -> VariationDraft:
    asked, operator = asked_of(source), _operator(source, same=same)
    told = _also(asked) if asked is not None else None
    if (
        asked is None
        or told is None
        or asked.money
        or asked.noun in NOT_OWNED
        or asked.tail not in TOTALS | LEFT | {""}
    ):
        raise AbstainedError(Abstention.NO_RULE)
    if asked.subject == "they" and not _TOGETHER.search(source.text):
        raise AbstainedError(Abstention.NO_RULE)
    names = chooser.choice([names for names in _PAIRS if not any(name in source.text for name in names)])
    smaller, larger = sorted(chooser.sample([n for n in range(3, 30) if Fraction(n) not in source.values.values()], 2))
    first, second = (larger, smaller) if operator == "-" else chooser.choice([(larger, smaller), (smaller, larger)])
    said: list[Piece] = [
        *as_sentence(source, asked.condition),
        told,
        NewNumber(_FIRST, str(first)),
        f" {names[0]} and ",
    ]
    how = f"How many {names[0]} and {names[1]}" if operator == "+" else f"How many more {names[0]} than {names[1]}"
    question = asked.again(how, "in all" if operator == "+" else "")
    said += [NewNumber(_SECOND, str(second)), f" {names[1]}. {question}"]
    text, places = rewritten(source, [TextEdit(asked.start, len(source.text), tuple(said))])
    given = replace(source, values={**source.values, _FIRST: Fraction(first), _SECOND: Fraction(second)})
    return _operated(given, (text, places), (operator, _FIRST, _SECOND))


def _operated(
    source: SourceProblem, made: tuple[str, dict[str, tuple[int, int]]], operation: tuple[str, str, str]
) -> VariationDraft:
    """The variation whose answer is the sum or difference of two numbers."""
    operator, first, second = operation
    unknown = source.asked[0]
    a, b = source.values[first], source.values[second]
    values = {**source.values, unknown: a + b if operator == "+" else a - b}
    equation = Equation(Name(unknown), Binary(operator, Name(first), Name(second)))
    return VariationDraft(*made, (equation,), (unknown,), values)


def _also(asked: AskedQuestion) -> str | None:
    """The beginning of a sentence that lists more things of the same owner."""
    lead = asked.subject[:1].upper() + asked.subject[1:]
    if asked.verb == "have" and asked.subject:
        return f"{lead} also {'has' if asked.auxiliary == 'does' else 'had' if asked.auxiliary == 'did' else 'have'} "
    past = PAST.get(asked.verb) if asked.subject and asked.verb in _GENERAL else None
    return f"{lead} also {past} " if past and asked.auxiliary == "did" else None
