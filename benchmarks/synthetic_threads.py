"""Threads that are drawn, as many as wanted, for benchmarks of size: never evidence of how well anything is read.

A thread is one of the problem families below with drawn numbers, names, things and a setting of stock phrases and rare
words; its answers are worked in several styles, and some are wrong. One in ten threads is out of scope, one in twenty
is a near duplicate of an earlier one (another name), and up to one in twenty is a thread of ``data/own`` or of the real
posts beside the checkout, each of them once. Texts depend on the seed and the place alone, so that the first
thousand of a million are the same thousand.
"""

import functools
import itertools
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, SHARED
from corpus.canonical import sha256_text

OWN = ROOT / "data" / "own" / "threads.jsonl"
REAL = SHARED / "realposts" / "posts.jsonl"
NEAR_DUPLICATES, MIXED_IN, OUT_OF_SCOPE = 0.05, 0.05, 0.10
SEED = 14


def _listed(text: str, sign: str | None = None) -> list[str]:
    """What a text lists, between white space or a sign."""
    return [part.strip() for part in " ".join(text.split()).split(sign)]


_NAMES = _listed(
    """Ann Ben Carla Dmitri Elena Femi Grace Hiro Ines Jamal Kofi Lena Mateo Nadia Omar Priya Quinn Rosa Sven Tara Umar
    Vera Wen Xenia Yusuf Zoe Alma Bruno Chidi Dora Emil Farah Goran Hanna Idris Jana Kai Leila Milo Noor"""
)
_THINGS = _listed(
    """apples pencils marbles stamps tickets bottles books chairs tiles ribbons candles postcards lemons bricks shirts
    mugs plants coins photos magnets notebooks buttons shells tulips pies batteries boxes posters bags plates"""
)
_PLACES = _listed(
    """at the market | in the school library | at the town fair | on the farm | in a small shop | at the county show |
    in the garden | at the harbor | in the hardware store | at the book sale | in the museum | on the train |
    at summer camp | in the bakery""",
    "|",
)
_OPENINGS = _listed(
    """| Please help me with this problem. | I am stuck on this one. | My son has this for homework. |
    Can someone show the steps? | Thanks in advance! | I need to set up an equation. |
    We are learning about this in class. | 10 points best answer.""",
    "|",
)
_SYLLABLES = _listed(
    "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to"
)

DrawThread = random.Random
Worked = tuple[str, list[str], str]
"""A question, the lines of a solution, and its answer."""


