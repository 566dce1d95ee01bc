"""Records to store, written by hand, and small helpers the corpus tests share."""

import hashlib
import itertools
from pathlib import Path

from corpus.files import Folder
from corpus.local_files import TEMPORARY
from corpus.records import (
    Answer,
    Assignment,
    CleaningEdit,
    CleaningStep,
    NumberGroup,
    Post,
    Problem,
    SlotAlignment,
    SplitName,
    StageKey,
    SystemSolution,
    TextSpan,
    TextualNumber,
)
from corpus.release import Release

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
    solutions = (
        SystemSolution(assignments=(Assignment(unknown="x", value="7"), Assignment(unknown="y", value="7/2"))),
        SystemSolution(
            assignments=(Assignment(unknown="x", value="-7"), Assignment(unknown="y", value="1.41421356237310"))
        ),
    )
    return Problem(
        problem_id=f"p{number:04d}",
        post_id=f"forum:{number}",
        url=f"https://forum.example/{number}" if full else None,
        license="CC-BY-SA-4.0" if full else None,
        attribution="a member of forum.example" if full else None,
        question=f"Ann is {number} years older than ½ of Bob’s age, 7. How old is she?",
        cleaning_steps=(CleaningStep(name="chatter", edits=(CleaningEdit(start=0, end=6, replacement=""),)),)
        if full
        else (),
        numbers=(TextualNumber(value="7", start=42, end=43, raw="7", kind="digits", unit=None if full else "years"),),
        gold_answer=("7/2", "9"),
        answer_dim=2,
        answer_confidence=0.875,
        answer_spans=(span,) if full else (),
        equations=("x + 2 = 9",) if full else None,
        unknowns=("x",) if full else (),
        solutions=solutions if full else (),
        votes=("1", "2") if full else (),
        equation_spans=(span, span) if full else (),
        agreement="confirmed",
        template=("a + n1 = n2",) if full else None,
        template_id="t1" if full else None,
        alignment=(SlotAlignment(slot="n1", value="7", start=42, end=43),) if full else (),
        equivalent_numbers=(NumberGroup(members=(0, 1)), NumberGroup(members=())) if full else (),
        ambiguous=False,
        linear=True if full else None,
        lexicon_diversity=0.5,
        nearest_id="forum:1" if full else None,
        split=split,
        stage_keys=(StageKey(stage="clean", key="k1"),),
    )


def problems() -> list[Problem]:
    """Eleven problems over the three splits."""
    splits: tuple[SplitName, ...] = ("train",) * 7 + ("validation",) * 2 + ("test",) * 2
    return [problem(number, split, full=number % 3 != 2) for number, split in enumerate(splits)]


def release(name: str = "demo", title: str = "A demo", **making: object) -> Release:
    """The release of ``problems()``."""
    return Release(name, title, problems(), {"funnel": FUNNEL, "snapshot": "s1", **making})


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder, leftovers included, with its digest."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def leftovers(folder: Path) -> list[str]:
    """Temporaries below a folder."""
    return sorted(path.name for path in folder.rglob(f"{TEMPORARY}*"))
