"""Equivalence of derivations (Upadhyay and Chang, Annotating Derivations, sections 3 and 4).

A derivation is a template with the textual number behind each slot. Two derivations of one problem are equivalent if
some renaming of slots makes the templates equivalent and maps every slot on one with the same textual number, where
numbers that restate one quantity (EquivTNum) count as one. Colouring the slots by their class of numbers turns that
into equality of canonical keys: no renaming is tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.canonical import canonical_json
from corpus.errors import InputError
from curation.equivalence.reconciliation import classify_template, slots_of
from curation.grouping import Components


@dataclass(frozen=True)
class Derivation:
    """A template and the textual number (any plain value that names it) of each of its slots."""

    template: tuple[str, ...]
    alignment: Mapping[str, object]

    @classmethod
    def read(cls, data: Mapping[str, object]) -> "Derivation":
        """From ``{"template": [str], "alignment": [{"slot": str, "number": number}]}``.

        Raises InputError that names the field that is wrong.
        """
        template, pairs = data.get("template"), data.get("alignment")
        if not isinstance(template, list) or not all(isinstance(text, str) for text in template):
            raise InputError("derivation without 'template', a list of equations")
        if not isinstance(pairs, list):
            raise InputError("derivation without 'alignment', a list of {slot, number}")
        alignment: dict[str, object] = {}
        for pair in pairs:
            if not isinstance(pair, dict) or not isinstance(pair.get("slot"), str) or pair.get("number") is None:
                raise InputError("alignment entries are {slot, number}")
            slot, number = pair["slot"], pair["number"]
            if slot in alignment and alignment[slot] != number:
                raise InputError(f"slot {slot} is aligned to two numbers")
            alignment[slot] = number
        return cls(tuple(template), alignment)


def equivalent_derivations(
    predicted: Derivation, gold: Derivation, equivalent_numbers: Sequence[Sequence[object]] = ()
) -> tuple[bool, str]:
    """Whether two derivations of one problem are equivalent, with the reason.

    Raises InputError for a slot without a number, ExtractionError for a template that does not parse.

    >>> left = Derivation(("a * m + b = c",), {"a": 0, "b": 1, "c": 2})
    >>> right = Derivation(("c = b * n + a",), {"b": 0, "a": 1, "c": 3})
    >>> equivalent_derivations(left, right)
    (False, 'the templates are equivalent, but their slots stand for other numbers')
    >>> equivalent_derivations(left, right, [[2, 3]])
    (True, 'equivalent')
    """
    classes = NumberClasses(equivalent_numbers)
    first, second = _colours(predicted, classes), _colours(gold, classes)
    plain = [classify_template(side.template) for side in (predicted, gold)]
    if plain[0].slots != plain[1].slots:
        return False, f"the templates have {plain[0].slots} and {plain[1].slots} slots"
    if plain[0].template_id != plain[1].template_id:
        return False, "the templates are not equivalent"
    key = classify_template(predicted.template, colours=first).template_id
    if key != classify_template(gold.template, colours=second).template_id:
        return False, "the templates are equivalent, but their slots stand for other numbers"
    return True, "equivalent"


class NumberClasses:
    """EquivTNum as an equivalence relation: groups that share a number are one class."""

    def __init__(self, groups: Sequence[Sequence[object]]) -> None:
        self._linked: Components[str] = Components()
        for group in groups:
            names = [canonical_json(number) for number in group]
            for name in names:
                self._linked.join(names[0], name)
        self._names = {name: min(members) for members in self._linked.components() for name in members}

    def name_of(self, number: object) -> str:
        """One name for all numbers of a class."""
        name = canonical_json(number)
        return self._names.get(name, name)


def _colours(derivation: Derivation, classes: NumberClasses) -> dict[str, str]:
    missing = [slot for slot in slots_of(derivation.template) if slot not in derivation.alignment]
    if missing:
        raise InputError(f"slots without a number: {', '.join(missing)}; every slot of the template needs one")
    return {slot: classes.name_of(number) for slot, number in derivation.alignment.items()}


def derivation_line(record: Mapping[str, object]) -> dict[str, object]:
    """One line of ``wordquarry stage derivations``: ``predicted``, ``gold``, ``equivalent_numbers`` to ``equivalent``.

    Raises InputError naming the field that is wrong, ExtractionError for a template that does not parse.
    """
    sides = [record.get(name) for name in ("predicted", "gold")]
    predicted, gold = [Derivation.read(side) if isinstance(side, dict) else None for side in sides]
    if predicted is None or gold is None:
        raise InputError("fields 'predicted' and 'gold' must be objects with template and alignment")
    groups = record.get("equivalent_numbers", [])
    if not isinstance(groups, list) or not all(isinstance(group, list) for group in groups):
        raise InputError("field 'equivalent_numbers' must be a list of lists of numbers")
    equivalent, reason = equivalent_derivations(predicted, gold, groups)
    return {"equivalent": equivalent, "reason": reason}
