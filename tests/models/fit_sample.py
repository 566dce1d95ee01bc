"""Fits a small sample of every kind of model; the machine tests run it in processes of different processors."""

import sys

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]  # no stubs are published

from corpus.canonical import digest_of
from models.answer_training import Other, train_answers
from models.exact import on_grid
from models.post_training import train_posts
from models.ranking_svm import fit_ranking
from models.storage import digest_of_bytes, model_bytes
from tests.models.samples import labelled


def fitted() -> dict[str, str]:
    """A digest of each fit by name; the ranking is large enough for several threads."""
    rows = on_grid(np.random.default_rng(5).normal(size=(120, 40)))
    groups = [(part, part[:, 0] + part[:, 1] > 1) for part in np.split(rows, 12)]
    threads = [*labelled(12), *labelled(12, in_scope=False)]
    return {
        "posts": digest_of_bytes(model_bytes(train_posts(threads).model)),
        "answers": digest_of_bytes(
            model_bytes(train_answers(threads, others={"site": Other(labelled(15)[12:], 0.5)}).model)
        ),
        "ranking": digest_of(fit_ranking(groups, 1.0).tolist()),
    }


if __name__ == "__main__":
    kernels = sorted({str(found["architecture"]) for found in threadpool_info() if "architecture" in found})
    sys.stdout.write(f"{','.join(kernels)} {digest_of(fitted())}\n")