def synthetic_threads(count: int, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """So many threads in JSON Lines form (``id``, ``question``, ``answers``, ``license``), one after the other.

    >>> [thread["id"] for thread in synthetic_threads(2)]
    ['t00000000', 't00000001']
    >>> next(synthetic_threads(1)) == next(synthetic_threads(1_000_000))
    True
    """
    mixed = iter(_mixed_in())
    for place in range(count):
        draw = _draw(seed, place)
        share = draw.random()
        thread = next(mixed, None) if share < MIXED_IN else None
        if thread is None and share < MIXED_IN + NEAR_DUPLICATES and place:
            thread = _near_duplicate(draw, seed, place)
        yield {"id": f"t{place:08d}", "license": "CC-BY-4.0", **(thread or _drawn(draw))}


def write_threads(path: Path, count: int, seed: int = SEED, first: int = 0) -> int:
    """Threads ``first`` to ``count`` as JSON Lines; returns the number of bytes."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for thread in itertools.islice(synthetic_threads(count, seed), first, None):
            size += file.write(json.dumps(thread, ensure_ascii=False) + "\n")
    return size


def _draw(seed: int, place: int) -> DrawThread:
    return random.Random(f"{seed}/{place}")  # noqa: S311 - reproducible, not secret


def _near_duplicate(draw: DrawThread, seed: int, place: int) -> dict[str, Any]:
    """An earlier drawn thread with another name."""
    earlier = _drawn(_draw(seed, draw.randrange(place)))
    name, other = draw.sample(_NAMES, 2)
    return json.loads(json.dumps(earlier).replace(f"{name} ", f"{other} "))  # type: ignore[no-any-return]


@functools.cache
def _mixed_in() -> tuple[dict[str, Any], ...]:
    """Our own threads, and the real posts where they are: question and answers alone."""
    found = []
    for path in (OWN, REAL):
        for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
            row = json.loads(line)
            answers = [{"text": answer["text"]} for answer in row["answers"] if answer["text"].strip()]
            if answers and (row["question"] or "").strip():
                found.append({"question": row["question"], "answers": answers})
    return tuple(sorted(found, key=lambda thread: sha256_text(json.dumps(thread))))


def _drawn(draw: DrawThread) -> dict[str, Any]:
    if draw.random() < OUT_OF_SCOPE:
        return _out_of_scope(draw)
    question, lines, answer = draw.choice(_FAMILIES)(draw)
    text = " ".join(filter(None, (draw.choice(_OPENINGS), _setting(draw), question)))
    answers = [{"text": _answer(draw, lines, answer)} for _ in range(draw.choice((1, 2, 2, 3, 3, 4, 6)))]
    if draw.random() < 0.08:
        answers[-1]["text"] = f"I think it is {draw.randint(2, 400)}."
    return {"question": text, "answers": answers}


def _word(draw: DrawThread) -> str:
    return "".join(draw.choices(_SYLLABLES, k=draw.randint(2, 3)))


def _setting(draw: DrawThread) -> str:
    """Two to four sentences: stock phrases among words, some of which are rare."""
    name, other = draw.sample(_NAMES, 2)
    place, thing, rare = draw.choice(_PLACES), draw.choice(_THINGS), _word(draw)
    sentences = (
        f"{name} and {other} spend the day {place} near {rare.title()}.",
        f"The {rare} club sells {thing} {place} every {draw.choice(('week', 'Friday', 'summer', 'month'))}.",
        f"{other} keeps a {draw.choice(('box', 'shelf', 'bag', 'drawer'))} of {thing} for the {rare} festival.",
        f"It was a {draw.choice(('long', 'rainy', 'busy', 'cold', 'quiet'))} day {place}.",
        f"In the town of {rare.title()} people like to trade {thing} {place}.",
        f"{name} asked a friend from {_word(draw).title()} about this, and {other} was no help {place}.",
    )
    return " ".join(draw.sample(sentences, draw.randint(2, 4)))


def _answer(draw: DrawThread, lines: list[str], answer: str) -> str:
    before = draw.choice(
        (
            "",
            "Let's set it up.\n",
            f"Here is how I would do it, and {draw.choice(_NAMES)} does it the same way:\n",
            "Hi,\nread the problem twice and write down what you know before you start.\n",
            f"Solution, as in the {_word(draw)} book:\n",
        )
    )
    joined = draw.choice(("\n", "\n", "\n", " , ", "\n:\n")).join(lines)
    after = draw.choice(
        ("\n{}", "\nAnswer: {}", "\nSo the answer is {}.", "\n\n{}\n\nHope this helps!", "\ncheck: ok. {}")
    )
    return before + joined + after.format(answer)


def _ages(draw: DrawThread) -> Worked:
    name, other = draw.sample(_NAMES, 2)
    times, young, years = draw.randint(2, 5), draw.randint(3, 30), draw.randint(2, 15)
    total = young * (times + 1) + 2 * years
    question = (
        f"{name} is {times} times as old as {other}. In {years} years the sum of their ages will be {total}. "
        f"How old are {name} and {other} now?"
    )
    lines = [
        f"Let x be the age of {other}",
        f"{times}x + {years} + x + {years} = {total}",
        f"{times + 1}x = {total - 2 * years}",
        f"x = {young}",
    ]
    return question, lines, f"{name} is {times * young} and {other} is {young}"


def _tickets(draw: DrawThread) -> Worked:
    adults, children = draw.randint(10, 300), draw.randint(10, 300)
    high, low = draw.randint(6, 20), draw.randint(2, 5)
    taken = adults * high + children * low
    question = (
        f"Adult tickets cost ${high} and child tickets cost ${low}. {adults + children} tickets were sold for a "
        f"total of ${taken}. How many adult tickets were sold?"
    )
    lines = [
        f"a + c = {adults + children}",
        f"{high}a + {low}c = {taken}",
        f"{high}a + {low}({adults + children} - a) = {taken}",
        f"a = {adults}",
    ]
    return question, lines, f"{adults} adult tickets"


def _sum_and_difference(draw: DrawThread) -> Worked:
    small, gap = draw.randint(2, 400), draw.randint(1, 90)
    question = f"The sum of two numbers is {2 * small + gap}. Their difference is {gap}. Find the numbers."
    lines = [f"x + y = {2 * small + gap}", f"x - y = {gap}", f"2x = {2 * small + 2 * gap}", f"x = {small + gap}"]
    return question, [*lines, f"y = {small}"], f"{small + gap} and {small}"


def _rectangle(draw: DrawThread) -> Worked:
    width, more = draw.randint(2, 80), draw.randint(1, 40)
    thing = draw.choice(("garden", "field", "table", "poster", "pool", "room"))
    question = (
        f"The length of a rectangular {thing} is {more} feet more than its width. The perimeter is "
        f"{4 * width + 2 * more} feet. What are the length and the width?"
    )
    lines = [f"2w + 2(w + {more}) = {4 * width + 2 * more}", f"4w = {4 * width}", f"w = {width}"]
    return question, lines, f"width {width} feet, length {width + more} feet"


def _mixture(draw: DrawThread) -> Worked:
    weak, strong = draw.randint(2, 7) * 5, draw.randint(10, 16) * 5
    litres, added = draw.randint(2, 40), draw.randint(2, 40)
    share = Fraction(weak * litres + strong * added, litres + added)
    shown = f"{float(share):.4g}"
    question = (
        f"How many liters of a {strong}% acid solution must be mixed with {litres} liters of a {weak}% solution to "
        f"get a {shown}% solution?"
    )
    lines = [f"{strong / 100:g}x + {weak / 100:g}*{litres} = {float(share) / 100:.6g}(x + {litres})", f"x = {added}"]
    return question, lines, f"{added} liters"


def _rate(draw: DrawThread) -> Worked:
    first, second, hours = draw.randint(20, 70), draw.randint(20, 70), draw.randint(2, 9)
    name, other = draw.sample(_NAMES, 2)
    question = (
        f"{name} and {other} start from towns {(first + second) * hours} miles apart and drive toward each other at "
        f"{first} mph and {second} mph. After how many hours do they meet?"
    )
    lines = [f"{first}t + {second}t = {(first + second) * hours}", f"{first + second}t = {(first + second) * hours}"]
    return question, [*lines, f"t = {hours}"], f"{hours} hours"


def _shares(draw: DrawThread) -> Worked:
    name, thing = draw.choice(_NAMES), draw.choice(_THINGS)
    bags, each, given = draw.randint(3, 40), draw.randint(3, 40), draw.randint(1, 8)
    question = (
        f"{name} bought {bags} bags with {each} {thing} in each bag and gave {given} {thing} away. How many {thing} "
        f"does {name} have left?"
    )
    lines = [f"{bags} x {each} = {bags * each}", f"{bags * each} - {given} = {bags * each - given}"]
    return question, lines, f"{bags * each - given} {thing}"


def _percent(draw: DrawThread) -> Worked:
    price, off = draw.randint(4, 60) * 20, draw.randint(1, 9) * 5
    thing, paid = draw.choice(_THINGS), price * (100 - off) // 100
    question = f"A set of {thing} costs ${price}. It is on sale for {off}% off. What is the sale price?"
    lines = [f"{off}% of {price} = {price - paid}", f"{price} - {price - paid} = {paid}"]
    return question, lines, f"${paid}"


def _consecutive(draw: DrawThread) -> Worked:
    first = draw.randint(1, 400)
    question = f"The sum of three consecutive integers is {3 * first + 3}. Find the integers."
    lines = [f"n + n + 1 + n + 2 = {3 * first + 3}", f"3n = {3 * first}", f"n = {first}"]
    return question, lines, f"{first}, {first + 1}, {first + 2}"


def _coins(draw: DrawThread) -> Worked:
    name = draw.choice(_NAMES)
    dimes, quarters = draw.randint(2, 60), draw.randint(2, 60)
    cents = 10 * dimes + 25 * quarters
    question = (
        f"{name} has {dimes + quarters} coins in dimes and quarters. The coins are worth ${cents / 100:.2f}. How many "
        "dimes and how many quarters are there?"
    )
    lines = [f"d + q = {dimes + quarters}", f"10d + 25q = {cents}", f"q = {quarters}", f"d = {dimes}"]
    return question, lines, f"{dimes} dimes and {quarters} quarters"


def _out_of_scope(draw: DrawThread) -> dict[str, Any]:
    word, other = _word(draw), _word(draw)
    question = draw.choice(
        (
            f"What is the best way to learn {word} before the {other} exam? I never liked fractions.",
            f"Prove that every {word} group of order {draw.randint(3, 99)} is {other} and give its representation.",
            f"Solve: 1) {draw.randint(2, 9)}x+{draw.randint(2, 9)}=0 2) x^2-{draw.randint(2, 90)}=0 3) graph the line",
            f"Find the limit of the {word} series as n goes to infinity when the {other} kernel is compact.",
        )
    )
    answers = [
        f"Have a look at the {other} book, it is good.",
        f"It follows from the {word} theorem.",
        "You can do it!",
    ]
    return {"question": question, "answers": [{"text": draw.choice(answers)}]}


_FAMILIES: tuple[Callable[[DrawThread], Worked], ...] = (
    _ages,
    _tickets,
    _sum_and_difference,
    _rectangle,
    _mixture,
    _rate,
    _shares,
    _percent,
    _consecutive,
    _coins,
)
