"""Canonical labelling: the same key for two sets of polynomial tuples exactly when a renaming of variables maps one on
the other.

Colour refinement splits the variables by how they occur; where it leaves a tie, each member of a cell is
individualised in turn and the smallest image wins (McKay's scheme). Interchangeable variables (twins) and branches
that an automorphism maps on an explored one are visited once. Refinement compares exact tuples, never hashes, so keys
are the same on every machine and in every version of Python.
"""

from collections.abc import Sequence
from typing import TypeAlias

from extractors.errors import LimitError
from extractors.templates.polynomials import Polynomial, exponents

MAX_LEAVES = 5000

Element: TypeAlias = tuple[Polynomial, ...]
"""Polynomials that belong together, for instance numerator and denominator; only their joint sign is free."""

_Term: TypeAlias = tuple[tuple[tuple[int, int], ...], int]
_Version: TypeAlias = tuple[tuple[_Term, ...], ...]
_Image: TypeAlias = tuple[object, ...]


def canonical_image(elements: Sequence[Element], kinds: Sequence[str]) -> tuple[object, ...]:
    """The canonical key of the elements over variables ``0 .. len(kinds) - 1``; renaming keeps within equal ``kinds``.

    The key is nested tuples of integers and strings. Equal elements count as often as they occur. Raises LimitError
    where more than MAX_LEAVES labellings would have to be compared.
    """
    order, image = _Labeller(elements, kinds).search()
    return tuple(kinds[variable] for variable in order), image


def _versions(element: Element) -> tuple[_Version, ...]:
    """The element and its negative as lists of terms; one of them where renaming-invariant data tells them apart."""
    plain = tuple(tuple((tuple(exponents(m)), c) for m, c in polynomial.items()) for polynomial in element)
    negated = tuple(tuple((monomial, -c) for monomial, c in part) for part in plain)
    first, second = _shape(plain), _shape(negated)
    if first == second:
        return (plain, negated)
    return (plain,) if first > second else (negated,)


def _shape(version: _Version) -> list[list[tuple[list[int], int]]]:
    return [sorted((sorted(exponent for _, exponent in monomial), c) for monomial, c in part) for part in version]


def _order(values: Sequence[object]) -> dict[object, int]:
    return {value: rank for rank, value in enumerate(sorted(set(values)))}  # type: ignore[type-var]


def _ranks(values: Sequence[object]) -> list[int]:
    order = _order(values)
    return [order[value] for value in values]


def _signature(version: _Version, colours: Sequence[int]) -> tuple[_Version, list[list[_Term]]]:
    """A version in colours, sorted, and its terms in their own order.

    Only its rank among all of them goes on into the uses: a long one is compared once, not with every term.
    """
    terms = [[(tuple(sorted((colours[v], e) for v, e in monomial)), c) for monomial, c in part] for part in version]
    return tuple(tuple(sorted(part)) for part in terms), terms


def _version_image(version: _Version, place: Sequence[int]) -> tuple[tuple[_Term, ...], ...]:
    return tuple(
        tuple(sorted((tuple(sorted((place[v], exponent) for v, exponent in monomial)), c) for monomial, c in part))
        for part in version
    )


