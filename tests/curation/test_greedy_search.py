"""The compiled search for the nearest accepted text against the filter by pairs; its loops run interpreted here."""

import importlib
import random
import sys
from contextlib import ExitStack
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from curation import diversity, duplicates
from curation.diversity import TooSimilar
from curation.greedy_pairs import found_by_pairs
from curation.ngrams import DistinctTexts

LOOPS = tuple(
    f"curation.{name}"
    for name in ("gram_kernels", "sketches", "block_index", "search_kernels", "greedy_search", "near_kernels")
)
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
    threads = SimpleNamespace(NUMBA_NUM_THREADS=2)
    plain = {"numba": SimpleNamespace(njit=lambda function, **_: function, config=threads)}
    with patch.dict(sys.modules, plain):
        for name in LOOPS:
            sys.modules.pop(name, None)
        found = importlib.import_module("curation.greedy_search")
        # Few texts, and yet several batches and blocks; numpy warns of the multiplication that wraps round.
        loops, index, bits = (one.__globals__ for one in (found.search, found.novel_features, found.sketched))
        ones = np.errstate(over="ignore")(bits["_ones"])
        patched = [patch.dict(one, BLOCK=4) for one in (loops, index)]
        patched += [patch.dict(bits, _ones=ones), patch.multiple(found, BLOCK=4, BATCH=7)]
        with ExitStack() as stack:
            for one in patched:
                stack.enter_context(one)
            yield found


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


def distinct(texts):
    found = DistinctTexts()
    assert [found.add(text) for text in texts] == list(range(len(texts)))
    return found


