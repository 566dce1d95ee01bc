"""Answers a second through numbers, plain mathematics and voting; growth with the length of an answer."""

import json
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, SHARED, Row, signature, table
from crawlers.html_reading.html_text import html_to_text
from extractors.equations.document import MAX_ANSWER
from extractors.quantities.numbers import find_numbers
from extractors.text.plain import plain_maths
from models.shipped import read_thread

REPEATS = 3
TARGET_ANSWERS = 1000
SITE = ROOT / "data" / "site" / "threads"


class Thread(NamedTuple):
    """A question with its answers as text."""

    question: str
    answers: list[str]


def gsm8k_threads(shared: Path = SHARED) -> list[Thread]:
    """The threads of the shared data; none where the folder is absent."""
    path = shared / "gsm8k" / "threads.jsonl"
    if not path.exists():
        return []
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [Thread(record["question"], [answer["text"] for answer in record["answers"]]) for record in records]


def site_threads(site: Path = SITE) -> list[Thread]:
    """The threads of the bundled site, through the serialiser of the crawler."""
    threads = []
    for path in sorted(site.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                record = json.loads(line)
                question = f"{record['title']}\n{html_to_text(record['question_html'])}"
                threads.append(Thread(question, [html_to_text(answer["html"]) for answer in record["answers"]]))
    return threads


def best_seconds(run: Callable[[], object]) -> float:
    """The best of some runs; one untimed run first."""
    run()
    seconds = []
    for _ in range(REPEATS):
        started = time.process_time()
        run()
        seconds.append(time.process_time() - started)
    return min(seconds)


def _each(function: Callable[[str], object], texts: Iterable[str]) -> None:
    for text in texts:
        function(text)


def _vote(threads: Iterable[Thread]) -> None:
    for thread in threads:
        read_thread(thread.question, thread.answers)


def speed(name: str, threads: list[Thread]) -> list[Row]:
    """Answers a second; the floor row only counts characters."""
    answers = [answer for thread in threads for answer in thread.answers]
    n = len(answers)
    rates = {
        "floor: str.split": n / best_seconds(lambda: _each(str.split, answers)),
        "find_numbers": n / best_seconds(lambda: _each(find_numbers, answers)),
        "plain_maths": n / best_seconds(lambda: _each(plain_maths, answers)),
    }
    voted = n / best_seconds(lambda: _vote(threads))
    rows = [Row(f"{name}: {what}", n, f"{rate:,.0f} answers/s") for what, rate in rates.items()]
    return [
        *rows,
        Row(
            f"{name}: read_thread",
            n,
            f"{voted:,.0f} answers/s",
            f">= {TARGET_ANSWERS:,} answers/s",
            voted >= TARGET_ANSWERS,
        ),
    ]


def growth(threads: list[Thread]) -> list[Row]:
    """Time for one answer as it is doubled up to the cap, and for threads as they are doubled."""
    longest = max((answer for thread in threads for answer in thread.answers), key=len)
    question = threads[0].question
    rows, before = [], 0.0
    length = MAX_ANSWER // 8
    while length <= MAX_ANSWER:
        text = (longest + "\n") * (length // len(longest) + 1)
        seconds = best_seconds(lambda text=text[:length]: read_thread(question, [text], 1))  # type: ignore[misc]
        factor = seconds / before if before else 0.0
        met = factor <= 4.8 if before else None
        rows.append(
            Row(f"one answer of {length:,} characters", 1, f"{1e3 * seconds:.1f} ms (x{factor:.1f})", "x4 at most", met)
        )
        before, length = seconds, length * 2
    half = threads[: len(threads) // 2]
    factor = best_seconds(lambda: _vote(half + half)) / max(best_seconds(lambda: _vote(half)), 1e-9)
    rows.append(Row("twice the threads", 2 * len(half), f"x{factor:.2f}", "x2, linear", factor <= 2.4))
    return rows


def measure() -> str:
    """The table; says what is left out."""
    site, shared = site_threads(), gsm8k_threads()
    rows = speed("bundled site", site)
    note = f"{signature()}. One core, best of {REPEATS} after an untimed pass."
    if shared:
        rows += speed("GSM8K", shared)
    else:
        note += f" GSM8K left out: it needs the shared data folder {SHARED}."
    lengths = [len(answer) for thread in site + shared for answer in thread.answers]
    note += f" The median answer has {statistics.median(lengths):.0f} characters."
    return table("Reading speed", rows + growth(shared or site), note)


if __name__ == "__main__":
    print(measure())
