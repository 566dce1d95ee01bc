"""A promised precision and the threshold that keeps it, against numbers worked out by hand."""

import pytest
from numpy import array

from corpus.errors import ConfigError
from models.publication import CalibrationPost, design_effect, least_posts, lower_bound, promised


def posts(rights: str, sites: int = 10_000, score: float = 0.9) -> list[CalibrationPost]:
    """Posts from the likeliest down, ``+`` right and ``-`` wrong, spread over so many sites in turn."""
    return [
        CalibrationPost(score - place / 10_000, right == "+", f"site {place % sites}", "A")
        for place, right in enumerate(rights)
    ]


@pytest.mark.rows(
    ("right", "n", "precision", "holds"),
    [
        (59, 59, 0.95, True),  # 0.95 ** 59 = 0.0485
        (58, 58, 0.95, False),  # 0.95 ** 58 = 0.0510
        (92, 93, 0.95, True),  # 0.95 ** 93 + 93 * 0.05 * 0.95 ** 92 = 0.0500 - 0.0001
        (91, 92, 0.95, False),
        (93, 94, 0.95, True),
        (99, 99, 0.97, True),
        (98, 98, 0.97, False),
        (29, 29, 0.9, True),
        (28, 28, 0.9, False),
    ],
)
def test_the_lower_bound(right: int, n: int, precision: float, holds: bool) -> None:
    assert (lower_bound(right, n) >= precision) is holds


def test_all_right_posts_are_published_and_one_fewer_is_too_few() -> None:
    kept = promised(posts("+" * 59), 0.95)
    assert (kept.posts, kept.right, kept.threshold) == (59, 59, pytest.approx(0.9 - 58 / 10_000))
    with pytest.raises(ConfigError, match=r"^97 % needs at least 99 right of 99; you have 60: label more posts"):
        promised(posts("+" * 60), 0.97)
    with pytest.raises(ConfigError, match=r"^95 % needs at least 59 right of 59; you have 58"):
        promised(posts("+" * 58), 0.95)


def test_sets_are_tested_from_the_likeliest_down_until_one_fails() -> None:
    assert promised(posts("+" * 70 + "-" * 30), 0.95).posts == 70
    assert promised(posts("+" * 59 + "-" + "+" * 40), 0.95).posts == 59, "93 of 94 right would do, but 59 of 60 do not"
    with pytest.raises(ConfigError, match=r"^no threshold keeps 95 %: 58 of the 59 likeliest of 100 posts are right"):
        promised(posts("-" + "+" * 99), 0.95)
    assert promised(posts("-" + "+" * 199), 0.95).posts == 200, "of more posts the first set may hold a wrong one"


def test_posts_with_one_score_are_published_together() -> None:
    tied = [post._replace(score=0.5) for post in posts("+" * 93 + "-")]
    assert promised(tied, 0.95).posts == 94
    with pytest.raises(ConfigError):
        promised([post._replace(score=0.5) for post in posts("+" * 90 + "----")], 0.95)


def test_a_higher_promise_never_publishes_more() -> None:
    found = posts(("+" * 40 + "-") * 20)
    sizes = [promised(found, precision).posts for precision in (0.0, 0.5, 0.8, 0.9, 0.95)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == len(found), "a promise of nothing is kept by all"


def test_wrong_posts_of_one_site_count_for_more_than_those_of_many() -> None:
    found = posts(("+" * 24 + "-") * 8)
    alike = [post._replace(group=f"site {place % 40}" if post.right else "bad") for place, post in enumerate(found)]
    apart, together = promised(found, 0.85), promised(alike, 0.85)
    assert (apart.posts, apart.effect, together.posts) == (200, 1, 200)
    assert together.effect > 1.5
    assert together.bound < apart.bound


def test_the_design_effect_is_that_of_the_analysis_of_variance() -> None:
    # two sites of two posts, each of one mind: r = 1, m = 2
    assert design_effect(array([1.0, 1.0, -1.0, -1.0]), array([0, 0, 1, 1])) == 2
    # means of both sites equal: between 0, within 2, so r < 0, which counts as 0
    assert design_effect(array([1.0, -1.0, 1.0, -1.0]), array([0, 0, 1, 1])) == 1
    # between 1, within 0.5, sizes 2: r = (1 - 0.5) / (1 + 0.5) = 1 / 3
    assert design_effect(array([1.0, 0.0, 0.0, -1.0]), array([0, 0, 1, 1])) == pytest.approx(1 + 1 / 3)


@pytest.mark.rows(("precision", "least"), [(0.5, 5), (0.9, 29), (0.95, 59), (0.97, 99), (0.99, 299)])
def test_how_many_posts_a_promise_takes(precision: float, least: int) -> None:
    assert least_posts(precision) == least
