"""What happens to the data folder is killed with SIGKILL at random steps, looked at, and run again: ``store_kills``.

A step is a call that changes the disk; a file that was about to be synced loses half of what was written since. Crawls
have processes of their own: they, what started them, or both die after so many pages. Run as
``python -m benchmarks.store_kills KILLS SEED``: prints the kills by command, all but those of crawls, or fails with
what it saw.
"""

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import Row, signature, table
from benchmarks.synthetic_threads import write_threads
from corpus.canonical import canonical_json, with_digest
from corpus.outputs import OutputPart
from corpus.post_store.deposit import upsert
from corpus.post_store.recovery import Place, recover
from corpus.post_store.store import SIZES, PostStore, StoreSizes
from corpus.post_store.tombstones import GONE
from corpus.records import Post, Problem
from corpus.takedowns.forgetting import forget
from corpus.workspace import Workspace
from crawlers.bundled_site import DEFAULT_THREADS
from crawlers.crawling.crawl_run import crawl
from curation.building.pruning import prune
from curation.building.publishing import Build, publish
from curation.building.run_rows import POSTS, RUNS
from curation.stages.registry import STAGES, BuildConfig
from flows.ingesting import INGESTS, IngestRequest, run_ingest
from flows.pipelines.build_steps import build_here
from flows.pipelines.requests import BuildRequest
from tests.corpus.crashing import countdown, in_child
from tests.corpus.samples import leftovers, post, problems, release, tree
from tests.crawlers.killing import killed, without_time
from tests.crawlers.logged_site import answering, forum_pages, serve

KILLS, SEED = 100, 1
WHAT = "kills after which something was not whole, or ended otherwise"
CRAWLED = 60
"""Threads of the site that is crawled."""
FORGOTTEN = "forum:3"
BEFORE, IN_ALL = 24, 40
"""Threads before an ingest, and after it."""
LIST, LOCK = "batches.jsonl", "fold.lock"
GIVEN = [post(str(number), f"Ann has {number} apples.", number) for number in range(12)]


def _store(folder: Path) -> PostStore:
    """Three batches of posts, one of which was seen again."""
    store = Workspace(str(folder)).posts
    for start in (0, 4, 8):
        upsert(store, GIVEN[start : start + 4])
    upsert(store, [GIVEN[3].model_copy(update={"retrieved_at": "2024-06-01T00:00:00Z"})])
    return store


def _part(folder: Path, stage: str, key: str) -> OutputPart:
    return Workspace(str(folder)).outputs.save((stage, key * 32), Post, GIVEN[:4], [])


def _ready_to_publish(folder: Path) -> None:
    _store(folder).snapshot()
    Workspace(str(folder)).outputs.save(("release", "c" * 32), Problem, problems(), [])
    Workspace(str(folder)).outputs.save((POSTS, "a" * 32), Post, GIVEN, [])
    for stage in STAGES[:-1]:
        _part(folder, stage.name, "a")


def _publish(folder: Path) -> None:
    workspace = Workspace(str(folder))
    names = (POSTS, *(stage.name for stage in STAGES))
    keys = {name: "c" * 32 if name == "release" else "a" * 32 for name in names}
    parts = {name: [found] for name in names if (found := workspace.outputs.find(name, keys[name]))}
    (snapshot,) = (workspace.posts.folder / "snapshots").names()
    publish(Build(str(folder), "demo", "posts", snapshot.removesuffix(".json"), BuildConfig(), keys, parts))


def _see_published(folder: Path) -> None:
    versions = Workspace(str(folder)).versions
    for identifier in versions.ids("demo"):
        assert len(versions.open(f"demo/{identifier}").problems()) == len(problems())
    if versions.names():
        assert versions.open("demo").manifest["rows"] == len(problems())


def _ready_to_forget(folder: Path) -> None:
    _store(folder).snapshot()
    Workspace(str(folder)).add_input(GIVEN[:6])
    _part(folder, "clean", "a")
    Workspace(str(folder)).outputs.save(("clean", "b" * 32), Post, GIVEN[6:], [])


