"""The greedy filter and the search for the nearest text, against the rule pair by pair in plain Python."""

import functools
import math
import os
import random
import tracemalloc
from collections import Counter

import numpy as np
import pytest

from curation.near_texts import diversity, duplicates, greedy
from curation.near_texts.diversity import TooSimilar, diversity_of_tokens, greedy_run, nearest_in
from curation.near_texts.greedy import UNKNOWN, GreedyResult, found_greedily
from curation.near_texts.ngrams import DistinctTexts
from curation.near_texts.similarity import Similarity

PLACES = ("at the town fair", "in a small shop", "on the old farm", "in the school garden near the river")
FRAMES = (
    "every club sells {} {} in summer",
    "she keeps a box of {} for the {} festival",
    "the sum of two numbers is {} and their difference is {} find the numbers",
    "a train of {} and a train of {} start toward each other at noon",
)


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


PLAN = ["market", "sunny", "morning", "school", "happy", "family", "wooden", "basket", "river", "bridge"]


def like(count, seed, places=2, words=9):
    """Texts of one plan, each with some of its words exchanged, a few of them cut short."""
    choose = random.Random(seed)
    found = []
    for _ in range(count):
        text = list(PLAN)
        for place in choose.sample(range(len(text)), places):
            text[place] = f"word{choose.randrange(words)}"
        found.append(tuple(text[: choose.randint(3, len(text))]))
    return found


def distinct(texts):
    found = DistinctTexts()
    assert [found.add(text) for text in texts] == list(range(len(texts)))
    return found


@functools.cache
def similarity(one, other):
    """The mean of both sentence BLEU-4."""
    if min(len(one), len(other)) < 4:
        return 0.0
    product = 1
    for order in (1, 2, 3, 4):
        first, second = (Counter(text[at : at + order] for at in range(len(text) - order + 1)) for text in (one, other))
        product *= (first & second).total()

    def one_way(a, b):
        return min(1.0, math.exp(1 - b / a)) / (a * (a - 1) * (a - 2) * (a - 3)) ** 0.25

    return min(product**0.25 * (one_way(len(one), len(other)) + one_way(len(other), len(one))) / 2, 1.0)


def by_the_rule(texts, ld_min):
    """Whether each text is accepted, with the greatest similarity to one accepted before and the first such."""
    found = []
    for place, text in enumerate(texts):
        before = [(similarity(text, texts[other]), -other) for other in range(place) if found[other][0]]
        value, other = max(before, default=(0.0, 1))
        accepted = value == 0.0 or not 1.0 - value < ld_min
        found.append((accepted, value, -other if value else -1))
    return found


