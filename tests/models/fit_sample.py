"""What small fits and the models that ship decide; the machine tests run it in processes of different processors.

Weights of a fit may differ in their last digits between machines. What they decide does not: scopes, first candidates,
whether they are returned, and probabilities to three digits.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]  # no stubs are published

from corpus.canonical import digest_of
from models.answer_model import AnswerModel
from models.answer_training import Other, train_answers
from models.fits import fit_ranking
from models.label_split import LabelledThread
from models.linear import on_grid
from models.post_model import PostModel
from models.post_training import train_posts
from models.shipped import shipped_model, shipped_reader
from models.system_model import SystemModel
from models.system_training import train_systems
from models.thread_reading import ThreadReader
from tests.models.equations import solved
from tests.models.samples import ANSWERS, QUESTION, labelled, systems

DIGITS = 3


def answered(model: AnswerModel, threads: Sequence[LabelledThread]) -> list[Any]:
    """For each thread its first candidate, its probability, and whether it is returned."""
    found = [model.rank(one.question, one.answers, solved(one.question, one.answers)) for one in threads]
    return [[one.values, round(one.confidence, DIGITS), one.sure(None)] for one in found]


def scoped(model: PostModel, threads: Sequence[LabelledThread]) -> list[Any]:
    """For each thread its scope, with its probability."""
    found = [model.scope(one.question, one.answers) for one in threads]
    return [[one.outcome, round(one.probability, DIGITS)] for one in found]


def likeliest(model: SystemModel, threads: Sequence[LabelledThread]) -> list[Any]:
    """For each thread the equations of its likeliest system, with its probability by itself."""
    judged = [model.read(one.question, one.answers) for one in threads]
    places = [one.likeliest(one.chances) for one in judged]
    return [
        None if place is None else [one.thread.systems[place].equations, round(one.chances[place], DIGITS)]
        for one, place in zip(judged, places, strict=True)
    ]


def read(reader: ThreadReader, threads: Sequence[LabelledThread]) -> list[Any]:
    """For each thread the system that is returned, if one is, and its probability beside the answer."""
    found = [reader.read(one.question, one.answers).equations for one in threads]
    return [[one.equations, round(one.probability, DIGITS)] for one in found]


def decided() -> dict[str, Any]:
    """All decisions, by model; the ranking is large enough for several threads."""
    rows = on_grid(np.random.default_rng(5).normal(size=(120, 40)))
    groups = [(part, part[:, 0] + part[:, 1] > 1) for part in np.split(rows, 12)]
    weights = fit_ranking(groups, 1.0)
    threads = [*labelled(12), *labelled(12, in_scope=False)]
    asked = [*labelled(17)[12:], *systems(3), LabelledThread("coins", QUESTION, ANSWERS, labelled(1)[0].label)]
    answers = train_answers(threads, others={"site": Other(labelled(15)[12:], 0.5)}).model
    pairs = systems(20)
    of_systems = train_systems(pairs).model
    beside = train_answers(pairs, solved).model
    return {
        "posts": scoped(train_posts(threads).model, asked),
        "answers": answered(answers, asked),
        "systems": likeliest(of_systems, pairs),
        "systems beside answers": read(ThreadReader(of_systems, beside), pairs),
        "ranking": [np.argsort(-(part @ weights)).tolist() for part, _ in groups],
        "shipped posts": scoped(shipped_model("posts"), threads),
        "shipped answers": answered(shipped_model("answers"), [*threads, *asked]),
        "shipped systems": likeliest(shipped_model("systems"), pairs),
        "shipped systems beside answers": read(shipped_reader(), pairs),
    }


if __name__ == "__main__":
    kernels = sorted({str(found["architecture"]) for found in threadpool_info() if "architecture" in found})
    sys.stdout.write(f"{','.join(kernels)} {digest_of(decided())}\n")
