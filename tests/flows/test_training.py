"""The models that ship are those that the command fits, byte for byte."""

from dataclasses import replace
from pathlib import Path

from corpus.workspace import BUNDLED
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
from models.post_training import train_posts
from models.shipped import shipped_systems
from models.storage import model_bytes
from models.system_training import train_systems


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
        solutions_by(unseen_readers(shipped_systems())),
        source=SOURCES["answers"],
        others=others,
    )
    assert model_bytes(made.model) == (BUNDLED / "models" / "answers.json").read_bytes()
