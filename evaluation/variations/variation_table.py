"""``quality variations``: ten thousand different variations of the shared corpora, written, read again and checked."""

import json
from collections import Counter
from pathlib import Path
from typing import Final

from corpus.benchmarks.own import read_gold, write_gold
from corpus.benchmarks.reading import read_corpus
from corpus.strict_json import load_json
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.variations.variation_proof import faults
from evaluation.variations.varying import ALL_KINDS, KINDS, Variation, kinds_named, vary

ENOUGH: Final = 10_000
"""Different variations that are checked."""
MOST_SEEDS: Final = 20


def variation_table(shared: Path, enough: int = ENOUGH) -> ReadingReport:
    """Variations of Alg-514, DRAW and ASDiv by seeds from 1 on, until there are enough different ones."""
    corpora = [
        read_corpus(f"Alg-514=alg514:{shared}/alg514/kushman.json"),
        read_corpus(f"DRAW=draw:{shared}/draw/draw.json"),
        read_corpus(f"ASDiv=asdiv:{shared}/asdiv/ASDiv.xml"),
    ]
    seen: dict[tuple[str, str], Variation] = {}
    refused: list[Variation] = []
    seeds = 0
    while len(seen) < enough and seeds < MOST_SEEDS:
        seeds += 1
        for corpus in corpora:
            found = vary(corpus.problems, kinds_named([ALL_KINDS]), seeds)
            refused += found.refused
            for one in found.made:
                seen.setdefault((one.kind, one.varied.question), one)
    wrong = [failure for one in seen.values() for failure in _checked(one)]
    counts = Counter(one.kind for one in seen.values())
    sound = Proportion(len(seen) - len({failure.id for failure in wrong}), len(seen))
    passed = Proportion(len(seen), len(seen) + len(refused))
    shares = [
        Share("nothing wrong when written, read again and checked", sound, 100.0),
        Share("let pass by the check when they were made, of all that the rules made", passed),
        *(Share(f"{KINDS[kind].group}: {kind}", Proportion(counts[kind], len(seen))) for kind in KINDS if counts[kind]),
    ]
    rule = (
        f"Different variations of Alg-514, DRAW and ASDiv (seeds 1 to {seeds}; SVAMP, section 5; GSM-Plus, section 2). "
        "The check finds the numbers of the new text, fills the template with them, solves it exactly, and induces the "
        "template again from text and equations. Intervals: Wilson, 95 %."
    )
    return ReadingReport("Variations", rule, tuple(shares), tuple(wrong))


def _checked(one: Variation) -> list[Failure]:
    """What is wrong with a variation after it was written as a gold problem and read again."""
    again = read_gold(load_json(json.dumps(write_gold(one.varied, True))))
    return [Failure(again.problem_id, fault, again.question) for fault in faults(one.original, again)]
