"""How the processor time of each part of a build grows with the posts: ``stage_growth``.

One process builds drawn threads without Prefect; stages that go over a shard in one pass count together. A first build
of few posts, untimed, loads models.

    python -m benchmarks.run stage_growth                             8,000 and 16,000 posts
    python -m benchmarks.stage_growth --posts 10000 50000 100000      larger ones
"""

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.figures import record
from benchmarks.measuring import Row, signature, table
from benchmarks.scale import EXPONENT
from benchmarks.synthetic_threads import write_threads
from corpus.outputs import OutputPart
from curation.making import make_parts
from curation.publishing import publish_and_tell
from curation.run_rows import POSTS
from curation.running import Recipe, stage_groups
from flows.build_steps import Parts, make_version
from flows.requests import BuildRequest

SIZES = (8_000, 16_000)
WARM_UP = 500
INGEST, PUBLISH = "posts files into the store", "publication"

PartSeconds = dict[str, float]


class Clock:
    """Processor seconds since the last look, added to what they were spent on."""

    def __init__(self) -> None:
        self.spent: PartSeconds = {}
        self._last = time.process_time()

    def took(self, what: str) -> None:
        """Whatever was done since the last look is this."""
        now = time.process_time()
        self.spent[what] = self.spent.get(what, 0.0) + now - self._last
        self._last = now


def seconds_by_part(posts: int) -> PartSeconds:
    """Build so many drawn threads from a file to a version; processor seconds of each part, in their order."""
    ends = {stages[-1].name: stages[0].name for stages in stage_groups()}
    with tempfile.TemporaryDirectory(prefix="wordquarry-stages-") as folder:
        file = Path(folder) / "posts.jsonl"
        write_threads(file, posts)
        clock = Clock()

        def tell(name: str, parts: list[OutputPart]) -> list[OutputPart]:
            if name in ends:
                clock.took(name if ends[name] == name else f"{ends[name]} to {name}")
            elif name == POSTS:
                clock.took("spreading over shards")
            return parts

        def run(recipe: Recipe) -> Parts:
            clock.took(INGEST)
            return make_parts(recipe, tell)

        request = BuildRequest(data=f"{folder}/data", name="quarry", posts=(str(file),))
        make_version(request, run, publish_and_tell)
        clock.took(PUBLISH)
    return clock.spent


def measure(sizes: Sequence[int] = SIZES) -> str:
    """The table: seconds by part and size, and the exponents from each size to the next."""
    seconds_by_part(WARM_UP)
    found: list[tuple[int, Mapping[str, float]]] = []
    rows: list[Row] = []
    for posts in sizes:
        spent = seconds_by_part(posts)
        found.append((posts, spent))
        rows += [Row(what, posts, f"{one:.2f} s, {1e6 * one / posts:.0f} µs a post") for what, one in spent.items()]
    for (small, before), (large, after) in pairwise(found):
        for what, one in after.items():
            limit = 2 if what == "diversity" else EXPONENT  # it compares every two texts (docs/adr/0023)
            exponent = math.log(one / before[what]) / math.log(large / small)
            name = f"{what}, growth from {small:,}"
            rows.append(Row(name, large, f"n^{exponent:.2f}", f"<= n^{limit:g}", exponent <= limit))
    return table("Growth of each stage", rows, f"{signature('numpy', 'pyarrow')}. Processor seconds of one process.")


def main(arguments: Sequence[str]) -> int:
    """``--posts N ...``, ``--record NAME``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", nargs="+", type=int, default=SIZES)
    parser.add_argument("--record", metavar="NAME", help="keep the table in docs/figures")
    options = parser.parse_args(arguments)
    shown = measure(options.posts)
    print(shown)
    if options.record:
        record(options.record, f"python -m benchmarks.stage_growth --posts {' '.join(map(str, options.posts))}", shown)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
