"""Canonical labelling: the same key for two sets of polynomial tuples exactly when a renaming of variables maps one on
the other.

Colour refinement splits the variables by how they occur; where it leaves a tie, each member of a cell is
individualised in turn and the smallest image wins (McKay's scheme). Interchangeable variables (twins) and branches
that an automorphism maps on an explored one are visited once. Refinement compares exact tuples, never hashes, so keys
are the same on every machine and in every version of Python.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import Monomial, Polynomial, terms, unknowns_of

MAX_LEAVES = 5000

SolvedElement: TypeAlias = tuple[Polynomial, ...]
"""Polynomials that belong together, for instance numerator and denominator; only their joint sign is free."""

_Version: TypeAlias = list[list[tuple[int, int]]]
"""For each polynomial the indexes of its monomials with their coefficients."""
_Signature: TypeAlias = tuple[tuple[tuple[Monomial, int], ...], ...]
_Image: TypeAlias = tuple[object, ...]
_Use: TypeAlias = tuple[object, ...]
_Places: TypeAlias = Sequence[int] | Mapping[int, int]


def canonical_image(elements: Sequence[SolvedElement], kinds: Mapping[int, str]) -> tuple[object, ...]:
    """The canonical key of the elements over the variables of ``kinds``; renaming keeps within equal kinds.

    The key is nested tuples of integers and strings. Equal elements count as often as they occur. Raises LimitError
    where more than MAX_LEAVES labellings would have to be compared.
    """
    dense = sorted(kinds)
    order, image = _Labeller(elements, [kinds[index] for index in dense], dense).search()
    return tuple([kinds[dense[v]] for v in order]), image


def _versions(
    element: Sequence[Sequence[tuple[Monomial, int]]], known: Mapping[Monomial, int], degrees: Sequence[list[int]]
) -> tuple[_Version, ...]:
    """The element and its negative; one of them where renaming-invariant data tells them apart."""
    plain = [[(known[monomial], c) for monomial, c in part] for part in element]
    negated = [[(m, -c) for m, c in part] for part in plain]
    for part, opposite in zip(plain, negated, strict=True):
        first, second = (sorted([(degrees[m], c) for m, c in terms]) for terms in (part, opposite))
        if first != second:
            return (plain,) if first > second else (negated,)
    return plain, negated


def _order(values: Sequence[object]) -> dict[object, int]:
    return {value: rank for rank, value in enumerate(sorted(set(values)))}  # type: ignore[type-var]


def _ranks(values: Sequence[object]) -> list[int]:
    order = _order(values)
    return [order[value] for value in values]


def _signature(version: _Version, images: Sequence[Monomial]) -> _Signature:
    return tuple([tuple(sorted([(images[m], c) for m, c in part])) for part in version])


class _Labeller:
    """Search over labellings of one structure; colours are ranks, one for each variable."""

    def __init__(self, elements: Sequence[SolvedElement], kinds: Sequence[str], indexes: Sequence[int]) -> None:
        """``indexes`` are the variables of the elements in ascending order; here they are called by their place."""
        self.size = len(kinds)
        self.start = _ranks(kinds)
        dense = {index: v for v, index in enumerate(indexes)}
        whole = [[terms(part) for part in element] for element in elements]
        known = {
            m: place for place, m in enumerate(dict.fromkeys(m for parts in whole for part in parts for m, _ in part))
        }
        self.monomials = [tuple([(dense[index], e) for index, e in monomial]) for monomial in known]
        degrees = [sorted([exponent for _, exponent in monomial]) for monomial in self.monomials]
        self.elements = [_versions(parts, known, degrees) for parts in whole]
        self.touching: list[set[int]] = [set() for _ in kinds]
        for index, element in enumerate(elements):
            for variable in {variable for part in element for variable in unknowns_of(part)}:
                self.touching[dense[variable]].add(index)
        self.named = [self._least(versions, self.monomials) for versions in self.elements]
        self.twins: dict[tuple[int, int], bool] = {}
        self.leaves = 0
        self.best: tuple[list[int], _Image] | None = None

    def search(self) -> tuple[list[int], _Image]:
        """The order of the variables with the smallest image, and that image."""
        self._explore(self._refine(self.start))
        assert self.best is not None, "a search ends in at least one leaf"
        return self.best

    def _refine(self, colours: list[int]) -> list[int]:
        """The coarsest splitting of the colours in which variables of one colour occur alike.

        Only variables that share their colour are looked at, and the elements that they occur in: the others have their
        rank by colour alone. Where only twins share a colour no further look splits it.
        """
        cells = max(colours, default=-1) + 1
        while cells < self.size:
            uses: dict[int, list[_Use]] = {v: [] for v, colour in enumerate(colours) if colours.count(colour) > 1}
            self._note_uses(uses, self._images(colours))
            colours = _ranks([(colour, tuple(sorted(uses.get(v, ())))) for v, colour in enumerate(colours)])
            if (found := max(colours) + 1) == cells or self._only_twins(colours):
                break
            cells = found
        return colours

    def _images(self, place: _Places) -> list[Monomial]:
        return [tuple(sorted([(place[v], exponent) for v, exponent in monomial])) for monomial in self.monomials]

    def _note_uses(self, uses: dict[int, list[_Use]], images: Sequence[Monomial]) -> None:
        """Adds every occurrence of a variable: the ranks of its element, its place, its term and its exponent."""
        touched = [self.elements[index] for index in sorted(set().union(*[self.touching[v] for v in uses]))]
        for versions, ranks in zip(touched, self._signature_ranks(touched, images), strict=True):
            whole = tuple(sorted(ranks))
            for version, own in zip(versions, ranks, strict=True):
                for place, part in enumerate(version):
                    where = (whole, own, place)
                    for monomial, c in part:
                        term = images[monomial]
                        for v, exponent in self.monomials[monomial]:
                            if v in uses:
                                uses[v].append((where, term, c, exponent))

    @staticmethod
    def _signature_ranks(touched: Sequence[tuple[_Version, ...]], images: Sequence[Monomial]) -> list[list[int]]:
        """The ranks of all versions by their signatures: a long signature is compared once, not with every term."""
        if len(touched) == 1 and len(touched[0]) == 1:
            return [[0]]
        signatures = [[_signature(version, images) for version in versions] for versions in touched]
        order = _order([signature for several in signatures for signature in several])
        return [[order[signature] for signature in several] for several in signatures]

    def _image(self, place: _Places, indexes: Sequence[int] | set[int]) -> _Image:
        """The elements with these indexes, variables renamed to their places."""
        images = self._images(place)
        return tuple(sorted([self._least(self.elements[index], images) for index in indexes]))

    @staticmethod
    def _least(versions: Sequence[_Version], images: Sequence[Monomial]) -> _Signature:
        return min([_signature(version, images) for version in versions])

    def _are_twins(self, first: int, second: int) -> bool:
        """Whether exchanging the two variables leaves the structure as it is."""
        known = self.twins.get((first, second))
        if known is None:
            indexes = self.touching[first] | self.touching[second]
            place = list(range(self.size))
            place[first], place[second] = second, first
            known = self._image(place, indexes) == tuple(sorted([self.named[index] for index in indexes]))
            self.twins[first, second] = self.twins[second, first] = known
        return known

    def _only_twins(self, colours: list[int]) -> bool:
        """Whether all variables that share a colour are twins: being twins is transitive."""
        first: dict[int, int] = {}
        for v, colour in enumerate(colours):
            if first.setdefault(colour, v) != v and not self._are_twins(v, first[colour]):
                return False
        return True

    def _tie(self, colours: list[int]) -> tuple[list[int], list[int]] | None:
        """The smallest cell with a tie and its members up to twins; None where only twins share their colour.

        Exchanging twins changes nothing, so that any order of theirs gives the same image.
        """
        if self._only_twins(colours):
            return None
        cells: dict[int, list[int]] = {}
        for v, colour in enumerate(colours):
            cells.setdefault(colour, []).append(v)
        _, colour = min([(len(cell), colour) for colour, cell in cells.items() if len(cell) > 1])
        cell = cells[colour]
        return cell, self._representatives(cell)

    def _representatives(self, cell: list[int]) -> list[int]:
        """Members of a cell of which none is a twin of an earlier one."""
        representatives: list[int] = []
        for v in cell:
            if not any(self._are_twins(v, other) for other in representatives):
                representatives.append(v)
        return representatives

    def _individualise(self, colours: list[int], cell: list[int], chosen: int, *, all_twins: bool) -> list[int]:
        order = {v: rank for rank, v in enumerate(cell)} if all_twins else {chosen: -1}
        return self._refine(_ranks([(colour, order.get(v, 0)) for v, colour in enumerate(colours)]))

    def _leaf(self, colours: list[int]) -> tuple[list[int], _Image]:
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            raise LimitError(f"a template needs more than {MAX_LEAVES} labellings to be told apart")
        order = sorted(range(self.size), key=colours.__getitem__)
        return order, self._image({v: rank for rank, v in enumerate(order)}, range(len(self.elements)))

    def _first_leaf(self, colours: list[int]) -> _Image:
        while (tie := self._tie(colours)) is not None:
            cell, representatives = tie
            colours = self._individualise(colours, cell, representatives[0], all_twins=len(representatives) == 1)
        return self._leaf(colours)[1]

    def _explore(self, colours: list[int]) -> None:
        tie = self._tie(colours)
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
