"""Variations of a corpus: by kind, with seeds, each proved, and what was abstained from counted by reason."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from corpus.benchmarks.gold_problems import GoldNumber, GoldProblem
from corpus.benchmarks.own import read_gold, write_gold
from corpus.errors import ConfigError
from corpus.records import SlotAlignment
from corpus.strict_json import load_json
from curation.equivalence.reconciliation import template_id
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.solvers.cross_validation import shared_corpus
from evaluation.variations.changed_numbers import decimals, other_digits, other_numbers
from evaluation.variations.changed_words import (
    change_information,
    missing_information,
    order_of_objects,
    order_of_phrases,
)
from evaluation.variations.inserted_sentences import (
    add_relevant_information,
    irrelevant_information,
    one_more_operation,
)
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    SourceProblem,
    VariationDraft,
    is_key,
    key_of,
    replaced,
    unknowns_of,
)
from evaluation.variations.turned_questions import (
    different_object_different_structure,
    different_object_same_structure,
    invert_operation,
    reversed_question,
    same_object_different_structure,
)
from evaluation.variations.variation_proof import faults
from extractors.expressions.tree import Node, Num, render, render_number
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import print_template

MakeDraft = Callable[[SourceProblem, random.Random], VariationDraft]
ALL_KINDS: Final = "all"


class VariationKind(NamedTuple):
    """A kind of variation: its name, the group that its paper puts it in, and its rule."""

    name: str
    group: str
    make: MakeDraft


_RULES: Final[Mapping[str, Sequence[MakeDraft]]] = {
    "question sensitivity": (
        same_object_different_structure, different_object_same_structure, different_object_different_structure,
    ),
    "reasoning ability": (add_relevant_information, change_information, invert_operation),
    "structural invariance": (order_of_objects, order_of_phrases, irrelevant_information),
    "numerical variation": (other_numbers, other_digits, decimals),
    "arithmetic variation": (one_more_operation, reversed_question),
    "critical thinking": (missing_information,),
}  # fmt: skip
KINDS: Mapping[str, VariationKind] = MappingProxyType(
    {rule.__name__: VariationKind(rule.__name__, group, rule) for group, rules in _RULES.items() for rule in rules}
)


class Variation(NamedTuple):
    """An original and what was made of it; ``faults`` are those that the check found, mostly none."""

    original: GoldProblem
    varied: GoldProblem
    kind: str
    faults: tuple[str, ...] = ()


@dataclass
class Variations:
    """The proved variations of a corpus, those that the check refused, and abstentions by kind and reason."""

    made: list[Variation] = field(default_factory=list)
    refused: list[Variation] = field(default_factory=list)
    abstained: Counter[tuple[str, str]] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """Counts by kind, then abstentions by reason."""
        made = Counter(one.kind for one in self.made)
        tried = {*made, *(kind for kind, _ in self.abstained)}
        for kind in (name for name in KINDS if name in tried):
            reasons = {reason: n for (of, reason), n in self.abstained.items() if of == kind}
            often = sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
            told = ", ".join(f"{reason} {n}" for reason, n in often)
            yield f"{kind}: {made[kind]} made, {sum(reasons.values())} abstained" + (f" ({told})" if told else "")


def kinds_named(names: Sequence[str]) -> tuple[VariationKind, ...]:
    """The kinds of these names in the order of KINDS, all of them for ``all``; ConfigError for an unknown name."""
    unknown = [name for name in names if name not in KINDS and name != ALL_KINDS]
    if unknown:
        raise ConfigError(f"no kind of variation {unknown[0]!r}; there are: all, {', '.join(KINDS)}")
    return tuple(kind for name, kind in KINDS.items() if name in names or ALL_KINDS in names)


def vary(problems: Sequence[GoldProblem], kinds: Sequence[VariationKind], seed: int) -> Variations:
    """At most one variation of each problem and kind; the same problem, kind and seed give the same variation."""
    found = Variations()
    for problem in problems:
        try:
            source = SourceProblem.of(problem)
        except AbstainedError as error:
            found.abstained.update((kind.name, error.reason.value) for kind in kinds)
            continue
        for kind in kinds:
            _vary(source, kind, seed, found)
    return found


def _vary(source: SourceProblem, kind: VariationKind, seed: int, found: Variations) -> None:
    chooser = random.Random(f"{seed}/{kind.name}/{source.problem.problem_id}")  # noqa: S311 - reproducible, not secret
    try:
        varied = _gold_problem(source, kind.make(source, chooser), (kind, seed))
    except (AbstainedError, ExtractionError) as error:
        reason = error.reason if isinstance(error, AbstainedError) else Abstention.REFUSED
        found.abstained[kind.name, reason.value] += 1
        return
    wrong = faults(source.problem, varied)
    if wrong:
        found.abstained[kind.name, Abstention.REFUSED.value] += 1
    (found.refused if wrong else found.made).append(Variation(source.problem, varied, kind.name, wrong))


def _gold_problem(source: SourceProblem, draft: VariationDraft, how: tuple[VariationKind, int]) -> GoldProblem:
    """The variation as a gold problem; its pair, kind, group, seed and distractors stand in ``details``."""
    kind, seed = how
    template, names = print_template(draft.equations, is_key)
    numbers: dict[str, Node] = {name: Num(value) for name, value in draft.values.items() if is_key(name)}
    gold = tuple(render_number(draft.values[name]) for name in draft.asked)
    slots = [(slot, key) for key, slot in names.items() if is_key(key)]
    used = {key for _, key in slots}
    restated = [[key_of(place) for place in group if key_of(place) in draft.places] for group in source.groups]
    groups = [group for group in restated if len(group) > 1 and used.intersection(group)]
    told = used.union(*groups)
    return GoldProblem(
        problem_id=f"{source.problem.problem_id}:{kind.name}:{seed}",
        native_id=f"{source.problem.native_id}:{kind.name}:{seed}",
        origin="gold",
        question=draft.text,
        answer="; ".join(gold),
        gold=(gold,) if gold else (),
        equations=tuple(map(render, replaced(draft.equations, numbers))),
        unknowns=unknowns_of(draft.equations),
        template=template,
        template_id=template_id(template),
        alignment=tuple(
            SlotAlignment(slot=slot, **_number(draft, key))
            for slot, key in sorted(slots, key=lambda one: (len(one[0]), one[0]))
        ),
        equivalent_numbers=tuple(tuple(GoldNumber(**_number(draft, key)) for key in group) for group in groups),
        license=source.problem.license,
        url=source.problem.url,
        details={
            "variation": kind.name,
            "group": kind.group,
            "seed": seed,
            "original": source.problem.problem_id,
            "original_question": source.text,
            "original_answer": source.problem.answer,
            "distractors": [[start, end] for key, (start, end) in sorted(draft.places.items()) if key not in told],
        },
    )


def _number(draft: VariationDraft, key: str) -> dict[str, Any]:
    start, end = draft.places[key]
    return {"value": render_number(draft.values[key]), "start": start, "end": end}


ENOUGH: Final = 10_000
"""Different variations that are checked."""
MOST_SEEDS: Final = 20


def variation_table(shared: Path, enough: int = ENOUGH) -> ReadingReport:
    """``quality variations``: different variations of the shared corpora, written, read again and checked.

    Those of Alg-514, DRAW and ASDiv by seeds from 1 on, until there are enough.
    """
    corpora = [shared_corpus(shared, name)[0] for name in ("Alg-514", "DRAW", "ASDiv")]
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