def _forget(folder: Path) -> None:
    forget(Workspace(str(folder)), FORGOTTEN)


def _see_forgotten(folder: Path) -> None:
    for name, store in Workspace(str(folder)).stores().items():
        others = {one.post_id for one in (GIVEN if name == "posts" else GIVEN[:6])} - {FORGOTTEN}
        assert set(store.posts()) - {FORGOTTEN} == others, name


def _ready_to_prune(folder: Path) -> None:
    workspace = Workspace(str(folder))
    version, _ = workspace.versions.publish(release())
    parts = {"clean": [_part(folder, "clean", "a").as_dict()]}
    snapshot = _store(folder).snapshot().snapshot_id
    record = canonical_json({"store": "posts", "snapshot": snapshot, "parts": parts})
    workspace.folder.write(f"{RUNS}/{version.label}.json", record.encode())
    for key in "bcd":
        _part(folder, "clean", key)
    _part(folder, POSTS, "b")


def _prune(folder: Path) -> None:
    prune(Workspace(str(folder)))


def _see_pruned(folder: Path) -> None:
    part = Workspace(str(folder)).outputs.find("clean", "a" * 32)
    assert part is not None
    assert len(Workspace(str(folder)).outputs.kept(part, Post)) == 4


def _ready_to_recover(folder: Path) -> None:
    """A batch is gone, another and the tombstones are damaged, and one post is nowhere any more."""
    store = _store(folder)
    forget(Workspace(str(folder)), "forum:11")
    batches = {store.read_batch(name)[0].post_id: name for name in store.batch_names() if "-" not in name}
    buried = next(name for name in store.batch_names() if name.startswith(GONE))
    (folder / f"posts/batches/{batches['forum:0']}.parquet").unlink()
    for name in (batches["forum:4"], buried):
        (folder / f"posts/batches/{name}.parquet").write_bytes(b"PAR1")


def _recover(folder: Path) -> None:
    elsewhere = [with_digest(one) for one in GIVEN if one.post_id != "forum:0"]
    recover(Workspace(str(folder)).posts.folder, [Place("elsewhere", lambda: elsewhere)], accept=True)


def _see_recovered(folder: Path) -> None:
    """What could be read before can be read; what was forgotten is nowhere."""
    store = Workspace(str(folder)).posts
    sound = [name for name in store.files() if "-" not in name and store.fault_of(name) is None]
    held = {one.post_id for name in sound for one in store.read_batch(name)}
    assert {"forum:8", "forum:9", "forum:10"} <= held <= {one.post_id for one in GIVEN} - {"forum:11"}, held


def _ready_to_fold(folder: Path) -> None:
    """Eight batches of posts and eight of sightings, folded neither."""
    store = PostStore(Workspace(str(folder)).posts.folder, sizes=StoreSizes(fan=1_000))
    for number in range(SIZES.fan):
        upsert(store, _day(number))
    store.snapshot()


def _day(number: int) -> list[Post]:
    """A new post, one that is seen again daily, and one that changes."""
    return [
        post(f"new{number}", f"Ann has {number} apples.", number),
        post("same", "Ben has a pear.", number),
        post("changing", f"Cy has {number // 2} plums.", number),
    ]


def _fold(folder: Path) -> None:
    """What the next ingest does: bring a post, and fold."""
    upsert(Workspace(str(folder)).posts, _day(SIZES.fan))


def _see_folded(folder: Path) -> None:
    store = Workspace(str(folder)).posts
    found = {one.post_id: one.question for one in store.posts().values()}
    last = SIZES.fan
    days = [{f"forum:{native}": text for native, text in _texts(number)} for number in (last - 1, last)]
    assert found in days, found
    (snapshot,) = (store.folder / "snapshots").names()
    held = store.open_snapshot(snapshot.removesuffix(".json"))
    assert {one.post_id: one.question for one in store.load(held)} == days[0]


def _texts(last: int) -> list[tuple[str, str]]:
    """What there is to see on a day."""
    new = [(f"new{number}", f"Ann has {number} apples.") for number in range(last + 1)]
    return [*new, ("same", "Ben has a pear."), ("changing", f"Cy has {last // 2} plums.")]


