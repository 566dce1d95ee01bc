"""Voting by solution over the answers of a thread (Dolphin18K, section 3.3)."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from extractors.algebra.steps import Budget
from extractors.algebra.values import approximate
from extractors.equations.candidates import MAX_ANSWER
from extractors.equations.drafts import UNUSED
from extractors.equations.given import Given
from extractors.equations.identities import is_near
from extractors.equations.records import AnswerSystem, ThreadEquations
from extractors.equations.rules import DEFAULT_RULES, VoteRules
from extractors.equations.scope import out_of_scope
from extractors.equations.systems import answer_systems
from extractors.equations.witness import Verdict, verdict
from extractors.limits import MAX_TEXT
from extractors.quantities.numbers import find_numbers

__all__ = ["AnswerSystem", "ThreadEquations", "VoteRules", "read_thread"]

MAX_ANSWERS = 60
MAX_ECHO = 2_000
STEPS = 150_000
"""Steps for all systems of a thread, shared out evenly, so that no answer takes them from another."""
ANSWER_STEPS = 30_000
_SENTENCE = re.compile(r"[.!?;:](?=\s)|\n|,? so ")
_DENIED = re.compile(
    r"(?:\bnot\b|n['’]t\b|\b(?:whoever|he|she|they|you|one|guy|person|somebody|someone) (?:said|says|got|wrote|put))"
    r"[^.,;:?!\n\d]{0,20}\Z",
    re.I,
)
_Row = tuple[Fraction, ...]
_Silent = dict[int, tuple[list[Fraction], ...]]
"""Answer -> the numbers it states, for answers without a system."""


class _Ballot(NamedTuple):
    """A system with its solutions as sorted values, ready to compare."""

    system: AnswerSystem
    rows: tuple[_Row, ...]


def read_thread(
    question: str, answers: Sequence[str], min_votes: int = 2, rules: VoteRules = DEFAULT_RULES
) -> ThreadEquations:
    """The equation system on which answers agree; never raises, whatever the text.

    ``min_votes`` is the least number of answers that must give the same solution (two, as in the paper). Time is linear
    in the number of answers read (at most ``MAX_ANSWERS``) and at most quadratic in the length of one, up to
    ``candidates.MAX_ANSWER`` characters. A thread with more than ``MAX_TEXT`` characters to read gives nothing.

    >>> thread = read_thread("Two numbers sum to 59 and differ by 15.", ["a + b = 59, a - b = 15", "37 and 22"], 1)
    >>> thread.equations, thread.votes, [str(v) for v in thread.solutions[0]]
    (('a+b=59', 'a-b=15'), (0, 1), ['37', '22'])
    """
    texts = answers[:MAX_ANSWERS]
    length = len(question) + sum(min(len(text), MAX_ANSWER) for text in texts)
    if length > MAX_TEXT:
        return _none([], f"a thread of {length} characters; at most {MAX_TEXT} are read")
    foreign = out_of_scope(question) if rules.scope else None
    if foreign is not None:
        return _none([], foreign)
    given = Given(question)
    systems = _read(texts, given, rules)
    ballots = _first_of_each([_Ballot(s, _rows(s, rules)) for s in systems if s.counts])
    if not ballots:
        return _none(systems, "no answer gives a solved system")
    silent = _without_system(systems, texts)
    least = given.asked.least if rules.asked else 1
    groups = [group for group in _grouped(ballots, rules) if _size(group) >= least]
    if not groups:
        return _none(systems, f"no solution has the {least} values that the question asks for")
    seconds = _seconds(systems, ballots, given, rules) if rules.seconded else []
    stated = [_stating(group, silent, given, rules) if rules.stated else () for group in groups]
    backed = [(*by, *_seconding(group, seconds, rules)) for group, by in zip(groups, stated, strict=True)]
    winner = _winner(groups, backed, silent, rules)
    if winner is None:
        return _none(systems, "the answers tie between different solutions")
    votes = tuple(sorted({ballot.system.answer for ballot in groups[winner]} | set(backed[winner])))
    best = _representative(groups[winner])
    if len(votes) + (rules.question_votes and _is_stated(best, given)) < min_votes:
        return _none(systems, f"{len(votes)} vote of {min_votes} needed")
    systems = [_seconded(system, backed[winner], seconds) for system in systems]
    systems.extend(AnswerSystem(index, (), best.unknowns, best.solutions, "stated", ()) for index in stated[winner])
    systems.sort(key=lambda system: system.answer)
    return ThreadEquations(best.equations, best.unknowns, best.solutions, votes, tuple(systems), best.linear, None)


def _is_stated(system: AnswerSystem, given: Given) -> bool:
    """Whether the question itself confirms the solutions of a system."""
    rows = [[approximate(value) for value in solution] for solution in system.solutions]
    return verdict(given.stated, rows, given.values) is Verdict.CONFIRMS


def _read(texts: Sequence[str], given: Given, rules: VoteRules) -> list[AnswerSystem]:
    """The systems of every answer, each within its own share of the steps."""
    steps = min(ANSWER_STEPS, STEPS // max(len(texts), 1))
    parts = [answer_systems(index, text, given, rules, Budget(steps)) for index, text in enumerate(texts)]
    return [system for part in parts for system in part]


def _seconds(
    systems: Sequence[AnswerSystem], ballots: Sequence[_Ballot], given: Given, rules: VoteRules
) -> list[_Ballot]:
    """The systems that may back a solution but not put one up; values that the question gives back nothing."""
    voters = {ballot.system.answer for ballot in ballots}
    unused = [_Ballot(s, _rows(s, rules)) for s in systems if s.note == UNUSED and s.answer not in voters]
    return _first_of_each([b for b in unused if not all(given.holds(value) for row in b.rows for value in row)])


def _seconding(group: Sequence[_Ballot], seconds: Sequence[_Ballot], rules: VoteRules) -> tuple[int, ...]:
    """The answers whose system uses no number of the question and has the solution of the group."""
    return tuple(
        second.system.answer
        for second in seconds
        if any(_same(ballot, second, rules) or (rules.subsets and _within(second, ballot, rules)) for ballot in group)
    )


def _seconded(system: AnswerSystem, backers: Sequence[int], seconds: Sequence[_Ballot]) -> AnswerSystem:
    backs = system.answer in backers and any(second.system is system for second in seconds)
    return replace(system, status="seconds", note=None) if backs else system


def _size(group: Sequence[_Ballot]) -> int:
    """The most values that a system of the group gives: one for each unknown, or its different roots."""
    roots = max(len({value for row in ballot.rows for value in row}) for ballot in group)
    return max(roots, *(len(ballot.system.unknowns) for ballot in group))


def _none(systems: Sequence[AnswerSystem], note: str) -> ThreadEquations:
    return ThreadEquations(None, (), (), (), tuple(systems), None, note)


def _first_of_each(ballots: Sequence[_Ballot]) -> list[_Ballot]:
    """One vote an answer: its best system."""
    seen: set[int] = set()
    out = []
    for ballot in ballots:
        if ballot.system.answer not in seen:
            seen.add(ballot.system.answer)
            out.append(ballot)
    return out


def _rows(system: AnswerSystem, rules: VoteRules) -> tuple[_Row, ...]:
    """The solutions as sorted values; those with values that are not positive only where there are no others."""
    rows = [tuple(sorted(approximate(value) for value in solution)) for solution in system.solutions]
    positive = [row for row in rows if all(value.numerator > 0 for value in row)]
    return tuple(positive if rules.positive and positive else rows)


def _near(a: Fraction, b: Fraction, rules: VoteRules) -> bool:
    return is_near(a, b, rules.tolerance)


def _same(a: _Ballot, b: _Ballot, rules: VoteRules) -> bool:
    """Whether two systems have the same solutions, whatever the names and the order of their unknowns."""
    if len(a.rows) != len(b.rows):
        return False
    left = list(b.rows)
    for row in a.rows:
        match = next((other for other in left if _same_row(row, other, rules)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _same_row(a: _Row, b: _Row, rules: VoteRules) -> bool:
    return len(a) == len(b) and all(_near(x, y, rules) for x, y in zip(a, b, strict=True))


def _within(small: _Ballot, large: _Ballot, rules: VoteRules) -> bool:
    """Whether every solution of a system with fewer unknowns lies in a solution of the larger one."""
    if len(small.system.unknowns) >= len(large.system.unknowns):
        return False
    return all(any(_contained(row, other, rules) for other in large.rows) for row in small.rows)


def _contained(small: _Row, large: _Row, rules: VoteRules) -> bool:
    left = list(large)
    for value in small:
        match = next((other for other in left if _near(value, other, rules)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _grouped(ballots: Sequence[_Ballot], rules: VoteRules) -> list[list[_Ballot]]:
    """Ballots with the same solution; smaller systems join the only larger solution that holds their values."""
    groups: list[list[_Ballot]] = []
    for ballot in ballots:
        group = next((g for g in groups if _same(g[0], ballot, rules)), None)
        if group is None:
            groups.append([ballot])
        else:
            group.append(ballot)
    if not rules.subsets:
        return groups
    joined: list[list[_Ballot]] = []
    homes = [[other for other in groups if _within(group[0], other[0], rules)] for group in groups]
    extra: dict[int, list[_Ballot]] = {}
    for group, home in zip(groups, homes, strict=True):
        if not home:
            joined.append(group)
        else:
            largest = max(home, key=lambda g: (len(g), len(g[0].system.unknowns)))
            extra.setdefault(id(largest), []).extend(group)
    return [group + _all_extra(group, extra) for group in joined]


def _all_extra(group: list[_Ballot], extra: dict[int, list[_Ballot]]) -> list[_Ballot]:
    return extra.get(id(group), [])


def _winner(
    groups: Sequence[list[_Ballot]], stated: Sequence[Sequence[int]], silent: _Silent, rules: VoteRules
) -> int | None:
    """The index of the group with most votes; a tie is decided by the rules, or not at all."""
    ranked = list(range(len(groups)))
    votes = [
        len({ballot.system.answer for ballot in group}) + len(by) for group, by in zip(groups, stated, strict=True)
    ]
    ranked = _best(ranked, votes)
    if len(ranked) > 1 and rules.echoed:
        ranked = _best(ranked, [_echoes(group, silent, rules) for group in groups])
    if len(ranked) > 1 and max(votes) > 1 and rules.weighted:
        ranked = _best(ranked, [max(ballot.system.agreement for ballot in group) for group in groups])
    return ranked[0] if len(ranked) == 1 else None


def _best(ranked: Sequence[int], scores: Sequence[int]) -> list[int]:
    best = max(scores[index] for index in ranked)
    return [index for index in ranked if scores[index] == best]


def _without_system(systems: Sequence[AnswerSystem], texts: Sequence[str]) -> _Silent:
    """The numbers of the answers that gave no solution of their own ("120 years, the keeper is 40")."""
    voters = {system.answer for system in systems if system.solutions}
    others = [(index, text) for index, text in enumerate(texts) if index not in voters]
    return {index: _statements(text[:MAX_ECHO]) for index, text in others}


def _statements(text: str) -> tuple[list[Fraction], ...]:
    """The numbers of a text, and those of its first and last sentence that hold any.

    "not 45" and "whoever said 45" state nothing.
    """
    numbers = [n for n in find_numbers(text) if not _DENIED.search(text, max(0, n.start - 30), n.start)]
    cuts = [match.end() for match in _SENTENCE.finditer(text)]
    sentences: dict[int, list[Fraction]] = {}
    for number in numbers:
        sentences.setdefault(bisect_right(cuts, number.start), []).append(number.value)
    parts = list(sentences.values())
    return ([number.value for number in numbers], *parts[:1], *parts[-1:]) if parts else ()


def _stating(group: Sequence[_Ballot], silent: _Silent, given: Given, rules: VoteRules) -> tuple[int, ...]:
    """The answers without a system that state the values of the solution and no others."""
    size = max(len(row) for ballot in group for row in ballot.rows)
    rows = [row for ballot in group for row in ballot.rows if len(row) == size]
    rows = [row for row in rows if not all(given.holds(value) for value in row)]
    first = min(ballot.system.answer for ballot in group)
    return tuple(
        index
        for index, parts in silent.items()
        if any(_states(part, row, given, rules) for row in rows for part in parts)
        and not (rules.copied and index > first and len(parts[0]) == 1)
    )


def _states(numbers: Sequence[Fraction], row: _Row, given: Given, rules: VoteRules) -> bool:
    """Whether numbers are just the values of a solution, but for values that the question gives as well."""
    numbers = [number for number in numbers if not given.holds(number)] or numbers
    wanted = [value for value in row if not given.holds(value)]
    complete = all(any(_near(number, value, rules) for number in numbers) for value in wanted)
    return complete and all(any(_near(number, value, rules) for value in row) for number in numbers)


def _echoes(group: Sequence[_Ballot], silent: _Silent, rules: VoteRules) -> int:
    """How many of the answers without a system state a value of the solution."""
    values = [value for ballot in group for row in ballot.rows for value in row]
    return sum(
        any(_near(number, value, rules) for number in numbers[0] for value in values)
        for numbers in silent.values()
        if numbers
    )


def _representative(group: Sequence[_Ballot]) -> AnswerSystem:
    """Most unknowns of the winning solution, a place for each equation, most question numbers, fewest equations."""
    size = max(len(ballot.system.unknowns) for ballot in group)
    systems = [ballot.system for ballot in group if len(ballot.system.unknowns) == size]
    return min(systems, key=lambda s: (len(s.spans) - len(set(s.spans)), -s.agreement, len(s.equations), s.answer))
