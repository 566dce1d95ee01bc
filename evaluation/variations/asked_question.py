"""The question of an arithmetic problem taken apart, so that it can be stated, or asked otherwise.

``How many pens does Ann have left?`` has the objects ``pens``, the auxiliary ``does``, the subject ``Ann``, the verb
``have`` and the tail ``left``. Questions of other forms are left alone.
"""

import re
from dataclasses import dataclass
from typing import Final

from evaluation.variations.source_problem import SourceProblem
from extractors.text.wordlists import words

NAME: Final = r"(?:Mrs\. |Mr\. |Miss )?[A-Z][a-z]+"
OBJECTS: Final = r"(?:(?!more\b|total\b|of\b|other\b|additional\b|extra\b|less\b|fewer\b)[a-z-]+ ){0,2}[a-z-]{2,}s"
SUBJECT: Final = rf"(?:{NAME}(?: and {NAME})?|he|she|they|the [a-z]+)"
BASE: Final = {
    "lost": "lose", "gave": "give", "ate": "eat", "sold": "sell", "used": "use", "broke": "break", "took": "take",
    "found": "find", "bought": "buy", "got": "get", "picked": "pick", "received": "receive", "made": "make",
    "baked": "bake", "collected": "collect", "donated": "donate", "threw": "throw", "returned": "return",
    "sent": "send", "popped": "pop", "deleted": "delete", "traded": "trade", "planted": "plant", "cut": "cut",
    "caught": "catch", "dropped": "drop", "removed": "remove", "had": "have", "won": "win", "saw": "see",
    "drew": "draw", "brought": "bring", "bakes": "bake", "spent": "spend", "earned": "earn", "added": "add",
    "put": "put", "gathered": "gather", "harvested": "harvest", "sliced": "slice", "mailed": "mail",
}  # fmt: skip
"""Verbs in the past, and how they are asked with."""
PAST: Final = {base: past for past, base in BASE.items() if past != "bakes"}
"""Verbs as they are asked with, and their past."""
_NO_OBJECTS: Final = frozenset(
    words(
        "dollars cents pounds miles years hours minutes days weeks months feet inches meters times tons gallons liters "
        "grams kilograms degrees acres ounces yards points lbs pages levels classes groups"
    )
)
_TAIL: Final = r"(?P<tail>(?: [a-z']+){0,6})"
_ASKED: Final = re.compile(
    rf"(?:If (?P<condition>[^?]{{6,160}}?), h|H)ow (?:many (?P<objects>{OBJECTS})|much (?P<money>money)) "
    rf"(?:(?P<aux>does|do|did) (?P<subject>{SUBJECT}) (?P<verb>[a-z]+)|(?P<be>are|were)(?P<there> there)?){_TAIL} ?\?"
)
TOTALS: Final = frozenset({"in all", "altogether", "in total", "total", "all together", "together", "combined"})
LEFT: Final = frozenset({"left", "now", "left now", "still", "then"})


@dataclass(frozen=True)
class AskedQuestion:
    """The question in the last sentence; ``condition`` are the places of what stands behind its "If"."""

    start: int
    condition: tuple[int, int] | None
    objects: str
    auxiliary: str
    subject: str
    verb: str
    tail: str

    @property
    def money(self) -> bool:
        """Whether it asks how much money."""
        return self.objects == "money"

    @property
    def owner(self) -> str:
        """The subject at the beginning of a sentence."""
        return self.subject[:1].upper() + self.subject[1:]

    @property
    def has(self) -> str:
        """What the owner does where it is told what there is."""
        return {"does": "has", "did": "had"}.get(self.auxiliary, "have")

    @property
    def how(self) -> str:
        """Its first words."""
        return "How much money" if self.money else f"How many {self.objects}"

    @property
    def noun(self) -> str:
        """The last word of the objects."""
        return self.objects.split()[-1]

    def again(self, how: str, tail: str) -> str:
        """The same question with other first words and another tail.

        >>> AskedQuestion(0, None, "pens", "does", "Ann", "have", "left").again("How many cups", "now")
        'How many cups does Ann have now?'
        """
        there = "were there" if self.auxiliary == "were" else "are there"
        verb = f"{self.auxiliary} {self.subject} {self.verb}" if self.subject else there
        return f"{how} {verb}{' ' + tail if tail else ''}?"

    def stated(self) -> tuple[str, str] | None:
        """What stands before and behind the number where the question is told; None for a verb that is not known."""
        tail = re.sub(r"\A total\b", " in total", f" {self.tail}" if self.tail else "")
        behind = f"{tail}." if self.money else f" {self.objects}{tail}."
        dollar = "$" if self.money else ""
        if not self.subject:
            return f"There {self.auxiliary} {dollar}", behind
        if self.verb == "have":
            return f"{self.owner} {self.has} {dollar}", behind
        past = PAST.get(self.verb)
        return None if past is None or self.auxiliary != "did" else (f"{self.owner} {past} {dollar}", behind)


def asked_of(source: SourceProblem) -> AskedQuestion | None:
    """The question of a problem with one unknown and one question, if it is of the forms that are known."""
    spans = source.sentences
    if source.expression is None or len(source.asked) != 1 or len(spans) < 2 or source.text.count("?") != 1:
        return None
    start, end = spans[-1]
    found = _ASKED.fullmatch(source.text, start, end)
    if found is None or (found["objects"] and found["objects"].split()[-1] in _NO_OBJECTS):
        return None
    if any(found.start("objects" if found["objects"] else "money") <= n.start for n in source.numbers):
        return None
    if any(source.text.startswith("If ", first) for first, _ in spans[:-1]) or re.search(r"\bI\b", source.text):
        return None
    tail, verb = found["tail"].strip(), found["verb"] or ("be" if found["there"] or found["tail"].strip() else "")
    if not verb or tail.startswith("to ") or re.search(r"\b(?:if|each|every|than|per|more|and|or)\b", tail):
        return None
    condition = found.span("condition") if found["condition"] else None
    auxiliary, subject = found["aux"] or found["be"], found["subject"] or ""
    return AskedQuestion(start, condition, found["objects"] or "money", auxiliary, subject, verb, tail)
