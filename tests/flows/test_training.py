"""The models that ship are those that the command fits from the bundled labels, byte for byte."""

from corpus.workspace import BUNDLED
from flows.training import SOURCES, gather, thread_solutions
from models.post_training import train_posts
from models.storage import model_bytes
from models.training import train_answers


def test_bundled_labels_give_the_shipped_post_model() -> None:
    made = train_posts(gather("posts", "", [], [])[::-1], source=SOURCES["posts"])
    assert model_bytes(made.model) == (BUNDLED / "models" / "posts.json").read_bytes()


def test_bundled_labels_give_the_shipped_answer_model() -> None:
    made = train_answers(gather("answers", "", [], [])[::-1], thread_solutions, source=SOURCES["answers"])
    assert model_bytes(made.model) == (BUNDLED / "models" / "answers.json").read_bytes()
