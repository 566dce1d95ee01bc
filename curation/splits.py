"""Splits by template and near-duplicate group, stable while a corpus grows.

Posts that share a template or a duplicate group form one component and share a split (Dolphin18K and DRAW split
problems at random, so that templates and reposts leak). The split is the hash of the component's representative: the
template with the smallest digest, else the duplicate group, else the post itself. Names of templates and duplicate
groups depend on content alone, so a post that arrives later joins the split its template already has. Posts move only
where a newcomer joins two components; then those of one of them move. One template may hold a large part of a corpus,
so shares can be far from the ones asked for.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from corpus.canonical import sha256_text
from corpus.config import StageConfig
from corpus.records import SplitName
from curation.grouping import Components


class SplitConfig(StageConfig):
    """Shares of the splits, and what validation and test ask for."""

    scheme: Literal["train-validation-test", "development-evaluation"] = "train-validation-test"
    """the parts; or "development-evaluation", the two parts of Dolphin18K. A group is never cut apart"""
    development: float = Field(0.2, ge=0, le=1)
    """share of the groups in development; the others are evaluation (only with that scheme)"""
    train: float = Field(0.8, ge=0, le=1)
    """share of the groups in train"""
    validation: float = Field(0.1, ge=0, le=1)
    """share of the groups in validation; the others are test"""
    held_out_precision: float = Field(0.99, ge=0, lt=1)
    """how sure a problem in validation or test has to be: two answers state the answer that the system confirms, or
    it is as likely right as calibration posts of which this share is right. This promises nothing about other posts
    ([ADR 38](adr/0038-rows-for-people-who-train.md)). 0 takes all"""
    salt: str = "wordquarry-1"
    """another salt gives another split"""

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.train + self.validation > 1 + 1e-9:
            raise ValueError("train and validation together are more than 1")
        return self


SplitRow = tuple[str, str | None, str | None]
"""(post_id, template_id or None, duplicate group or None)."""

_KINDS = ("template", "duplicates")


class Assigned(NamedTuple):
    """A post, its split and the group that decided it: the fields of PostSplit."""

    post_id: str
    split: SplitName
    group: str


def assign_splits(rows: Sequence[SplitRow], config: SplitConfig) -> list[Assigned]:
    """The split and the group of each post, in the order of ``rows``."""
    named = {pair: _names(*pair) for pair in dict.fromkeys((template_id, twins) for _, template_id, twins in rows)}
    linked: Components[tuple[str, str]] = Components()
    for names in named.values():
        for name in names:
            linked.join(names[0], name)
    shared: dict[tuple[str, str], str] = {}
    for members in linked.components():
        shared.update(dict.fromkeys(members, _representative(members)))
    groups = {pair: shared[names[0]] for pair, names in named.items() if names}
    found = [(post_id, groups.get((template_id, twins)) or f"post:{post_id}") for post_id, template_id, twins in rows]
    decided = {group: split_of(group, config) for group in dict.fromkeys(group for _, group in found)}
    return [Assigned(post_id, decided[group], group) for post_id, group in found]


def _names(template_id: str | None, duplicates: str | None) -> list[tuple[str, str]]:
    values = zip(_KINDS, (template_id, duplicates), strict=True)
    return [(kind, value) for kind, value in values if value is not None]


def _representative(members: Sequence[tuple[str, str]]) -> str:
    """Templates before duplicate groups; of several the one with the smallest digest."""
    kind, value = min(members, key=lambda member: (_KINDS.index(member[0]), sha256_text(member[1]), member[1]))
    return f"{kind}:{value}"


def shares_of(config: SplitConfig) -> dict[SplitName, float]:
    """The splits of a scheme with the share of each, in the order in which hashes fall on them.

    >>> shares_of(SplitConfig(scheme="development-evaluation"))
    {'development': 0.2, 'evaluation': 0.8}
    """
    if config.scheme == "development-evaluation":
        return {"development": config.development, "evaluation": 1.0 - config.development}
    rest = max(0.0, 1.0 - config.train - config.validation)
    return {"train": config.train, "validation": config.validation, "test": rest}


def split_of(group: str, config: SplitConfig) -> SplitName:
    """The split of a group: its salted SHA-256 as a number between 0 and 1, cut at the shares."""
    place = int(sha256_text(f"{config.salt}\n{group}")[:16], 16) / 16**16
    *splits, last = shares_of(config).items()
    end = 0.0
    for name, share in splits:
        end += share
        if place < end:
            return name
    return last[0]
