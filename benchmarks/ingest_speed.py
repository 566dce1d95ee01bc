"""JSON Lines into a store beside the floor; reading, one filter, near-duplicates and writing beside datatrove.

Threads are drawn (benchmarks.synthetic_threads). datatrove needs ``datatrove[io]`` and what its steps ask for (spacy,
regex, fasteners, tokenizers, xxhash below 4) in the environment of the interpreter that ``$DATATROVE_PYTHON`` names.
Nothing of ours is imported there.

    PYTHON -m benchmarks.ingest_speed datatrove IN.jsonl FOLDER     its part
    python -m benchmarks.ingest_speed ours IN.jsonl FOLDER          ours
"""

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

POSTS, REPEATS, MICROSECONDS = 20_000, 3, 300.0
PROOF = r"[Pp]rove that"


def whole_text(thread: Mapping[str, Any]) -> str:
    """A thread as one text: its question and all answers."""
    return "\n".join([thread["question"], *(answer["text"] for answer in thread["answers"])])


def datatrove(source: Path, folder: Path) -> None:
    """Four steps with the library's own defaults: without proofs, without what MinHash finds twice, into parquet."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline import dedup
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets
    from datatrove.pipeline.filters import RegexFilter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import ParquetWriter

    def document(_reader: object, data: dict[str, Any], _path: str, _place: int | str) -> dict[str, Any]:
        return {"text": whole_text(data), "id": str(data["id"]), "metadata": {}}

    config, part = MinhashConfig(), {name: str(folder / name) for name in ("signatures", "buckets", "removed", "out")}

    def read() -> list[Any]:
        return [JsonlReader(str(source.parent), glob_pattern=source.name, adapter=document), RegexFilter(PROOF)]

    steps = [
        [*read(), dedup.MinhashDedupSignature(part["signatures"], config)],
        [MinhashDedupBuckets(part["signatures"], part["buckets"], config=config)],
        [dedup.MinhashDedupCluster(part["buckets"], part["removed"], config=config)],
        [*read(), dedup.MinhashDedupFilter(part["removed"]), ParquetWriter(part["out"])],
    ]
    for number, pipeline in enumerate(steps):
        tasks, logs = (config.num_buckets if number == 1 else 1), str(folder / f"logs-{number}")
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=1, logging_dir=logs).run()


def ours(source: Path, folder: Path) -> None:
    """The same with what a build uses, which finds every near-duplicate and not only most of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from corpus.lines.jsonl import file_objects
    from curation.near_texts.duplicates import growing_groups

    texts = {str(thread["id"]): whole_text(thread) for _, thread in file_objects(source)}
    kept = [(name, text) for name, text in texts.items() if not re.search(PROOF, text)]
    groups = growing_groups(kept).groups
    firsts = {groups[name] or name: name for name, _ in reversed(kept)}.values()
    rows = [{"id": name, "text": texts[name]} for name in firsts]
    pq.write_table(pa.Table.from_pylist(rows), folder / "out.parquet", compression="zstd")


def ingested(source: Path, folder: Path) -> None:
    """The file into a new store, by one process."""
    from corpus.post_store.deposit import Deposit
    from corpus.workspace import Workspace
    from crawlers.ingest import deposit_posts

    with Deposit(Workspace(str(folder)).posts) as deposit:
        deposit_posts(source, deposit)
        deposit.commit()


def measure(posts: int = POSTS, repeats: int = REPEATS) -> str:
    """Rows for the floor and the ingest in turn, the best of some rounds, and for both ways of the comparable part."""
    from benchmarks.measuring import Row, seconds_of, signature, table
    from benchmarks.scale import floor_seconds, spend
    from benchmarks.synthetic_threads import write_threads

    with tempfile.TemporaryDirectory() as name:
        folder, best = Path(name), {"floor": 1e9, "ingest": 1e9}
        source = folder / "posts.jsonl"
        write_threads(source, posts)
        for number in range(repeats):
            best["floor"] = min(best["floor"], floor_seconds(source, folder))
            data = folder / f"data-{number}"
            best["ingest"] = min(best["ingest"], seconds_of(lambda data=data: ingested(source, data)))  # type: ignore[misc]
        floor, spent = (1e6 * seconds / posts for seconds in best.values())
        rows = [
            Row("floor: json.loads in, parquet out", posts, f"{floor:.0f} us a post"),
            Row("ingest", posts, f"{spent:.0f} us a post, {spent / floor:.1f} times the floor")._replace(
                target=f"at most {MICROSECONDS:g} us", met=spent <= MICROSECONDS
            ),
        ]
        pythons, costs = {"ours": sys.executable, "datatrove": os.environ.get("DATATROVE_PYTHON", "")}, {}
        for way, python in pythons.items():
            (folder / way).mkdir()
            if python:
                found = spend(python, "-m", "benchmarks.ingest_speed", way, str(source), str(folder / way))
                costs[way] = found.cpu
                value = f"{found.cpu:.1f} CPU s, peak {found.peak:,.0f} MiB"
                rows.append(Row(f"{way}: read, one filter, near-duplicates, write", posts, value))
        if len(costs) > 1:
            ratio = costs["datatrove"] / costs["ours"]
            rows.append(Row("ours beside datatrove", posts, f"{ratio:.2f} times as fast", "ahead", ratio > 1))
    note = "" if len(costs) > 1 else " datatrove is left out: $DATATROVE_PYTHON names no interpreter that has it."
    return table("Ingest", rows, f"Processor seconds of one process. {signature('pyarrow')}.{note}")


if __name__ == "__main__":
    {"ours": ours, "datatrove": datatrove}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
