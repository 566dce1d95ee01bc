"""Posts classified and threads ranked a second; time and memory of training on ever more threads.

The threads are those of the bundled site, drawn with variation: digits and names are replaced by a fixed rule, in texts
and gold answers alike. Every training runs in a child process of its own, so that its peak memory is its own.
"""

import argparse
import json
import math
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from benchmarks.measuring import ROOT, Row, signature, table
from benchmarks.reading_speed import SITE, TARGET_ANSWERS, best_seconds
from corpus.labels import read_labels
from crawlers.html_reading.html_text import html_to_text
from extractors.text.cleaning import clean_question
from flows.training import solved_by
from models.answer_model import AnswerModel
from models.answer_training import train_answers
from models.label_split import LabelledThread, join_threads
from models.post_model import PostModel
from models.post_training import train_posts
from models.shipped import shipped_model
from models.storage import load_model

LABELS = ROOT / "data" / "labels"
MODELS = ROOT / "data" / "models"
POSTS_TARGET, THREADS_TARGET = 3000, 400
MEMORY_TARGET = 4096
ANSWERS = 4
SIZES = {"posts": (1_000, 2_000, 4_000), "answers": (250, 500)}
"""Threads that each model is trained on: what a few minutes allow; larger sizes are given on the command line."""
CHILD_LIMIT = 7200.0

_NAMES = [
    "Tess", "Marisol", "Grandma", "Anna", "Ben", "Carla", "David", "Elena", "Frank", "Grace", "Henry", "Ida", "Jack",
    "Karen", "Leo", "Maria", "Nick", "Olga", "Paul", "Rosa", "Sam", "Tina", "Victor", "Wendy", "Tom", "Jim", "Mary",
    "John", "Bob", "Alice", "Kate", "Mike", "Sarah", "Lisa", "Mark", "Peter", "Jane", "Joe", "Amy",
]  # fmt: skip
_NAME = re.compile(rf"\b(?:{'|'.join(_NAMES)})\b")


def site_labels() -> list[LabelledThread]:
    """The labelled threads of the bundled site."""
    texts = []
    for path in sorted(SITE.glob("*.jsonl")):
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            question = clean_question(f"{record['title']}\n{html_to_text(record['question_html'])}").text
            answers = [html_to_text(answer["html"]) for answer in record["answers"]]
            texts.append((f"bundled:{record['id']}", question, answers))
    return join_threads(texts, read_labels(sorted(LABELS.glob("*.jsonl"))))


def varied(thread: LabelledThread, turn: int) -> LabelledThread:
    """A thread with its digits 1 to 9 and its names moved on by a number of places; turn 0 changes nothing.

    >>> from corpus.records import Label
    >>> label = Label(post_id="bundled:a", in_scope=True, scope_reason="ok", gold_answer=("19",))
    >>> found = varied(LabelledThread("bundled:a", "Tom is 18, Jim 1 more.", ("19",), label), 1)
    >>> found.question, found.label.gold_answer
    ('Jim is 29, Mary 2 more.', ('21',))
    """
    digits = str.maketrans({str(digit): str((digit - 1 + turn) % 9 + 1) for digit in range(1, 10)})

    def moved(text: str) -> str:
        names = _NAME.sub(lambda match: _NAMES[(_NAMES.index(match.group()) + turn) % len(_NAMES)], text)
        return names.translate(digits)

    gold = thread.label.gold_answer
    post_id = f"{thread.post_id}~{turn}"
    label = thread.label.model_copy(update={"post_id": post_id, "gold_answer": gold and tuple(map(moved, gold))})
    return LabelledThread(post_id, moved(thread.question), tuple(map(moved, thread.answers)), label)


