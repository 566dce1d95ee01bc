"""How the processor time of each part of a build grows with the posts, and which part grows worst: ``stage_growth``.

One process builds drawn threads without Prefect, of ever more posts. Stages that go over a shard in one pass count
together. The filter of texts stands apart: it compares texts with each other, and ``diversity`` says how it grows. A
first build of few posts, untimed, loads models and word lists.

    python -m benchmarks.run stage_growth                   2,000 and 8,000 posts
    python -m benchmarks.run stage_growth 20000 80000       larger ones
"""

import tempfile
import time
from itertools import pairwise
from pathlib import Path

from benchmarks.measuring import Row, growth_exponent, growth_rows, signature, table
from benchmarks.scale import EXPONENT
from benchmarks.synthetic_threads import write_threads
from corpus.outputs import OutputPart
from curation.building.making import make_parts
from curation.building.publishing import publish_and_tell
from curation.building.run_rows import POSTS
from curation.building.running import Recipe, stage_groups
from flows.pipelines.build_steps import Parts, make_version
from flows.pipelines.requests import BuildRequest

SIZES = (2_000, 8_000)
WARM_UP = 200
APART = "diversity"
INGEST, SPREAD, PUBLISH = "ingest", "spreading over shards", "publication"

PartSeconds = dict[str, float]


def seconds_by_part(posts: int) -> PartSeconds:
    """Build so many drawn threads from a file to a version; processor seconds of each part, in their order."""
    ends = {stages[-1].name: stages[0].name for stages in stage_groups()}
    spent: PartSeconds = {}
    last = time.process_time()

    def took(what: str) -> None:
        nonlocal last
        now = time.process_time()
        spent[what], last = now - last, now

    def tell(name: str, parts: list[OutputPart]) -> list[OutputPart]:
        if name == POSTS:
            took(SPREAD)
        elif name in ends:
            took(name if ends[name] == name else f"{ends[name]} to {name}")
        return parts

    def run(recipe: Recipe) -> Parts:
        took(INGEST)
        return make_parts(recipe, tell)

    with tempfile.TemporaryDirectory(prefix="wordquarry-stages-") as folder:
        file = Path(folder) / "posts.jsonl"
        write_threads(file, posts)
        last = time.process_time()
        request = BuildRequest(data=f"{folder}/data", name="quarry", posts=(str(file),))
        make_version(request, run, publish_and_tell)
        took(PUBLISH)
    return spent


def measure(*sizes: int) -> str:
    """The table: seconds by part and size, the growth of each part, and the worst of all but the one apart."""
    seconds_by_part(WARM_UP)
    found = [(posts, seconds_by_part(posts)) for posts in sizes or SIZES]
    rows = [
        Row(what, posts, f"{one:.2f} s, {1e6 * one / posts:.0f} µs a post")
        for posts, spent in found
        for what, one in spent.items()
    ]
    for before, after in pairwise(found):
        rows += _growth(before, after)
    return table("Growth of each part of a build", rows, f"{signature('pyarrow')}. Processor seconds of one process.")


def _growth(before: tuple[int, PartSeconds], after: tuple[int, PartSeconds]) -> list[Row]:
    """How each part grew from one size to another, the worst of all but the one apart, and these together."""
    (small, then), (large, now) = before, after
    grown = {what: growth_exponent((small, then[what]), (large, now[what])) for what in now}
    others = [what for what in now if what != APART]
    worst = max(others, key=lambda what: grown[what])
    whole = [(size, sum(spent[what] for what in others)) for size, spent in (before, after)]
    rows = [Row(f"{what}, growth from {small:,}", large, f"n^{grown[what]:.2f}") for what in now]
    met = grown[worst] <= EXPONENT
    rows.append(
        Row(
            f"the worst but {APART}, from {small:,}", large, f"{worst}, n^{grown[worst]:.2f}", f"<= n^{EXPONENT:g}", met
        )
    )
    return rows + growth_rows(f"all but {APART}", whole, EXPONENT)
