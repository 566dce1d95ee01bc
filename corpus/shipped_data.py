"""Where the data is that travels with the code: models, labels, our own threads, the bundled site."""

from functools import cache
from pathlib import Path

from corpus.code import ROOT

INSTALLED = Path("wordquarry", "data")
CHECKOUT = Path("data")


@cache
def shipped_data(root: Path = ROOT) -> Path:
    """The folder of the shipped data: ``wordquarry/data`` of an installed wheel, ``data`` of a checkout.

    ``root`` is the folder that holds the packages. Without either folder the answer is that of a checkout, so that a
    message about a missing file names a place that can be filled.

    >>> sorted(path.name for path in (shipped_data() / "models").glob("*.json"))
    ['answers.json', 'posts.json', 'publication.json', 'systems.json']
    """
    installed = root / INSTALLED
    return installed if installed.is_dir() else root / CHECKOUT
