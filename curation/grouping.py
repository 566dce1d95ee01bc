"""Connected components over names, independent of the order in which connections are made."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

NameT = TypeVar("NameT", bound=Hashable)


class Components(Generic[NameT]):
    """Union-find with path halving; components come out in the order in which their first member was added."""

    def __init__(self, names: Iterable[NameT] = ()) -> None:
        self._parent: dict[NameT, NameT] = {name: name for name in names}

    def find(self, name: NameT) -> NameT:
        """The root of a name's component; an unknown name becomes a component of its own."""
        parent = self._parent
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    def join(self, first: NameT, second: NameT) -> None:
        """Put two names into one component."""
        self._parent[self.find(second)] = self.find(first)

    def components(self) -> list[list[NameT]]:
        """The members of each component."""
        found: dict[NameT, list[NameT]] = {}
        for name in self._parent:
            found.setdefault(self.find(name), []).append(name)
        return list(found.values())
