"""How fast pages, dumps and archives are read, beside bare lxml; and the memory that a large dump takes.

``python -m benchmarks.sources_speed KIND MEGABYTES`` writes a large dump, reads it into a store and prints the peak
memory of the process.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lxml import etree

from benchmarks.dump_files import ADDRESSES, FOLDER, FURNITURE, NAMES, TAGS, page_of, write
from benchmarks.measuring import Row, best_seconds, peak, signature, table
from corpus.workspace import Workspace
from crawlers.archives.containers import opened
from crawlers.dumps.loading import READERS, load
from crawlers.dumps.stackexchange_dump import post_rows
from crawlers.dumps.tally import Options, Tally
from crawlers.parsers.pages import parse_thread

MEGABYTES = 24.0
REPEATS = 3
ASKED_PAGES, PAGE_REPEATS = 1000, 60
SITE = "math.stackexchange.com"
DATED = Options(source=SITE, retrieved_at="2024-01-01T00:00:00Z")
CHOSEN = Options(source=SITE, retrieved_at="2024-01-01T00:00:00Z", tags=frozenset(("word-problem", "no-such-tag")))
RARE = Options(source=SITE, retrieved_at="2024-01-01T00:00:00Z", tags=frozenset(("no-such-tag",)))


def bare_rows(path: Path) -> int:
    """What lxml's iterparse needs at least: every row seen and freed."""
    count = 0
    for _, element in etree.iterparse(path, tag="row"):
        count += 1
        element.clear()
    return count


def read_rows(path: Path) -> int:
    """Rows with their attributes and lines, DOCTYPE refused and sizes bounded."""
    with opened(path, lambda _: True) as streams:
        return sum(1 for name, stream in streams for _ in post_rows(name, stream, Tally()))


def entries(kind: str, path: Path, options: Options) -> int:
    """Records on the way to posts; returns how many records there were."""
    tally = Tally()
    for _ in READERS[kind](path, options, tally):
        pass
    return tally.read


def rates(calls: dict[str, Callable[[], int]], repeats: int) -> dict[str, tuple[int, float]]:
    """Records, and records a second of processor time, of each call: the best of some rounds that alternate."""
    best: dict[str, tuple[int, float]] = {}
    for _ in range(repeats):
        for name, call in calls.items():
            started = time.process_time()
            count = call()
            rate = count / (time.process_time() - started)
            best[name] = max(best.get(name, (count, 0.0)), (count, rate))
    return best


def measure(megabytes: float = MEGABYTES, repeats: int = REPEATS) -> str:
    """Rows for Posts.xml, L6 and WARC."""
    with tempfile.TemporaryDirectory() as folder:
        rows = list(_rows(Path(folder), megabytes, repeats))
    return table("Dumps and archives", rows, _NOTE.format(signature("lxml")))


_NOTE = (
    "Records a second of processor time of one core, over generated files (benchmarks/dump_files.py, seed 7). A row "
    "read is a row with its attributes, checked; to posts means HTML to text, personal data taken out, joined. {}."
)


def _rows(folder: Path, megabytes: float, repeats: int) -> Iterator[Row]:
    dump, l6, warc = (folder / name for name in ("Posts.xml", "l6.xml", "a.warc.gz"))
    write("stackexchange", megabytes, dump)
    write("yahoo", megabytes / 4, l6)
    write("warc", megabytes / 4, warc)
    found = rates(
        {
            "Posts.xml: bare lxml iterparse": lambda: bare_rows(dump),
            "Posts.xml: rows read": lambda: read_rows(dump),
            "Posts.xml: no thread chosen by --tag": lambda: entries("stackexchange", dump, RARE),
            f"Posts.xml: 2 in {len(TAGS)} threads chosen, to posts": lambda: entries("stackexchange", dump, CHOSEN),
            "Posts.xml: every thread, to posts": lambda: entries("stackexchange", dump, DATED),
            "L6: every document, to posts": lambda: entries("yahoo", l6, DATED),
            "WARC: pages, one thread in ten, to posts": lambda: entries("warc", warc, Options()),
        },
        repeats,
    )
    bare = found["Posts.xml: bare lxml iterparse"][1]
    for name, (count, rate) in found.items():
        value = f"{rate:,.0f}/s" + (f", {rate / bare:.2f} of bare iterparse" if name.startswith("Posts.xml") else "")
        target, met = _target(name, rate, bare)
        yield Row(name, count, value, target, met)