def _ready_to_ingest(folder: Path) -> None:
    """Posts of before, of which a file that waits has some again, changed or not."""
    folder.mkdir()
    write_threads(folder / "before.jsonl", BEFORE)
    write_threads(folder / "more.jsonl", IN_ALL, first=BEFORE - 2)
    lines = (folder / "more.jsonl").read_text("utf-8")
    changed = lines.replace('"answers": [', '"answers": [{"text": "see above"}, ', 1)
    (folder / "more.jsonl").write_text(changed, encoding="utf-8")
    run_ingest(IngestRequest(str(folder), folder / "before.jsonl", retrieved_at="2024-05-01T00:00:00Z"))


def _ingest(folder: Path) -> None:
    run_ingest(IngestRequest(str(folder), folder / "more.jsonl", retrieved_at="2024-06-01T00:00:00Z"))


def _see_ingested(folder: Path) -> None:
    held = Workspace(str(folder)).posts.posts()
    assert len(held) in (BEFORE, IN_ALL), len(held)
    assert len(held) == BEFORE or any(answer.text == "see above" for one in held.values() for answer in one.answers)


def _ready_to_build(folder: Path) -> None:
    """A version, and posts that came after it."""
    _ready_to_ingest(folder)
    _build(folder)
    _ingest(folder)


def _build(folder: Path) -> None:
    opened = {"classify": {"min_probability": 0.0}, "read": {"min_confidence": 0.0}, "diversity": {"ld_min": 0.0}}
    config = BuildConfig.model_validate({**opened, "publish": {"precision": 0.0}})
    build_here(BuildRequest(data=str(folder), name="demo", config=config, shards=2))


def _see_built(folder: Path) -> None:
    versions = Workspace(str(folder)).versions
    rows = {identifier: len(versions.open(f"demo/{identifier}").problems()) for identifier in versions.ids("demo")}
    assert len(rows) in (1, 2), rows
    assert min(rows.values()) > BEFORE // 2, rows
    assert rows[versions.open("demo").version_id] in rows.values()


class Scenario(NamedTuple):
    """What is there before, what is killed, and what has to hold after a kill."""

    ready: Callable[[Path], None]
    run: Callable[[Path], None]
    see: Callable[[Path], None]


SCENARIOS = {
    "publish": Scenario(_ready_to_publish, _publish, _see_published),
    "forget": Scenario(_ready_to_forget, _forget, _see_forgotten),
    "prune": Scenario(_ready_to_prune, _prune, _see_pruned),
    "recover": Scenario(_ready_to_recover, _recover, _see_recovered),
    "fold": Scenario(_ready_to_fold, _fold, _see_folded),
    "ingest": Scenario(_ready_to_ingest, _ingest, _see_ingested),
    "build": Scenario(_ready_to_build, _build, _see_built),
}


