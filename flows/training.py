"""The command ``train``: gather threads, fit, show scores, store the model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from corpus.benchmarks.reading import read_corpus
from corpus.errors import InputError
from corpus.lines.labels import read_labels
from corpus.records import Post
from corpus.workspace import BUNDLED, MODELS, Workspace
from crawlers.ingest import read_posts
from curation.stages.registry import BuildConfig
from evaluation.gold_threads.gold_posts import AnsweredThread
from evaluation.gold_threads.labelled_threads import (
    REAL_SETS,
    aqua_threads,
    authored_threads,
    gsm8k_threads,
    real_posts,
    real_systems,
    real_threads,
)
from evaluation.gold_threads.real_builds import Reached, Teachers, joined, judged_of, reach_real
from evaluation.solvers.cross_validation import folds_of
from extractors.equations.thread_equations import ThreadEquations
from extractors.text.cleaning import clean_question
from flows.calibrating import posts_given
from flows.console import Reporter
from flows.pipelines.runs import LABELS, SHARED, bundled_posts
from models.answer_model import AnswerModel
from models.answer_training import NO_OTHERS, OWN, Other, fold_parts, read_sources, train_answers
from models.label_queue import agreed_threads
from models.label_split import LabelledThread, Report, fold_of, join_threads
from models.post_training import train_posts
from models.publication_training import fit_publication, publication_report
from models.read_threads import Solved, SolveThread
from models.storage import Model, load_model, save_model
from models.system_model import SystemModel
from models.system_training import FOLDS, asked_by_others, of_folds, read_offered, train_systems
from models.tag_training import train_tags, typed_problems
from models.thread_reading import ThreadReader

TRAIN_LABELS = LABELS / "train.jsonl"
OWN_DATA = BUNDLED / "own"
SOURCES = {
    "posts": "bundled site, training part, data/own, and real posts",
    "systems": "real posts, beside the bundled site, data/own, GSM8K and AQuA",
    "answers": "real posts, beside the bundled site, data/own, GSM8K and AQuA",
    "publication": "real posts",
}
"""What the models that ship are fitted on; without the shared data the rest of it."""
AUTHORED_WEIGHT = 0.2
"""What a thread that we wrote in the manner of a site counts against a real one (docs/models.md)."""
BENCHMARK_WEIGHT = 0.4
SYSTEM_WEIGHT = 0.1
"""What a thread that is no real one counts for the system model."""


def solved_by(model: SystemModel) -> SolveThread:
    """What the systems of a thread come to under a model."""
    return lambda question, answers: model.read(question, answers).solved


def held_out_systems() -> list[SystemModel]:
    """For each fold a system model that has not learned from it."""
    items, counts = asked_by_others({name: read_offered(other) for name, other in system_sources().items()})
    return of_folds(items, counts)


def solved_unseen(model: SystemModel, held_out: Sequence[SystemModel] | None = None) -> SolveThread:
    """The same by a system model that has not learned from the thread's site; of other threads by ``model``."""
    models, folds = held_out or held_out_systems(), known_folds()

    def solve(question: str, answers: Sequence[str]) -> Solved:
        fold = folds.get((question, tuple(answers)))
        return (model if fold is None else models[fold]).read(question, answers).solved

    return solve


def known_folds() -> dict[tuple[str, tuple[str, ...]], int]:
    """The fold of every thread that the models learn from, by its question and its answers."""
    threads = [thread for other in system_sources().values() for thread in other.threads]
    return {(thread.question, tuple(thread.answers)): fold_of(thread, FOLDS) for thread in threads}


def unseen_reading(data: str) -> Callable[[AnsweredThread], ThreadEquations]:
    """Reads the system of a thread by models that have not learned from its site; of others by the models in use."""
    systems, answers, held_out, folds = systems_in_use(data), answers_in_use(data), held_out_systems(), known_folds()
    threads = gather("answers", data, [], [])
    sources = read_sources(threads, solved_unseen(systems, held_out), other_sources([]))
    parts = fold_parts([item for part in sources.values() for item in part])
    models = [part.model(answers.threshold, answers.system_threshold, {}) for part in parts]
    in_use, readers = ThreadReader(systems, answers), list(map(ThreadReader, held_out, models))

    def read(thread: AnsweredThread) -> ThreadEquations:
        fold = folds.get((thread.question, thread.answers))
        return (in_use if fold is None else readers[fold]).read(thread.question, thread.answers, 1).equations

    return read


