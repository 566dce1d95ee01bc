"""The tables of a version beside its problems: their files, and the record of a row of each."""

from typing import Final

from corpus.records import Provenance, Record, SourceAnswer, SourcePost

PROVENANCE, POSTS, ANSWERS = "provenance.parquet", "posts.parquet", "answers.parquet"
BESIDE: Final[dict[str, type[Record]]] = {POSTS: SourcePost, ANSWERS: SourceAnswer, PROVENANCE: Provenance}
"""Questions as posted, the answers that problems rest on, and where both come from."""


def config_name(path: str) -> str:
    """The name by which a table is loaded: ``datasets.load_dataset(folder, "posts")``.

    >>> config_name("posts.parquet")
    'posts'
    """
    return path.partition(".")[0]