def _same(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """What has to be as if nobody had been killed: every file, and of the list what holds, whatever the order.

    How many builds have begun is counted (``turns/``), and what was new when an ingest ended (``ingests/``):
    these alone say that one was killed.
    """
    counts, told = (LIST, LOCK, ".turn"), ("turns/", f"{INGESTS}/")
    files = {
        name: digest for name, digest in tree(folder).items() if not name.endswith(counts) and not name.startswith(told)
    }
    stores = Workspace(str(folder)).stores()
    states: dict[str, str] = {
        f"{name}/{batch}": entry.state
        for name, store in stores.items()
        for batch, entry in store.list.entries().items()
        if entry.state != "removed"
    }
    return files, states


def _steps(scenario: Scenario, folder: Path) -> int:
    """How many steps it takes when nobody kills it."""
    told = folder.with_suffix(".steps")

    def act() -> None:
        left = countdown(1_000_000, folder)
        scenario.run(folder)
        told.write_text(str(1_000_000 - left[0]), encoding="ascii")

    assert in_child(act) == 0
    return int(told.read_text(encoding="ascii"))


def _kill(scenario: Scenario, folder: Path, step: int) -> None:
    def act() -> None:
        countdown(step, folder)
        scenario.run(folder)

    assert in_child(act) != 0, f"not killed before step {step}"


def kill_all(
    kills: int, seed: int, root: Path, scenarios: Mapping[str, Scenario] = SCENARIOS
) -> dict[str, tuple[int, int]]:
    """Kill so many times, the commands in turn; for each how often it was killed, and how many steps it has.

    Each begins with the same files in the same folder. AssertionError where something is not whole after a kill, where
    the same command does not finish, or finishes otherwise than undisturbed.
    """
    choice, steps, expected = random.Random(seed), {}, {}  # noqa: S311 - moments, no secrets
    for name, scenario in scenarios.items():
        scenario.ready(root / name)
        shutil.copytree(root / name, root / f"{name}-before")
        steps[name], expected[name] = _steps(scenario, root / name), _same(root / name)
    done: Counter[str] = Counter()
    for number in range(kills):
        name = list(scenarios)[number % len(scenarios)]
        scenario, step = scenarios[name], choice.randrange(steps[name])
        shutil.rmtree(root / name)
        folder = Path(shutil.copytree(root / f"{name}-before", root / name))
        where = f"{name}, killed before step {step} of {steps[name]}"
        _kill(scenario, folder, step)
        assert in_child(lambda: scenario.see(folder)) == 0, f"{where}: not whole"  # noqa: B023 - called at once
        assert in_child(lambda: scenario.run(folder)) == 0, f"{where}: not finished by the same command"  # noqa: B023
        assert _same(folder) == expected[name], f"{where}: another result"
        assert leftovers(folder) == [], f"{where}: {leftovers(folder)}"
        done[name] += 1
    return {name: (done[name], steps[name]) for name in scenarios}


def kill_crawls(kills: int, seed: int, root: Path) -> int:
    """Kill so many crawls of a site; returns how many pages it has. AssertionError as of ``kill_all``."""
    lines = [line for path in sorted(DEFAULT_THREADS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    (root / "site").mkdir(parents=True)
    (root / "site/threads.jsonl").write_text("".join(f"{line}\n" for line in lines[:CRAWLED]), encoding="utf-8")
    pages, choice = forum_pages(root / "site"), random.Random(seed)  # noqa: S311 - moments, no secrets
    with serve(answering(pages)) as site:
        calm = crawl("bundled", site.base_url, root / "calm")
        for number in range(kills):
            out, victims = root / f"crawl-{number}", ("child", "parent", "both")[number % 3]
            site.clear()
            bodies = choice.randrange(1, len(pages) - 10)  # so many are still under way
            killed(site, out, bodies, victims)
            where = f"crawl, {victims} killed after {bodies} of {len(pages)} pages"
            assert not (out / "posts.jsonl").exists(), f"{where}: not whole"
            done = crawl("bundled", site.base_url, out)
            assert without_time(done.posts_path) == without_time(calm.posts_path), f"{where}: another result"
            assert leftovers(out) == [], f"{where}: {leftovers(out)}"
            shutil.rmtree(out)
    return len(pages)


def rows_of(found: Mapping[str, tuple[int, int]]) -> list[Row]:
    """A row for each command, of what ``kill_all`` gives, which has failed if there was more to say."""
    return [Row(f"{name}, {steps} steps: {WHAT}", kills, "0", "0", True) for name, (kills, steps) in found.items()]


def measure() -> str:
    """The table."""
    crawls = KILLS // (len(SCENARIOS) + 1)
    with tempfile.TemporaryDirectory() as folder:
        found = kill_all(KILLS - crawls, SEED, Path(folder))
        pages = kill_crawls(crawls, SEED, Path(folder) / "crawls")
    rows = [*rows_of(found), Row(f"crawl, {pages} pages: {WHAT}", crawls, "0", "0", True)]
    return table("Kills of what changes the data folder", rows, f"Seed {SEED}. {signature('pyarrow')}.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        survived = kill_all(int(sys.argv[1]), int(sys.argv[2]), Path(scratch))
    print(" ".join(f"{name}:{kills}" for name, (kills, _) in survived.items()))