def system_sources() -> dict[str, Other]:
    """What the system model that ships is fitted on: under OWN the labels, then further threads."""
    if not SHARED.is_dir():
        return {
            OWN: Other(bundled_threads(), 1.0),
            "own": Other(authored_threads(OWN_DATA / "threads.jsonl"), SYSTEM_WEIGHT, ranks=True),
        }
    return {
        OWN: Other(real_systems(SHARED), 1.0),
        "own": Other(authored_threads(OWN_DATA / "threads.jsonl"), SYSTEM_WEIGHT, ranks=True),
        "bundled": Other(bundled_threads(), SYSTEM_WEIGHT, ranks=True),
        "gsm8k": Other(gsm8k_threads(SHARED), SYSTEM_WEIGHT),
        "aqua": Other(aqua_threads(SHARED), SYSTEM_WEIGHT),
    }


@dataclass(frozen=True)
class TrainingInput:
    """What ``train`` is given: labels and their posts, posts that label themselves, or a corpus."""

    data: str
    labels: tuple[Path, ...] = ()
    posts: tuple[Path, ...] = ()
    agreement: tuple[Path, ...] = ()
    corpus: str | None = None


Fitted = tuple[Model, Report]
"""A model and its scores beside floor rows."""


def _fit_systems(given: TrainingInput) -> Fitted:
    if given.labels:
        trained = train_systems(gather("systems", given.data, given.labels, given.posts), source="labels given")
    else:
        others = system_sources()
        own = others.pop(OWN)
        trained = train_systems(own.threads, source=SOURCES["systems"], others=others)
    return trained.model, trained.report


def labelled_threads(labels: Sequence[Path], posts: Iterable[Post]) -> list[LabelledThread]:
    """Threads as the models see them, the question cleaned, each with its label."""
    return join_threads(map(_thread, posts), read_labels(labels))


def _thread(post: Post) -> tuple[str, str, list[str]]:
    return post.post_id, clean_question(post.question).text, [answer.text for answer in post.answers]


def own_posts() -> list[LabelledThread]:
    """The labelled posts of ``data/own``: short posts in many manners, for the post model only."""
    return labelled_threads([OWN_DATA / "labels.jsonl"], read_posts(OWN_DATA / "posts.jsonl").posts)


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
    return labelled_threads(labels, posts_given(Workspace(data), posts).values())


def real_ids() -> frozenset[str]:
    """The ids of the real posts, on which the threshold of the post model is chosen; none without the shared data."""
    return frozenset(thread.post_id for thread in real_posts(SHARED)) if SHARED.is_dir() else frozenset()


def other_sources(labels: Sequence[Path]) -> Mapping[str, Other]:
    """Further threads for the answer model that ships; a user's own labels stand alone."""
    if labels:
        return NO_OTHERS
    own = {"own": Other(authored_threads(OWN_DATA / "threads.jsonl"), AUTHORED_WEIGHT, ranks=True)}
    if not SHARED.is_dir():
        return own
    return {
        **own,
        "bundled": Other(bundled_threads(), AUTHORED_WEIGHT, ranks=True),
        "gsm8k": Other(gsm8k_threads(SHARED), BENCHMARK_WEIGHT),
        "aqua": Other(aqua_threads(SHARED), BENCHMARK_WEIGHT),
    }


def _fit_posts(given: TrainingInput) -> Fitted:
    threads = gather("posts", given.data, given.labels, given.posts)
    decisive = frozenset[str]() if given.labels else real_ids()
    trained = train_posts(threads, source=_source("posts", given.labels), decisive=decisive)
    return trained.model, trained.report


