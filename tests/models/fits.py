"""Fits of the models that ship, and a record of what each was fitted on and by which code.

``fits.json`` holds three digests a model: of its training threads, of the code that reads and trains, and of the file
that ships. While these are what they were, a fit gives what it gave. ``python -m tests.models.fits`` fits all anew,
holds the decisions of each against those of the file that ships, and writes the record.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from corpus.canonical import digest_of
from corpus.code import ROOT, code_digest
from corpus.workspace import BUNDLED
from curation.stages.registry import BuildConfig
from evaluation.gold_threads.real_builds import judged_of
from flows.training import SOURCES, gather, other_sources, real_ids, real_reached, solved_unseen, system_sources
from models.answer_training import OWN, Other, train_answers
from models.post_training import train_posts
from models.publication_training import fit_publication
from models.shipped import shipped_model
from models.storage import digest_of_bytes, load_model, model_bytes
from models.system_training import train_systems
from models.thread_reading import ThreadReader

RECORD = Path(__file__).with_name("fits.json")
READERS = ("models.thread_reading", "evaluation.gold_threads.labelled_threads")
"""What turns threads into what the models see, beside what trains them."""


def fit_posts() -> bytes:
    """The post model, of threads in another order than the command has them."""
    made = train_posts(gather("posts", "", [], [])[::-1], source=SOURCES["posts"], decisive=real_ids())
    return model_bytes(made.model)


def fit_systems() -> bytes:
    """The system model, likewise."""
    others = _reversed(system_sources())
    own = others.pop(OWN)
    return model_bytes(train_systems(own.threads, source=SOURCES["systems"], others=others).model)


def fit_answers() -> bytes:
    """The answer model, likewise."""
    made = train_answers(
        gather("answers", "", [], [])[::-1],
        solved_unseen(shipped_model("systems")),
        source=SOURCES["answers"],
        others=_reversed(other_sources([])),
    )
    return model_bytes(made.model)


def fit_promise() -> bytes:
    """The publication model."""
    made = fit_publication(judged_of(real_reached("", BuildConfig())), {"source": SOURCES["publication"]})
    return model_bytes(made)


FITS: Mapping[str, Callable[[], bytes]] = {
    "posts": fit_posts,
    "systems": fit_systems,
    "answers": fit_answers,
    "publication": fit_promise,
}
LEARNED: Final = ("posts", "systems", "answers")
"""The models whose threads the publication model is fitted on, too."""


def decisions(kind: str, content: bytes, folder: Path) -> list[object]:
    """What a model decides of all the threads that it learned from: bytes may differ between processors, this may not.

    Of the publication model: which calibration posts the default promise publishes, in whatever order: scores that are
    nearly equal change places from processor to processor.
    """
    (folder / "model.json").write_bytes(content)
    model = load_model(str(folder / "model.json"))
    if kind == "publication":
        least = model.promise(BuildConfig().publish.precision).threshold
        return sorted((post.group, post.right) for post in model.calibration if post.score >= least)
    threads = gather("posts" if kind == "posts" else "answers", "", [], [])
    if kind == "posts":
        return [model.scope(one.question, one.answers).outcome for one in threads]
    if kind == "systems":
        judged = (model.read(one.question, one.answers) for one in threads)
        return [one.likeliest(one.chances) for one in judged]
    reader = ThreadReader(shipped_model("systems"), model)
    read = (reader.read(one.question, one.answers) for one in threads)
    return [(one.ranking.values, one.ranking.sure(), one.equations.equations) for one in read]


def same_decisions(kind: str, fitted: bytes) -> bool:
    """Whether a fit decides as the model that ships."""
    if fitted == shipped(kind):
        return True
    with TemporaryDirectory() as folder:
        return decisions(kind, fitted, Path(folder)) == decisions(kind, shipped(kind), Path(folder))


def _reversed(others: Mapping[str, Other]) -> dict[str, Other]:
    return {name: replace(other, threads=other.threads[::-1]) for name, other in others.items()}


def shipped(kind: str) -> bytes:
    """The file of the model that ships."""
    return (BUNDLED / "models" / f"{kind}.json").read_bytes()


def fit_now(kind: str) -> dict[str, str]:
    """The digests that the record holds, of now."""
    modules = (f"models.{kind.removesuffix('s')}_training", *READERS)
    code = [*map(code_digest, modules), (ROOT / "flows" / "training.py").read_text("utf-8")]
    return {"inputs": inputs(), "code": digest_of(code), "model": digest_of_bytes(shipped(kind))}


@cache
def inputs() -> str:
    """A digest of all threads that the models learn from, as the models see them, and of the weight of each source."""
    given = {kind: Other(gather(kind, "", [], []), 1.0) for kind in LEARNED}
    named = [given, system_sources(), other_sources([])]
    return digest_of([{name: repr(other) for name, other in others.items()} for others in named])


def recorded() -> Mapping[str, Mapping[str, str]]:
    """The record."""
    found: Mapping[str, Mapping[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    wrong = [kind for kind, fit in FITS.items() if not same_decisions(kind, fit())]
    if wrong:
        sys.exit(f"error: {', '.join(wrong)}: a fit decides otherwise than the model that ships; run wordquarry train")
    found = {kind: fit_now(kind) for kind in FITS}
    RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
