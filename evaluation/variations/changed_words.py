"""Variations of words: one that says something else, and the same words in another order.

SVAMP, section 5: change information, order of objects, order of phrases; GSM-Plus: missing information.
"""

import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

from evaluation.variations.asked_question import OBJECTS
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    NumbersByName,
    OldText,
    SourceProblem,
    TextEdit,
    VariationDraft,
    is_key,
    key_of,
    replaced,
    solved,
)
from extractors.expressions.tree import Binary, Call, Equation, Name, Node

_MISSING: Final = "missing"
_NEEDED: Final = re.compile(rf"(?: of (?:them|his|her|their|the)\b| more {OBJECTS}\b| {OBJECTS}\b)")


def missing_information(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """A number that the answer needs is "some"; the problem has no answer then."""
    found = [place for place in source.used if _may_be_some(source, place)]
    calls = any(isinstance(part, Call) for part in source.parts)
    if not found or calls or len(source.asked) != 1 or len(source.used) < 2:
        raise AbstainedError
    place = chooser.choice(found)
    number = source.numbers[place]
    some = "Some" if number.raw[:1].isupper() or _begins(source, number.start) else "some"
    money = source.text[number.start - 1] == "$"
    piece = f"{some} money" if money else some
    draft = source.draft([TextEdit(number.start - money, number.end, (piece,))])
    return replace(draft, equations=replaced(source.equations, {key_of(place): Name(_MISSING)}), asked=())


def _begins(source: SourceProblem, place: int) -> bool:
    return any(start == place for start, _ in source.sentences)


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
    sentence = next((text[a:b] for a, b in source.sentences if a <= number.start < b), "")
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
        raise AbstainedError
    place, match = chooser.choice(found)
    word, counted = _CHANGED[match["word"]], match["objects"] and source.numbers[place].unit is None
    word = word if word != "fewer" or counted else "less"  # "fewer" things, "less" money
    key = key_of(place)
    equations = tuple(Equation(_opposite(e.left, key), _opposite(e.right, key)) for e in source.equations)
    draft = source.draft([TextEdit(*match.span("word"), (word,))], _solved_again(source, equations))
    return replace(draft, equations=equations)


def _solved_again(source: SourceProblem, equations: tuple[Equation, ...]) -> NumbersByName:
    """The values under other equations; AbstainedError where they are not of the kinds and sizes of before."""
    given = {name: value for name, value in source.values.items() if is_key(name)}
    values = solved(equations, given)
    old = [source.values[name] for name in source.unknowns]
    if values is None or equations == source.equations:
        raise AbstainedError
    new = [values[name] for name in source.unknowns]
    whole = all(b.denominator == 1 for a, b in zip(old, new, strict=True) if a.denominator == 1)
    old_people = re.search(r"\bages?\b|\bold\b", source.text) is not None and max(new) > max(Fraction(110), *old)
    if old_people or max(new) > 5 * max(old):
        raise AbstainedError(Abstention.NO_VALUES)
    if not whole or any(value <= 0 for value in new) or (sorted(old) == sorted(new) and len(old) > 1):
        raise AbstainedError(Abstention.NO_VALUES)
    return values


def _opposite(node: Node, key: str) -> Node:
    """The tree with plus and minus before a name exchanged."""
    if not isinstance(node, Binary):
        return node
    if node.op in "+-" and node.right == Name(key):
        return Binary("-" if node.op == "+" else "+", node.left, node.right)
    if node.op == "+" and node.left == Name(key):
        return Binary("-", node.right, node.left)
    return Binary(node.op, _opposite(node.left, key), _opposite(node.right, key))


_NOT_NOUNS: Final = (
    r"(?!(?:and|or|more|less|fewer|than|times|of|in|on|at|from|for|to|with|by|are|is|was|were|had|has|have|each|per|"
    r"the|a|an|as|that|which|who|if|then|he|she|they|it|his|her|years?|days?|weeks?|months?|hours?|minutes?|seconds?|"
    r"percent|cents?|into|onto|over|under|about|when|while|but|through|during|after|before|"
    r"gave|ate|sold|left|away|other|others|another|ones|additional|extra|feet|inches|foot|ft|\w+ly)\b)"
)
_NOUNS: Final = rf"(?:{_NOT_NOUNS}[a-z-]+\s){{0,2}}{_NOT_NOUNS}[a-z-]+s"
_OF: Final = r"(?: of [a-z]+){0,1}"
_PHRASE: Final = re.compile(rf" {_NOUNS}{_OF}")
_JOINT: Final = re.compile(r",? and ")
_ENDS: Final = re.compile(
    r" ?[.,;?]| (?:in (?!an? |each)|on (?!each)|at|from|for|to|with|by|during|yesterday|today|last|this)\b"
)
_BOUND: Final = re.compile(r"\b(?:respectively|former|latter|in that order|first|second|third|either|between)\b", re.I)
_PRONOUN: Final = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|these|those|this|that|one|ones)\b", re.I
)


