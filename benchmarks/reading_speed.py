"""Answers a second through numbers, plain mathematics, voting and the models that ship."""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, SHARED, Row, best_seconds, seconds_of, signature, table
from benchmarks.synthetic_threads import synthetic_threads
from crawlers.html_reading.html_text import html_to_text
from evaluation.gold_threads.labelled_threads import real_posts
from extractors.quantities.numbers import find_numbers
from extractors.text.plain import plain_maths
from flows.training import solved_by
from models.shipped import read_thread, shipped_model
from models.thread_reading import ThreadReader

TARGET_ANSWERS, TARGET_POSTS, TARGET_RANKED, TARGET_JUDGED = 1000, 3000, 1600, 1.6
DRAWN = 2_000
SITE = ROOT / "data" / "site" / "threads"


class Thread(NamedTuple):
    """A question with its answers as text."""

    question: str
    answers: list[str]


def gsm8k_threads(shared: Path = SHARED) -> list[Thread]:
    """The threads of the shared data; none where the folder is absent."""
    path = shared / "gsm8k" / "threads.jsonl"
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else ())
    return [Thread(record["question"], [answer["text"] for answer in record["answers"]]) for record in records]


def drawn_threads(count: int) -> list[Thread]:
    """So many drawn threads."""
    return [Thread(one["question"], [answer["text"] for answer in one["answers"]]) for one in synthetic_threads(count)]


def site_threads(site: Path = SITE) -> list[Thread]:
    """The threads of the bundled site, through the serialiser of the crawler."""
    threads = []
    for path in sorted(site.glob("*.jsonl")):
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            question = f"{record['title']}\n{html_to_text(record['question_html'])}"
            threads.append(Thread(question, [html_to_text(answer["html"]) for answer in record["answers"]]))
    return threads


def _each(function: Callable[[str], object], texts: Iterable[str]) -> None:
    for text in texts:
        function(text)


def _all(function: Callable[..., object], threads: Iterable[tuple[object, ...]]) -> None:
    for thread in threads:
        function(*thread)


def _rate(name: str, n: int, run: Callable[[], object], target: int = 0) -> Row:
    """So many a second, the best of three runs."""
    rate = n / best_seconds(run)
    return Row(name, n, f"{rate:,.0f}/s", f">= {target:,}/s" if target else "", rate >= target if target else None)


def speed(name: str, threads: list[Thread]) -> list[Row]:
    """Answers a second; the floor row only counts characters."""
    answers = [answer for thread in threads for answer in thread.answers]
    n = len(answers)
    return [
        _rate(f"{name}: floor: answers by str.split", n, lambda: _each(str.split, answers)),
        _rate(f"{name}: answers by find_numbers", n, lambda: _each(find_numbers, answers)),
        _rate(f"{name}: answers by plain_maths", n, lambda: _each(plain_maths, answers)),
        _rate(f"{name}: answers by read_thread", n, lambda: _all(read_thread, threads), TARGET_ANSWERS),
    ]


def of_models(name: str, threads: list[Thread]) -> list[Row]:
    """Posts classified and answers ranked a second, by the models that ship; and what ranking waits for."""
    posts, answers, solve = shipped_model("posts"), shipped_model("answers"), solved_by(shipped_model("systems"))
    answered = [thread for thread in threads if thread.answers]
    solved = [(*thread, solve(*thread)) for thread in answered]
    n = sum(len(thread.answers) for thread in answered)
    return [
        _rate(f"{name}: posts classified", len(threads), lambda: _all(posts.scope, threads), TARGET_POSTS),
        _rate(f"{name}: answers ranked, equations read before", n, lambda: _all(answers.rank, solved), TARGET_RANKED),
        _rate(f"{name}: systems of the same answers", n, lambda: _all(solve, answered), TARGET_ANSWERS),
    ]


def judged(name: str, threads: Iterable[tuple[str, Sequence[str]]]) -> Row:
    """Milliseconds of a post to read it and judge what is read: one pass over fresh texts, after a tenth to warm up.

    A post without answers never comes so far.
    """
    reader = ThreadReader(shipped_model("systems"), shipped_model("answers"))
    found = [thread for thread in threads if thread[1]]
    _all(reader.read, found[::10])
    fresh = [thread for place, thread in enumerate(found) if place % 10]
    spent = 1000 * seconds_of(lambda: _all(reader.read, fresh)) / len(fresh)
    target = f"<= {TARGET_JUDGED} ms"
    return Row(f"{name}: a post read and judged", len(fresh), f"{spent:.2f} ms", target, spent <= TARGET_JUDGED)


def measure() -> str:
    """The table; says what is left out."""
    site, shared = site_threads(), gsm8k_threads()
    rows = [judged("drawn threads", drawn_threads(DRAWN))]
    if shared:
        rows.append(judged("GSM8K", shared))
        rows.append(judged("real posts, D", [(one.question, one.answers) for one in real_posts(SHARED, ("D",))]))
    rows += [*speed("bundled site", site), *of_models("bundled site", site)]
    note = f"{signature('numpy', 'scipy')}. One core; rates are the best of three after an untimed pass."
    if shared:
        rows += speed("GSM8K", shared)
    else:
        note += f" GSM8K left out: it needs the shared data folder {SHARED}."
    lengths = [len(answer) for thread in site + shared for answer in thread.answers]
    note += f" The median answer has {statistics.median(lengths):.0f} characters."
    return table("Reading speed", rows, note)
