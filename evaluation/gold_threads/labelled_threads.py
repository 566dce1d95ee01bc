"""Labelled threads of the shared sources, as the answer model sees them: texts without authors, and the gold answer.

Real posts have their site for an author, so that a fold never holds a site that it was fitted on; the posts of Yahoo!
Answers are one source, in which folds are taken by post.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from corpus.errors import InputError
from corpus.jsonl import file_objects
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


def _thread(post_id: str, question: str, answers: list[str], gold: list[str], site: str = "") -> LabelledThread:
    label = Label(post_id=post_id, in_scope=True, scope_reason=ScopeOutcome.OK, gold_answer=tuple(gold), author=site)
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


YAHOO: Final = "yahoo_raw"


def _site(record: dict[str, Any]) -> str:
    """The site of a real post that is a page; none for a post of Yahoo! Answers."""
    return "" if record["layer"] == YAHOO else str(record["site"])


def real_threads(folder: Path) -> list[LabelledThread]:
    """The real posts in scope with a numeric answer."""

    def read(record: dict[str, Any]) -> LabelledThread | None:
        if not record["in_scope"] or record["answer_kind"] != "numeric":
            return None
        question = record["question"] or ""
        return _thread(f"real:{record['id']}", question, _texts(record), record["gold_answer"], _site(record))

    return _real(folder, read)


def real_systems(folder: Path) -> list[LabelledThread]:
    """The real posts with a numeric answer, for the system model: those whose question was lost, too."""

    def read(record: dict[str, Any]) -> LabelledThread | None:
        if not record["gold_answer"]:
            return None
        name = f"real:{record['id']}"
        return _thread(name, record["question"] or "", _texts(record), record["gold_answer"], _site(record))

    return _real(folder, read)


def real_posts(folder: Path) -> list[LabelledThread]:
    """The real posts that hold a question, each with its scope."""

    def read(record: dict[str, Any]) -> LabelledThread | None:
        if not record["question"]:
            return None
        reason = ScopeOutcome(record["scope_reason"])
        name, site = f"real:{record['id']}", _site(record)
        label = Label(post_id=name, in_scope=reason is ScopeOutcome.OK, scope_reason=reason, author=site)
        return LabelledThread(name, clean_question(record["question"]).text, tuple(_texts(record)), label)

    return _real(folder, read)


def _real(folder: Path, read: Callable[[dict[str, Any]], LabelledThread | None]) -> list[LabelledThread]:
    found = (_read(where, row, read) for where, row in file_objects(folder / "realposts" / "posts.jsonl"))
    return [thread for thread in found if thread is not None]


def authored_threads(path: Path) -> list[LabelledThread]:
    """Threads of our own with a gold answer (``data/own/threads.jsonl``)."""

    def read(record: dict[str, Any]) -> LabelledThread | None:
        gold = record["gold_answer"]
        return _thread(f"own:{record['id']}", record["question"] or "", _texts(record), gold) if gold else None

    found = (_read(where, row, read) for where, row in file_objects(path))
    return [thread for thread in found if thread is not None]
