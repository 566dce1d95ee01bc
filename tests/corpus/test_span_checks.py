"""Every span leads to its characters inside the version, and one that does not is named."""

from pathlib import Path
from typing import Any

import pytest

from corpus.folders.files import Folder
from corpus.versioning.release import Release
from corpus.versioning.verification import lost_spans
from corpus.versioning.versions import Versions
from tests.corpus.samples import problems, release, source_answers, source_post


def lost(folder: Path, given: Release) -> list[str]:
    version, _ = Versions(Folder.at(folder)).publish(given)
    return list(lost_spans(version.folder, version.manifest))


def changed(**update: Any) -> Release:
    """The release with another first problem."""
    return release(rows=[FIRST.model_copy(update=update), *problems()[1:]])


def test_a_whole_version_has_no_lost_span(tmp_path: Path) -> None:
    assert lost(tmp_path, release()) == []


def test_small_rows_have_to_say_what_the_whole_ones_say(tmp_path: Path) -> None:
    version, _ = Versions(Folder.at(tmp_path / "one")).publish(release())
    other, _ = Versions(Folder.at(tmp_path / "other")).publish(changed(answer="7 and 9"))
    path = "data/train-00000-of-00001.parquet"
    version.folder.write(path, other.folder.read(path))
    told = f"{path} does not hold what full/train-00000-of-00001.parquet says"
    assert list(lost_spans(version.folder, version.manifest)) == [told]


def test_rows_have_to_be_those_of_the_id(tmp_path: Path) -> None:
    version, _ = Versions(Folder.at(tmp_path)).publish(release())
    told = list(lost_spans(version.folder, {**version.manifest, "rows_sha256": "0" * 64}))
    assert told == ["the rows of full/ are not those of its id"]
    files = {path: facts for path, facts in version.manifest["files"].items() if path != "provenance.parquet"}
    assert list(lost_spans(version.folder, {**version.manifest, "files": files})) == ["it has no provenance.parquet"]


FIRST = problems()[0]


def moved(name: str) -> dict[str, Any]:
    """A field of the first problem with its first span one character further."""
    first, *others = getattr(FIRST, name)
    return {name: (first.model_copy(update={"start": first.start + 1, "end": first.end + 1}), *others)}


@pytest.mark.parametrize(
    ("update", "told"),
    [
        (moved("numbers"), ["number '7' does not stand at 43 to 44", "slot n1 is aligned to 42 to 43 of its question"]),
        (moved("alignment"), ["slot n1 is aligned to 43 to 44 of its question, where no number stands"]),
        (moved("answer_spans"), ["'x + 2 = 9' does not stand at 1 to 10 of answer 1 in answers.parquet"]),
        (moved("equation_spans"), ["'x + 2 = 9' does not stand at 1 to 10 of answer 1 in answers.parquet"]),
        ({"votes": ("1", "3")}, ["answers.parquet has no answer 3, which voted"]),
        ({"cleaning_steps": ()}, ["its cleaning steps do not make its question of the one in posts.parquet"]),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_what_leads_nowhere_is_named(update: dict[str, Any], told: list[str], tmp_path: Path) -> None:
    found = lost(tmp_path, changed(**update))
    assert len(found) == len(told)
    for line, beginning in zip(found, told, strict=True):
        assert line.startswith(f"problem p0000: {beginning}")


def test_a_step_that_does_not_fit_and_texts_that_lack_are_named(tmp_path: Path) -> None:
    posts = [source_post(row) for row in problems()]
    short = [posts[0].model_copy(update={"question": "Hel"}), *posts[2:]]
    assert lost(tmp_path / "posts", release(posts=short)) == [
        "problem p0000: its cleaning steps do not make its question of the one in posts.parquet",
        "problem p0001: posts.parquet has no question of it",
    ]
    other = [answer for row in problems() if row.problem_id != "p0003" for answer in source_answers(row)]
    told = lost(tmp_path / "answers", release(answers=other))
    assert [line.partition(" has ")[0].partition(" does ")[0] for line in told] == [
        "problem p0003: answers.parquet",
        "problem p0003: answers.parquet",
        *["problem p0003: 'x + 2 = 9'"] * 3,
    ]
