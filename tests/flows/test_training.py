"""The models that ship are those that the command fits, byte for byte."""

from dataclasses import replace
from pathlib import Path

from corpus.workspace import BUNDLED
from flows.training import SOURCES, gather, other_sources, real_ids, thread_solutions
from models.answer_training import train_answers
from models.post_training import train_posts
from models.storage import model_bytes


def test_the_shipped_post_model_is_what_the_command_fits(shared_data: Path) -> None:
    """It learns from the real posts as well, so without the shared data there is nothing to compare."""
    made = train_posts(gather("posts", "", [], [])[::-1], source=SOURCES["posts"], decisive=real_ids())
    assert model_bytes(made.model) == (BUNDLED / "models" / "posts.json").read_bytes()


def test_the_shipped_answer_model_is_what_the_command_fits(shared_data: Path) -> None:
    others = {name: replace(other, threads=other.threads[::-1]) for name, other in other_sources([]).items()}
    made = train_answers(
        gather("answers", "", [], [])[::-1], thread_solutions, source=SOURCES["answers"], others=others
    )
    assert model_bytes(made.model) == (BUNDLED / "models" / "answers.json").read_bytes()
