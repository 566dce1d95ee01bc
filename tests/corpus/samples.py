"""Records to store, written by hand, and small helpers the corpus tests share."""

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus.canonical import set_digest
from corpus.folders.files import Folder
from corpus.folders.local_files import TEMPORARY
from corpus.records import (
    Answer,
    CleaningEdit,
    CleaningStep,
    Post,
    Problem,
    Provenance,
    Record,
    SlotAlignment,
    SourceAnswer,
    SourcePost,
    SplitName,
    TextSpan,
    TextualNumber,
)
from corpus.schema import ROW_GROUP, RecordT, record_table, table_bytes
from corpus.versioning.release import BesideStreams, Release
from corpus.versioning.row_groups import by_appearance

_memory = itertools.count()
FUNNEL = [{"stage": "clean", "in": 9, "kept": 8, "dropped": {"no_answers": 1}, "content": "0" * 64}]


def memory_folder() -> Folder:
    """A fresh folder on fsspec's filesystem in memory, which behaves like an object store."""
    return Folder.at(f"memory://corpus-{next(_memory)}")


def post(native: str, question: str = "How old is Ann?", at: int | str | None = None) -> Post:
    """A post of source ``forum``; a whole number as time is a second of one minute."""
    when = f"2024-05-01T10:00:{at:02d}Z" if isinstance(at, int) else at
    return Post(
        post_id=f"forum:{native}",
        source="forum",
        retrieved_at=when,
        question=question,
        answers=(
            Answer(answer_id="1", text="x + 2 = 9 so x = 7", is_best=True, score=-3),
            Answer(answer_id="2", text=""),
        ),
        tags=("algebra", "ages"),
    )


def problem(number: int, split: SplitName = "train", *, full: bool = True) -> Problem:
    """A problem with every nested column filled, or, if not ``full``, with every nullable one empty."""
    span = TextSpan(answer_id="1", start=0, end=9, raw="x + 2 = 9")
    solutions = (("7", "7/2"), ("-7", "1.41421356237310"))
    question = f"Ann is {number} years older than ½ of Bob’s age, 7. How old is she?"
    seven = question.index("7.")
    span_of_seven = {"start": seven, "end": seven + 1}
    return Problem(
        problem_id=f"p{number:04d}",
        post_id=f"forum:{number}",
        url=f"https://forum.example/{number}" if full else None,
        license="CC-BY-SA-4.0" if full else None,
        attribution="a member of forum.example" if full else None,
        question=question,
        cleaning_steps=(CleaningStep(name="chatter", edits=(CleaningEdit(start=0, end=6, replacement=""),)),)
        if full
        else (),
        numbers=(
            TextualNumber(
                value="7", start=seven, end=seven + 1, raw="7", kind="digits", unit=None if full else "years"
            ),
        ),
        topic="ages" if full else None,
        answer="7/2 and 9",
        answer_exact=("7/2", "9"),
        answer_values=(3.5, 9.0) if full else None,
        solution="x + 2 = 9, so x is 7 or so" if full else None,
        confidence=0.75 if full else None,
        answer_dim=2,
        answer_confidence=0.875,
        answer_spans=(span,) if full else (),
        equations=("x + 2 = 9",) if full else None,
        unknowns=("x", "y") if full else (),
        solutions=solutions if full else (),
        solution_values=((7.0, 3.5), (-7.0, 1.4142135623731)) if full else (),
        votes=("1", "2") if full else (),
        n_votes=2 if full else 0,
        equation_spans=(span, span) if full else (),
        agreement="confirmed",
        template=("a + n1 = n2",) if full else None,
        template_id="t1" if full else None,
        alignment=(SlotAlignment(slot="n1", value="7", **span_of_seven),) if full else (),
        equivalent_numbers=((0, 1), ()) if full else (),
        ambiguous=False,
        linear=True if full else None,
        lexicon_diversity=0.5,
        nearest_id="forum:1" if full else None,
        split=split,
    )


def problems() -> list[Problem]:
    """Eleven problems over the three splits."""
    splits: tuple[SplitName, ...] = ("train",) * 7 + ("validation",) * 2 + ("test",) * 2
    return [problem(number, split, full=number % 3 != 2) for number, split in enumerate(splits)]


def every_field(row: Record) -> dict[str, None]:
    """None for each field of a record, for those that are only written where they hold something."""
    return dict.fromkeys(type(row).model_fields)


def release(
    name: str = "demo",
    title: str = "A demo",
    *,
    rows: Sequence[Problem] | None = None,
    provenance: Sequence[Provenance] = (),
    posts: Sequence[SourcePost] | None = None,
    answers: Sequence[SourceAnswer] | None = None,
    **making: object,
) -> Release:
    """The release of ``problems()`` or other rows, with what the former point into."""
    held = problems() if rows is None else rows
    asked = [source_post(row) for row in problems()] if posts is None else posts
    said = [answer for row in problems() for answer in source_answers(row)] if answers is None else answers
    made: Any = {"funnel": FUNNEL, "snapshot": "s1", **making}

    def beside() -> BesideStreams:
        kinds = ((provenance, Provenance), (asked, SourcePost), (said, SourceAnswer))
        return BesideStreams(*(iter((record_table(some, kind),)) for some, kind in kinds))

    return Release(
        name, title, made, set_digest(held), lambda: iter([by_appearance(record_table(held, Problem))]), beside
    )


def bare_release(rows: Sequence[Problem], name: str = "demo") -> Release:
    """The release of some rows with nothing beside them."""
    return release(name, rows=rows, posts=(), answers=())


def source_post(row: Problem) -> SourcePost:
    """The posted question of a problem: its cleaning took six characters from the beginning, if it has any."""
    terms = {"url": row.url, "license": row.license, "attribution": row.attribution}
    question = ("Help! " if row.cleaning_steps else "") + row.question
    return SourcePost(problem_id=row.problem_id, post_id=row.post_id, question=question, **terms)


def source_answers(row: Problem) -> list[SourceAnswer]:
    """The answers that a problem rests on, its spans in the first of them."""
    terms = {"url": row.url, "license": row.license, "attribution": row.attribution}
    ids = {"problem_id": row.problem_id, "post_id": row.post_id}
    texts = {"1": "x + 2 = 9, so x is 7 or so", "2": "it is 7"}
    likes: dict[str, dict[str, Any]] = {"1": {"is_best": True, "score": -3}, "2": {"is_best": False, "score": None}}
    return [SourceAnswer(**ids, answer_id=vote, text=texts[vote], **terms, **likes[vote]) for vote in row.votes]


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder, leftovers included, with its digest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def leftovers(folder: Path) -> list[str]:
    """Temporaries below a folder."""
    return sorted(path.name for path in folder.rglob(f"{TEMPORARY}*"))


def parquet_bytes(rows: Sequence[RecordT], kind: type[RecordT], group: int = ROW_GROUP) -> bytes:
    """Parquet of records, as stage outputs hold it."""
    return table_bytes(record_table(rows, kind), kind, group)
