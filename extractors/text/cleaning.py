"""The question without what is no part of the problem, in named steps that can be replayed.

Precision first: a clause goes only if every word of it belongs to the closed vocabulary of chatter (FIELD_GUIDE,
"Chatter") and it holds a word that marks chatter; a digit, a formula or a word of content keeps it. Of a title that
the body repeats, or a text that stands twice, one copy stays.

Chatter talks about the asking and not about the problem: greetings, pleas, thanks, class and test talk.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from extractors.extraction_errors import MAX_TEXT
from extractors.text.edits import MARKS, Edit, apply_edits, merged
from extractors.text.markup import entity_edits, newline_edits, tag_edits, write_edits
from extractors.text.sentences import sentence_ends
from extractors.text.wordlists import holds_any, read_list, words

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


_BORDER: Final = re.compile(r"\n|[?!]+[ ]|\.{2,}[ ]?|\.[ ]|…[ ]?")
_MAX_BORDERS: Final = 6
_MAX_TITLE: Final = 300
_SHORTEST: Final = 10


class _Bare(dict[int, str | None]):
    """A table for ``str.translate``: letters and digits folded to one character each, operators, and nothing else."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        self[code] = char.casefold()[:1] if char.isalnum() or char in "=+*/^<>-$%" else None
        return self[code]


_BARE: Final = _Bare()


def repeat_edits(text: str) -> list[Edit]:
    """Removes the first copy where the text after a border begins with it again.

    Copies are compared by letters, digits and operators only; the second copy is kept, because a title may be cut.
    """
    bare = text.translate(_BARE)
    if bare.find(bare[:_SHORTEST], _SHORTEST) < 0:
        return []
    half, odd = divmod(len(bare), 2)
    if not odd and half >= _SHORTEST and bare[:half] == bare[half:]:
        kept = [index for index, char in enumerate(text) if _BARE[ord(char)] is not None]
        if not text[kept[half - 1] + 1].isalnum():
            return [Edit(0, kept[half], "")]
    for border in islice(_BORDER.finditer(text, 0, _MAX_TITLE), _MAX_BORDERS):
        position = len(text[: border.start()].translate(_BARE))
        if position >= _SHORTEST and bare.startswith(bare[:position], position):
            return [Edit(0, border.end(), "")]
    return []


