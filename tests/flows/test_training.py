"""The models that ship are those that the command fits from the bundled labels, byte for byte."""

from pathlib import Path

from audits.labelled_threads import permissive_threads
from corpus.workspace import BUNDLED
from flows.training import SOURCES, gather, thread_solutions
from models.answer_training import train_answers
from models.post_training import train_posts
from models.storage import model_bytes


def test_bundled_labels_give_the_shipped_post_model() -> None:
    made = train_posts(gather("posts", "", [], [])[::-1], source=SOURCES["posts"])
    assert model_bytes(made.model) == (BUNDLED / "models" / "posts.json").read_bytes()


def test_bundled_labels_give_the_shipped_answer_model(shared_data: Path) -> None:
    """The confidence rests on shared threads as well, so without them there is nothing to compare."""
    others = {name: threads[::-1] for name, threads in permissive_threads(shared_data)}
    made = train_answers(
        gather("answers", "", [], [])[::-1], thread_solutions, source=SOURCES["answers"], others=others
    )
    assert model_bytes(made.model) == (BUNDLED / "models" / "answers.json").read_bytes()
