"""Variations by a word that says something else (SVAMP: change information; GSM-Plus: missing information)."""

import random
import re
from fractions import Fraction
from typing import Final

from evaluation.variations.asked_question import OBJECTS
from evaluation.variations.rewritten_text import TextEdit, VariationDraft, rewritten
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    SourceProblem,
    is_key,
    key_of,
    solved,
    spans_of_sentences,
)
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, substitute, walk

_MISSING: Final = "missing"
_NEEDED: Final = re.compile(rf"(?: of (?:them|his|her|their|the)\b| more {OBJECTS}\b| {OBJECTS}\b)")


def missing_information(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """A number that the answer needs is "some"; the problem has no answer then."""
    found = [place for place in source.used if _may_be_some(source, place)]
    calls = any(isinstance(part, Call) for e in source.equations for side in (e.left, e.right) for part in walk(side))
    if not found or calls or len(source.asked) != 1 or len(source.used) < 2:
        raise AbstainedError(Abstention.NO_RULE)
    place = chooser.choice(found)
    number = source.numbers[place]
    some = "Some" if number.raw[:1].isupper() or _begins(source, number.start) else "some"
    money = source.text[number.start - 1] == "$"
    piece = f"{some} money" if money else some
    text, places = rewritten(source, [TextEdit(number.start - money, number.end, (piece,))])
    swap: dict[str, Node] = {key_of(place): Name(_MISSING)}
    equations = tuple(Equation(substitute(e.left, swap), substitute(e.right, swap)) for e in source.equations)
    return VariationDraft(text, places, equations, (), source.values)


def _begins(source: SourceProblem, place: int) -> bool:
    return any(start == place for start, _ in spans_of_sentences(source.text))


_SUMMED: Final = re.compile(r" (?:metric|in total|[a-z-]+ (?:total|in all|altogether))\b| (?:[a-z-]+ ){2}total\b")
_KNOWN: Final = re.compile(
    r"(?:\b(?:the|those|these|his|her|their|all|of|by|than|into|about|every|each|per|another|other"
    r"|only|at|in|a|an|first|"
    r"exactly|total|which|was|is|are|were|sum|between|to|with|up|from|over|after|for|and|minus)|[,-])\s\$?\Z",
    re.I,
)
"""Words before a number that is no bare count."""
_RELATED: Final = re.compile(
    r"\b(?:each|every|per|apiece|at a time|times|equal(?:ly)?|same|than|more|less|if|how|sum|difference|product)\b",
    re.I,
)
"""Words of a sentence that sets numbers in relation."""


def _may_be_some(source: SourceProblem, place: int) -> bool:
    """Whether "some" can stand for a number: it counts things, once, and no word speaks of it as known."""
    number, text = source.numbers[place], source.text
    counts = number.kind in ("integer", "word", "money") and 2 <= number.value < 10_000
    if not counts or any(place in group for group in source.groups) or re.search(r"\bsome\b", text, re.I):
        return False
    sentence = next((text[a:b] for a, b in spans_of_sentences(text) if a <= number.start < b), "")
    lead = text[: number.start]
    if _KNOWN.search(lead) or _RELATED.search(sentence) or _SUMMED.match(text, number.end):
        return False
    if any(one.value == number.value for other, one in enumerate(source.numbers) if other != place):
        return False
    if lead.endswith("$"):
        return re.match(r"(?:\.| (?:on|for|at|from|in|to|and)\b)", text[number.end :]) is not None
    return number.unit is None and _NEEDED.match(text, number.end) is not None


_CHANGED: Final = {"more": "fewer", "fewer": "more", "less": "more", "older": "younger", "younger": "older",
    "taller": "shorter", "longer": "shorter", "shorter": "longer", "heavier": "lighter", "lighter": "heavier",
    "higher": "lower", "lower": "higher", "larger": "smaller", "smaller": "larger", "faster": "slower",
    "slower": "faster", "greater": "less", "wider": "narrower"}  # fmt: skip
_BEHIND: Final = re.compile(
    r"(?: (?:years|feet|inches|miles|points|dollars|pounds|cm|meters|degrees|kilometers))? "
    rf"(?P<word>{'|'.join(_CHANGED)})(?P<objects> {OBJECTS})? than\b"
)
_NOT_TURNED: Final = re.compile(r"\b(?:saves?|saved|discount|differences?)\b|-\d|\bwas born\b", re.I)
_SIZES: Final = re.compile(
    r"\b(?:small|larg|great|big|low|high|old|young|short|long|heavi|light|tall|fast|slow|wid|narrow)(?:er|est)\b", re.I
)
"""Words that would have to change as well, or that say which of two unknowns is meant."""
_ASKS_MORE: Final = re.compile(r"\b(?:how|what)\b[^.?]{0,60}\b(?:more|less|fewer)\b", re.I)


def change_information(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """A comparison by a number turns round: "3 more than" is "3 fewer than"."""
    found = [
        (place, match) for place in source.used if (match := _BEHIND.match(source.text, source.numbers[place].end))
    ]
    found = [(place, match) for place, match in found if match.end() < len(source.text) - 12]
    related = len(_SIZES.findall(source.text)) > 1 or _ASKS_MORE.search(source.text)
    if not found or related or _NOT_TURNED.search(source.text):
        raise AbstainedError(Abstention.NO_RULE)
    place, match = chooser.choice(found)
    word = _turned_word(source, place, match)
    text, places = rewritten(source, [TextEdit(match.start("word"), match.end("word"), (word,))])
    key = key_of(place)
    equations = tuple(Equation(_opposite(e.left, key), _opposite(e.right, key)) for e in source.equations)
    return _solved_draft(source, text, places, equations)


def _turned_word(source: SourceProblem, place: int, match: re.Match[str]) -> str:
    """The opposite word; "fewer" where things are counted, "less" for money, measures and numbers."""
    word = _CHANGED[match["word"]]
    number = source.numbers[place]
    return word if word != "fewer" or (match["objects"] and number.unit is None) else "less"


def _solved_draft(
    source: SourceProblem, text: str, places: dict[str, tuple[int, int]], equations: tuple[Equation, ...]
) -> VariationDraft:
    given = {name: value for name, value in source.values.items() if is_key(name)}
    values = solved(equations, given)
    old = [source.values[name] for name in source.unknowns]
    if values is None or equations == source.equations:
        raise AbstainedError(Abstention.NO_RULE)
    new = [values[name] for name in source.unknowns]
    whole = all(b.denominator == 1 for a, b in zip(old, new, strict=True) if a.denominator == 1)
    old_people = re.search(r"\bages?\b|\bold\b", source.text) is not None and max(new) > max(Fraction(110), *old)
    if old_people or max(new) > 5 * max(old):
        raise AbstainedError(Abstention.NO_VALUES)
    if not whole or any(value <= 0 for value in new) or (sorted(old) == sorted(new) and len(old) > 1):
        raise AbstainedError(Abstention.NO_VALUES)
    return VariationDraft(text, places, equations, source.asked, values)


def _opposite(node: Node, key: str) -> Node:
    """The tree with plus and minus before a name exchanged."""
    if not isinstance(node, Binary):
        return node
    if node.op in "+-" and node.right == Name(key):
        return Binary("-" if node.op == "+" else "+", node.left, node.right)
    if node.op == "+" and node.left == Name(key):
        return Binary("-", node.right, node.left)
    return Binary(node.op, _opposite(node.left, key), _opposite(node.right, key))