def _target(name: str, rate: float, bare: float) -> tuple[str, bool | None]:
    least = {"Posts.xml: rows read": 0.75, "Posts.xml: no thread chosen by --tag": 0.4}.get(name)
    if least is not None:
        return f"at least {least:.2f}", rate >= least * bare
    return ("at least 1,000/s", rate >= 1000) if name.startswith("WARC") else ("", None)


def memory(kind: str, path: Path, data: str) -> str:
    """Read a large dump into a store; records, seconds and the peak memory of this process."""
    started = time.monotonic()
    loaded = load(path, kind, DATED if kind != "warc" else Options(), Workspace(data).posts, lambda _: None)
    return (
        f"{kind}: {path.stat().st_size / 1e6:,.0f} MB, {loaded.tally.read:,} records, {loaded.taken.new:,} posts, "
        f"{loaded.faults} faults, {time.monotonic() - started:,.0f} s, peak {peak():,.0f} MiB; "
        f"failure: {loaded.failure}"
    )


def _each(call: Callable[[str], object], pages: Sequence[str]) -> None:
    for page in pages:
        call(page)


def _bare(html: str) -> object:
    return etree.fromstring(html.encode(), etree.HTMLParser(huge_tree=True, encoding="utf-8"))


def _rate(pages: Sequence[str], url: str, repeats: int) -> tuple[float, float]:
    """Pages a second of processor time, and that rate over the rate of lxml alone."""
    ours = best_seconds(lambda: _each(lambda html: parse_thread(html, url), [*pages] * repeats), 1)
    return len(pages) * repeats / ours, best_seconds(lambda: _each(_bare, [*pages] * repeats), 1) / ours


def measure_pages(repeats: int = PAGE_REPEATS) -> str:
    """A row per kind of page; pages without a thread; small thread pages; a mixture of one thread page in ten."""
    kinds = {name: ([page_of(name)], ADDRESSES.get(name, "https://forum.example/t/17")) for name in NAMES}
    other = "<html><head><title>About</title></head><body>" + FURNITURE + "<p>About us.</p></body></html>"
    kinds["no thread"] = ([other], "https://forum.example/about")
    bare = [(FOLDER / name / "page.html").read_text(encoding="utf-8") for name in NAMES if name not in ADDRESSES]
    kinds["threads without furniture"] = (bare, "https://forum.example/t/17")
    kinds["one thread page in ten"] = ([*[other] * 9, page_of("qapage-linked")], "https://forum.example/t/17")
    rows = []
    for name, (pages, url) in kinds.items():
        rate, ratio = _rate(pages, url, repeats)
        asked = name in ("one thread page in ten", "threads without furniture")
        size = sum(map(len, pages)) / len(pages) / 1000
        value, target = f"{rate:,.0f} pages/s, {ratio:.2f} of bare lxml", f"at least {ASKED_PAGES:,} pages/s"
        row = Row(f"{name} ({size:.0f} kB)", len(pages) * repeats, value)
        rows.append(row._replace(target=target, met=rate >= ASKED_PAGES) if asked else row)
    note = f"Processor time of one core, parsing to a post without personal data. {signature('lxml')}."
    return table("Page parsers", rows, note)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        dump = Path(scratch) / sys.argv[1]
        write(sys.argv[1], float(sys.argv[2]), dump)
        print(memory(sys.argv[1], dump, f"{scratch}/data"))
