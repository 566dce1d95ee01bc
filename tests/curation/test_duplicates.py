import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.near_texts.duplicates import DuplicatePair, duplicate_pairs, growing_groups
from curation.near_texts.plain_tokens import normal_tokens

LONG = (
    "Ann drives from the lake to the farm at 40 miles per hour and comes back along the same road at 60 miles per hour"
)
OTHER_NUMBERS = LONG.replace("40", "45").replace("60", "72")
EDITED = LONG + " today."
UNLIKE = "A shop sells pens in boxes of 12. How many boxes hold 300 pens?"


def test_pairs_tell_exact_from_near_and_kept_from_masked_numbers():
    items = [("a", LONG), ("b", LONG.upper() + "!"), ("c", EDITED), ("d", OTHER_NUMBERS), ("e", UNLIKE)]
    found = {(pair.first, pair.second): (pair.kind, pair.numbers) for pair in duplicate_pairs(items)}
    # without numbers 'a' stands for 'd', so that 'c' is not paired with 'd' as well
    assert found == {
        ("a", "b"): ("exact", "kept"),
        ("a", "c"): ("near", "kept"),
        ("a", "d"): ("exact", "masked"),
    }


def test_near_texts_with_another_number_are_one_wording_and_no_duplicate():
    text = "Tom sold 40 red pens and then gave away 3 old books before he went home to read all day on Sunday morning"
    items = [("a", text), ("b", text.replace("3 old", "4 old"))]
    assert duplicate_pairs(items) == (DuplicatePair("a", "b", "exact", "masked", 1.0),)
    # 23 words, none twice: 21 shingles, and one more for the word that is put behind
    items[1] = ("b", items[1][1] + " well")
    assert duplicate_pairs(items) == (DuplicatePair("a", "b", "near", "masked", 21 / 22),)


def test_similarity_is_the_share_of_common_token_trigrams():
    # 8 and 9 tokens: 6 and 7 trigrams, 6 in common.
    (pair,) = duplicate_pairs([("a", "a b c d e f g h"), ("b", "a b c d e f g h i")])
    assert pair == DuplicatePair("a", "b", "near", "kept", 6 / 7)


def duplicate_groups(items):
    return growing_groups(items).groups


def test_groups_keep_numbers():
    found = duplicate_groups([("a", LONG), ("b", EDITED), ("c", OTHER_NUMBERS), ("d", UNLIKE)])
    assert found["a"] == found["b"] is not None
    assert found["c"] is None
    assert found["d"] is None


def test_group_names_depend_on_content_alone():
    first = duplicate_groups([("a", LONG), ("b", EDITED)])
    second = duplicate_groups([("zz", EDITED), ("y", UNLIKE), ("x", LONG)])
    assert first["a"] == second["x"]


@pytest.mark.rows("text", ["", "?!", "sum"])
def test_empty_and_one_word_texts(text):
    assert duplicate_groups([("a", text)]) == {"a": None}


def test_empty_texts_are_no_duplicates_of_each_other():
    assert duplicate_pairs([("a", ""), ("b", "?")]) == ()


def test_thousands_commas_do_not_matter():
    assert normal_tokens("1,200 apples") == normal_tokens("1200 Apples.")


def shingles(tokens):
    """The token 3-grams of a text; a shorter text is one shingle."""
    return {tokens[at : at + 3] for at in range(max(1, len(tokens) - 2))}


TEXTS = st.lists(st.sampled_from(["one", "two", "red", "blue", "7", "8"]), min_size=1, max_size=12).map(" ".join)


@given(st.lists(TEXTS, min_size=2, max_size=10), st.sampled_from([0.5, 0.7, 0.8, 1.0]))
@settings(max_examples=80, deadline=None)
def test_the_prefix_filter_misses_no_pair(texts, threshold):
    items = [(f"{i:02}", text) for i, text in enumerate(dict.fromkeys(texts))]
    found = {(p.first, p.second): p.numbers for p in duplicate_pairs(items, threshold)}
    for (left, first), (right, second) in itertools.combinations(items, 2):
        tokens = normal_tokens(first), normal_tokens(second)
        a, b = map(shingles, tokens)
        numbers = [[token for token in each if token.isdigit()] for each in tokens]
        if len(a & b) / len(a | b) >= threshold:
            assert found[left, right] == ("kept" if numbers[0] == numbers[1] else "masked")
        else:
            assert found.get((left, right)) in (None, "masked")


def test_order_does_not_matter():
    items = [(f"i{i}", f"{LONG} {'and on ' * (i % 4)}") for i in range(20)]
    shuffled = random.Random(2).sample(items, len(items))
    assert duplicate_groups(shuffled) == duplicate_groups(items)
    assert duplicate_pairs(shuffled) == duplicate_pairs(items)
