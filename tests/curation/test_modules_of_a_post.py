"""How many of the project's modules one post with two answers passes from clean to templates: a ceiling to lower."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType

from corpus.records import Answer, Post
from tests.growth.stages import jobs

ROOT = Path(__file__).parents[2]
PACKAGES = ("extractors", "models", "curation", "corpus")
LAST = "templates"
MOST_MODULES = 78
POST = Post(
    post_id="made:1",
    source="made",
    question="The sum of two numbers is 31 and one of them is 7 more than the other. Find the numbers.",
    answers=(
        Answer(answer_id="a", text="x + y = 31\nx - y = 7\n2x = 38\nx = 19 and y = 12"),
        Answer(answer_id="b", text="Let n be the smaller. n + (n + 7) = 31, so 2n = 24, n = 12. They are 12 and 19."),
    ),
)


def passed() -> Counter[str]:
    """The calls of each module's functions, over the second of two runs: what is loaded once is loaded then."""
    calls: Counter[str] = Counter()
    own = tuple(f"{ROOT / package}/" for package in PACKAGES)

    def profile(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(own):
            calls[frame.f_code.co_filename.removeprefix(f"{ROOT}/")] += 1

    for profiler in (None, profile):
        before = sys.getprofile()
        for job in jobs(POST):
            sys.setprofile(profiler or before)
            try:
                job.run()
            finally:
                sys.setprofile(before)
            if job.stage == LAST:
                break
    return calls


def test_one_post_passes_few_modules() -> None:
    calls = passed()
    assert "extractors/equations/votes.py" in calls
    assert len(calls) <= MOST_MODULES, "\n".join(f"{count:6} {name}" for name, count in sorted(calls.items()))