class _Labeller:
    """Search over labellings of one structure; colours are ranks, one for each variable."""

    def __init__(self, elements: Sequence[Element], kinds: Sequence[str]) -> None:
        self.size = len(kinds)
        self.start = _ranks(list(kinds))
        self.elements = [_versions(element) for element in elements]
        self.touching: list[list[int]] = [[] for _ in kinds]
        for index, versions in enumerate(self.elements):
            for v in sorted({v for part in versions[0] for monomial, _ in part for v, _ in monomial}):
                self.touching[v].append(index)
        self.twins: dict[tuple[int, int], bool] = {}
        self.leaves = 0
        self.best: tuple[list[int], _Image] | None = None

    def search(self) -> tuple[list[int], _Image]:
        """The order of the variables with the smallest image, and that image."""
        self._explore(self._refine(self.start))
        assert self.best is not None, "a search ends in at least one leaf"
        return self.best

    def _refine(self, colours: list[int]) -> list[int]:
        cells = len(set(colours))
        while cells < self.size:
            uses: list[list[tuple[object, ...]]] = [[] for _ in colours]
            signed = [[_signature(version, colours) for version in versions] for versions in self.elements]
            order = _order([own for element in signed for own, _ in element])
            for versions, element in zip(self.elements, signed, strict=True):
                self._note_uses(versions, [(order[own], terms) for own, terms in element], uses)
            colours = _ranks([(colour, tuple(sorted(use))) for colour, use in zip(colours, uses, strict=True)])
            if (found := len(set(colours))) == cells:
                break
            cells = found
        return colours

    @staticmethod
    def _note_uses(
        versions: tuple[_Version, ...],
        signed: Sequence[tuple[int, list[list[_Term]]]],
        uses: list[list[tuple[object, ...]]],
    ) -> None:
        """Adds every occurrence of a variable: the ranks of its element, its place, its term and its exponent."""
        whole = tuple(sorted(own for own, _ in signed))
        for version, (own, signatures) in zip(versions, signed, strict=True):
            for place, (part, terms) in enumerate(zip(version, signatures, strict=True)):
                for (monomial, _), term in zip(part, terms, strict=True):
                    for v, exponent in monomial:
                        uses[v].append((whole, own, place, term, exponent))

    def _image(self, place: Sequence[int], indexes: Sequence[int] | None = None) -> _Image:
        chosen = self.elements if indexes is None else [self.elements[index] for index in indexes]
        return tuple(sorted(min(_version_image(version, place) for version in versions) for versions in chosen))

    def _are_twins(self, first: int, second: int) -> bool:
        """Whether exchanging the two variables leaves the structure as it is."""
        known = self.twins.get((first, second))
        if known is None:
            indexes = sorted({*self.touching[first], *self.touching[second]})
            place = list(range(self.size))
            before = self._image(place, indexes)
            place[first], place[second] = second, first
            known = self.start[first] == self.start[second] and self._image(place, indexes) == before
            self.twins[first, second] = self.twins[second, first] = known
        return known

    def _cell(self, colours: list[int]) -> tuple[list[int], list[int]] | None:
        """The smallest cell with a tie and its members up to twins; None where every variable has its own colour."""
        cells: dict[int, list[int]] = {}
        for v, colour in enumerate(colours):
            cells.setdefault(colour, []).append(v)
        tied = [(len(cell), colour) for colour, cell in cells.items() if len(cell) > 1]
        if not tied:
            return None
        cell = cells[min(tied)[1]]
        representatives: list[int] = []
        for v in cell:
            if not any(self._are_twins(v, other) for other in representatives):
                representatives.append(v)
        return cell, representatives

    def _individualise(self, colours: list[int], cell: list[int], chosen: int, *, all_twins: bool) -> list[int]:
        order = {v: rank for rank, v in enumerate(cell)} if all_twins else {chosen: -1}
        return self._refine(_ranks([(colour, order.get(v, 0)) for v, colour in enumerate(colours)]))

    def _leaf(self, colours: list[int]) -> tuple[list[int], _Image]:
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            raise LimitError(f"a template needs more than {MAX_LEAVES} labellings to be told apart")
        return sorted(range(self.size), key=colours.__getitem__), self._image(colours)

    def _first_leaf(self, colours: list[int]) -> _Image:
        while (tie := self._cell(colours)) is not None:
            cell, representatives = tie
            colours = self._individualise(colours, cell, representatives[0], all_twins=len(representatives) == 1)
        return self._leaf(colours)[1]

    def _explore(self, colours: list[int]) -> None:
        tie = self._cell(colours)
        if tie is None:
            leaf = self._leaf(colours)
            if self.best is None or leaf[1] < self.best[1]:
                self.best = leaf
            return
        cell, representatives = tie
        seen: set[_Image] = set()
        for v in representatives:
            branch = self._individualise(colours, cell, v, all_twins=len(representatives) == 1)
            if len(representatives) > 1:
                # Equal leaves of two branches differ by an automorphism: the second branch holds nothing new.
                image = self._first_leaf(branch)
                if image in seen:
                    continue
                seen.add(image)
            self._explore(branch)