def order_of_objects(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Two counted things that "and" joins change places: "3 red pens and 5 blue pens"."""
    found = [edit for number in range(len(source.numbers) - 1) if (edit := _exchange(source, number)) is not None]
    if not found or _BOUND.search(source.text):
        raise AbstainedError
    return source.draft([chooser.choice(found)])


def _exchange(source: SourceProblem, place: int) -> TextEdit | None:
    """Two neighbouring numbers with their nouns, the second at the end of its phrase; and not in a longer list."""
    text, first, second = source.text, source.numbers[place], source.numbers[place + 1]
    if (
        not {first.kind, second.kind} <= {"integer", "word"}
        or first.unit
        or second.unit
        or 1 in (first.value, second.value)
    ):
        return None
    noun = _PHRASE.match(text, first.end)
    joint = _JOINT.match(text, noun.end()) if noun else None
    if noun is None or joint is None or joint.end() != second.start or text[: first.start].rstrip().endswith(","):
        return None
    other = _PHRASE.match(text, second.end)
    if other is None or not _ENDS.match(text, other.end()) or re.search(r"[0-9,] ?\Z", text[: first.start]):
        return None
    if re.search(r"\b(?:than|times|between|of|to)\s\Z", text[: first.start]) or _listed(text, first.start):
        return None
    if _begins(source, first.start) and (first.raw[0].isalpha() or second.raw[0].isalpha()):
        return None
    parts = (second.start, other.end()), (noun.end(), joint.end()), (first.start, noun.end())
    return TextEdit(first.start, other.end(), tuple(OldText(*part) for part in parts))


def _listed(text: str, start: int) -> bool:
    """Whether a number is the last but one of a list with commas."""
    return re.search(r"\d[a-z -]{3,40},\s\Z", text[max(0, start - 50) : start]) is not None


_IF_FIRST: Final = re.compile(r"If ([^,?]{8,160}?) ?, (how (?:many|much) [^,?]{6,120}?)( ?\?)\Z")
_IF_LAST: Final = re.compile(r"How (many|much) ([^,?]{6,120}?) if ([^,?]{8,160}?)( ?\?)\Z")
_RELATIVE: Final = re.compile(r"\b(?:rest|others?)\b")
_UNSURE: Final = re.compile(
    r"\b(?:now|then|still|if|so|and how|after that|total needed|instead|the rest|it|its|them|these|those|this)\b", re.I
)
_PEOPLE: Final = re.compile(r"\b(?:he|she|his|her|they|their)\b", re.I)
_PLURAL_LEAD: Final = re.compile(r"(?:each|every|one|an?|he|she|they|there|it|you|we|I)\b", re.I)


def order_of_phrases(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The condition of a question goes behind it or before it, or two sentences about two owners change places."""
    edits = [edit for make in (_condition, _owners) if (edit := make(source)) is not None]
    if not edits:
        raise AbstainedError
    return source.draft([chooser.choice(edits)])


def _condition(source: SourceProblem) -> TextEdit | None:
    text, (start, end) = source.text, source.sentences[-1]
    first, last = _IF_FIRST.match(text, start, end), _IF_LAST.match(text, start, end)
    if first is not None and _may_part(first[1], first[2], earlier=start > 0):
        asked = OldText(first.start(2) + 1, first.end(2))
        return TextEdit(start, end, ("H", asked, " if ", OldText(*first.span(1)), OldText(*first.span(3))))
    if last is not None and not (_RELATIVE.search(last[3]) or _UNSURE.search(last[2]) or _names(last[2])):
        asked = OldText(start + 1, last.end(2))
        return TextEdit(start, end, ("If ", OldText(*last.span(3)), ", h", asked, OldText(*last.span(4))))
    return None


def _may_part(condition: str, asked: str, *, earlier: bool) -> bool:
    """Whether a question can stand before its condition: its pronouns have been named before."""
    if _UNSURE.search(asked) or re.search(r"\b(?:then|each of|the other)\b", condition):
        return False
    if not _PEOPLE.search(asked):
        return True
    same = _PEOPLE.search(condition) or _PLURAL_LEAD.match(condition)
    return earlier and not _names(condition) and same is not None


def _names(words: str) -> bool:
    return re.search(r"\b[A-Z][a-z]", words) is not None


_OWNER: Final = re.compile(
    r"([A-Z][a-z]+(?: [A-Z][a-z]+)?|The [a-z]+(?: [a-z]+)?) (?P<verb>has|had|have|weighs|weighed|scored|read|bought|"
    r"collected|picked|found|caught|made|sold|saw|ran|walked|jumped|drank|ate|earned|saved|brought|planted|baked|grew) "
    r"(?P<rest>[^.?!]{3,90}?) ?\.\Z"
)
_COMPARING: Final = re.compile(
    r"\b(?:more|less|fewer|than|also|then|other|another|too|as|rest|times|still|but|same|left|first|next)\b", re.I
)


def _owners(source: SourceProblem) -> TextEdit | None:
    """Two sentences of one shape with different subjects, neither of which speaks of the other."""
    for (start, end), (after, last) in pairwise(source.sentences):
        one, two = _OWNER.match(source.text, start, end), _OWNER.match(source.text, after, last)
        if one is None or two is None or one["verb"] != two["verb"] or one[1] == two[1]:
            continue
        joined = f"{one[0]} {two[0]}"
        apart = not _COMPARING.search(joined) and not _PRONOUN.search(joined)
        if apart and _counts(source, start, end) and _counts(source, after, last):
            return TextEdit(start, last, (OldText(after, last), OldText(end, after), OldText(start, end)))
    return None


def _counts(source: SourceProblem, start: int, end: int) -> bool:
    return any(start <= number.start < end for number in source.numbers)
