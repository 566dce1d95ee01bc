"""The commands ``train posts`` and ``train answers``: gather labelled threads, fit, show scores, store the model."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from corpus.labels import read_labels
from corpus.records import Post
from corpus.workspace import BUNDLED, Workspace
from crawlers.ingest import read_posts
from curation.lines import both_solutions
from extractors.equations.votes import read_thread
from extractors.text.cleaning import clean_question
from flows.bundled import LABELS, bundled_posts
from flows.console import Reporter
from models.fitting import Solved
from models.labels import LabelledThread, join_threads
from models.post_training import train_posts
from models.storage import save_model
from models.training import train_answers

TRAIN_LABELS = LABELS / "train.jsonl"
OWN = BUNDLED / "own"
SOURCES = {"posts": "bundled site, training part, and data/own", "answers": "bundled site, training part"}


def thread_solutions(question: str, answers: Sequence[str]) -> Solved:
    """The solutions of a thread's equations, as the answers stage sees them."""
    found = read_thread(question, answers)
    return Solved(*both_solutions(found))


def labelled_threads(labels: Sequence[Path], posts: Iterable[Post]) -> list[LabelledThread]:
    """Threads as the models see them, the question cleaned, each with its label."""
    threads = (
        (post.post_id, clean_question(post.question).text, [answer.text for answer in post.answers]) for post in posts
    )
    return join_threads(threads, read_labels(labels))


def own_threads() -> list[LabelledThread]:
    """The labelled posts of ``data/own``: short posts in many manners, for the post model only."""
    return labelled_threads([OWN / "labels.jsonl"], read_posts(OWN / "posts.jsonl").posts)


def bundled_threads(kind: str) -> list[LabelledThread]:
    """What the model of one kind is fitted on when nothing else is given."""
    site = labelled_threads([TRAIN_LABELS], bundled_posts())
    return [*site, *own_threads()] if kind == "posts" else site


def gather(kind: str, data: str, labels: Sequence[Path], posts: Sequence[Path]) -> list[LabelledThread]:
    """The threads to learn from: files given, else the post store; without labels, what comes with the checkout."""
    if not labels:
        return bundled_threads(kind)
    if posts:
        return labelled_threads(labels, (post for path in posts for post in read_posts(path).posts))
    return labelled_threads(labels, Workspace(data).posts.posts().values())


def run_train(kind: str, data: str, labels: Sequence[Path], posts: Sequence[Path]) -> None:
    """Fit the model of one kind and write it below the data folder."""
    threads = gather(kind, data, labels, posts)
    source = "labels given" if labels else SOURCES[kind]
    trained = (
        train_posts(threads, source=source)
        if kind == "posts"
        else train_answers(threads, thread_solutions, source=source)
    )
    path = Path(data) / "models" / f"{kind}.json"
    digest = save_model(trained.model, str(path))
    reporter = Reporter()
    reporter.text(trained.report.text())
    reporter.text(f"model: {path} (digest {digest})")