def same(first, second, given=0):
    return all(np.array_equal(one[given:], other[given:]) for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize(("ld_min", "given"), [(0.3, 0), (0.6, 25), (0.0, 0), (1.0, 3)])
@pytest.mark.parametrize("drawn", [phrased, looped])
def test_decisions_are_those_of_the_filter_by_pairs(search, drawn, ld_min, given):
    texts = drawn(64, f"{ld_min}")
    found, expected = search.found_by_search(distinct(texts), given, ld_min), found_by_pairs(texts, given, ld_min)
    assert same(found, expected, given)
    assert found.accepted[:given].all()
    assert len(set(found.nearest.tolist())) >= (8 if ld_min < 1.0 else 2)


def test_the_bounds_spare_most_texts(search):
    texts = phrased(100, 5)
    seen = []
    compared = search.search.__globals__["_product"]

    def counted(marks, features, text, other, *rest):
        seen.append((text, other))
        return compared(marks, features, text, other, *rest)

    with patch.dict(search.search.__globals__, _product=counted):
        search.found_by_search(distinct(texts), 0, 0.3)
    assert len(set(seen)) == len(seen)
    assert len(seen) < 100 * 99 / 2 / 8


@pytest.mark.usefixtures("search")
@pytest.mark.parametrize("seed", range(2))
def test_what_is_known_of_a_former_run_changes_nothing(monkeypatch, seed):
    draw = random.Random(seed)
    items = [(f"p{n}", " ".join(text), float(draw.randrange(3))) for n, text in enumerate(phrased(42, seed))]
    items += [(f"twin{n}", items[n][1], float(draw.randrange(3))) for n in range(6)]
    old = [items[place] for place in draw.sample(range(48), 38)]
    gone = [(f"gone{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(46, seed)[42:])]
    moved = [(item_id, text, 2 - priority) for item_id, text, priority in old[:20]] + old[20:]
    full = diversity.greedy_filter(items, 0.5, profile="surface")
    monkeypatch.setattr(diversity, "LARGE", 1)
    known = diversity.greedy_run([*moved, *gone], 0.5, profile="surface").memory
    found = diversity.greedy_run(items, 0.5, profile="surface", known=known)
    assert found.decisions == full
    assert found.memory.equals(diversity.greedy_run(items, 0.5, profile="surface").memory, check_metadata=True)
    before = dict(zip(known["item_id"].to_pylist(), known["accepted"].to_pylist(), strict=True))
    assert any(isinstance(one, TooSimilar) and before.get(one.item_id) for one in full)  # newcomers push out
    assert diversity.greedy_run(items, 0.4, profile="surface", known=known).decisions == diversity.greedy_filter(
        items, 0.4, profile="surface"
    )


def test_of_a_former_run_little_is_searched_anew(search, monkeypatch):
    items = [(f"p{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(50, 3))]
    monkeypatch.setattr(diversity, "LARGE", 1)
    known = diversity.greedy_run(items[1:], 0.3, profile="surface").memory
    searched = []
    decide = search._decide
    monkeypatch.setattr(search, "_decide", lambda *given: searched.append(given[2].searched.sum()) or decide(*given))
    diversity.greedy_run(items, 0.3, profile="surface", known=known)
    assert searched[0] == 1
    assert sum(searched) < 10


def after_former(search, texts, new, ld_min):
    """What is found of texts in their order where a former run knew all but the places in ``new``."""
    old = np.setdiff1d(np.arange(len(texts)), new)
    before = search.found_by_search(distinct([texts[place] for place in old]), 0, ld_min)
    accepted, similarity = np.zeros(len(texts), bool), np.zeros(len(texts))
    nearest = np.full(len(texts), search.UNKNOWN)
    accepted[old], similarity[old] = before.accepted, before.similarity
    nearest[old] = np.where(before.nearest < 0, -1, old[before.nearest])
    return search.found_by_search(distinct(texts), 0, ld_min, search.GreedyResult(accepted, similarity, nearest))


def test_late_rounds_leave_out_what_is_out_of_reach(search, monkeypatch):
    rounds, reach = [], search._within_reach

    def noted(tokens, offsets, known, hoped):
        rounds[-1].append((hoped, reach(tokens, offsets, known, hoped)))
        return rounds[-1][-1][1]

    monkeypatch.setattr(search, "_within_reach", noted)
    for seed in range(8):
        texts = phrased(44, seed)
        rounds.append([])
        assert same(after_former(search, texts, [0, 5, 9], 0.6), found_by_pairs(texts, 0, 0.6))
    late = [one for some in rounds for one in some[2:]]  # the first is that of the former run
    assert len(late) < 2 * len(rounds)
    assert min(within.mean() for _, within in late) < 0.25
    assert any(hoped == 0 for hoped, _ in late)  # a text found less than it hoped for, and was searched for among all


def test_a_large_corpus_takes_this_way(search, monkeypatch):
    texts = [(f"p{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(40, 7) + looped(20, 7))]
    few = diversity.greedy_filter(texts, 0.5, accepted=[("old", texts[3][1])], profile="surface")
    monkeypatch.setattr(diversity, "LARGE", 1)
    assert diversity.greedy_filter(texts, 0.5, accepted=[("old", texts[3][1])], profile="surface") == few
    with patch.dict(sys.modules, {"curation.greedy_search": None}), pytest.raises(ImportError):
        diversity.greedy_filter(texts, 0.5, profile="surface")


@pytest.mark.rows("threshold", [0.5, 0.8])
@pytest.mark.usefixtures("search")
def test_near_duplicates_of_many_are_those_of_few(threshold):
    texts = [*phrased(40, threshold), *looped(40, threshold)]
    near = [(*text[:place], "other", *text[place:]) for place, text in enumerate(texts[:20])]
    items = [(f"p{number:03}", " ".join(text)) for number, text in enumerate([*texts, *near])]
    few = duplicates.duplicate_pairs(items, threshold)
    assert duplicates.duplicate_pairs(items, threshold, large=1) == few
    groups = duplicates.growing_groups(items, threshold=threshold).groups
    assert duplicates.growing_groups(items, threshold=threshold, large=1).groups == groups
    assert sum(pair.kind == "near" for pair in few) > 15
    with patch.dict(sys.modules, {"curation.near_kernels": None}), pytest.raises(ImportError):
        duplicates.duplicate_pairs(items, threshold, large=1)  # it takes the compiled loops


@pytest.mark.usefixtures("search")
def test_groups_grow_and_shrink_as_if_found_anew():
    draw, known, linked = random.Random(5), None, 0
    texts = [text for text in phrased(30, 11) + looped(10, 11) for _ in range(2)]
    for _ in range(12):
        # Less or more of a text makes chains of near texts, which fall apart where one of them is not drawn.
        chosen = [" ".join(text[draw.randrange(1 + len(text) // 2) :]) for text in draw.sample(texts, 40)]
        items = [(f"p{number}", text) for number, text in enumerate([*chosen, *draw.sample(chosen, 5)])]
        for kept in (items, draw.sample(items, 30)):
            found = duplicates.growing_groups(kept, known, threshold=0.5, large=1)
            assert found.groups == duplicates.growing_groups(kept, threshold=0.5, large=1).groups
            known, linked = found.memory, linked + sum(group is not None for group in found.groups.values())
    assert linked > 200


@pytest.mark.usefixtures("search")
@pytest.mark.rows("large", [1, 1_000])
def test_groups_of_a_growing_corpus_are_those_of_a_whole_one(large):
    long = "a farmer sells twelve sacks of wheat and then nine more sacks at the market on a cold monday"
    old = [("a", long), ("b", "how far is it to the town"), ("gone", "one two three four")]
    new = [("c", f"{long} morning"), ("d", "How far is it to the town?"), *old[:2]]
    groups, memory = duplicates.growing_groups(old, large=large)
    assert (memory is None) == (large > 3)
    assert duplicates.growing_groups(new, memory, large=large).groups == duplicates.growing_groups(new).groups
    assert len(set(duplicates.growing_groups(new).groups.values())) == 2
    assert set(groups.values()) == {None}


def test_only_new_texts_are_compared_and_those_whose_group_lost_one(monkeypatch):
    asked = []
    monkeypatch.setattr(
        duplicates,
        "_near_of_many",
        lambda texts, threshold, chosen: asked.append(chosen.tolist()) or duplicates._near(texts, threshold),
    )
    words = [f"word{number}" for number in range(40)]
    near = [("a", " ".join(words)), ("b", " ".join([*words, "more"])), ("c", "something else it is")]
    known = duplicates.growing_groups(near, large=1).memory
    duplicates.growing_groups([*near, ("d", "yet another one")], known, large=1)
    duplicates.growing_groups(near[1:], known, large=1)
    assert asked == [[True] * 3, [False, False, False, True], [True, False]]


@pytest.mark.rows("seed", range(4))
@pytest.mark.usefixtures("search")
def test_pairs_with_one_that_is_asked_are_counted_with_all_their_n_grams(seed):
    from curation.near_kernels import near_pairs

    draw, threshold = random.Random(seed), 0.3
    texts = [tuple(draw.choices(range(3 * (1 + draw.randrange(3))), k=draw.randrange(16))) for _ in range(60)]
    sets = [{text[at : at + 3] for at in range(len(text) - 2)} for text in texts]
    asked = np.array([draw.random() < 0.2 for _ in texts])
    tokens = np.array([token for text in texts for token in text], np.int32)
    offsets = np.cumsum([0, *map(len, texts)])
    found = zip(*near_pairs(tokens, offsets, 3, threshold, asked), strict=True)
    wanted = {
        (left, right): len(sets[left] & sets[right]) / len(sets[left] | sets[right])
        for right in range(len(texts))
        for left in range(right)
        if (asked[left] or asked[right]) and sets[left] & sets[right]
    }
    assert {(left, right): similarity for left, right, similarity in found} == {
        pair: similarity for pair, similarity in wanted.items() if similarity >= threshold
    }
