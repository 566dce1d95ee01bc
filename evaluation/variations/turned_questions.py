"""Variations that tell the answer and ask for what was given (SVAMP: invert operation; GSM-Plus: reversal)."""

import contextlib
import random
import re
from typing import Final

from evaluation.variations.asked_question import BASE, LEFT, NAME, OBJECTS, SUBJECT, AskedQuestion, asked_of
from evaluation.variations.listed_objects import part_of_sum
from evaluation.variations.rewritten_text import (
    NewNumber,
    Piece,
    TextEdit,
    VariationDraft,
    as_sentence,
    rewritten,
    written_like,
)
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    SourceProblem,
    key_of,
    spans_of_sentences,
)
from extractors.expressions.tree import Binary, Equation, Name, Node, names_of, walk

_RESULT: Final = "@result"
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
    """The answer is told, and what there was at first, what is left, or one part of a sum, is asked for."""
    for make in (_start_asked, _rest_asked, part_of_sum):
        with contextlib.suppress(AbstainedError):
            return make(source, chooser)
    raise AbstainedError(Abstention.NO_RULE)


def _start_asked(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    asked = asked_of(source)
    starts = [] if asked is None else [place for place in source.used if _is_start(source, asked, place)]
    if asked is None or not starts:
        raise AbstainedError(Abstention.NO_RULE)
    place = chooser.choice(starts)
    number = source.numbers[place]
    vague: tuple[Piece, ...] = ("some money",) if asked.money else ("some",)
    edit = TextEdit(number.start - asked.money, number.end, vague)
    subject = asked.subject
    question = f"{asked.how} did {subject} have at first?" if subject else f"{asked.how} were there at first?"
    return _turned(source, asked, place, ([edit], question))


_AT_FIRST: Final = re.compile(
    rf"How many (?P<objects>{OBJECTS}) did (?P<subject>{SUBJECT}) (?:have (?:at first|to start with|to begin with|"
    r"at the start|in the beginning|originally|initially)|(?:start|begin) with|originally have|have before) ?\?"
)
_REST: Final = re.compile(
    rf"(?:Now,? |Then,? )?(?P<subject>{NAME}|He|She|They|he|she|they) (?:now )?(?P<has>has|had|have) (?P<number>\S+?)"
    rf"(?: (?P<objects>{OBJECTS}))?(?P<left> left| now)? ?\."
)


def _rest_asked(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """What there was at first was asked for: it is told now, and the rest, which was told, is asked for."""
    del chooser  # there is one rest
    spans, text = spans_of_sentences(source.text), source.text
    asked = _AT_FIRST.fullmatch(text, *spans[-1])
    rest = _REST.fullmatch(text, *spans[-2]) if len(spans) > 2 else None
    some = list(re.finditer(rf"\b(?:had|has) (some)(?= {re.escape(asked['objects'])}\b)", text)) if asked else []
    place = next((p for p in source.used if rest and source.numbers[p].end == rest.end("number")), None)
    if asked is None or rest is None or place is None or len(some) != 1 or source.only is None:
        raise AbstainedError(Abstention.NO_RULE)
    unknown, right = source.only
    if sum(node == Name(key_of(place)) for node in walk(right)) != 1 or rest["objects"] not in (None, asked["objects"]):
        raise AbstainedError(Abstention.NO_RULE)
    tail = (rest["left"] or (" then" if rest["has"] == "had" else " now")).strip()
    does = {"has": "does", "had": "did", "have": "do"}[rest["has"]]
    question = f"How many {asked['objects']} {does} {asked['subject']} have {tail}?"
    answer = source.values[unknown]
    new, places = rewritten(
        source,
        [
            TextEdit(some[0].start(1), some[0].end(1), (NewNumber(_RESULT, str(answer)),)),
            TextEdit(spans[-2][0], len(text), (question,)),
        ],
    )
    values = {**source.values, _RESULT: answer, unknown: source.values[key_of(place)]}
    equation = Equation(Name(unknown), isolated(right, key_of(place), Name(_RESULT)))
    return VariationDraft(new, places, (equation,), (unknown,), values)


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
    start, end = next(span for span in spans_of_sentences(source.text) if span[0] <= number.start < span[1])
    others = [one for other, one in enumerate(source.numbers) if other != place and start <= one.start < end]
    return not others or re.search(r", (?:but|and) |\bbut\b", source.text[number.end : others[0].start]) is not None


def invert_operation(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """The answer is told, and the number by which a stock changed is asked for."""
    del chooser  # there is one change, and so one variation
    asked, spans = asked_of(source), spans_of_sentences(source.text)
    if asked is None or asked.tail not in LEFT | {""} or asked.verb not in ("have", "be"):
        raise AbstainedError(Abstention.NO_RULE)
    start, end = asked.condition or spans[-2]
    change = _CHANGE.fullmatch(source.text, start, end)
    place = next((p for p in source.used if change and source.numbers[p].end == change.end("number")), None)
    if change is None or place is None or not _may_ask(source, asked, change):
        raise AbstainedError(Abstention.NO_RULE)
    moved, subject = change["moved"], change["subject"]
    vague = "some money" if asked.money else "some"
    edit = TextEdit(change.start("number"), change.end("number"), (vague,))
    how = asked.how if not moved.startswith(" more") else f"How many more {asked.objects}"
    named = subject if re.match(NAME, subject) and subject not in ("He", "She", "They") else subject.lower()
    question = f"{how} did {named} {BASE[change['verb']]}{change['tail']}?"
    return _turned(source, asked, place, ([edit], question))


def _may_ask(source: SourceProblem, asked: AskedQuestion, change: re.Match[str]) -> bool:
    """Whether what changed is of the objects that are asked for, and nothing else changed in between."""
    said = change["moved"].split()
    same = (
        not asked.money
        and (not said or said[-1] in (asked.noun, "them", "more"))
        and not change["number"].startswith("$")
    )
    money = asked.money and not said and change["number"].startswith("$")
    vague = not said and not asked.money
    return (same or money) and not vague and change["verb"] not in _VAGUE_VERBS and " and " not in change["tail"]


def _turned(source: SourceProblem, asked: AskedQuestion, place: int, how: tuple[list[TextEdit], str]) -> VariationDraft:
    """The problem with a number that is asked for, and its answer told before the new question."""
    edits, question = how
    told = asked.stated()
    assert source.only is not None, "a problem without an expression has no question that is taken apart"
    unknown, right = source.only
    key, answer = key_of(place), source.values[unknown]
    if told is None or sum(node == Name(key) for node in walk(right)) != 1 or answer in (0, 1):
        raise AbstainedError(Abstention.NO_RULE)
    raw = written_like("1.00" if asked.money and answer.denominator != 1 else "1", answer)
    pieces: list[Piece] = [told[0], NewNumber(_RESULT, raw), f"{told[1]} {question}"]
    last = TextEdit(asked.start, len(source.text), tuple(pieces))
    if asked.condition:
        last = TextEdit(asked.start, len(source.text), (*as_sentence(source, asked.condition, edits), *pieces))
        edits = [edit for edit in edits if edit.start < asked.start]
    text, places = rewritten(source, [*edits, last])
    expression = isolated(right, key, Name(_RESULT))
    values = {**source.values, _RESULT: answer, unknown: source.values[key]}
    return VariationDraft(text, places, (Equation(Name(unknown), expression),), (unknown,), values)


def isolated(node: Node, key: str, other: Node) -> Node:
    """What a name is where ``node`` is ``other``; the name stands once in it, below ``+ - * /``.

    >>> isolated(Binary("-", Name("a"), Name("b")), "b", Name("c"))
    Binary(op='-', left=Name(name='a'), right=Name(name='c'))
    """
    if node == Name(key):
        return other
    if not isinstance(node, Binary) or node.op not in _LEFT:
        raise AbstainedError(Abstention.NO_RULE)
    if key in names_of(node.left):
        return isolated(node.left, key, Binary(_LEFT[node.op], other, node.right))
    if node.op in "-/":
        return isolated(node.right, key, Binary(node.op, node.left, other))
    return isolated(node.right, key, Binary(_LEFT[node.op], other, node.left))


_LEFT: Final = {"+": "-", "-": "+", "*": "/", "/": "*"}
