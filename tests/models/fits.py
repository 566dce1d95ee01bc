"""Fits of the models that ship, and a record of what each was fitted on and by which code.

``fits.json`` holds three digests a model: of its training threads, of the code that reads and trains, and of the file
that ships. While these are what they were, a fit gives what it gave. ``python -m tests.models.fits`` fits all three
anew, holds each against the file that ships, and writes the record.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from corpus.canonical import digest_of
from corpus.code import ROOT, code_digest
from corpus.workspace import BUNDLED
from flows.training import SOURCES, gather, other_sources, real_ids, solutions_by, system_sources, unseen_readers
from models.answer_training import OWN, Other, train_answers
from models.post_training import train_posts
from models.shipped import shipped_model
from models.storage import digest_of_bytes, model_bytes
from models.system_training import train_systems

RECORD = Path(__file__).with_name("fits.json")
READERS = ("curation.record_stages", "evaluation.gold_threads.labelled_threads")
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
        solutions_by(unseen_readers(shipped_model("systems"))),
        source=SOURCES["answers"],
        others=_reversed(other_sources([])),
    )
    return model_bytes(made.model)


FITS: Mapping[str, Callable[[], bytes]] = {"posts": fit_posts, "systems": fit_systems, "answers": fit_answers}


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
    given = {kind: Other(gather(kind, "", [], []), 1.0) for kind in FITS}
    named = [given, system_sources(), other_sources([])]
    return digest_of([{name: repr(other) for name, other in others.items()} for others in named])


def recorded() -> Mapping[str, Mapping[str, str]]:
    """The record."""
    found: Mapping[str, Mapping[str, str]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    wrong = [kind for kind, fit in FITS.items() if fit() != shipped(kind)]
    if wrong:
        sys.exit(f"error: {', '.join(wrong)}: a fit gives another model than the one that ships; run wordquarry train")
    found = {kind: fit_now(kind) for kind in FITS}
    RECORD.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
