"""Canonical keys against the literal Algorithm 1, and lexicon diversity against a loop over NLTK, in one run.

Systems of Dolphin18K are those of its development part; synthetic systems and token sequences are drawn with a fixed
seed. Sequences are stock phrases among words of a Zipf law, of the length of normalised questions. Each size runs in a
child process of its own, so that its peak memory is its own.
"""

import argparse
import itertools
import json
import math
import random
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from benchmarks.measuring import ROOT, SHARED, Row, signature, table
from corpus.benchmarks.reading import read_corpus
from curation.diversity import diversity_of_tokens
from curation.reconciliation import slots_of, template_id
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import induce_without_text
from tests.curation.algorithm1 import (
    LinearTemplate,
    algorithm1,
    equal_as_sets,
    renamed_solutions,
    solutions,
    vectors_for,
)

SEED = 11
MAX_SLOTS = 6
PAIRS = 12
"""Pairs of each slot count on which the literal algorithm is timed."""
ORACLE_PAIRS = 20_000
NLTK_PAIRS = 20_000
SYSTEMS = (10_000, 100_000, 1_000_000)
TEXTS = (7_500, 30_000, 120_000)
CHILD_LIMIT = 7200.0
SECONDS_KEYS, FACTOR_KEYS, SECONDS_MILLION = 4.0, 10_000, 600.0
FACTOR_LD = 5_000
LIMITS = {120_000: (20.0, 6144.0), 1_000_000: (300.0, 6144.0)}
"""Seconds and MiB that lexicon diversity of so many sequences may take."""

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


