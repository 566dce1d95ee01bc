"""Canonical keys of systems, and lexicon diversity, of ever more problems.

Systems of Dolphin18K are those of its development part; synthetic systems and token sequences are drawn with a fixed
seed. Sequences are stock phrases among words of a Zipf law, of the length of normalised questions. Each size runs in a
process of its own, so that its peak memory is its own.
"""

import itertools
import random
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path

from benchmarks.measuring import SHARED, Row, best_seconds, growth_rows, in_child, peak, seconds_of, signature, table
from corpus.benchmarks.reading import read_corpus
from curation.diversity import diversity_of_tokens
from curation.reconciliation import template_id
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import induce_without_text

SEED = 11
SECONDS_KEYS = 4.0
AllowedBySize = Mapping[int, tuple[float, float]]
SYSTEMS: AllowedBySize = {10_000: (inf, inf), 100_000: (inf, inf), 1_000_000: (600.0, 6144.0)}
TEXTS: AllowedBySize = {7_500: (inf, inf), 30_000: (inf, inf), 120_000: (20.0, 6144.0)}
"""Sizes, each with the seconds and the MiB that it may take."""

WordSequence = tuple[str, ...]
SlotEquations = tuple[str, ...]


def chooser(name: str) -> random.Random:
    """A generator of its own for each purpose."""
    return random.Random(f"{SEED}{name}")  # noqa: S311 - reproducible, not secret


def dolphin_templates(shared: Path = SHARED) -> list[SlotEquations]:
    """The template of every system of the development part that can be read."""
    found = []
    for problem in read_corpus(f"dolphin:{shared}/dolphin18k/dev_urls.json").problems:
        try:
            template = induce_without_text(problem.equations, problem.unknowns or None)
            template_id(template)
        except ExtractionError:
            continue
        found.append(template)
    return found


def dolphin_row(shared: Path) -> Row:
    """Keys of all systems of Dolphin18K."""
    templates = dolphin_templates(shared)
    spent = best_seconds(lambda: [template_id(template) for template in templates])
    value = f"{spent:.2f} s, {1e3 * spent / len(templates):.2f} ms each"
    name, target = "keys of all Dolphin18K dev systems", f"<= {SECONDS_KEYS:g} s"
    return Row(name, len(templates), value, target, spent <= SECONDS_KEYS)


def synthetic_systems(count: int) -> list[SlotEquations]:
    """So many systems, all different."""
    draw = chooser("systems")
    found: dict[SlotEquations, None] = {}
    while len(found) < count:
        found[synthetic_system(draw)] = None
    return list(found)


def synthetic_system(draw: random.Random) -> SlotEquations:
    """One or two linear equations in as many unknowns; of ten coefficients six are slots, the others constants."""
    unknowns = "mn"[: draw.randint(1, 2)]
    slots = iter("abcdefghijkl")

    def number() -> str:
        if draw.random() < 0.6:
            return next(slots)
        return draw.choice(["1", "2", "0.01", str(draw.randint(3, 999)), f"{draw.randint(1, 999) / 100}"])

    equations = []
    for _ in unknowns:
        terms = [f"{number()} * {name}" for name in unknowns]
        equations.append(f"{draw.choice([' + ', ' - ']).join(terms)} = {number()}")
    return tuple(equations)


def sequences(count: int) -> list[WordSequence]:
    """So many token sequences of 8 to 24 tokens: two stock phrases of four words among words of a Zipf law."""
    draw = chooser("texts")
    words = [f"w{n}" for n in range(20_000)]
    weights = list(itertools.accumulate(1 / (n + 3) for n in range(len(words))))
    phrases = [tuple(draw.choices(words, cum_weights=weights, k=4)) for _ in range(max(200, count // 4))]
    found = []
    for _ in range(count):
        before, after = (draw.choices(words, cum_weights=weights, k=draw.randint(0, 8)) for _ in range(2))
        found.append((*before, *draw.choice(phrases), *after, *draw.choice(phrases)))
    return found


def keys_of(count: int) -> tuple[float, float, int]:
    """Seconds and peak memory of the keys of so many synthetic systems, and how many classes they make."""
    systems = synthetic_systems(count)
    keys: set[str] = set()
    spent = seconds_of(lambda: keys.update(map(template_id, systems)))
    return spent, peak(), len(keys)


def diversity_of(count: int) -> tuple[float, float]:
    """Seconds and peak memory of the lexicon diversity of so many sequences."""
    texts = sequences(count)
    return seconds_of(lambda: diversity_of_tokens(texts)), peak()


def _sized(name: str, run: Callable[[int], object], limits: AllowedBySize, allowed: float) -> list[Row]:
    """A row for each size, in a process of its own, with its limits of seconds and MiB, and the growth."""
    rows, found = [], []
    for size, (seconds, most) in limits.items():
        spent, used, *classes = in_child(run, size)
        found.append((size, spent))
        told = "".join(f"{count:,.0f} classes, " for count in classes)
        target = f"<= {seconds:g} s and {most:,.0f} MiB" if seconds < inf else ""
        met = spent <= seconds and used <= most if target else None
        rows.append(Row(name, size, f"{spent:.2f} s, {told}peak {used:,.0f} MiB", target, met))
    return rows + growth_rows(name, found, allowed)


def measure(systems: AllowedBySize = SYSTEMS, texts: AllowedBySize = TEXTS, shared: Path = SHARED) -> str:
    """The table; keys of Dolphin18K systems are left out where the shared data is absent."""
    rows = [dolphin_row(shared)] if shared.is_dir() else []
    rows += _sized("keys of different synthetic systems", keys_of, systems, 1.1)
    rows += _sized("lexicon diversity of token sequences", diversity_of, texts, 1.5)
    return table("Curation", rows, f"{signature('numpy')}. One core, processor seconds.")
