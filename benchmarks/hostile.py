"""The hostile cases of ``tests/cases/hostile.jsonl``, written out, and a build whose answers are all such: ``hostile``.

Questions are drawn (benchmarks.synthetic_threads). Each hostile thread has two answers of one case, at most as long as
an answer may be. It is compared with the drawn thread itself, in processor seconds of the whole build.
Of few threads, such as 20, no problem is left to publish, and the build fails.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.measuring import Row, signature, table
from benchmarks.scale import wordquarry
from benchmarks.synthetic_threads import synthetic_threads

POSTS, LONGEST, TIMES = 600, 50_000, 10
CASES = Path(__file__).parent.parent / "tests" / "cases"


def written_out(case: dict[str, Any]) -> list[str]:
    """The texts of one case.

    ``repeat`` replaces a mark by a piece written many times; ``lines`` makes the text that many texts, with ``#`` as
    the number of the line and ``~`` as the next number; ``last`` stands behind them.

    >>> written_out({"text": "x=@1", "repeat": {"@": ["(", 3]}})
    ['x=(((1']
    >>> written_out({"text": "x_#+x_~=1", "lines": 2, "last": "x_2=5"})
    ['x_0+x_1=1', 'x_1+x_2=1', 'x_2=5']
    """
    text: str = case["text"]
    for mark, (piece, times) in case.get("repeat", {}).items():
        text = text.replace(mark, piece * times)
    texts = [text]
    if "lines" in case:
        texts = [text.replace("#", str(line)).replace("~", str(line + 1)) for line in range(case["lines"])]
    return texts + ([case["last"]] if "last" in case else [])


def hostile_cases() -> Iterator[tuple[str, list[str]]]:
    """The id and the texts of every hostile case."""
    with (CASES / "hostile.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            yield case["id"], written_out(case)


def _built(threads: Sequence[dict[str, Any]]) -> float:
    """Processor seconds of a build."""
    with tempfile.TemporaryDirectory(prefix="wordquarry-hostile-") as folder:
        posts = Path(folder) / "posts.jsonl"
        posts.write_text("".join(json.dumps(thread) + "\n" for thread in threads), encoding="utf-8")
        return wordquarry("build", "--posts", str(posts), "--data", f"{folder}/data", "--runner", "here").cpu


def measure(posts: int = POSTS) -> str:
    """The table."""
    plain = list(synthetic_threads(posts))
    texts = ["\n".join(texts).encode(errors="ignore").decode()[:LONGEST] for _, texts in hostile_cases()]
    hostile = [
        thread | {"answers": [{"text": f"{place} {number} {text}"[:LONGEST]} for number in (1, 2)]}
        for place, (thread, text) in enumerate(zip(plain, cycle(texts), strict=False))
    ]
    seconds, longer = _built(plain), _built(hostile)
    rows = [
        Row("drawn threads", posts, f"{seconds:.1f} CPU s"),
        Row(
            "the same with hostile answers",
            posts,
            f"{longer:.1f} CPU s, {longer / seconds:.1f} times",
            f"at most {TIMES} times",
            longer <= TIMES * seconds,
        ),
    ]
    return table("Hostile threads", rows, f"{signature('pyarrow')}. Processor seconds of a whole build.")