@dataclass(frozen=True, slots=True)
class Step:
    """One named cleaning step; its edits refer to the text before it, are disjoint and in ascending order."""

    name: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A cleaned text with the steps that made it."""

    text: str
    steps: tuple[Step, ...]


_INVISIBLE: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|\r\n?|[\u2028\u2029\x85]"
)
_SPACES: Final = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]")
_BOILERPLATE: Final = re.compile(
    r"You can put this solution on YOUR website!?|\(Show Source\):?"
    r"|(?:^|(?<=\s))Answer by [\w.-]{1,40}\([0-9]{1,6}\)[ ]?:?"
    r"|Found [0-9]{1,2} solutions? by [^\n:]{1,200}:|^[ \t]*Question [0-9]{4,9}[ ]?:|^[ \t]*SOLUTION:|^\(URL\)[ ]"
    r"|^[ \t]*(?:Similar questions|Related questions|Report (?:abuse|this)|Add (?:your )?answer"
    r"|Log in to (?:reply|answer)|Sign up)[ \t]*$"
    r"|^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9:]{4,6})?[ \t]*$",
    re.M,
)
_BOILERPLATE_CUES: Final = (
    "You can put this", "(Show Source)", "Answer by ", "Found ", "Question ", "SOLUTION:", "(URL)",
    "Similar questions", "Related questions", "Report ", "Add ", "Log in to", "Sign up",
)  # fmt: skip
"""What stands in a text with boilerplate, but for stamps of time."""
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s<>\"]++")
_NUMBERING: Final = re.compile(
    r"\A\s{0,20}(?:#{1,4}[ \t]+"
    r"|(?:(?:question|problem|exercise|ex|q|no)\.?[ ]?)?#?[ ]?[0-9]{1,3}[ ]?(?:[):]|\.\)?)[ \t]+(?=[A-Za-z\"']))",
    re.I,
)
_OTHER_ITEM: Final = re.compile(r"(?:\n|[?.!][ ])[ \t]{0,20}#?[0-9]{1,3}[ ]?[).][ \t]")
# Question marks between a digit and a bracket may be a lost degree sign: cos(45??).
_EMPHASIS: Final = re.compile(r"(?<![?!])[?!]{2,}+(?=\s|\Z)|(?<![0-9?!])[?!]{2,}+")
_EMOTICON: Final = re.compile(r"(?<!\S)(?:[:;=]-?[)(DPp/|]|<3|\^_\^|xD|XD)(?=\s|\Z)")
_BLANKS: Final = re.compile(r"\A\s+|[ ]*+\n[ \n]*+|[ ]{2,}+|(?<!\s)\s+\Z")


def clean_question(text: str) -> Cleaned:
    """The question as a problem statement, with the steps that lead there; total, never raises.

    A text that would lose all its words keeps them; one of more than ``MAX_TEXT`` characters is left as it is.

    >>> clean_question("HELP ME PLEASE!! Ann has 5 pens\\\\nand buys 2. How many now?? thanks in advance :)").text
    'Ann has 5 pens\\nand buys 2. How many now?'
    """
    steps: list[Step] = []
    if len(text) > MAX_TEXT:
        return Cleaned(text, ())
    for name, find in _STEPS:
        edits = tuple(edit for edit in find(text) if text[edit.start : edit.end] != edit.replacement)
        if not edits:
            continue
        changed = apply_edits(text, edits)
        if changed == text or (not _has_words(changed) and _has_words(text)):
            continue
        steps.append(Step(name, edits))
        text = changed
    return Cleaned(text, tuple(steps))


def apply_steps(text: str, steps: Iterable[Step]) -> str:
    """Replays cleaning steps: ``apply_steps(raw, clean_question(raw).steps) == clean_question(raw).text``."""
    for step in steps:
        text = apply_edits(text, step.edits)
    return text


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _removed(pattern: re.Pattern[str], replacement: str = "") -> Callable[[str], list[Edit]]:
    return lambda text: [Edit(m.start(), m.end(), replacement) for m in pattern.finditer(text)]


def _boilerplate(text: str) -> list[Edit]:
    may_be = holds_any(text, _BOILERPLATE_CUES) or ("T" in text and text.count("-") > 1)
    return _removed(_BOILERPLATE)(text) if may_be else []


def _invisible(text: str) -> list[Edit]:
    edits = [
        Edit(m.start(), m.end(), "\n" if m[0][0] in "\r\u2028\u2029\x85" else "") for m in _INVISIBLE.finditer(text)
    ]
    return merged([*edits, *(Edit(m.start(), m.end(), " ") for m in _SPACES.finditer(text))])


def _emphasis(text: str) -> list[Edit]:
    """Runs of marks become one: a question stays a question."""
    if not holds_any(text, ("??", "!!", "?!", "!?")):
        return []
    return [Edit(m.start(), m.end(), "?" if "?" in m[0] else "!") for m in _EMPHASIS.finditer(text)]


def _numbering(text: str) -> list[Edit]:
    """The number of a single problem; a list of several keeps its marks."""
    match = _NUMBERING.match(text)
    if match is None or _OTHER_ITEM.search(text, match.end()):
        return []
    return [Edit(match.start(), match.end(), "")]


def _blanks(text: str) -> list[Edit]:
    edits = []
    for match in _BLANKS.finditer(text):
        raw = match[0]
        if match.start() == 0 or match.end() == len(text):
            plain = ""
        elif "\n" in raw:
            plain = "\n\n" if raw.count("\n") > 1 else "\n"
        elif raw == "  " and _stood_minus(text, match):
            continue
        else:
            plain = " "
        edits.append(Edit(match.start(), match.end(), plain))
    return edits


def _stood_minus(text: str, match: re.Match[str]) -> bool:
    """Old pages lost the minus and kept its two blanks: "45  9 = 36"."""
    before, after = text[match.start() - 1], text[match.end()]
    return (before.isalnum() or before == ")") and (after.isdigit() or after == "(" or before.isdigit())


_FindEdits = Callable[[str], Sequence[Edit]]
_STEPS: Final[tuple[tuple[str, _FindEdits], ...]] = (
    ("document_write", lambda text: list(write_edits(text)) if "document.write" in text else []),
    ("line_breaks", lambda text: newline_edits(text) if "\\" in text else []),
    ("entities", lambda text: entity_edits(text) if "&" in text else []),
    ("markup", lambda text: tag_edits(text) if "<" in text else []),
    ("invisible", _invisible),
    ("boilerplate", _boilerplate),
    ("addresses", lambda text: _removed(_ADDRESS)(text) if "://" in text or "www." in text else []),
    ("repeated_title", repeat_edits),
    ("chatter", chatter_edits),
    ("emoticons", _removed(_EMOTICON)),
    ("numbering", _numbering),
    ("emphasis", _emphasis),
    ("whitespace", lambda text: _blanks(text) if "\n" in text or "  " in text or text != text.strip() else []),
)
