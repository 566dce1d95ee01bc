"""Stratified samples, drawn by hashing so that no order of units can change them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.records import Answer, TextSpan


class Group(StrEnum):
    """What a stage did with a post that is sampled."""

    KEPT = "kept"
    DROPPED = "dropped"


STAGES: Final = ("answers", "equations", "in_scope")
"""The stages whose decisions can be judged."""


@dataclass(frozen=True)
class Draw:
    """What to draw: which stage's decisions, how many rows at most, and the seed of the hash."""

    stage: str
    n: int
    seed: int

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise InputError(f"cannot audit stage {self.stage!r}; there are: {', '.join(STAGES)}")
        if self.n < 1:
            raise InputError(f"cannot draw {self.n} rows; give --n of at least 1")


@dataclass(frozen=True)
class Unit:
    """One decision to be judged: what was claimed of a post, and the characters the claim rests on."""

    post_id: str
    stratum: str
    group: Group
    question: str = ""
    values: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    answers: tuple[Answer, ...] = ()
    spans: tuple[TextSpan, ...] = ()


@dataclass(frozen=True)
class Sampled:
    """A stratum: where it belongs, how many units it has, and how many were drawn."""

    stratum: str
    group: Group
    population: int
    sampled: int


def allocate(populations: Mapping[str, int], n: int) -> dict[str, int]:
    """How many rows each stratum gets: half of them spread evenly, the rest by population, all if there are few.

    >>> allocate({"a": 90, "b": 10, "c": 1}, 20)
    {'a': 14, 'b': 5, 'c': 1}
    """
    rows = min(n, sum(populations.values()))
    even = _share_out(rows // 2, populations, dict.fromkeys(populations, 1))
    room = {name: populations[name] - even[name] for name in populations}
    rest = _share_out(rows - sum(even.values()), room, populations)
    return {name: even[name] + rest[name] for name in populations}


def _share_out(rows: int, room: Mapping[str, int], weights: Mapping[str, int]) -> dict[str, int]:
    """Share ``rows`` out by weight without passing any stratum's room; what does not divide goes to the heaviest."""
    given = dict.fromkeys(room, 0)
    while left := rows - sum(given.values()):
        names = sorted((name for name in room if given[name] < room[name]), key=lambda name: (-weights[name], name))
        total = sum(weights[name] for name in names)
        shares = {name: left * weights[name] // total for name in names}
        if not any(shares.values()):
            shares = dict.fromkeys(names[:left], 1)
        for name, share in shares.items():
            given[name] = min(room[name], given[name] + share)
    return given


def draw_order(seed: int, post_id: str) -> str:
    """The key by which units are drawn, and set on the sheet: a hash, so it knows nothing of their order or kind."""
    return sha256_text(f"{seed}\n{post_id}")


def stratified(units: Sequence[Unit], n: int, seed: int) -> tuple[list[Unit], list[Sampled]]:
    """Draw up to ``n`` units; returns them in the order of their hashes, and every stratum with its sizes."""
    strata: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda unit: draw_order(seed, unit.post_id)):
        strata.setdefault(unit.stratum, []).append(unit)
    sizes = allocate({name: len(strata[name]) for name in sorted(strata)}, n)
    chosen = [unit for name in sorted(strata) for unit in strata[name][: sizes[name]]]
    drawn = [Sampled(name, strata[name][0].group, len(strata[name]), sizes[name]) for name in sorted(strata)]
    return sorted(chosen, key=lambda unit: draw_order(seed, unit.post_id)), drawn
