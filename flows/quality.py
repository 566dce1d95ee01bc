"""``wordquarry quality``: the tables of docs/quality.md, each measured by one command."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from corpus.benchmarks.reading import read_corpus
from corpus.errors import ConfigError
from corpus.lines.labels import read_labels
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.registry import BuildConfig
from evaluation.corpus_figures.comparison import Comparison, stats_of
from evaluation.corpus_figures.injected_leaks import injected_leaks
from evaluation.corpus_figures.paper_figures import figures_of
from evaluation.doctor.doctor_accuracy import doctor_accuracy
from evaluation.gold_corpora.formula_answers import asdiv, mathqa
from evaluation.gold_corpora.gold_systems import alg514, answers, dolphin, draw, second_solver
from evaluation.gold_corpora.mentions import gsm8k_calculations, numbers
from evaluation.gold_corpora.personal_data import privacy
from evaluation.gold_threads.gold_posts import authored_reading
from evaluation.gold_threads.prose import aqua, real_posts
from evaluation.gold_threads.question_reading import question_types, questions
from evaluation.gold_threads.real_builds import real_builds
from evaluation.gold_threads.version_quality import flipped_labels, quality_of_run, quality_of_threads
from evaluation.metrics.gold_scores import QualityReport
from evaluation.metrics.reading_report import ReadingReport
from evaluation.model_quality.answer_quality import AnswerQuality, answer_quality
from evaluation.model_quality.post_quality import Bundled, PostQuality, post_quality
from evaluation.paper_tables import PaperTables, paper_tables
from evaluation.recorded_figures import QUALITY, measured, read_records, write_record
from evaluation.solvers.equivalences import derivations, templates
from evaluation.solvers.probes import probe_table
from evaluation.solvers.solver_table import solver_table
from evaluation.solvers.tagged_problems import tag_table
from evaluation.table_text import markdown_table, tables_in
from evaluation.variations.varying import variation_table
from flows.console import FUNNEL, Reporter, funnel_rows
from flows.pipelines.requests import BuildRequest
from flows.pipelines.runs import BUNDLED_SOURCE, LABELS, SHARED, build_version, bundled_posts, crawl_into
from flows.processes.server import prefect_server
from flows.training import (
    OWN_DATA,
    TRAIN_LABELS,
    gather,
    labelled_threads,
    other_sources,
    own_posts,
    real_reached,
    solved_unseen,
    systems_in_use,
    unseen_reading,
)
from models.storage import load_model

PRIVATE = OWN_DATA / "privacy.jsonl"
AUTHORED = OWN_DATA / "threads.jsonl"
GSM8K = SHARED / "gsm8k" / "threads.jsonl"
MIXED = SHARED / "stackmathqa" / "posts.jsonl"
RECORDS = Path(__file__).resolve().parents[1] / "docs" / "figures"
READERS = ("answers", "systems")
ALL = ("answers", "posts", "publication", "systems")
DEFAULT = BuildConfig()


def bundled_quality(workspace: Workspace, version: Version) -> QualityReport:
    """A version of the bundled site against its evaluation labels, which no model has seen."""
    return quality_of_run(workspace, version, read_labels([LABELS / "evaluation.jsonl"]))


@dataclass(frozen=True)
class Demonstrated:
    """What ``make demo`` shows of the bundled site: the funnel and the quality."""

    funnel: Sequence[Sequence[object]]
    quality: QualityReport

    def markdown(self) -> str:
        """The tables in Markdown."""
        rows = [list(map(str, row)) for row in self.funnel]
        return "\n".join([self.quality.markdown(), "**funnel**", "", *markdown_table(FUNNEL, rows), ""])


def _built_bundled(data: str) -> dict[str, Any]:
    crawl_into(data, BUNDLED_SOURCE, None)
    return build_version(BuildRequest(data=data, name="bundled"))


def _bundled(data: str) -> Demonstrated:
    built = _built_bundled(data)
    workspace = Workspace(data)
    measured_on = bundled_quality(workspace, workspace.versions.open(built["version"]))
    return Demonstrated(funnel_rows(built["funnel"]), measured_on)


def _version_of(data: str, name: str, paths: Sequence[Path]) -> Version:
    """A version of posts files with everything at its default."""
    built = build_version(BuildRequest(data=data, name=name, posts=tuple(map(str, paths)), skip_bad=True))
    return Workspace(data).versions.open(built["version"])


def _threads(data: str, name: str, *paths: Path) -> QualityReport:
    return quality_of_threads(Workspace(data), _version_of(data, name, paths), paths)


def _gsm8k_flipped(data: str) -> ReadingReport:
    return flipped_labels(Workspace(data), _version_of(data, "gsm8k-threads", [GSM8K]), GSM8K)


def _second_solver(data: str) -> ReadingReport:
    bundled = Workspace(data).versions.open(_built_bundled(data)["version"])
    return second_solver({"bundled site": bundled, "GSM8K": _version_of(data, "gsm8k-threads", [GSM8K])}, SHARED)


def _posts(data: str) -> PostQuality:
    """The post classifier by itself: the model in use, against labels it was not fitted on."""
    training, evaluation = (
        labelled_threads([path], bundled_posts()) for path in (TRAIN_LABELS, LABELS / "evaluation.jsonl")
    )
    model = load_model(str(Workspace(data).model_file("posts")))
    return post_quality(model, Bundled(training, evaluation, own_posts()), SHARED)


CORPORA = (
    f"ASDiv=asdiv:{SHARED}/asdiv/ASDiv.xml",
    f"ASDiv-A=asdiv:{SHARED}/asdiv/ASDiv.xml@{SHARED}/asdiv/nfolds/asdiv-a",
    f"DRAW=draw:{SHARED}/draw/draw.json",
    f"Alg-514=alg514:{SHARED}/alg514/kushman.json",
    f"MathQA-2000=mathqa:{SHARED}/mathqa/mathqa_dev_first2000.jsonl",
    f"Dolphin18K-dev=dolphin:{SHARED}/dolphin18k/dev_urls.json",
)


def _corpora(_data: str) -> "Table":
    """The shared corpora side by side, with the published figures."""
    return Comparison(tuple(stats_of(read_corpus(spec)) for spec in CORPORA))


def _papers(_data: str) -> PaperTables:
    """The tables of the papers; no solver is fitted, those of the records stand there."""
    parts = [
        f"Dolphin18K-{part}=dolphin:{SHARED}/dolphin18k/dev_urls.json@{SHARED}/dolphin18k/dev_ids/dev_{part}.txt"
        for part in ("manual", "auto")
    ]
    return paper_tables([figures_of(read_corpus(spec)) for spec in (*CORPORA, *parts)], read_records(RECORDS))


def _solvers(data: str) -> ReadingReport:
    """The solvers of the papers; runs that the data folder holds are not made again."""
    return solver_table(SHARED, Workspace(data).folder / "solver-runs")


def _answers(data: str) -> AnswerQuality:
    """The answer model, five-fold, with its pictures below the data folder."""
    tests = {"bundled, evaluation part": labelled_threads([LABELS / "evaluation.jsonl"], bundled_posts())}
    report = answer_quality(
        gather("answers", data, [], []), solved_unseen(systems_in_use(data)), other_sources([]), tests
    )
    folder = Workspace(data).folder / "pictures"
    for name, picture in report.pictures().items():
        folder.write(name, picture.encode("utf-8"))
    return report


class Table(Protocol):
    """What a figure gives."""

    def markdown(self) -> str:
        """The table as Markdown."""


@dataclass(frozen=True)
class Figure:
    """How tables are measured, whether that needs the shared data folder, builds versions, and reads with models."""

    measure: Callable[[str], Table]
    shared: bool
    builds: bool = True
    models: tuple[str, ...] = ()


def _reading(measure: Callable[[Path], ReadingReport], models: tuple[str, ...] = ()) -> Figure:
    """A figure of the reading of mathematics, straight from the shared data."""
    return Figure(lambda _: measure(SHARED), shared=True, builds=False, models=models)


FIGURES = {
    "bundled": Figure(_bundled, shared=False, models=ALL),
    "gsm8k": Figure(lambda data: _threads(data, "gsm8k-threads", GSM8K), shared=True, models=ALL),
    "gsm8k-mixed": Figure(lambda data: _threads(data, "gsm8k-mixed", GSM8K, MIXED), shared=True, models=ALL),
    "gsm8k-flipped": Figure(_gsm8k_flipped, shared=True, models=ALL),
    "second-solver": Figure(_second_solver, shared=True, models=ALL),
    "realposts": Figure(lambda d: real_builds(real_reached(d, DEFAULT)), shared=True, builds=False, models=READERS),
    "models-answers": Figure(_answers, shared=False, builds=False, models=READERS),
    "dolphin": _reading(dolphin),
    "parse-answer": _reading(answers),
    "draw": _reading(draw),
    "alg514": _reading(alg514),
    "asdiv": _reading(asdiv),
    "mathqa": _reading(mathqa),
    "numbers": _reading(numbers),
    "gsm8k-calculations": _reading(gsm8k_calculations),
    "aqua": _reading(aqua, READERS),
    "realposts-equations": Figure(
        lambda data: real_posts(SHARED, unseen_reading(data)), shared=True, builds=False, models=READERS
    ),
    "threads": Figure(lambda _: authored_reading(AUTHORED), shared=False, builds=False, models=READERS),
    "questions": Figure(lambda _: questions(SHARED, AUTHORED), shared=True, builds=False),
    "question-types": _reading(question_types),
    "models-posts": Figure(_posts, shared=True, builds=False, models=("posts",)),
    "leaks": _reading(injected_leaks),
    "doctor": Figure(lambda _: doctor_accuracy(SHARED), shared=True, builds=False, models=("answers", "posts")),
    "derivations": _reading(derivations),
    "templates": _reading(templates),
    "probes": _reading(probe_table),
    "solvers": Figure(_solvers, shared=True, builds=False),
    "variations": _reading(variation_table),
    "tags": _reading(tag_table),
    "privacy": Figure(lambda _: privacy(PRIVATE, SHARED), shared=False, builds=False),
    "corpora": Figure(_corpora, shared=True, builds=False),
    "papers": Figure(_papers, shared=True, builds=False),
}


def run_quality(
    what: Sequence[str], data: str, as_json: bool, records: Path | None = None, figures: Mapping[str, Figure] = FIGURES
) -> None:
    """The command ``quality``: print the tables of these figures, or of all; keep them as data in ``records``."""
    unknown = [name for name in what if name != "all" and name not in figures]
    if unknown:
        raise ConfigError(f"no figure {unknown[0]!r}; there are: all, {', '.join(figures)}")
    if records is not None and not records.is_dir():
        raise ConfigError(f"cannot record figures: there is no folder {records}; run it in a checkout")
    reporter, found = Reporter(), {}
    names = tuple(figures) if "all" in what else tuple(dict.fromkeys(what))
    with prefect_server(data) if any(figures[name].builds for name in names) else nullcontext():
        for name in names:
            if figures[name].shared and not SHARED.is_dir():
                left_out = f"{name}: left out, it needs the shared data folder {SHARED}"
                (reporter.line if as_json else reporter.text)(left_out)
                continue
            found[name] = figures[name].measure(data).markdown()
            if records is not None:
                models = {model: Workspace(data).model_digest(model) for model in figures[name].models}
                write_record(records, QUALITY, measured(name, f"wordquarry quality {name}", found[name], models))
            if not as_json:
                reporter.text(found[name])
    if as_json:
        reporter.data({name: tables_in(text) for name, text in found.items()})
