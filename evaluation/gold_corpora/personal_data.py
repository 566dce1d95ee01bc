"""How much personal data is found, and how much maths is damaged, on lines of our own (``data/own/privacy.jsonl``)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from extractors.privacy.scrubbing import scrub
from extractors.text.edits import MARKS

FOUND, DAMAGED = 90.0, 0.5
"""What is asked, in percent: at least so much personal data found, at most so many lines of maths damaged."""
SHARED_TEXTS = {
    "gsm8k/threads.jsonl": ("question", "answers"),
    "realposts/posts.jsonl": ("question", "answers"),
    "aqua/aqua_dev.jsonl": ("question", "options", "rationale"),
    "mathqa/mathqa_dev_first2000.jsonl": ("Problem", "Rationale"),
}
"""Files of the shared folder without personal data, and the fields that hold their texts."""


@dataclass(frozen=True)
class PersonalLine:
    """A line with its personal data as (start, end, kind); one of maths has none."""

    id: str
    part: str
    text: str
    spans: tuple[tuple[int, int, str], ...]


def privacy(path: Path, shared: Path) -> ReadingReport:
    """The table over the lines of a file, by part, and over the texts of the shared folder if it is there.

    Of the lines it says how much personal data was found, by kind, and how many lines of maths were changed; of the
    shared texts, which hold no personal data, how many were changed.
    """
    lines = [
        PersonalLine(
            row["id"], row["part"], row["text"], tuple((start, end, kind) for start, end, kind in row["spans"])
        )
        for row in read_lines(path)
    ]
    parts = sorted({line.part for line in lines})
    judged = {part: [(line, left_of(line)) for line in lines if line.part == part] for part in parts}
    return ReadingReport(
        "wordquarry quality privacy",
        "Personal data is found if none of its letters and digits is left; maths is damaged if anything is replaced.",
        (*(share for part in parts for share in _shares(part, judged[part])), *_shared(shared)),
        tuple(failure for part in parts for failure in _failures(judged[part])),
    )


def _shared(folder: Path) -> Iterator[Share]:
    """Texts of the shared threads and questions that were left whole."""
    for name, fields in SHARED_TEXTS.items():
        if (folder / name).is_file():
            rows = read_lines(folder / name)
            texts = [text for row in rows for field in fields for text in _texts(row.get(field)) if text.strip()]
            whole = [not scrub(text).total for text in texts]
            yield Share(f"{name}: texts left whole", Proportion.of(whole), 100 - DAMAGED)


def _texts(value: object) -> list[str]:
    """The texts in a field: itself, or those of the answers or choices in it."""
    if isinstance(value, list):
        return [text for part in value for text in _texts(part["text"] if isinstance(part, dict) else part)]
    return [value] if isinstance(value, str) else []


def left_of(line: PersonalLine) -> tuple[tuple[bool, ...], bool]:
    """Of each span whether it is gone, and whether anything else went.

    >>> left_of(PersonalLine("1", "a", "call 555-123-4567 now", ((5, 17, "phones"),)))
    ((True,), False)
    >>> left_of(PersonalLine("2", "a", "Ann: call 555-123-4567", ()))
    ((), True)
    """
    kept = _kept(line.text, scrub(line.text).text)
    inside = {place for start, end, _ in line.spans for place in range(start, end)}
    gone = tuple(
        not any(kept[place] for place in range(start, end) if line.text[place].isalnum())
        for start, end, _ in line.spans
    )
    beside = any(not here and place not in inside and line.text[place].isalnum() for place, here in enumerate(kept))
    return gone, beside


def _kept(text: str, scrubbed: str) -> list[bool]:
    """Of each character whether it is still there: what stands between the marks stands in the text, in its order."""
    pieces = re.split("|".join(map(re.escape, MARKS.values())), scrubbed)
    whole = re.fullmatch("(.+?)".join(map(re.escape, pieces)), text, re.DOTALL)
    assert whole is not None, "scrubbing changed more than it replaced"
    kept = [True] * len(text)
    for number in range(1, len(pieces)):
        start, end = whole.span(number)
        kept[start:end] = [False] * (end - start)
    return kept


JudgedLines = Sequence[tuple[PersonalLine, tuple[tuple[bool, ...], bool]]]


def _shares(part: str, judged: JudgedLines) -> Iterator[Share]:
    spans = [(kind, gone) for line, (found, _) in judged for (_, _, kind), gone in zip(line.spans, found, strict=True)]
    yield Share(f"{part}: personal data found", Proportion.of([gone for _, gone in spans]), FOUND)
    for kind in MARKS:
        yield Share(f"{part}: {kind}", Proportion.of([gone for named, gone in spans if named == kind]))
    maths = [not beside for line, (_, beside) in judged if not line.spans]
    yield Share(f"{part}: lines of maths left whole", Proportion.of(maths), 100 - DAMAGED)
    around = [not beside for line, (_, beside) in judged if line.spans]
    yield Share(f"{part}: lines with personal data of which nothing else went", Proportion.of(around))


def _failures(judged: JudgedLines) -> Iterator[Failure]:
    for line, (found, beside) in judged:
        for (start, end, kind), gone in zip(line.spans, found, strict=True):
            if not gone:
                yield Failure(line.id, f"{kind} left", line.text[start:end])
        if beside:
            yield Failure(line.id, "something else went" if line.spans else "maths damaged", line.text)
