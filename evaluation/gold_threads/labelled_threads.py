"""Labelled threads of the shared sources, as the answer model sees them: texts without authors, and the gold answer.

Real posts have their site for an author, so that a fold never holds a site that it was fitted on; the posts of Yahoo!
Answers are one source, in which folds are taken by post.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from corpus.errors import InputError
from corpus.lines.jsonl import file_objects
from corpus.records import Label, ScopeOutcome
from extractors.answers.parsing import parse_answer
from extractors.extraction_errors import ExtractionError
from extractors.text.cleaning import clean_question
from models.label_split import LabelledThread

_UNITS: Final = r"(?:[A-Za-z²³.%/]{1,20}[ ]{0,2}){0,4}"
_NUMERIC: Final = re.compile(
    rf"(?:[A-Za-z]{{1,3}}\.?[ ]?|[$€£][ ]?)?-?[ ]?[$]?(?:[0-9][0-9,]*(?:\.[0-9]+)?|\.[0-9]+)(?:[ ]?/[ ]?[0-9]+)?"
    rf"[ ]{{0,2}}(?:[$%°\"]|{_UNITS})\.?"
)
_ANNOUNCED: Final = re.compile(
    r"\b(?:(?:so|hence|thus|therefore|the|and|our|is|correct|right|final)[ ]){0,4}(?:answers?|ans|options?|choices?)\b"
    r"(?:\s|is|are|will be|must be|should be|option|choice|[:=.,*–-]){0,6}[(\[\"']?\b[A-E]\b[)\]\"'.]*(?!\s?[=+*/^-])",
    re.IGNORECASE,
)
_CLOSING_LETTER: Final = re.compile(
    r"\([ ]?[A-E][ ]?\)[ ]?\.?[ ]*$|\b[A-E] is (?:the )?(?:correct|right)? ?(?:answer|option|choice)|"
    r"(?<![+*/=^-])(?<![+*/=^-] )\b[A-E][).]?[ ]*$",
    re.MULTILINE,
)


def without_option_letters(text: str) -> str:
    """A rationale without the words that name the option.

    >>> without_option_letters("so x = 7 km. The answer is B."), without_option_letters("4 + 3 = 7\\nANSWER:C")
    ('so x = 7 km.', '4 + 3 = 7')
    """
    return _CLOSING_LETTER.sub(" ", _ANNOUNCED.sub(" ", text)).strip()


def _thread(
    post_id: str, question: str, answers: list[str], gold: list[str], home: tuple[str, str] = ("", "")
) -> LabelledThread:
    label = Label(
        post_id=post_id,
        in_scope=True,
        scope_reason=ScopeOutcome.OK,
        gold_answer=tuple(gold),
        author=home[0],
        family=home[1],
    )
    return LabelledThread(post_id, clean_question(question).text, tuple(answers), label)


def _texts(record: dict[str, Any]) -> list[str]:
    return [str(answer["text"]) for answer in record["answers"]]


def gsm8k_threads(folder: Path) -> list[LabelledThread]:
    """The GSM8K threads with four answers each; InputError for a record that is not one."""

    def read(record: dict[str, Any]) -> LabelledThread:
        gold = str(record["gold_answer"]).replace(",", "")
        return _thread(f"gsm8k:{record['id']}", record["question"], _texts(record), [gold])

    return [_read(where, record, read) for where, record in file_objects(folder / "gsm8k" / "threads.jsonl")]


def _read(where: str, record: dict[str, Any], read: Any) -> Any:
    try:
        return read(record)
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{where}: not a labelled thread of this source ({error!r})") from error


def aqua_threads(folder: Path) -> list[LabelledThread]:
    """The AQuA rationales whose keyed option is one number, as threads with a single answer.

    The words that name the option are taken out of the rationale, as they would give the answer away.
    """
    found = (_read(where, row, _rationale) for where, row in file_objects(folder / "aqua" / "aqua_dev.jsonl"))
    return [thread for thread in found if thread is not None]


def _rationale(record: dict[str, Any]) -> LabelledThread | None:
    keyed = next(option[2:] for option in record["options"] if option.startswith(f"{record['correct']})")).strip()
    if _NUMERIC.fullmatch(keyed) is None:
        return None
    try:
        values = parse_answer(keyed)[0]
    except (ExtractionError, IndexError):
        return None
    text = without_option_letters(record["rationale"])
    return _thread(f"aqua:{record['id']}", record["question"], [text], [str(value) for value in values])


YAHOO: Final = "yahoo"
REAL_SETS: Final = {"A": "posts.jsonl", "B": "posts_b.jsonl", "D": "posts_d.jsonl"}
"""The sets of real posts by the order in which they came. D is for machines: nobody reads its posts or failures."""
READABLE: Final = ("A", "B")
_OUTCOMES: Final = {
    "general_question": ScopeOutcome.GENERAL,
    "college_level": ScopeOutcome.COLLEGE,
    "several_problems": ScopeOutcome.MULTIPLE,
    "not_numeric": ScopeOutcome.GENERAL,
}
"""Reasons that later sets name otherwise; a problem whose answer is no number asks for something else."""


def _site(record: dict[str, Any]) -> str:
    """The site of a real post that is a page; none for a post of Yahoo! Answers."""
    return "" if record["layer"].startswith(YAHOO) else str(record["site"])


def real_threads(folder: Path, sets: Iterable[str] = REAL_SETS) -> list[LabelledThread]:
    """The real posts in scope with a numeric answer; the set is the ``family`` of a label."""
    return _answered(folder, sets, lambda record: record["in_scope"] and record["answer_kind"] == "numeric")


def real_systems(folder: Path, sets: Iterable[str] = REAL_SETS) -> list[LabelledThread]:
    """The real posts with a numeric answer, for the system model: those whose question was lost, too."""
    return _answered(folder, sets, lambda record: record["gold_answer"])


def _answered(folder: Path, sets: Iterable[str], wanted: Callable[[dict[str, Any]], object]) -> list[LabelledThread]:
    def read(record: dict[str, Any], name: str) -> LabelledThread | None:
        if not record["answers"] or not wanted(record):
            return None
        home = (_site(record), name)
        return _thread(f"real:{record['id']}", record["question"] or "", _texts(record), record["gold_answer"], home)

    return _real(folder, sets, read)


def real_posts(folder: Path, sets: Iterable[str] = REAL_SETS) -> list[LabelledThread]:
    """The real posts that hold a question, each with its scope."""

    def read(record: dict[str, Any], name: str) -> LabelledThread | None:
        if not record["question"]:
            return None
        said = record["scope_reason"]
        reason = _OUTCOMES[said] if said in _OUTCOMES else ScopeOutcome(said)
        label = Label(
            post_id=f"real:{record['id']}",
            in_scope=reason is ScopeOutcome.OK,
            scope_reason=reason,
            author=_site(record),
            family=name,
        )
        return LabelledThread(label.post_id, clean_question(record["question"]).text, tuple(_texts(record)), label)

    return _real(folder, sets, read)


def _real(
    folder: Path, sets: Iterable[str], read: Callable[[dict[str, Any], str], LabelledThread | None]
) -> list[LabelledThread]:
    found = []
    for name in sets:
        for where, row in file_objects(folder / "realposts" / REAL_SETS[name]):
            found.append(_read(where, row, lambda record, of=name: read(record, of)))
    return [thread for thread in found if thread is not None]


def authored_threads(path: Path) -> list[LabelledThread]:
    """Threads of our own with a gold answer (``data/own/threads.jsonl``)."""

    def read(record: dict[str, Any]) -> LabelledThread | None:
        gold = record["gold_answer"]
        return _thread(f"own:{record['id']}", record["question"] or "", _texts(record), gold) if gold else None

    found = (_read(where, row, read) for where, row in file_objects(path))
    return [thread for thread in found if thread is not None]
