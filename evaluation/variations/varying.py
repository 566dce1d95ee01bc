"""Variations of a corpus: by kind, with seeds, each proved, and what was abstained from counted by reason."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

from corpus.benchmarks.gold_problems import GoldNumber, GoldProblem
from corpus.errors import ConfigError
from corpus.records import SlotAlignment
from curation.reconciliation import template_id
from evaluation.variations.changed_numbers import decimals, other_digits, other_numbers
from evaluation.variations.changed_words import change_information, missing_information
from evaluation.variations.inserted_sentences import (
    add_relevant_information,
    irrelevant_information,
    one_more_operation,
)
from evaluation.variations.listed_objects import (
    different_object_different_structure,
    different_object_same_structure,
    same_object_different_structure,
)
from evaluation.variations.reordering import order_of_objects, order_of_phrases
from evaluation.variations.rewritten_text import VariationDraft
from evaluation.variations.source_problem import AbstainedError, Abstention, SourceProblem, is_key, key_of, unknowns_of
from evaluation.variations.turned_questions import invert_operation, reversed_question
from evaluation.variations.variation_proof import faults
from extractors.expressions.tree import Equation, Node, Num, names_of, render, render_number, substitute
from extractors.extraction_errors import ExtractionError
from extractors.templates.induction import print_template

MakeDraft = Callable[[SourceProblem, random.Random], VariationDraft]
ALL_KINDS: Final = "all"


class VariationKind(NamedTuple):
    """A kind of variation: its name, the group that its paper puts it in, and its rule."""

    name: str
    group: str
    make: MakeDraft


_SENSITIVITY, _REASONING, _INVARIANCE = "question sensitivity", "reasoning ability", "structural invariance"
_NUMERIC, _ARITHMETIC, _CRITICAL = "numerical variation", "arithmetic variation", "critical thinking"
_LISTED = (
    VariationKind("same_object_different_structure", _SENSITIVITY, same_object_different_structure),
    VariationKind("different_object_same_structure", _SENSITIVITY, different_object_same_structure),
    VariationKind("different_object_different_structure", _SENSITIVITY, different_object_different_structure),
    VariationKind("add_relevant_information", _REASONING, add_relevant_information),
    VariationKind("change_information", _REASONING, change_information),
    VariationKind("invert_operation", _REASONING, invert_operation),
    VariationKind("order_of_objects", _INVARIANCE, order_of_objects),
    VariationKind("order_of_phrases", _INVARIANCE, order_of_phrases),
    VariationKind("irrelevant_information", _INVARIANCE, irrelevant_information),
    VariationKind("other_numbers", _NUMERIC, other_numbers),
    VariationKind("other_digits", _NUMERIC, other_digits),
    VariationKind("decimals", _NUMERIC, decimals),
    VariationKind("one_more_operation", _ARITHMETIC, one_more_operation),
    VariationKind("reversed_question", _ARITHMETIC, reversed_question),
    VariationKind("missing_information", _CRITICAL, missing_information),
)
KINDS: Mapping[str, VariationKind] = MappingProxyType({kind.name: kind for kind in _LISTED})


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
        kinds = [name for name in KINDS if name in tried]
        for kind in kinds:
            reasons = {reason: n for (of, reason), n in self.abstained.items() if of == kind}
            told = ", ".join(
                f"{reason} {n}" for reason, n in sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
            )
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
    except AbstainedError as error:
        found.abstained[kind.name, error.reason.value] += 1
        return
    except ExtractionError:
        found.abstained[kind.name, Abstention.REFUSED.value] += 1
        return
    wrong = faults(source.problem, varied)
    if wrong:
        found.abstained[kind.name, Abstention.REFUSED.value] += 1
    (found.refused if wrong else found.made).append(Variation(source.problem, varied, kind.name, wrong))


def _gold_problem(source: SourceProblem, draft: VariationDraft, how: tuple[VariationKind, int]) -> GoldProblem:
    """The variation as a gold problem; its pair, kind, group, seed and distractors stand in ``details``."""
    kind, seed = how
    template, names = print_template(draft.equations, is_key)
    gold = tuple(render_number(draft.values[name]) for name in draft.asked)
    native = f"{source.problem.native_id}:{kind.name}:{seed}"
    slots = [(slot, key) for key, slot in names.items() if is_key(key)]
    used = {key for _, key in slots}
    groups = _restated(source, draft, used)
    told = used.union(*groups)
    return GoldProblem(
        problem_id=f"{source.problem.problem_id}:{kind.name}:{seed}",
        native_id=native,
        origin="gold",
        question=draft.text,
        answer="; ".join(gold),
        gold=(gold,) if gold else (),
        equations=tuple(render(_with_numbers(equation, draft)) for equation in draft.equations),
        unknowns=unknowns_of(draft.equations),
        template=template,
        template_id=template_id(template),
        alignment=tuple(
            SlotAlignment(
                slot=slot, value=render_number(draft.values[key]), start=draft.places[key][0], end=draft.places[key][1]
            )
            for slot, key in sorted(slots, key=lambda one: (len(one[0]), one[0]))
        ),
        equivalent_numbers=tuple(
            tuple(
                GoldNumber(value=render_number(draft.values[key]), start=draft.places[key][0], end=draft.places[key][1])
                for key in group
            )
            for group in groups
        ),
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


def _restated(source: SourceProblem, draft: VariationDraft, used: set[str]) -> list[list[str]]:
    """The numbers of the new text, by key, that restate one that is used, together with it."""
    groups = [[key_of(place) for place in group if key_of(place) in draft.places] for group in source.groups]
    return [group for group in groups if len(group) > 1 and used.intersection(group)]


def _with_numbers(equation: Equation, draft: VariationDraft) -> Equation:
    numbers: dict[str, Node] = {
        name: Num(draft.values[name]) for name in names_of(equation.left, equation.right) if is_key(name)
    }
    return Equation(substitute(equation.left, numbers), substitute(equation.right, numbers))
