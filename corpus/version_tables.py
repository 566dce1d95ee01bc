"""The tables of a version: where their files lie, and the record of a row of each.

Its problems lie twice in it, split by split, in files of the same rows: what a model is trained on, and everything.
"""

from collections.abc import Iterable
from typing import Final, get_args

from corpus.records import Problem, Provenance, Record, SourceAnswer, SourcePost, SplitName, TrainingRow

DATA, FULL = "data", "full"
PROBLEMS: Final[dict[str, type[Record]]] = {DATA: TrainingRow, FULL: Problem}
"""The folders of the default configuration and of the one that is called ``full``."""

PROVENANCE, POSTS, ANSWERS = "provenance.parquet", "posts.parquet", "answers.parquet"
BESIDE: Final[dict[str, type[Record]]] = {POSTS: SourcePost, ANSWERS: SourceAnswer, PROVENANCE: Provenance}
"""Questions as posted, the answers that problems rest on, and where both come from."""


def in_problems(path: str) -> bool:
    """Whether a file of a version is one of the tables of its problems."""
    return path.partition("/")[0] in PROBLEMS and "/" in path


def splits_of(files: Iterable[str]) -> list[str]:
    """The splits that data files hold, the one for training first.

    >>> splits_of(["data/test-00000-of-00001.parquet", "data/train-00000-of-00001.parquet", "posts.parquet"])
    ['train', 'test']
    """
    found = {path.partition("/")[2].partition("-")[0] for path in files if in_problems(path)}
    return sorted(found, key=get_args(SplitName).index)


def config_name(path: str) -> str:
    """The name by which a table is loaded: ``datasets.load_dataset(folder, "posts")``.

    >>> config_name("posts.parquet")
    'posts'
    """
    return path.partition(".")[0]
