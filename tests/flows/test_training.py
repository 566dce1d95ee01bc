"""The models that ship are those that the command fits, byte for byte."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from corpus.workspace import BUNDLED
from extractors.equations.votes import ThreadSystems, read_systems
from flows.training import (
    SOURCES,
    gather,
    other_sources,
    real_ids,
    solutions_by,
    system_sources,
    unseen_readers,
)
from models.answer_training import OWN, train_answers
from models.counts import features
from models.post_training import train_posts
from models.shipped import shipped_model
from models.storage import model_bytes
from models.system_training import train_systems


@pytest.fixture(scope="module", autouse=True)
def threads_are_read_once() -> Iterator[None]:
    """Both models read the same threads, the answer model twice, and each fit asks for the words of each question."""

    @cache
    def kept(question: str, answers: tuple[str, ...]) -> ThreadSystems:
        return read_systems(question, answers)

    def once(question: str, answers: Sequence[str]) -> ThreadSystems:
        return kept(question, tuple(answers))

    with (
        patch("models.system_training.read_systems", once),
        patch("models.system_model.read_systems", once),
        patch("models.counts.features", cache(features)),
    ):
        yield


def test_the_shipped_post_model_is_what_the_command_fits(shared_data: Path) -> None:
    """It learns from the real posts as well, so without the shared data there is nothing to compare."""
    made = train_posts(gather("posts", "", [], [])[::-1], source=SOURCES["posts"], decisive=real_ids())
    assert model_bytes(made.model) == (BUNDLED / "models" / "posts.json").read_bytes()


def test_the_shipped_system_model_is_what_the_command_fits(shared_data: Path) -> None:
    others = {name: replace(other, threads=other.threads[::-1]) for name, other in system_sources().items()}
    own = others.pop(OWN)
    made = train_systems(own.threads, source=SOURCES["systems"], others=others)
    assert model_bytes(made.model) == (BUNDLED / "models" / "systems.json").read_bytes()


def test_the_shipped_answer_model_is_what_the_command_fits(shared_data: Path) -> None:
    others = {name: replace(other, threads=other.threads[::-1]) for name, other in other_sources([]).items()}
    made = train_answers(
        gather("answers", "", [], [])[::-1],
        solutions_by(unseen_readers(shipped_model("systems"))),
        source=SOURCES["answers"],
        others=others,
    )
    assert model_bytes(made.model) == (BUNDLED / "models" / "answers.json").read_bytes()