def assert_same(found, expected):
    accepted, values, places = zip(*expected, strict=True)
    assert found.accepted.tolist() == list(accepted)
    assert found.nearest.tolist() == list(places)
    assert found.similarity.tolist() == pytest.approx(values, abs=1e-12)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Few texts, and yet several blocks."""
    monkeypatch.setattr("curation.near_texts.similarity.ROWS", 12)
    monkeypatch.setattr("curation.near_texts.similarity.COLUMNS", 24)
    monkeypatch.setattr("curation.near_texts.greedy.BLOCK", 12)
    monkeypatch.setattr("curation.near_texts.ngrams.AT_ONCE", 40)


@pytest.fixture
def small_index(monkeypatch):
    """An index from one text on, with parts and batches of few."""
    small = {"ROWS": 12, "ENTRIES": 500, "PAIRS": 20, "SMALLEST": 5, "WHOLE": 10, "FIRST": 20}
    for name, value in small.items():
        monkeypatch.setattr(f"curation.near_texts.text_index.{name}", value)
    monkeypatch.setattr(greedy, "MANY", 1)
    monkeypatch.setattr(greedy, "BATCH", 12)


def texts_of_all_kinds(seed):
    texts = list(dict.fromkeys(phrased(70, seed) + looped(8, seed) + like(8, seed)))
    random.Random(seed).shuffle(texts)
    return texts


@pytest.mark.rows("pairs", [1, 50])
@pytest.mark.rows("parts", [1, 11])
@pytest.mark.rows("seed", range(3))
def test_decisions_over_an_index_are_those_of_the_rule(seed, parts, pairs, monkeypatch, small_index):
    monkeypatch.setattr(greedy, "PAIRS_SHARE", pairs)
    monkeypatch.setattr("curation.near_texts.text_index.PARTS", parts)
    texts = texts_of_all_kinds(seed)
    for ld_min in (0.0, 0.2, 0.4, 0.7):
        assert_same(found_greedily(distinct(texts), ld_min), by_the_rule(texts, ld_min))


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("pairs", [100, 1])
def test_decisions_do_not_depend_on_how_many_search(workers, pairs, monkeypatch, small_index):
    made, fork = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(1) or fork())
    monkeypatch.setattr(greedy, "PAIRS_SHARE", pairs)
    monkeypatch.setattr("curation.near_texts.text_index.ROWS", 4)
    texts = phrased(60, workers)
    anew = found_greedily(distinct(texts), 0.4, workers=workers)
    assert_same(anew, by_the_rule(texts, 0.4))
    assert len(made) >= workers - 1
    known = former_of(texts, range(0, 60, 3), 0.4)
    assert_same(found_greedily(distinct(texts), 0.4, known, workers), by_the_rule(texts, 0.4))


@pytest.mark.parametrize("ld_min", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("drawn", [phrased, looped])
def test_decisions_are_those_of_the_rule(drawn, ld_min):
    texts = drawn(64, f"{ld_min}")
    found = found_greedily(distinct(texts), ld_min)
    assert_same(found, by_the_rule(texts, ld_min))
    assert len(set(found.nearest.tolist())) >= (8 if ld_min < 1.0 else 2)


@pytest.mark.rows("few", [0.5, 64])
@pytest.mark.rows("seed", range(2))
def test_nearest_texts_are_those_of_all_pairs_inside_groups_too(seed, few, monkeypatch):
    monkeypatch.setattr("curation.near_texts.similarity.FEW", few)
    texts = list(dict.fromkeys(like(30, seed) + phrased(16, seed) + looped(10, seed)))
    for groups in (None, [number % 3 for number in range(len(texts))]):
        found = diversity_of_tokens(texts, groups)
        for place, text in enumerate(texts):
            others = (
                (similarity(text, texts[other]), -other)
                for other in range(len(texts))
                if other != place and (groups is None or groups[other] == groups[place])
            )
            value, other = max(others)
            assert found.lexicon_diversity[place] == pytest.approx(1 - value, abs=1e-12)
            assert found.nearest[place] == (-other if value else None)
    first, second = texts[:20], texts[20:]
    for text, (value, place) in zip(first, nearest_in(first, second), strict=True):
        expected, other = max((similarity(text, other), -number) for number, other in enumerate(second))
        assert (value, place) == (pytest.approx(expected, abs=1e-12), -other if expected else -1)


def test_features_of_many_texts_and_of_few_are_counted(monkeypatch):
    texts = distinct(list(dict.fromkeys(like(80, 1) + looped(40, 1))))
    few = Similarity(texts.arrays()).within(np.arange(len(texts)))
    for common in (1, 1_000):  # all by sparse matrices, and all by dense ones
        monkeypatch.setattr("curation.near_texts.similarity.COMMON", common)
        assert np.array_equal(Similarity(texts.arrays()).within(np.arange(len(texts))), few)


@pytest.mark.parametrize("seed", range(2))
def test_what_is_known_of_a_former_run_changes_nothing(monkeypatch, seed):
    draw = random.Random(seed)
    items = [(f"p{n}", " ".join(text), float(draw.randrange(3))) for n, text in enumerate(phrased(42, seed))]
    items += [(f"twin{n}", items[n][1], float(draw.randrange(3))) for n in range(6)]
    old = [items[place] for place in draw.sample(range(48), 38)]
    gone = [(f"gone{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(46, seed)[42:])]
    moved = [(item_id, text, 2 - priority) for item_id, text, priority in old[:20]] + old[20:]
    full = diversity.greedy_run(items, 0.5, profile="surface").decisions
    monkeypatch.setattr(diversity, "LARGE", 1)
    known = diversity.greedy_run([*moved, *gone], 0.5, profile="surface").memory
    found = diversity.greedy_run(items, 0.5, profile="surface", known=known)
    assert found.decisions == full
    assert found.memory.equals(diversity.greedy_run(items, 0.5, profile="surface").memory, check_metadata=True)
    before = dict(zip(known["item_id"].to_pylist(), known["accepted"].to_pylist(), strict=True))
    assert any(isinstance(one, TooSimilar) and before.get(one.item_id) for one in full)  # newcomers push out
    found = diversity.greedy_run(items, 0.4, profile="surface", known=known)
    assert found.decisions == diversity.greedy_run(items, 0.4, profile="surface").decisions


def test_a_former_run_may_be_known_where_nothing_is_left(monkeypatch):
    monkeypatch.setattr(diversity, "LARGE", 1)
    known = diversity.greedy_run([("p", "red boats sail", 0.0)], 0.3).memory
    assert diversity.greedy_run([], 0.3, known=known).decisions == ()


def test_of_a_former_run_little_is_searched_anew(monkeypatch):
    items = [(f"p{n}", " ".join(text), 0.0) for n, text in enumerate(phrased(100, 3))]
    monkeypatch.setattr(diversity, "LARGE", 1)
    known = diversity.greedy_run(items[1:], 0.3, profile="surface").memory
    searched, search = [0], Similarity.search
    monkeypatch.setattr(
        Similarity,
        "search",
        lambda self, rows, columns, best: (
            searched.append(len(rows) * len(columns)) or search(self, rows, columns, best)
        ),
    )
    first = diversity.greedy_run(items, 0.3, profile="surface").decisions
    whole, searched[:] = sum(searched), [0]
    assert diversity.greedy_run(items, 0.3, profile="surface", known=known).decisions == first
    assert 0 < sum(searched) < whole / 2


def former_of(texts, new, ld_min):
    """What a run without some texts knows."""
    old = np.setdiff1d(np.arange(len(texts)), new)
    before = found_greedily(distinct([texts[place] for place in old]), ld_min)
    known = GreedyResult.unknown(len(texts))
    known.accepted[old], known.similarity[old] = before.accepted, before.similarity
    known.nearest[old] = np.where(before.nearest < 0, -1, old[before.nearest])
    return known


@pytest.mark.rows("seed", range(4))
def test_what_a_former_run_knew_of_some_changes_nothing(seed):
    texts = phrased(60, seed)
    assert_same(found_greedily(distinct(texts), 0.6, former_of(texts, [0, 5, 9, 33], 0.6)), by_the_rule(texts, 0.6))


@pytest.mark.rows("pairs", [1, 1_000_000])
def test_what_a_former_run_knew_changes_nothing_over_an_index(pairs, monkeypatch, small_index):
    again = 0
    for seed in range(20):
        texts, draw, ld_min = like(90, seed, places=3, words=3) + phrased(6, seed), random.Random(seed), 0.6
        texts = draw.sample(list(dict.fromkeys(texts)), 70)
        monkeypatch.setattr(greedy, "MANY", 1_000)
        anew = found_greedily(distinct(texts), ld_min)
        known = former_of(texts, draw.sample(range(20), draw.randint(1, 6)), ld_min)
        known.nearest[draw.randrange(len(texts))] = UNKNOWN
        monkeypatch.setattr(greedy, "MANY", 1)
        monkeypatch.setattr(greedy, "PAIRS_SHARE", pairs)
        for one, other in zip(found_greedily(distinct(texts), ld_min, known), anew, strict=True):
            assert np.array_equal(one, other)
        again += np.count_nonzero(anew.accepted & ~known.accepted & (known.nearest != UNKNOWN))
    assert again > 8, "hardly a text that was refused formerly is accepted now"


@pytest.mark.rows("seed", range(3))
def test_where_nothing_is_new_what_a_former_run_decided_stays(seed, small_index):
    texts = phrased(60, seed)
    anew = found_greedily(distinct(texts), 0.6)
    assert_same(found_greedily(distinct(texts), 0.6, anew), by_the_rule(texts, 0.6))
    rest, gone = texts[:-1], len(texts) - 1  # the last one is the nearest of none
    assert gone not in anew.nearest
    without = GreedyResult(*(part[:-1] for part in anew))
    assert_same(found_greedily(distinct(rest), 0.6, without), by_the_rule(rest, 0.6))
    known = GreedyResult(*(part.copy() for part in anew))
    known.nearest[np.flatnonzero(anew.accepted)[-1]] = UNKNOWN  # as where its nearest one was forgotten
    assert_same(found_greedily(distinct(texts), 0.6, known), by_the_rule(texts, 0.6))


def test_the_filter_keeps_one_of_many_alike():
    words = [f"only{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(100)]
    items = [(word, " ".join([*PLAN[:5], word, *PLAN[5:]]), 0.0) for word in words]
    found = greedy_run(items, 0.5).decisions
    rejected = [one for one in found if isinstance(one, TooSimilar)]
    assert len(rejected) == 99
    assert len({one.witness_id for one in rejected}) == 1
    # Of eleven tokens, with four 4-grams broken: the root of 10/11 * 8/10 * 6/9 * 4/8.
    expected = 1 - (10 / 11 * 8 / 10 * 6 / 9 * 4 / 8) ** 0.25
    assert [one.lexicon_diversity for one in rejected] == pytest.approx([expected] * 99)


def test_groups_grow_and_shrink_as_if_found_anew(monkeypatch):
    monkeypatch.setattr(duplicates, "THRESHOLD", 0.5)
    monkeypatch.setattr(duplicates, "LARGE", 1)
    draw, known, linked = random.Random(5), None, 0
    texts = [text for text in phrased(30, 11) + looped(10, 11) for _ in range(2)]
    for _ in range(12):
        # Less or more of a text makes chains of near texts, which fall apart where one of them is not drawn.
        chosen = [" ".join(text[draw.randrange(1 + len(text) // 2) :]) for text in draw.sample(texts, 40)]
        items = [(f"p{number}", text) for number, text in enumerate([*chosen, *draw.sample(chosen, 5)])]
        for kept in (items, draw.sample(items, 30)):
            found = duplicates.growing_groups(kept, known)
            assert found.groups == duplicates.growing_groups(kept).groups
            known, linked = found.memory, linked + sum(group is not None for group in found.groups.values())
    assert linked > 200


@pytest.mark.rows("large", [1, 1_000])
def test_groups_of_a_growing_corpus_are_those_of_a_whole_one(large, monkeypatch):
    monkeypatch.setattr(duplicates, "LARGE", large)
    long = "a farmer sells twelve sacks of wheat and then nine more sacks at the market on a cold monday"
    old = [("a", long), ("b", "how far is it to the town"), ("gone", "one two three four")]
    new = [("c", f"{long} morning"), ("d", "How far is it to the town?"), *old[:2]]
    groups, memory = duplicates.growing_groups(old)
    assert (memory is None) == (large > 3)
    assert duplicates.growing_groups(new, memory).groups == duplicates.growing_groups(new).groups
    assert len(set(duplicates.growing_groups(new).groups.values())) == 2
    assert set(groups.values()) == {None}


def test_only_new_texts_are_compared_and_those_whose_group_lost_one(monkeypatch):
    monkeypatch.setattr(duplicates, "LARGE", 1)
    asked, near_places = [], duplicates._near_places
    monkeypatch.setattr(
        duplicates,
        "_near_places",
        lambda texts, threshold, chosen: asked.append(chosen.tolist()) or near_places(texts, threshold, chosen),
    )
    words = [f"word{number}" for number in range(40)]
    near = [("a", " ".join(words)), ("b", " ".join([*words, "more"])), ("c", "something else it is")]
    known = duplicates.growing_groups(near).memory
    duplicates.growing_groups([*near, ("d", "yet another one")], known)
    duplicates.growing_groups(near[1:], known)
    assert asked == [[True] * 3, [False, False, False, True], [True, False]]


@pytest.mark.rows("seed", range(4))
def test_pairs_with_one_that_is_asked_are_found(seed, monkeypatch):
    monkeypatch.setattr(duplicates, "AT_ONCE", 7)
    draw, threshold = random.Random(seed), 0.3
    texts = list(
        dict.fromkeys(
            tuple(draw.choices("abcdefghi"[: 3 * draw.randint(1, 3)], k=draw.randrange(16))) for _ in range(60)
        )
    )
    sets = [{text[at : at + 3] for at in range(len(text) - 2)} for text in texts]
    asked = np.array([draw.random() < 0.2 for _ in texts])
    found = list(duplicates._near_places(distinct(texts), threshold, asked))
    wanted = {
        (left, right): len(sets[left] & sets[right]) / len(sets[left] | sets[right])
        for right in range(len(texts))
        for left in range(right)
        if (asked[left] or asked[right]) and sets[left] & sets[right]
    }
    assert {(left, right): similarity for left, right, similarity in found} == {
        pair: similarity for pair, similarity in wanted.items() if similarity >= threshold
    }
    assert len(found) == len({pair[:2] for pair in found})


def test_long_texts_share_more_than_a_byte_counts():
    long = [[f"w{number}" for number in range(700)]]
    long.append([*long[0][:699], "last"])
    texts = [*(tuple(text) for text in long), *(tuple(f"{place} {word}" for word in "abcd") for place in range(400))]
    assert_same(found_greedily(distinct(texts), 0.4), by_the_rule(texts, 0.4))
    groups = duplicates.growing_groups([(str(place), " ".join(text)) for place, text in enumerate(texts)]).groups
    assert groups["0"] == groups["1"] is not None


def test_memory_is_bounded_where_all_texts_may_be_near():
    """Each of 11 phrases has two forms; another form of one is in 6 of 42 n-grams at most, so 36 of 48 are common."""
    texts = [
        tuple(f"{word}{slot}{place >> slot & 1}" for slot in range(11) for word in "abcd") for place in range(1 << 11)
    ]
    tracemalloc.start()
    try:
        found = list(duplicates._near_places(distinct(texts), 0.75, np.arange(len(texts)) < 500))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    one_form = {tuple(sorted((place, place ^ 1 << slot))) for place in range(500) for slot in range(11)}
    assert sorted(pair[:2] for pair in found) == sorted(one_form)
    assert peak < 100 << 20
