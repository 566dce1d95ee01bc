"""Template reconciliation: one key for all equivalent templates (Upadhyay & Chang, Annotating Derivations, section 4).

Two templates are equivalent if some renaming of slots makes them have the same solutions for all numbers in the slots;
unknowns are unordered and unnamed. The paper tests this with random numbers for every renaming (Algorithm 1). Here the
system is solved once over the field of its slots and the solution labelled canonically, so that equivalence is
equality of keys. What a key guarantees for each kind of system stands in ``elimination.PresentationKind``. Numbers in
templates are exact constants; slots that cancel still count.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from curation.equivalence.canonical_form import SolvedElement, canonical_image
from curation.equivalence.elimination import Presentation, PresentationKind, present, without_parameters
from extractors.expressions.grammar import parse_equations
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import Polynomial, Ring, multiply, unknowns_of
from extractors.templates.induction import MAX_EQUATIONS
from extractors.templates.rational import Atom, PolynomialRing

Semantics: TypeAlias = Literal["set", "multiset"]

KEY_VERSION = 1
MAX_SLOTS = 24

_written = json.JSONEncoder(separators=(",", ":")).encode
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*+(?! *\()")
_SLOT = re.compile(r"[a-l][0-9]*+")


@dataclass(frozen=True)
class TemplateClass:
    """The equivalence class of a template: its key, how it was presented (hence what the key guarantees), its size."""

    template_id: str
    kind: PresentationKind
    slots: int
    unknowns: int


def template_id(template: Sequence[str], semantics: Semantics = "set") -> str:
    """The canonical key of a template: equal for equivalent templates, over versions and corpora.

    ``template`` is equations such as ``a * m + b * n = c``; names ``a`` to ``l`` (also with digits) are slots, all
    other names unknowns. Solutions are compared as a set of distinct values or as a multiset. Raises ExtractionError
    for what is no template and LimitError beyond the bounds.

    >>> first = template_id(["a * m + b * n = c", "m + n = d"])
    >>> first == template_id(["n = a - m", "b - c * m = d * n"]), first == template_id(["a * m + b * n = c", "m = d"])
    (True, False)
    """
    return classify_template(template, semantics).template_id


def is_slot(name: str) -> bool:
    """Whether a name in a template is a slot: a letter from ``a`` to ``l``, perhaps with digits."""
    return _SLOT.fullmatch(name) is not None


def slots_of(template: Sequence[str]) -> tuple[str, ...]:
    """The slots of a template in order of appearance.

    >>> slots_of(["b * m + a = 2 * b"])
    ('b', 'a')
    """
    return tuple(dict.fromkeys(word for text in template for word in _WORD.findall(text) if is_slot(word)))


def classify_template(
    template: Sequence[str], semantics: Semantics = "set", colours: Mapping[str, str] | None = None
) -> TemplateClass:
    """The class of a template; ``colours`` keep slots apart that must not be exchanged (default: all alike)."""
    system = _System.read(template)
    kind, elements = system.presentation()
    image = canonical_image(*system.labelled(elements, semantics, colours or {}))
    content = _written([KEY_VERSION, semantics, kind, image])
    digest = hashlib.sha256(content.encode()).hexdigest()[:24]
    return TemplateClass(f"t{KEY_VERSION}-{digest}", kind, len(system.slots), len(system.unknowns))


@dataclass(frozen=True)
class _System:
    """A parsed template: its equations as polynomials, and the variable of every slot, unknown and atom."""

    equations: tuple[Polynomial, ...]
    slots: dict[str, int]
    unknowns: tuple[int, ...]
    atoms: tuple[Atom, ...]
    ring: Ring

    @classmethod
    def read(cls, template: Sequence[str]) -> "_System":
        if not template or len(template) > MAX_EQUATIONS:
            raise ExtractionError(f"a template has 1 to {MAX_EQUATIONS} equations, not {len(template)}")
        names = dict.fromkeys(word for text in template for word in _WORD.findall(text))
        parsed = parse_equations(template, tuple(names))
        ring = PolynomialRing(names, parsed)
        equations = tuple(ring.equation(equation) for equation in parsed)
        slots = {name: index for name, index in ring.names.items() if is_slot(name)}
        unknowns = tuple(index for name, index in ring.names.items() if name not in slots)
        if len(slots) > MAX_SLOTS:
            raise LimitError(f"a template with {len(slots)} slots and {len(names)} names; at most {MAX_SLOTS} slots")
        return cls(equations, slots, unknowns, tuple(ring.atoms), ring.ring)

    @property
    def size(self) -> int:
        """Number of variables handed out."""
        return len(self.slots) + len(self.unknowns) + len(self.atoms)

    def presentation(self) -> tuple[PresentationKind, tuple[SolvedElement, ...]]:
        """The solved form, or the equations where a root, power or function holds an unknown."""
        if not any(self._holds_unknown(atom) for atom in self.atoms):
            occurring = _occurring([self.equations])
            inside = [index for index in self.unknowns if index in occurring]
            try:
                found: Presentation = present(self.equations, inside, self.size)
            except LimitError:
                pass
            else:
                return found.kind, found.elements
        whole = [equation for equation in self.equations if equation]
        return PresentationKind.EQUATIONS, tuple((without_parameters(equation, self.unknowns),) for equation in whole)

    def _holds_unknown(self, atom: Atom) -> bool:
        inside = {index for quotient in atom.arguments for part in quotient for index in unknowns_of(part)}
        return not inside.isdisjoint(self.unknowns) or any(
            self._holds_unknown(other) for other in self.atoms if other.index in inside
        )

    def labelled(
        self, elements: Sequence[SolvedElement], semantics: Semantics, colours: Mapping[str, str]
    ) -> tuple[list[SolvedElement], dict[int, str]]:
        """The elements with the definitions of the atoms they use, and the kind of each variable that occurs."""
        kinds = {index: f"slot {colours.get(name, '')}" for name, index in self.slots.items()}
        kinds |= dict.fromkeys(self.unknowns, "unknown") | {self.size: "root"}
        whole = _distinct(elements) if semantics == "set" and len(elements) > 1 else list(elements)
        used = _occurring(whole)
        for atom in reversed(self.atoms):
            if atom.index in used:
                whole += _definition(atom, self.ring, kinds)
                used |= _occurring(whole)
        return whole, {index: kinds[index] for index in used.union(self.slots.values())}


def _occurring(elements: Sequence[SolvedElement]) -> set[int]:
    """The variables that occur in some elements; which monomials they are in is no matter."""
    return {index for element in elements for part in element for index in unknowns_of(part)}


def _definition(atom: Atom, ring: Ring, kinds: dict[int, str]) -> list[SolvedElement]:
    """Elements that say what an atom is: one for each argument, and one that ties arguments and atom together."""
    kinds[atom.index] = f"value of {atom.function}"
    elements: list[SolvedElement] = []
    tie = [ring.gen(atom.index)]
    for place, (numerator, denominator) in enumerate(atom.arguments):
        index = max(kinds) + 1
        kinds[index] = f"argument {place} of {atom.function}"
        elements.append((multiply(denominator, ring.gen(index)) - numerator,))
        tie.append(ring.gen(index))
    return [*elements, tuple(tie)]


def _distinct(elements: Sequence[SolvedElement]) -> list[SolvedElement]:
    """Elements without repetition; an element and its negative are the same."""
    found: list[SolvedElement] = []
    for element in elements:
        if element not in found and tuple(-part for part in element) not in found:
            found.append(element)
    return found