def _fit_answers(given: TrainingInput) -> Fitted:
    """Posts by agreement stand in for labels alone, and on top of them where there are some."""
    labels, agreement = given.labels, given.agreement
    threads = gather("answers", given.data, labels, given.posts) if labels or not agreement else []
    known = {thread.post_id for thread in threads}
    model = systems_in_use(given.data)
    found = [thread for thread in _self_labelled(agreement, solved_by(model)) if thread.post_id not in known]
    source = _source("answers", labels) if threads else "agreement"
    source += f" and {len(found)} threads by agreement" if threads and agreement else ""
    others = other_sources([*labels, *agreement])
    solve = solved_by(model) if labels or agreement else solved_unseen(model)
    trained = train_answers([*threads, *found], solve, source=source, others=others)
    return trained.model, trained.report


def answers_in_use(data: str) -> AnswerModel:
    """The answer model of a data folder, that which ships where it has none."""
    found: AnswerModel = load_model(str(Workspace(data).model_file("answers")))
    return found


def systems_in_use(data: str) -> SystemModel:
    """The system model of a data folder, that which ships where it has none."""
    found: SystemModel = load_model(str(Workspace(data).model_file("systems")))
    return found


def real_reached(data: str, config: BuildConfig) -> list[Reached]:
    """The real posts of all sets on their way to the stage agree, nested five-fold by site.

    InputError without the shared data folder.
    """
    if not SHARED.is_dir():
        raise InputError(f"the publication model learns from real posts, and there is no {SHARED}; see calibrate")
    labelled = real_threads(SHARED)
    golds = {thread.post_id.partition(":")[2]: thread.label.gold_answer or () for thread in labelled}
    posts = [
        post for name in REAL_SETS.values() for post in read_posts(SHARED / "realposts" / name, skip_bad=True).posts
    ]
    systems = held_out_systems()
    answers = read_sources(labelled, solved_unseen(systems_in_use(data), systems), other_sources([]))
    threshold = answers_in_use(data).system_threshold
    teachers = Teachers([*bundled_threads(), *own_posts()], answers, systems, threshold)
    return reach_real(list(joined(posts, real_posts(SHARED), golds)), teachers, config)


def _fit_publication(given: TrainingInput) -> Fitted:
    """The models of the stages before are fitted anew for each fold, as ``train`` fits those that ship."""
    model = fit_publication(judged_of(real_reached(given.data, BuildConfig())), {"source": SOURCES["publication"]})
    return model, publication_report(model)


def _fit_tags(given: TrainingInput) -> Fitted:
    corpus = read_corpus(given.corpus or "", Workspace(given.data))
    source = f"{corpus.name} ({corpus.license or 'license not stated'})"
    return train_tags(typed_problems(corpus), folds_of(corpus, None)[0], source)


FITTING: dict[str, Callable[[TrainingInput], Fitted]] = {
    "posts": _fit_posts,
    "systems": _fit_systems,
    "answers": _fit_answers,
    "publication": _fit_publication,
    "tags": _fit_tags,
}
"""How the model of each kind is fitted; those that ship come in the order in which they read each other."""


def run_train(kind: str, given: TrainingInput, as_json: bool = False) -> None:
    """The command ``train``: fit a model, or ``all`` that ship, and write it below the data folder."""
    for name in SOURCES if kind == "all" else (kind,):
        store(given.data, name, FITTING[name](given), as_json)


def _self_labelled(paths: Sequence[Path], solve: SolveThread) -> list[LabelledThread]:
    posts = {post.post_id: post for path in paths for post in read_posts(path).posts}
    return agreed_threads(map(_thread, posts.values()), solve)


def _source(kind: str, labels: Sequence[Path]) -> str:
    return "labels given" if labels else SOURCES[kind]


def store(data: str, kind: str, trained: Fitted, as_json: bool) -> None:
    """Write a model below the data folder and show its scores, where it is and its digest."""
    model, report = trained
    folder = Workspace(data).folder / MODELS
    digest = save_model(model, f"{kind}.json", folder)
    path = Path(data) / MODELS / f"{kind}.json" if folder.local else f"{folder}/{kind}.json"
    reporter = Reporter()
    if as_json:
        reporter.data({**asdict(report), "model": str(path), "digest": digest})
        return
    reporter.text(report.text())
    reporter.text(f"model: {path} (digest {digest})")
