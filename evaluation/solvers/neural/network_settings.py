"""The networks by name, and their sizes: small ones for two processor cores, and those of the published runs."""

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes and training of one network. Training ends early where the mean loss of an epoch is below ``enough``.

    ``numbered``: whether the mark of a number says its place, or all numbers are one word as in GTS.
    """

    embedding: int = 128
    hidden: int = 128
    layers: int = 1
    dropout: float = 0.3
    batch: int = 16
    rate: float = 1e-3
    epochs: int = 25
    enough: float = 0.01
    beam: int = 5
    numbered: bool = True
    seed: int = 1


_SMALL = NetworkSettings()
SMALL: Final[dict[str, NetworkSettings]] = {
    "seq2seq": _SMALL,
    "gts": replace(_SMALL, numbered=False),
    "graph2tree": _SMALL,
    "transformer": replace(_SMALL, rate=5e-4, dropout=0.1),
    "ffn-lstm": _SMALL,
}
"""What runs by default."""

PUBLISHED: Final[dict[str, NetworkSettings]] = {
    "seq2seq": NetworkSettings(128, 256, 2, 0.1, 8, 8e-4, 60),
    "gts": NetworkSettings(128, 384, 2, 0.5, 4, 8e-4, 50, numbered=False),
    "graph2tree": NetworkSettings(128, 384, 2, 0.5, 4, 8e-4, 50, numbered=False),
    "transformer": NetworkSettings(256, 256, 2, 0.1, 8, 8e-4, 60),
    "ffn-lstm": NetworkSettings(128, 256, 2, 0.5, 4, 1e-3, 60),
}
"""Within the ranges of the runs on ASDiv-A in the repository of SVAMP (Patel et al., NAACL 2021)."""
