"""No stage takes more than about the length of its text to the power 1.3, in steps, whatever the text is."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pytest

from curation.stages.registry import BY_NAME
from flows.stage_command import RecordContext, run_lines
from tests.growth.counting import Counter, Work
from tests.growth.shapes import SHAPES, Shape
from tests.growth.stages import Job, corpus_jobs, jobs, line_jobs, model_of, post_of, post_with_answers, posts_of
from tests.tiers import in_turn

pytestmark = pytest.mark.slow

LENGTH, LINE, POSTS, ANSWERS = 100, 150, 12, 5
"""Characters of a text of a post, and of a line of a stage command; posts of a corpus; answers of a post."""
FOUR_TIMES = 6.0
"""What four times the length may take: n^1.3."""
FEW = 2_000
"""Steps below which what is done once counts for more than the text."""
PAIRS = "posts that are near-duplicates of each other are compared pair by pair; diversity lets few of them come here"
EXCEPTIONS = {"split": (10.0, PAIRS)}
"""Stages that may take more over a corpus of posts all alike: how much, and why."""

Grown = dict[str, list[Work]]


@pytest.fixture(scope="module")
def counter() -> Iterator[Counter]:
    """A counter, once everything that is read or compiled on first use has been."""
    for job in chain(jobs_of(SHAPES[0], 1), corpus_jobs(posts_of(SHAPES[0], POSTS))):
        job.run()
    with Counter().watching() as opened:
        yield opened


def jobs_of(shape: Shape, times: int) -> Iterator[Job]:
    yield from jobs(post_of(shape, LENGTH, times))
    yield from line_jobs(shape, LINE, times)


def grown(counter: Counter, jobs_at: Callable[[int], Iterable[Job]]) -> Grown:
    """The work of each job at 1x and 4x."""
    found: Grown = {}
    for times in (1, 4):
        for job in jobs_at(times):
            found.setdefault(job.stage, []).append(counter.work(job.run))
    return found


def too_steep(found: Grown, four_times: float = FOUR_TIMES) -> list[str]:
    """The stages that grow too fast, with their steps at 1x and 4x."""
    rows = [(stage, [work[kind] for work in works]) for stage, works in found.items() for kind in (0, 1)]
    return [f"{stage}: {one}, {four}" for stage, (one, four) in rows if four > FEW and four > four_times * one]


@pytest.mark.rows("shape", in_turn(SHAPES, 12), ids=lambda shape: shape.name)
def test_the_steps_of_every_stage_grow_with_the_length_of_its_text(counter: Counter, shape: Shape) -> None:
    found = grown(counter, lambda times: jobs_of(shape, times))
    assert found.keys() >= BY_NAME.keys()
    # Of a post that is dropped, and only of that, it is told what weighs most: its structure is looked at once more.
    steeper = {"classify": found.pop("classify")}
    if shape.name == "fractions":
        # A sum of fractions is composed into one quotient of polynomials, up to arithmetic.MAX_NODES of them.
        steeper["templates"] = found.pop("templates")
    assert too_steep(found) == []
    assert too_steep(steeper, four_times=8) == []


@pytest.mark.rows("shape", in_turn(SHAPES[::9], 9), ids=lambda shape: shape.name)
def test_the_steps_of_every_stage_grow_with_the_number_of_answers(counter: Counter, shape: Shape) -> None:
    assert too_steep(grown(counter, lambda times: jobs(post_with_answers(shape, ANSWERS * times)))) == []


@pytest.mark.rows("shape", in_turn(SHAPES[::3], 9), ids=lambda shape: shape.name)
def test_the_steps_of_stages_over_a_corpus_grow_with_its_posts(counter: Counter, shape: Shape) -> None:
    found = grown(counter, lambda times: corpus_jobs(posts_of(shape, POSTS * times)))
    assert found.keys() == {"diversity", "split"}
    for stage, works in found.items():
        four_times, _ = EXCEPTIONS.get(stage, (FOUR_TIMES, ""))
        assert too_steep({stage: works}, four_times) == []


def test_four_times_as_many_numbers_take_templates_four_times_the_steps(counter: Counter) -> None:
    works = []
    for length in (4_000, 16_000):
        record = {"id": 1, "question": "1," * (length // 2), "equations": ["x = 1 + 1", "y = x + 1"]}
        sink = io.StringIO()

        def run(line: bytes = json.dumps(record).encode(), sink: io.StringIO = sink) -> None:
            run_lines("templates", io.BytesIO(line), sink, RecordContext(model_of))

        works.append(counter.work(run))
        assert json.loads(sink.getvalue())["template"] == ["m = a + b", "n - m = c"]
    assert all(small > length for small, length in zip(works[0], (40_000, 4_000), strict=True))
    assert all(large < 4.2 * small for small, large in zip(*works, strict=True))
