"""Which names a system uses, decided before parsing: ``x`` as times, letters run together, case drift."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from extractors.expressions.function_names import ALIASES, PREDICATES, PREFIX
from extractors.expressions.tokens import KIND, NAME, NUMBER
from extractors.expressions.tree import Name
from extractors.text.wordlists import words

_OPERAND_END = frozenset({")", "!", "%", "|"})
_UNIT_WORDS = frozenset(
    words("""am amu cl cm deg ea ft gal gm hr hrs in kg km kmh kph lb lbs mg mi min ml mm mph oz pm pt qt rpm sec yd""")
)
_MAX_SPLIT = 4


class Scope(NamedTuple):
    """How names are to be read.

    ``names``: single unknowns that occur or were declared, in order of appearance; ``splits``: words that are products
    of single letters; ``rename``: case drift; ``x_is_times``: ``x`` between two operands multiplies; ``atoms``: the
    nodes of the declared names.
    """

    names: tuple[str, ...]
    declared: frozenset[str]
    splits: dict[str, tuple[str, ...]]
    rename: dict[str, str]
    x_is_times: bool
    atoms: dict[str, Name]


def _is_times_position(tokens: Sequence[str], index: int) -> bool:
    """Whether the ``x`` at an index stands where a times sign could stand: between two operands, spaced from names."""
    if index == 0:
        return False
    before, after = tokens[index - 1], tokens[index + 1]
    ends = before in _OPERAND_END or KIND.get(before[:1]) is not None
    if not ends or not after:
        return False
    return KIND.get(after[0]) is not None or after == "("


def _glued_times(symbol: str) -> bool:
    """``x3`` after a number may be ``times 3``."""
    return symbol[0] in "xX" and symbol[1:].isdecimal()


class _Collector:
    """Gathers names over the token lists of a system."""

    def __init__(self, declared: Iterable[str]) -> None:
        self.declared = frozenset(declared)
        self.firm = dict.fromkeys(declared)
        self.words: dict[str, bool] = {}
        self.doubtful: dict[str, None] = {}

    def add(self, tokens: Sequence[str]) -> None:
        firm = self.firm
        for index, symbol in enumerate(tokens):
            if KIND.get(symbol[:1]) is not NAME or symbol in firm:
                continue
            if len(symbol) > 1:
                self._word(tokens, index, symbol)
            elif symbol in "xX" and _is_times_position(tokens, index):
                self.doubtful[symbol] = None
            else:
                firm[symbol] = None

    def _word(self, tokens: Sequence[str], index: int, symbol: str) -> None:
        after_number = index > 0 and KIND.get(tokens[index - 1][:1]) is NUMBER
        if after_number and _glued_times(symbol):
            self.doubtful[symbol] = None
        elif (symbol in ALIASES and (tokens[index + 1] == "(" or symbol in PREFIX)) or (
            symbol[:4] == "log_" and symbol[4:].isdecimal()
        ):
            return
        elif "_" in symbol or symbol[1:].isdecimal():
            if symbol not in PREDICATES:
                self.firm[symbol] = None
        else:
            self.words[symbol] = self.words.get(symbol, False) or after_number


def build_scope(token_lists: Sequence[Sequence[str]], declared: Iterable[str] = ()) -> Scope:
    """The scope of some token lists that belong to one system; ``declared`` names come first and are never split."""
    names = dict.fromkeys(declared)
    if not any(map(str.isidentifier, set().union(*token_lists).difference(names))):
        return declared_scope(names)
    collector = _Collector(names)
    for tokens in token_lists:
        collector.add(tokens)
    firm = collector.firm
    x_is_times = False
    if collector.doubtful:
        x_is_times = _settle_times(firm, collector.doubtful)
    splits = _splits(collector) if collector.words else {}
    rename = _case_drift(token_lists, firm, collector.declared)
    atoms = {name: Name(rename.get(name, name)) for name in names}
    return Scope(tuple(firm), collector.declared, splits, rename, x_is_times, atoms)


def declared_scope(names: Iterable[str]) -> Scope:
    """The scope of equations in which no other names than these, all different, occur."""
    atoms = {name: Name(name) for name in names}
    return Scope(tuple(atoms), frozenset(atoms), {}, {}, False, atoms)


def _settle_times(firm: dict[str, None], doubtful: dict[str, None]) -> bool:
    """Decides whether the doubtful ``x`` are times signs; adds them to the names where they are not."""
    indexed = [symbol for symbol in doubtful if len(symbol) > 1]
    if len(indexed) > 1 or any(symbol[:1] in "xX" and len(symbol) > 1 for symbol in firm):
        firm.update(dict.fromkeys(doubtful))
        return False
    if "x" in firm or "X" in firm:
        firm.update(dict.fromkeys(symbol for symbol in doubtful if len(symbol) == 1))
        return False
    return True


def _splits(collector: _Collector) -> dict[str, tuple[str, ...]]:
    """Words read as products of single letters: all letters occur alone, or a short word is glued to a number."""
    firm, out = collector.firm, {}
    for word, after_number in collector.words.items():
        known = len(word) <= _MAX_SPLIT and all(letter in firm for letter in word)
        glued = after_number and len(word) <= 3 and word.lower() not in _UNIT_WORDS and word not in ("pi", "PI")
        if word.isalpha() and (known or (glued and any(letter in firm for letter in word))):
            out[word] = tuple(word)
            firm.update(dict.fromkeys(word))
        elif word not in ("pi", "Pi", "PI"):
            firm[word] = None
    return out


def _case_drift(
    token_lists: Iterable[Sequence[str]], firm: dict[str, None], declared: frozenset[str]
) -> dict[str, str]:
    """``X`` is the same unknown as ``x`` unless both are declared or one equation uses both."""
    if all(name.islower() for name in firm):
        return {}
    groups: dict[str, list[str]] = {}
    for name in firm:
        groups.setdefault(name.lower(), []).append(name)
    rename: dict[str, str] = {}
    for spellings in groups.values():
        if len(spellings) < 2 or sum(name in declared for name in spellings) > 1:
            continue
        if any(sum(name in tokens for name in spellings) > 1 for tokens in token_lists):
            continue
        keep = next((name for name in spellings if name in declared), spellings[0])
        rename.update((name, keep) for name in spellings if name != keep)
    for name in rename:
        del firm[name]
    return rename
