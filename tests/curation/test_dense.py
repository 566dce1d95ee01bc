"""Corpora whose texts are nearly all alike: counted in whole blocks, with the result of pair by pair."""

import random

import numpy as np
import pytest

from curation.dense import similarity_blocks
from curation.diversity import TooSimilar, diversity_of_tokens, greedy_filter, nearest_in
from curation.similarity import Best, SimilarityIndex, length_factor

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


def unlike(count):
    """Texts that share nothing with anything."""
    return [tuple(f"t{number}-{place}" for place in range(6)) for number in range(count)]


def by_the_index(texts, groups=None):
    """The same figures among so many texts of other words that pairs are looked up one by one."""
    alone = unlike(12 * len(texts))
    found = diversity_of_tokens([*texts, *alone], None if groups is None else [*groups, *[None] * len(alone)])
    return found.lexicon_diversity[: len(texts)], found.nearest[: len(texts)]


@pytest.mark.rows("seed", range(6))
def test_blocks_give_what_pairs_give_to_the_last_bit(seed):
    texts = like(80, seed)
    groups = [number % 3 for number in range(80)]
    for chosen in (None, groups):
        found = diversity_of_tokens(texts, chosen)
        assert (found.lexicon_diversity, found.nearest) == by_the_index(texts, chosen)
    first, second = texts[:40], texts[40:]
    assert nearest_in(first, second) == nearest_in(first, [*second, *unlike(1000)])


def test_a_block_holds_every_pair_once_and_rare_words_count():
    texts = list(dict.fromkeys(like(60, 1, places=1, words=40)))
    index = SimilarityIndex(texts)
    found = {}
    for block in similarity_blocks(index.orders, index.lengths, None, length_factor):
        for row, values in enumerate(block.similarity):
            found |= {(block.start + row, right): value for right, value in enumerate(values) if value}
    pairs = {}
    for chunk in SimilarityIndex([*texts, *unlike(900)]).pairs(lambda left, _right: np.zeros(left.shape)):
        pairs |= dict(zip(zip(chunk.left, chunk.right, strict=True), chunk.similarity, strict=True))
    assert found == pairs
    assert len(found) > 500


def test_of_texts_that_all_tie_few_pairs_are_looked_at():
    texts = [(*PLAN[:5], f"only{number}", *PLAN[5:]) for number in range(500)]
    best = Best(len(texts), both_sides=True)
    seen = 0
    for pairs in SimilarityIndex(texts).pairs(best.floor):
        seen += len(pairs)
        best.update(pairs)
    assert seen <= 2 * len(texts)  # of 124,750
    assert best.partner.tolist() == [1, *[0] * 499]


def test_the_filter_keeps_one_of_many_alike():
    words = [f"only{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(400)]
    items = [(word, " ".join([*PLAN[:5], word, *PLAN[5:]]), 0.0) for word in words]
    found = greedy_filter(items, 0.5)
    rejected = [one for one in found if isinstance(one, TooSimilar)]
    assert len(rejected) == 399
    assert len({one.witness_id for one in rejected}) == 1
    # Of eleven tokens, with four 4-grams broken: the root of 10/11 * 8/10 * 6/9 * 4/8.
    expected = 1 - (10 / 11 * 8 / 10 * 6 / 9 * 4 / 8) ** 0.25
    assert [one.lexicon_diversity for one in rejected] == pytest.approx([expected] * 399)


@pytest.mark.rows("ld_min", [0.3, 0.6])
def test_the_filter_decides_alike_in_blocks_and_pair_by_pair(ld_min):
    items = [(f"p{number}", " ".join(text), 0.0) for number, text in enumerate(like(90, 9))]
    alone = [(f"alone{number}", " ".join(text), 0.0) for number, text in enumerate(unlike(1200))]
    found = greedy_filter(items, ld_min, profile="surface")
    assert found == greedy_filter([*items, *alone], ld_min, profile="surface")[:90]
    assert 5 < sum(isinstance(one, TooSimilar) for one in found) < 85
