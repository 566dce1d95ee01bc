import random

import pytest

from curation.splits import SplitConfig, assign_splits, shares_of, split_of

CONFIG = SplitConfig()
PINNED = [
    "train",
    "train",
    "train",
    "train",
    "train",
    "train",
    "validation",
    "test",
    "train",
    "validation",
    "validation",
    "train",
]


def achieved(found, name):
    return sum(post.split == name for post in found) / len(found)


def splits_of(rows, config=CONFIG):
    return {post.post_id: post.split for post in assign_splits(rows, config)}


def test_template_and_duplicate_group_tie_posts_together():
    rows = [("p1", "t1", None), ("p2", "t1", "d1"), ("p3", None, "d1"), ("p4", "t2", None), ("p5", None, None)]
    found = {post.post_id: post.group for post in assign_splits(rows, CONFIG)}
    assert found == {
        "p1": "template:t1",
        "p2": "template:t1",
        "p3": "template:t1",
        "p4": "template:t2",
        "p5": "post:p5",
    }


def test_order_of_rows_is_kept_and_does_not_matter():
    rows = [(f"p{i}", f"t{i % 40}" if i % 3 else None, f"d{i % 70}" if i % 5 == 0 else None) for i in range(300)]
    shuffled = random.Random(4).sample(rows, len(rows))
    assert [post.post_id for post in assign_splits(shuffled, CONFIG)] == [row[0] for row in shuffled]
    assert splits_of(shuffled) == splits_of(rows)


def test_new_posts_leave_the_old_ones_where_they_are():
    rows = [(f"p{i}", f"t{i}", None) for i in range(200)]
    new = [(f"n{i}", f"t{i % 230}", f"e{i}") for i in range(400)] + [("late", None, None)]
    before, after = splits_of(rows), splits_of(rows + new)
    assert {post: after[post] for post in before} == before


def test_a_post_that_joins_two_groups_moves_one_of_them_only():
    rows = [("a", "t-left", None), ("b", "t-right", None), ("c", "t-left", "d"), ("x", "t-right", "d")]
    groups = {post.group for post in assign_splits(rows, CONFIG)}
    assert groups in ({"template:t-left"}, {"template:t-right"})


def test_shares_follow_the_configuration():
    config = SplitConfig(train=0.5, validation=0.25)
    found = assign_splits([(f"p{i}", None, None) for i in range(4000)], config)
    for name, share in {"train": 0.5, "validation": 0.25, "test": 0.25}.items():
        assert achieved(found, name) == pytest.approx(share, abs=0.03)


def test_the_salt_changes_the_splits():
    rows = [(f"p{i}", None, None) for i in range(200)]
    assert splits_of(rows) != splits_of(rows, SplitConfig(salt="another"))


def test_split_is_pinned():
    # int(sha256("wordquarry-1\npost:p1")[:16], 16) / 16**16 and its like; a change here moves published posts.
    assert [split_of(f"post:p{i}", CONFIG) for i in range(12)] == PINNED


def test_no_rows():
    assert assign_splits([], CONFIG) == []


def test_development_and_evaluation_parts():
    config = SplitConfig(scheme="development-evaluation")
    rows = [(f"p{i}", f"t{i // 2}", None) for i in range(4000)]
    found = assign_splits(rows, config)
    assert {post.split for post in found} == {"development", "evaluation"}
    assert all(found[i].split == found[i + 1].split for i in range(0, 4000, 2))
    assert shares_of(config) == {"development": 0.2, "evaluation": 0.8}
    assert achieved(found, "development") == pytest.approx(0.2, abs=0.03)
    # a group below the development share stays there whatever else the corpus holds
    assert splits_of(rows[:10], config) == {post.post_id: post.split for post in found[:10]}
