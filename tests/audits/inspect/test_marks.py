"""What is marked as evidence is what was read: over the bundled site, no mark splits a number."""

import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from audits.inspect.explain import Highlight, highlights_of, texts_of
from corpus.records import Answer, Dropped, Post, PostReading, Record
from crawlers.bundled_site import DEFAULT_THREADS
from crawlers.parsers.bundled import parse_thread
from crawlers.posts import to_post
from crawlers.site_pages import load_threads, thread_page
from curation.stages.registry import STAGES, BuildConfig
from curation.stages.stage import Context, Trail
from extractors.quantities.numbers import find_numbers
from extractors.text.plain import plain_maths
from models.shipped import shipped_model
from tests.growth.stages import said_of as said_of_stage

POST_STAGES = ("clean", "classify", "read", "agree", "templates")
BY_NAME = {stage.name: stage for stage in STAGES}


def said_of(post: Post, config: BuildConfig) -> Iterator[tuple[Record, dict[str, str]]]:
    """What each stage says of a post, up to the one that drops it, and the texts that it is said of."""
    trail, cleaned = Trail(post), None
    for name in POST_STAGES:
        models = {kind: shipped_model(kind) for kind in BY_NAME[name].models}
        (record,) = said_of_stage(BY_NAME[name], [trail], Context(config.of_stage(name), models))
        cleaned = record if name == "clean" else cleaned
        yield record, texts_of(post, cleaned)
        if isinstance(record, Dropped):
            return
        trail = Trail(post, {**trail.records, type(record): record})


def splits(text: str, mark: Highlight) -> bool:
    """Whether a mark begins or ends within a number."""
    ends = (mark.start, mark.end)
    within = any(number.start < end < number.end for number in find_numbers(text) for end in ends)
    return within or any(re.match("[0-9]{2}", text[end - 1 : end + 1]) for end in ends if end)


def stands_for(raw: str, values: tuple[str, ...]) -> bool:
    """Whether marked characters are one number, and it is one of some values, or a rounding of one."""
    numbers = [number.value for number in find_numbers(plain_maths(raw).text)]
    return len(numbers) == 1 and any(abs(numbers[0] - Fraction(value)) <= Fraction(1, 200) for value in values)


def test_no_mark_on_the_bundled_site_splits_a_number() -> None:
    config, claims, dropped = BuildConfig(), 0, 0
    for thread in load_threads(DEFAULT_THREADS):
        parsed = parse_thread(thread_page(thread, ()), f"http://site.example/questions/{thread.id}")
        assert parsed is not None
        for record, texts in said_of(to_post(parsed, "bundled", None), config):
            marks = highlights_of(record, texts)
            for mark in marks:
                assert texts[mark.where][mark.start : mark.end] == mark.raw
                assert not splits(texts[mark.where], mark), (thread.id, mark)
            unsure = isinstance(record, Dropped) and record.reason == "low_confidence"
            if unsure or isinstance(record, PostReading):
                kept = isinstance(record, PostReading)
                values = record.values if kept else tuple((record.evidence or "").split(", "))
                assert all(stands_for(span.raw, values) for span in record.spans), (thread.id, record.spans)
                claims += len(record.spans)
                dropped += unsure
    assert claims > 500
    assert dropped > 10


@pytest.mark.rows(
    ("question", "answer", "shown"),
    [
        ("What is 3 + 3?", "It takes 60 steps, and the answer is 6 pens or so.", ["6"]),
        ("What part is left?", "There are 13 of 33, so $x = \\frac{1}{3}$", ["\\frac{1}{3}"]),
        ("How many are there?", "10, no wait, 3 250 000", ["3 250 000"]),
        ("How many are there? (A) 15 (B) 20 (C) 25", "There are 20 pens, so (B).", ["20"]),
        ("How many are there? (A) 15 (B) 20 (C) 25", "It takes 60 steps, and the answer is (B).", ["B"]),
    ],
)
def test_the_answer_is_marked_where_it_was_read(question: str, answer: str, shown: list[str]) -> None:
    post = Post(
        post_id="t:1",
        source="t",
        question=question,
        answers=(Answer(answer_id="1", text=answer, is_best=False),),
        content_sha256="0" * 64,
    )
    config = BuildConfig.model_validate({"classify": {"min_probability": 0.0}, "read": {"min_confidence": 1.0}})
    *_, (record, texts) = said_of(post, config)
    assert isinstance(record, Dropped)
    assert record.reason == "low_confidence"
    assert [mark.raw for mark in highlights_of(record, texts)] == shown
