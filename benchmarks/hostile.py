"""The hostile cases of ``tests/cases/hostile.jsonl``, with their recipes written out."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
