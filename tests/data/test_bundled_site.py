"""The bundled site is what it claims to be: many threads, every family and kind, and not one sentence pattern."""

import json
from collections import Counter

import pytest

from corpus.records import Label, Post
from corpus.workspace import BUNDLED
from crawlers.parsers.bundled import parse_thread
from crawlers.posts import to_post
from crawlers.site_pages import load_threads, thread_page
from curation.near_texts.diversity import corpus_diversity
from flows.pipelines.runs import LABELS, THREADS, bundled_posts
from tests.tiers import FULL

FAMILIES = {
    "ages", "mixtures", "coins", "motion", "work", "consecutive", "geometry", "percent", "tickets", "arithmetic",
}  # fmt: skip
OUT_OF_SCOPE = {"general", "college", "multiple", "incomplete", "not_math"}


@pytest.fixture(scope="module")
def labels() -> dict[str, Label]:
    """All gold labels of the bundled site by post id."""
    rows = [
        Label.model_validate_json(line)
        for name in ("train.jsonl", "evaluation.jsonl")
        for line in (LABELS / name).read_text(encoding="utf-8").splitlines()
    ]
    return {row.post_id: row for row in rows}


@pytest.fixture(scope="module")
def posts() -> tuple[Post, ...]:
    """Every post of the site: crawled, or read from the pages of its threads."""
    if FULL:
        return bundled_posts()
    threads = {f"http://site.example/questions/{thread.id}": thread for thread in load_threads(THREADS)}
    parsed = (parse_thread(thread_page(thread, ()), url) for url, thread in threads.items())
    return tuple(to_post(one, "bundled", None) for one in parsed if one is not None)


@pytest.fixture(scope="module")
def problems(labels: dict[str, Label], posts: tuple[Post, ...]) -> list[Post]:
    """The posts that are one elementary problem."""
    return [post for post in posts if labels[post.post_id].in_scope]


def test_every_thread_is_crawled_and_labelled(labels: dict[str, Label], posts: tuple[Post, ...]) -> None:
    threads = [line for path in sorted(THREADS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    assert len(threads) >= 400
    assert {post.post_id for post in posts} == set(labels)
    assert {f"bundled:{json.loads(line)['id']}" for line in threads} == set(labels)


def test_every_family_and_kind_is_there(labels: dict[str, Label]) -> None:
    families = Counter(label.family for label in labels.values() if label.in_scope)
    kinds = Counter(label.scope_reason for label in labels.values() if not label.in_scope)
    assert set(families) == FAMILIES
    assert min(families.values()) >= 30
    assert set(kinds) == OUT_OF_SCOPE
    assert min(kinds.values()) >= 20


def test_problems_are_diverse(problems: list[Post], capsys: pytest.CaptureFixture[str]) -> None:
    report = corpus_diversity([post.question for post in problems])
    diverse = sum(diversity >= 0.5 for diversity in report.lexicon_diversity)
    with capsys.disabled():
        print(f"\nbundled problems: CLD {report.cld:.3f} (N={report.n}), {diverse} with LD of 0.5 or more")
    assert diverse >= len(problems) / 2


def test_no_two_problems_are_masked_copies(problems: list[Post]) -> None:
    openings = Counter(" ".join(post.question.lower().split()[:4]) for post in problems)
    opening, times = openings.most_common(1)[0]
    assert times <= 5, opening


def test_data_holds_no_python() -> None:
    assert not list(BUNDLED.rglob("*.py"))
