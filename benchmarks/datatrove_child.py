"""What datatrove needs for the part of a build that both do: read JSON Lines, one regex filter, MinHash, write parquet.

    PYTHON benchmarks/datatrove_child.py IN.jsonl FOLDER

PYTHON is of an environment with ``datatrove[io]`` and what its steps ask for (spacy, regex, fasteners, tokenizers, and
xxhash below 4); nothing of wordquarry is used here. One task, the library's own defaults.
"""

import sys
from pathlib import Path
from typing import Any


def whole_thread(_reader: Any, data: dict[str, Any], path: str, place: int | str) -> dict[str, Any]:
    """A thread as a document: its question and all answers."""
    texts = [data["question"], *(answer["text"] for answer in data["answers"])]
    return {"text": "\n".join(texts), "id": str(data["id"]), "metadata": {"path": path, "place": str(place)}}


def run(source: Path, folder: Path) -> None:
    """Run the four steps one after the other."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets
    from datatrove.pipeline.filters import RegexFilter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import ParquetWriter

    config = MinhashConfig()
    part = {name: str(folder / name) for name in ("signatures", "buckets", "removed", "out")}

    def threads() -> list[Any]:
        reader = JsonlReader(str(source.parent), glob_pattern=source.name, adapter=whole_thread)
        return [reader, RegexFilter(r"[Pp]rove that")]

    steps = [
        [*threads(), MinhashDedupSignature(part["signatures"], config)],
        [MinhashDedupBuckets(part["signatures"], part["buckets"], config=config)],
        [MinhashDedupCluster(part["buckets"], part["removed"], config=config)],
        [*threads(), MinhashDedupFilter(part["removed"]), ParquetWriter(part["out"])],
    ]
    for number, pipeline in enumerate(steps):
        tasks = config.num_buckets if number == 1 else 1
        logs = str(folder / f"logs-{number}")
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=1, logging_dir=logs).run()


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
