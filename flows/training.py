"""The commands ``train posts`` and ``train answers``: gather labelled threads, fit, show scores, store the model."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from audits.labelled_threads import aqua_threads, gsm8k_threads, real_posts, real_threads, written_threads
from corpus.labels import read_labels
from corpus.records import Post
from corpus.workspace import BUNDLED, Workspace
from crawlers.ingest import read_posts
from curation.lines import all_solutions
from extractors.equations.votes import read_thread
from extractors.text.cleaning import clean_question
from flows.bundled import LABELS, SHARED, bundled_posts
from flows.console import Reporter
from models.agreement_labels import agreed_threads
from models.answer_training import NO_OTHERS, Other, train_answers
from models.fitting import Solved
from models.labels import LabelledThread, join_threads
from models.post_training import train_posts
from models.storage import Model, save_model

TRAIN_LABELS = LABELS / "train.jsonl"
OWN = BUNDLED / "own"
SOURCES = {
    "posts": "bundled site, training part, data/own, and real posts",
    "answers": "real posts, beside the bundled site, data/own, GSM8K and AQuA",
}
"""What the models that ship are fitted on; without the shared data the rest of it."""
WRITTEN_WEIGHT = 0.3
"""What a thread that we wrote in the manner of a site counts against a real one (docs/models.md)."""
BENCHMARK_WEIGHT = 0.2


def thread_solutions(question: str, answers: Sequence[str]) -> Solved:
    """The solutions of a thread's equations, as the answers stage sees them."""
    found = read_thread(question, answers, min_votes=1)
    return Solved(*all_solutions(found))


def labelled_threads(labels: Sequence[Path], posts: Iterable[Post]) -> list[LabelledThread]:
    """Threads as the models see them, the question cleaned, each with its label."""
    threads = (
        (post.post_id, clean_question(post.question).text, [answer.text for answer in post.answers]) for post in posts
    )
    return join_threads(threads, read_labels(labels))


def own_posts() -> list[LabelledThread]:
    """The labelled posts of ``data/own``: short posts in many manners, for the post model only."""
    return labelled_threads([OWN / "labels.jsonl"], read_posts(OWN / "posts.jsonl").posts)


def bundled_threads() -> list[LabelledThread]:
    """The training part of the bundled site."""
    return labelled_threads([TRAIN_LABELS], bundled_posts())


def shipped_labels(kind: str) -> list[LabelledThread]:
    """What the model of one kind is fitted on when nothing else is given."""
    if kind == "posts":
        return [*bundled_threads(), *own_posts(), *(real_posts(SHARED) if SHARED.is_dir() else ())]
    return real_threads(SHARED) if SHARED.is_dir() else bundled_threads()


def gather(kind: str, data: str, labels: Sequence[Path], posts: Sequence[Path]) -> list[LabelledThread]:
    """The threads to learn from: files given, else the post store; without labels, what comes with the checkout."""
    if not labels:
        return shipped_labels(kind)
    if posts:
        return labelled_threads(labels, (post for path in posts for post in read_posts(path).posts))
    return labelled_threads(labels, Workspace(data).posts.posts().values())


def real_ids() -> frozenset[str]:
    """The ids of the real posts, on which the threshold of the post model is chosen; none without the shared data."""
    return frozenset(thread.post_id for thread in real_posts(SHARED)) if SHARED.is_dir() else frozenset()


def other_sources(labels: Sequence[Path]) -> Mapping[str, Other]:
    """Further threads for the answer model that ships; a user's own labels stand alone."""
    if labels:
        return NO_OTHERS
    own = {"own": Other(written_threads(OWN / "threads.jsonl"), WRITTEN_WEIGHT, ranks=True)}
    if not SHARED.is_dir():
        return own
    return {
        **own,
        "bundled": Other(bundled_threads(), WRITTEN_WEIGHT, ranks=True),
        "gsm8k": Other(gsm8k_threads(SHARED), BENCHMARK_WEIGHT),
        "aqua": Other(aqua_threads(SHARED), BENCHMARK_WEIGHT),
    }


def run_train_posts(data: str, labels: Sequence[Path], posts: Sequence[Path]) -> None:
    """Fit the post model and write it below the data folder."""
    threads = gather("posts", data, labels, posts)
    trained = train_posts(threads, source=_source("posts", labels), decisive=frozenset() if labels else real_ids())
    _store(data, "posts", trained.model, trained.report.text())


def run_train_answers(data: str, labels: Sequence[Path], posts: Sequence[Path], agreement: Sequence[Path]) -> None:
    """Fit the answer model and write it below the data folder.

    ``agreement`` are files of posts whose equations and closing values label them; alone they stand in for labels, with
    ``labels`` they come on top.
    """
    threads = gather("answers", data, labels, posts) if labels or not agreement else []
    known = {thread.post_id for thread in threads}
    found = [thread for thread in _self_labelled(agreement) if thread.post_id not in known]
    source = _source("answers", labels) if threads else "agreement"
    source += f" and {len(found)} threads by agreement" if threads and agreement else ""
    others = other_sources([*labels, *agreement])
    trained = train_answers([*threads, *found], thread_solutions, source=source, others=others)
    _store(data, "answers", trained.model, trained.report.text())


def _self_labelled(paths: Sequence[Path]) -> list[LabelledThread]:
    posts = {post.post_id: post for path in paths for post in read_posts(path).posts}
    return agreed_threads(
        (
            (post_id, clean_question(post.question).text, [answer.text for answer in post.answers])
            for post_id, post in posts.items()
        ),
        thread_solutions,
    )


def _source(kind: str, labels: Sequence[Path]) -> str:
    return "labels given" if labels else SOURCES[kind]


def _store(data: str, kind: str, model: Model, report: str) -> None:
    path = Path(data) / "models" / f"{kind}.json"
    digest = save_model(model, str(path))
    reporter = Reporter()
    reporter.text(report)
    reporter.text(f"model: {path} (digest {digest})")
