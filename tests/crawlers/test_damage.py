"""Damaged files lose no post without a word."""

import json

import pytest

from tests.crawlers import damaged as damage
from tests.crawlers.damaged import DamageKind
from tests.tiers import in_turn, tier

pytestmark = pytest.mark.slow
TIMES = tier(40, 4)


def the_kind(name: str) -> DamageKind:
    return next(kind for kind in damage.kinds() if kind.name == name)


def test_no_kind_of_file_loses_a_post_without_a_word() -> None:
    for kind in in_turn(list(damage.kinds()), 3):
        for one in damage.damages(kind, damage.overwritten, TIMES):
            assert one.told or not one.missing, (kind.name, one)
            assert one.told or not one.altered or not kind.checked, (kind.name, one)


def test_every_cut_is_an_error_that_names_the_file() -> None:
    for kind in in_turn(list(damage.kinds()), 3):
        for one in damage.damages(kind, damage.cut, TIMES):
            assert kind.name in one.told, (kind.name, one)


def test_what_nobody_can_notice_is_seen_here() -> None:
    """A line that is not there, and a word that is another: the measure is not blind."""
    lines = the_kind("a.jsonl")
    _, whole = damage.read(lines, lines.content)
    first, *others = lines.content.splitlines(keepends=True)
    assert damage.outcome(lines, b"".join(others), whole) == damage.DamageOutcome(missing=1, altered=0, told="")
    row = json.loads(first)
    changed = json.dumps(row | {"question": row["question"].replace("Ann", "Bob")}).encode() + b"\n"
    assert damage.outcome(lines, changed + b"".join(others), whole) == damage.DamageOutcome(
        missing=0, altered=1, told=""
    )


def test_the_same_damage_every_time() -> None:
    lines = the_kind("a.jsonl")
    once, again = ([one.told.partition(lines.name)[2] for one in damage.damages(lines, damage.cut, 3)] for _ in "ab")
    assert once == again
    assert len(set(once)) == 3