def seconds(run: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    started = time.process_time()
    run()
    return time.process_time() - started


def key_rows(shared: Path = SHARED) -> list[Row]:
    """Keys of all systems; the literal algorithm over pairs of equal slot count; disagreements between the two."""
    templates = dolphin_templates(shared)
    spent = best_of_three(lambda: [template_id(template) for template in templates])
    rows = [
        Row(
            "keys of all Dolphin18K dev systems",
            len(templates),
            f"{spent:.2f} s, {1e3 * spent / len(templates):.2f} ms each",
            f"<= {SECONDS_KEYS:g} s",
            spent <= SECONDS_KEYS,
        )
    ]
    groups = _linear_by_slots(templates)
    rows += _against_literal(groups)
    rows.append(_disagreements(groups))
    return rows


def best_of_three(run: Callable[[], object]) -> float:
    """Processor seconds of the fastest of three calls."""
    return min(seconds(run) for _ in range(3))


def _all_pairs(
    way: Callable[[SlotEquations, SlotEquations], bool], pairs: Sequence[tuple[SlotEquations, SlotEquations]]
) -> list[bool]:
    return [way(*pair) for pair in pairs]


def _linear_by_slots(templates: Sequence[SlotEquations]) -> dict[int, list[SlotEquations]]:
    """Systems with as many equations as unknowns, linear in them, by number of slots up to MAX_SLOTS."""
    groups: dict[int, list[SlotEquations]] = {}
    for template in templates:
        count = len(slots_of(template))
        if 1 < count <= MAX_SLOTS and is_linear(template):
            groups.setdefault(count, []).append(template)
    return groups


def is_linear(template: SlotEquations) -> bool:
    """Whether a printed template has as many equations as unknowns and is linear in them."""
    if any(mark in text for text in template for mark in "^("):
        return False
    unknowns = {word for text in template for word in text.split() if word[0] in "mnopqrstuvwxyz"}
    products = [
        term for text in template for side in text.split(" = ") for term in side.replace(" - ", " + ").split(" + ")
    ]
    factors = [[word for word in term.replace("/", "* /").split() if word in unknowns] for term in products]
    return (
        len(unknowns) == len(template)
        and all(len(each) <= 1 for each in factors)
        and not any(f"/ {name}" in text for text in template for name in unknowns)
    )


def _against_literal(groups: dict[int, list[SlotEquations]]) -> list[Row]:
    """Time of all pairs: literally, from a sample of each slot count; by keys, one for each template. Best of three."""
    ways = {"literal Algorithm 1": literal, "Algorithm 1 with all renamings in one array": _at_once}
    systems = [member for members in groups.values() for member in members]
    keyed = best_of_three(lambda: [template_id(system) for system in systems])
    drawn = {count: _pairs(members, PAIRS, f"literal{count}") for count, members in sorted(groups.items())}
    every = {count: math.comb(len(members), 2) for count, members in groups.items()}
    rows = []
    for name, way in ways.items():
        each = {count: best_of_three(partial(_all_pairs, way, pairs)) / len(pairs) for count, pairs in drawn.items()}
        spent = sum(each[count] * every[count] for count in each)
        asked = name == "literal Algorithm 1"
        rows.append(
            Row(
                f"{name}, all pairs of equal slot count up to {MAX_SLOTS} (sampled: {PAIRS * len(drawn)})",
                sum(every.values()),
                f"{spent:,.0f} s against {keyed:.2f} s of keys: {spent / keyed:,.0f} times",
                f">= {FACTOR_KEYS:,} times" if asked else "",
                spent / keyed >= FACTOR_KEYS if asked else None,
            )
        )
    return rows


def literal(first: SlotEquations, second: SlotEquations) -> bool:
    """One pair as the paper goes: renaming by renaming, random vector by random vector, until one differs."""
    left, right = LinearTemplate(first), LinearTemplate(second)
    vectors = vectors_for(len(left.slots))
    return any(
        all(
            equal_as_sets(solutions(left, vector[None]), solutions(right, vector[None, list(order)])).all()
            for vector in vectors
        )
        for order in itertools.permutations(range(len(left.slots)))
    )


def _at_once(first: SlotEquations, second: SlotEquations) -> bool:
    """The same pair with all renamings and vectors in one array."""
    return algorithm1(renamed_solutions(LinearTemplate(first)), renamed_solutions(LinearTemplate(second)))


def _pairs(members: Sequence[SlotEquations], count: int, name: str) -> list[tuple[SlotEquations, SlotEquations]]:
    draw = chooser(name)
    return [tuple(draw.sample(members, 2)) for _ in range(count)]  # type: ignore[misc]


def _disagreements(groups: dict[int, list[SlotEquations]]) -> Row:
    """Keys against Algorithm 1 over sampled pairs of equal slot count and equal number of unknowns, up to 5 slots."""
    found = {m: renamed_solutions(LinearTemplate(m)) for count in groups if count <= 5 for m in groups[count]}
    keys = {member: template_id(member) for member in found}
    everyone = sorted(found)
    draw, pairs, wrong, equal = chooser("oracle"), 0, 0, 0
    while pairs < ORACLE_PAIRS:
        first, second = draw.sample(everyone, 2)
        if found[first].shape != found[second].shape:
            continue
        same = algorithm1(found[first], found[second])
        pairs, wrong, equal = pairs + 1, wrong + ((keys[first] == keys[second]) is not same), equal + same
    value = f"{wrong} ({equal} pairs equivalent)"
    return Row("disagreements of keys with Algorithm 1, sampled pairs", pairs, value, "0", wrong == 0)


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


def million_rows(sizes: Sequence[int]) -> list[Row]:
    """Keys of ever more synthetic systems, each size in a process of its own."""
    rows: list[Row] = []
    found: list[tuple[int, float]] = []
    for size in sizes:
        child = _in_child("--systems-child", size)
        spent = child["seconds"]
        found.append((size, spent))
        value = f"{spent:.1f} s, {child['classes']:,.0f} classes, peak {child['peak']:,.0f} MiB"
        asked = size >= 1_000_000
        target = f"<= {SECONDS_MILLION:g} s" if asked else ""
        rows.append(
            Row("keys of different synthetic systems", size, value, target, spent <= SECONDS_MILLION if asked else None)
        )
    return rows + growth("keys of different synthetic systems", found, 1.1)


def growth(name: str, found: Sequence[tuple[int, float]], allowed: float) -> list[Row]:
    """Exponents of time over size from each size to the next."""
    rows = []
    for (small, first), (large, second) in pairwise(found):
        exponent = math.log(second / first) / math.log(large / small)
        target = f"<= n^{allowed:g}"
        rows.append(Row(f"{name}, growth from {small:,}", large, f"n^{exponent:.2f}", target, exponent <= allowed))
    return rows


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


def diversity_rows(sizes: Sequence[int], pairs: int = NLTK_PAIRS) -> list[Row]:
    """LD of ever more sequences, the first size against a loop over NLTK on sampled pairs."""
    rows, found = [], []
    for size in sizes:
        child = _in_child("--child", size)
        spent, peak = child["seconds"], child["peak"]
        found.append((size, spent))
        limit = LIMITS.get(size)
        target = f"<= {limit[0]:g} s and {limit[1]:,.0f} MiB" if limit else ""
        met = spent <= limit[0] and peak <= limit[1] if limit else None
        rows.append(
            Row("lexicon diversity of token sequences", size, f"{spent:.2f} s, peak {peak:,.0f} MiB", target, met)
        )
    loop = _nltk_seconds(sizes[0], pairs)
    factor = loop / found[0][1]
    name = f"loop over NLTK's sentence_bleu, all pairs both ways (sampled: {pairs:,})"
    value = f"{loop:,.0f} s: {factor:,.0f} times as long"
    rows.insert(1, Row(name, sizes[0], value, f">= {FACTOR_LD:,} times", factor >= FACTOR_LD))
    return rows + growth("lexicon diversity", found, 1.5)


def _nltk_seconds(count: int, sampled: int) -> float:
    from nltk.translate.bleu_score import sentence_bleu  # takes a second to import

    texts = [list(text) for text in sequences(count)]
    draw = chooser("nltk")
    pairs = [draw.sample(texts, 2) for _ in range(sampled)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spent = seconds(lambda: [sentence_bleu([second], first) for first, second in pairs])
    return spent / len(pairs) * count * (count - 1)


def diversity_child(count: int) -> dict[str, float]:
    """Seconds of lexicon diversity and peak memory of this process, making the sequences not timed."""
    texts = sequences(count)
    spent = seconds(lambda: diversity_of_tokens(texts))
    return {"seconds": spent, "peak": _peak()}


def systems_child(count: int) -> dict[str, float]:
    """Seconds of the keys of so many synthetic systems, how many classes they make, and peak memory of this process."""
    systems = synthetic_systems(count)
    keys: set[str] = set()
    spent = seconds(lambda: keys.update(map(template_id, systems)))
    return {"seconds": spent, "classes": len(keys), "peak": _peak()}


def _peak() -> float:
    """Peak memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _in_child(option: str, count: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.curation_speed", option, str(count)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=CHILD_LIMIT, cwd=ROOT, check=True)
    result: dict[str, float] = json.loads(child.stdout)
    return result


def measure(
    systems: Sequence[int] = SYSTEMS, texts: Sequence[int] = TEXTS, pairs: int = NLTK_PAIRS, shared: Path = SHARED
) -> str:
    """The table; keys of Dolphin18K systems are left out where the shared data is absent."""
    rows = key_rows(shared) if shared.is_dir() else []
    rows += million_rows(systems) + diversity_rows(texts, pairs)
    note = f"{signature('numpy', 'nltk')}. One core, processor seconds; factors compare figures of this run."
    return table("Curation", rows, note)


def main(arguments: Sequence[str]) -> int:
    """``--child N`` and ``--systems-child N`` are the children; ``--systems N ...`` and ``--texts N ...`` set sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", type=int)
    parser.add_argument("--systems-child", type=int)
    parser.add_argument("--systems", nargs="*", type=int, default=SYSTEMS)
    parser.add_argument("--texts", nargs="*", type=int, default=TEXTS)
    options = parser.parse_args(arguments)
    if options.child or options.systems_child:
        child = diversity_child(options.child) if options.child else systems_child(options.systems_child)
        print(json.dumps(child))
    else:
        print(measure(options.systems, options.texts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
