"""The compiled search for the nearest accepted text against the filter by pairs; its loops run interpreted here."""

import importlib
import random
import sys
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from curation import diversity
from curation.greedy_pairs import Found, found_by_pairs

LOOPS = ("curation.gram_kernels", "curation.search_kernels", "curation.greedy_search")
PLACES = ("at the town fair", "in a small shop", "on the old farm", "in the school garden near the river")
FRAMES = (
    "every club sells {} {} in summer",
    "she keeps a box of {} for the {} festival",
    "the sum of two numbers is {} and their difference is {} find the numbers",
    "a train of {} and a train of {} start toward each other at noon",
)


@pytest.fixture(scope="module")
def search():
    """The module with its loops as plain Python: compiling them would take longer than all tests of this folder."""
    plain = {"numba": SimpleNamespace(njit=lambda function, **_: function)}
    with patch.dict(sys.modules, plain):
        for name in LOOPS:
            sys.modules.pop(name, None)
        yield importlib.import_module("curation.greedy_search")


def phrased(count, seed):
    """Texts of stock phrases with rare and common words, one in ten a near copy of an earlier one."""
    draw = random.Random(seed)
    found = {}
    while len(found) < count:
        if found and draw.random() < 0.1:
            text = list(draw.choice(list(found)))
            text[draw.randrange(len(text))] = f"x{draw.randrange(40)}"
        else:
            words = [f"w{int(draw.paretovariate(0.7)) % 60}" for _ in range(12)]
            frames = draw.sample(FRAMES, draw.randint(1, 3))
            text = " ".join(frame.format(draw.choice(words), draw.choice(PLACES)) for frame in frames).split()
            text = words[: draw.randint(0, 5)] + text
        found[tuple(text)] = None
    return list(found)


def looped(count, seed):
    """Texts of few words, so that n-grams come again inside a text; some too short to hold a 4-gram."""
    draw = random.Random(seed)
    return list(dict.fromkeys(tuple(draw.choices("abc", k=draw.randint(0, 14))) for _ in range(count)))


def same(first, second, given=0):
    return all(np.array_equal(one[given:], other[given:]) for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize(("ld_min", "given"), [(0.3, 0), (0.6, 25), (0.0, 0), (1.0, 3)])
@pytest.mark.parametrize("drawn", [phrased, looped])
def test_decisions_are_those_of_the_filter_by_pairs(search, drawn, ld_min, given):
    texts = drawn(64, f"{ld_min}")
    found, expected = search.found_by_search(texts, given, ld_min), found_by_pairs(texts, given, ld_min)
    assert same(found, expected, given)
    assert found.accepted[:given].all()
    assert len(set(found.nearest.tolist())) >= (8 if ld_min < 1.0 else 2)


def test_the_bounds_spare_most_texts(search):
    texts = phrased(100, 5)
    seen = []
    compared = search.decide.__globals__["_similarity"]

    def counted(text, other, *rest):
        seen.append((text, other))
        return compared(text, other, *rest)

    with patch.dict(search.decide.__globals__, _similarity=counted):
        search.found_by_search(texts, 0, 0.3)
    assert len(set(seen)) == len(seen)
    assert len(seen) < 100 * 99 / 2 / 8


@pytest.mark.parametrize("seed", range(2))
def test_what_is_known_of_a_former_run_changes_nothing(search, seed):
    texts = phrased(60, seed)
    old = sorted(random.Random(seed).sample(range(60), 48))
    before = search.found_by_search([texts[place] for place in old], 0, 0.5)
    former = Found(np.zeros(60, bool), np.zeros(60), np.full(60, search.UNKNOWN, np.int64))
    for place, (accepted, similarity, nearest) in zip(old, zip(*before, strict=True), strict=True):
        former.accepted[place], former.similarity[place] = accepted, similarity
        former.nearest[place] = old[nearest] if nearest >= 0 else -1
    tokens, offsets = search.numbered(texts)
    full = search.found_by_search(texts, 0, 0.5)
    assert same(search.decided(tokens, offsets, (0, 0.5), former), full)
    assert (full.accepted[old] != before.accepted).any()  # a newcomer pushed an old one out


def test_a_large_corpus_takes_this_way(search, monkeypatch):
    texts = [(f"p{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(40, 7) + looped(20, 7))]
    few = diversity.greedy_filter(texts, 0.5, accepted=[("old", texts[3][1])], profile="surface")
    monkeypatch.setattr(diversity, "LARGE", 1)
    monkeypatch.setattr(diversity, "found_by_pairs", None)
    assert diversity.greedy_filter(texts, 0.5, accepted=[("old", texts[3][1])], profile="surface") == few
