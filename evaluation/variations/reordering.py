"""Variations that say the same in another order (SVAMP, section 5: order of objects, order of phrases)."""

import random
import re
from itertools import pairwise
from typing import Final

from evaluation.variations.rewritten_text import OldText, Piece, TextEdit, VariationDraft, rewritten
from evaluation.variations.source_problem import AbstainedError, Abstention, SourceProblem, spans_of_sentences

_NOT_NOUNS: Final = (
    r"(?!(?:and|or|more|less|fewer|than|times|of|in|on|at|from|for|to|with|by|are|is|was|were|had|has|have|each|per|"
    r"the|a|an|as|that|which|who|if|then|he|she|they|it|his|her|years?|days?|weeks?|months?|hours?|minutes?|seconds?|"
    r"percent|cents?|into|onto|over|under|about|when|while|but|through|during|after|before|"
    r"gave|ate|sold|left|away|other|others|another|ones|additional|extra|feet|inches|foot|ft|\w+ly)\b)"
)
_NOUNS: Final = rf"(?:{_NOT_NOUNS}[a-z-]+\s){{0,2}}{_NOT_NOUNS}[a-z-]+s"
_OF: Final = r"(?: of [a-z]+){0,1}"
_BEHIND: Final = re.compile(rf" ({_NOUNS}{_OF})(?=,? and )|, ")
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
        raise AbstainedError(Abstention.NO_RULE)
    return _draft(source, [chooser.choice(found)])


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
    starts = _starts_sentence(source, first.start)
    if starts and (first.raw[0].isalpha() or second.raw[0].isalpha()):
        return None
    pieces: tuple[Piece, ...] = (
        OldText(second.start, other.end()),
        OldText(noun.end(), joint.end()),
        OldText(first.start, noun.end()),
    )
    return TextEdit(first.start, other.end(), pieces)


def _listed(text: str, start: int) -> bool:
    """Whether a number is the last but one of a list with commas."""
    return re.search(r"\d[a-z -]{3,40},\s\Z", text[max(0, start - 50) : start]) is not None


def _starts_sentence(source: SourceProblem, place: int) -> bool:
    return any(start == place for start, _ in spans_of_sentences(source.text))


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
    found = [make(source) for make in (_condition, _owners)]
    edits = [edit for edit in found if edit is not None]
    if not edits:
        raise AbstainedError(Abstention.NO_RULE)
    return _draft(source, [chooser.choice(edits)])


def _condition(source: SourceProblem) -> TextEdit | None:
    text = source.text
    start, end = spans_of_sentences(text)[-1]
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
_COMPARED: Final = re.compile(
    r"\b(?:more|less|fewer|than|also|then|other|another|too|as|rest|times|still|but|same|left|first|next)\b", re.I
)


def _owners(source: SourceProblem) -> TextEdit | None:
    """Two sentences of one shape with different subjects, neither of which speaks of the other."""
    spans = spans_of_sentences(source.text)
    for (start, end), (after, last) in pairwise(spans):
        one, two = _OWNER.match(source.text, start, end), _OWNER.match(source.text, after, last)
        if one is None or two is None or one["verb"] != two["verb"] or one[1] == two[1]:
            continue
        joined = f"{one[0]} {two[0]}"
        apart = not _COMPARED.search(joined) and not _PRONOUN.search(joined)
        if apart and _counts(source, start, end) and _counts(source, after, last):
            return TextEdit(start, last, (OldText(after, last), OldText(end, after), OldText(start, end)))
    return None


def _counts(source: SourceProblem, start: int, end: int) -> bool:
    return any(start <= number.start < end for number in source.numbers)


def _draft(source: SourceProblem, edits: list[TextEdit]) -> VariationDraft:
    text, places = rewritten(source, edits)
    return VariationDraft(text, places, source.equations, source.asked, source.values)