def drawn(count: int) -> list[LabelledThread]:
    """So many threads: the site again and again, every time with the next variation."""
    site = site_labels()
    return [varied(site[index % len(site)], index // len(site)) for index in range(count)]


def four_answers(threads: Sequence[LabelledThread]) -> list[LabelledThread]:
    """The threads with answers, each filled up with its own varied answers or cut to four."""
    filled = []
    for thread in threads:
        more = [answer for turn in range(1, ANSWERS) for answer in varied(thread, turn).answers]
        answers = (*thread.answers, *more)[:ANSWERS]
        if len(answers) == ANSWERS:
            filled.append(replace(thread, answers=answers))
    return filled


def rates() -> list[Row]:
    """Posts classified and threads ranked a second, with the models that ship; and what ranking waits for."""
    threads = site_labels()
    posts, answers = load_model(str(MODELS / "posts.json")), load_model(str(MODELS / "answers.json"))
    if not isinstance(posts, PostModel) or not isinstance(answers, AnswerModel):
        raise TypeError("data/models/posts.json and answers.json hold models of the wrong kinds")
    full = four_answers(threads)
    solve = solved_by(shipped_model("systems"))
    solved = [solve(thread.question, thread.answers) for thread in full]

    def classify() -> None:
        for thread in threads:
            posts.scope(thread.question, thread.answers)

    def rank() -> None:
        for thread, known in zip(full, solved, strict=True):
            answers.rank(thread.question, thread.answers, known)

    def solve_all() -> None:
        for thread in full:
            solve(thread.question, thread.answers)

    return [
        _rate("classify", len(threads), classify, "posts", POSTS_TARGET),
        _rate(f"rank, {ANSWERS} answers, equations read before", len(full), rank, "threads", THREADS_TARGET),
        _rate(
            f"systems of the same threads, {ANSWERS} answers",
            len(full),
            solve_all,
            "threads",
            TARGET_ANSWERS // ANSWERS,
        ),
    ]


def _rate(name: str, n: int, run: Callable[[], object], unit: str, target: int) -> Row:
    rate = n / best_seconds(run)
    return Row(name, n, f"{rate:,.0f} {unit}/s", f">= {target:,} {unit}/s", rate >= target)


def train(kind: str, count: int) -> dict[str, Any]:
    """Trains once in this process; processor seconds and peak memory in MiB, drawing the threads not timed."""
    threads = drawn(count)
    before = _peak()
    started = time.process_time()
    if kind == "posts":
        train_posts(threads)
    else:
        train_answers(threads, solved_by(shipped_model("systems")))
    return {"seconds": time.process_time() - started, "peak": _peak(), "threads": before}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def growth(kind: str, sizes: Sequence[int]) -> list[Row]:
    """A row for each size: time, its factor over n log n of the size before, and peak memory."""
    rows: list[Row] = []
    found = [(size, _in_child(kind, size)) for size in sizes]
    for size, result in found:
        met = result["peak"] <= MEMORY_TARGET
        value = f"{result['seconds']:.1f} s, peak {result['peak']:,.0f} MiB"
        rows.append(Row(f"train {kind}, {size:,} threads", size, value, f"peak <= {MEMORY_TARGET:,} MiB", met))
    for (small, first), (large, second) in pairwise(found):
        exponent = math.log(second["seconds"] / first["seconds"]) / math.log(large / small)
        allowed = math.log(large * math.log(large) / (small * math.log(small))) / math.log(large / small)
        name = f"train {kind}, growth from {small:,} to {large:,}"
        target = f"n log n: n^{allowed:.2f}, a tenth more for noise"
        rows.append(Row(name, large, f"n^{exponent:.2f}", target, exponent <= allowed + 0.1))
    return rows


def _in_child(kind: str, size: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.models_speed", "--train", kind, str(size)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=CHILD_LIMIT, cwd=ROOT, check=True)
    result: dict[str, Any] = json.loads(child.stdout)
    return result


def measure(sizes: dict[str, Sequence[int]] | None = None) -> str:
    """The table."""
    rows = rates()
    for kind, chosen in (SIZES if sizes is None else sizes).items():
        rows += growth(kind, chosen)
    note = (
        f"{signature('numpy', 'scipy')}. One core; rates are the best of three after an untimed pass, each "
        "training one run in a process of its own. Threads of the bundled site, for training drawn with variation."
    )
    return table("Models", rows, note)


def main(arguments: Sequence[str]) -> int:
    """``--train KIND N`` is the child; ``--posts N ...`` and ``--answers N ...`` set the sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", nargs=2, metavar=("KIND", "N"))
    parser.add_argument("--posts", nargs="*", type=int, default=SIZES["posts"])
    parser.add_argument("--answers", nargs="*", type=int, default=SIZES["answers"])
    options = parser.parse_args(arguments)
    if options.train:
        print(json.dumps(train(options.train[0], int(options.train[1]))))
    else:
        print(measure({"posts": options.posts, "answers": options.answers}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
