"""Clauses that talk about the asking and not about the problem: greetings, pleas, thanks, class and test talk."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from extractors.text.edits import MARKS, Edit, merged
from extractors.text.sentences import sentence_ends
from extractors.text.wordlists import read_list, words

_COMMON: Final = frozenset(words(read_list("extractors/chatter_words")))
_MARKS: Final = frozenset(words(read_list("extractors/chatter_marks")))
_WEAK_MARKS: Final = frozenset(words(read_list("extractors/school_chatter")))
_FIRST_PERSON: Final = frozenset(words("i i'm im i've ive i'd i'll my me we our us"))
_ASKING: Final = frozenset(["what", "what's", "whats", "who", "which", "when", "where", "whole"])
_SHOW_WORK: Final = re.compile(
    r"(?:and )?show(?:ing)?(?: me)?(?: (?:your|ur|the|all|all the|all your|my))* (?:works?|working|steps|solutions?)",
    re.I,
)
_DEADLINE: Final = re.compile(
    r"(?:(?:it['’]?s|this is|my|the|its) )?(?:due|(?:test|quiz|exam|homework|hw)(?: is)?(?: due)?) (?:in class )?"
    r"(?:on )?(?:tmrw|tomorrow|tommorow|tomorow|today|tonight|monday|tuesday|wednesday|thursday|friday)",
    re.I,
)
_TAKEN_OUT: Final = re.compile("|".join(re.escape(mark) for mark in MARKS.values()))
_GREETING: Final = frozenset(words(read_list("extractors/greetings")))
_TASK: Final = ("solv", "show", "explain", "answer")
_POINTS: Final = re.compile(
    r"(?:(?:i['’]?ll give|i will give|will give|giving|best answer(?: gets)?|first (?:right |correct )?answer(?: gets)?"
    r"|whoever (?:answers|solves|helps)[\w ]{0,30}(?:gets|wins|receives))[ ,:]{1,3})?(?:[0-9]{1,3}|ten|five)[ ]"
    r"(?:easy |free |extra )?(?:pts|points?|stars)(?:[ ](?:to|for|if)[ ](?:the |whoever |you |a |first |best |correct "
    r"|right |answers?|answering|me|us|helps?|solves?|explains?|person|who|this|it|fastest |good )*)?"
    r"|best answer (?:gets|goes to)[\w ,']{0,60}",
    re.I,
)
_POINTS_SURE: Final = re.compile(r"answer|whoever|easy|free|stars|!!|pts|giv(?:e|ing)", re.I)
_WORD: Final = re.compile(r"[A-Za-z'’]+")
_OTHER: Final = re.compile(r"[^A-Za-z'’\s,.!?:;()~*\-\"…]")
_CLAUSE_BORDER: Final = re.compile(r"[:;,]|[ ]-+[ ]|[()]")
_TAIL: Final = re.compile(
    r"(?<=[\w?.!)])[ ,]+(?:(?:please|pls|plz+|plss)[ ,]+(?:help|explain|show)"
    r"(?:[ ](?:me|us|out|with this|asap|the work|your work|work|steps|how))*"
    r"|help[ ]+(?:me|please|pls|plz+)(?:[ ](?:please|pls|plz+|asap|out|with this))*"
    r"|(?:thanks|thank you|thx|tysm)"
    r"(?:[ ](?:in advance|so much|a lot|alot|guys|very much|again|for (?:the|your|any) help))*)[ ]*[!.]*[ ]*\Z",
    re.I,
)


def chatter_edits(text: str) -> list[Edit]:
    """Takes out whole sentences of chatter, clauses of it at the edge of a sentence, and a plea that ends the text."""
    edits = [Edit(start, end, "") for start, end in _chatter_spans(text)]
    tail = _TAIL.search(text, max(0, len(text) - 120))
    if tail is not None:
        edits.append(Edit(tail.start(), tail.end(), ""))
    return merged(edits)


def _chatter_spans(text: str) -> Iterator[tuple[int, int]]:
    for start, end in pairwise([0, *sentence_ends(text)]):
        if is_chatter(text[start:end]):
            yield start, end - (text[end - 1] == "\n")
        else:
            yield from _edge_clauses(text, start, end)


def is_chatter(clause: str) -> bool:
    """Whether a clause is only about the asking.

    >>> is_chatter("Can someone please explain this?"), is_chatter("Please find the number."), is_chatter("10 points!!")
    (True, False, True)
    """
    if len(clause) > 300:
        return False
    rest = _TAKEN_OUT.sub(" ", clause) if "[" in clause else clause
    if rest != clause and not any(character.isalnum() for character in rest):
        return True  # a signature
    clause = rest
    bare = clause.strip(' \t\n.!?,;:()~*-"')
    if _POINTS.fullmatch(bare):
        return _POINTS_SURE.search(clause) is not None
    if _OTHER.search(clause):
        return False
    if _SHOW_WORK.fullmatch(bare) or _DEADLINE.fullmatch(bare):
        return True
    spoken = [word.strip("'").lower().replace("’", "'") for word in _WORD.findall(clause)]
    return _is_marked(spoken) and all(word in _COMMON for word in spoken)


def _is_marked(spoken: list[str]) -> bool:
    if any(word in _MARKS for word in spoken):
        return True
    personal = any(word in _FIRST_PERSON for word in spoken) and not any(word in _ASKING for word in spoken)
    return personal and any(word in _WEAK_MARKS for word in spoken)


def _edge_clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Chatter before the first border of a sentence ("Hi, ...", "Please help me with this: ...") or behind its last."""
    borders = list(_CLAUSE_BORDER.finditer(text, start, end))
    if not borders:
        return
    first, last = borders[0], borders[-1]
    head = text[start : first.start()]
    if first[0] not in {"(", ")"} and _is_edge(head, first[0]):
        yield start, first.end() + (text[first.end() : first.end() + 1] == " ")
    tail = text[last.end() : end]
    stop = end - len(tail) + len(tail.rstrip(".!?\n "))
    if last.start() > start and _is_edge(tail, last[0]):
        opened = text.rfind("(", start, last.start()) if last[0] == ")" else -1
        yield (last.start() if opened < 0 else last.end()), stop
    if last[0] == ")" and len(borders) > 1 and borders[-2][0] == "(":
        inner = text[borders[-2].end() : last.start()]
        if is_chatter(inner):
            yield borders[-2].start(), last.end()


def _is_edge(clause: str, border: str) -> bool:
    """At a comma a greeting, thanks or a plea has to mark the clause: "the teacher, ..." is a sentence's subject."""
    if not is_chatter(clause):
        return False
    spoken = [word.lower() for word in _WORD.findall(clause)]
    if border == ":":
        # "I need help solving: ..." holds the task.
        return not any(word.startswith(_TASK) for word in spoken)
    return any(word in _GREETING for word in spoken)
