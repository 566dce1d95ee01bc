"""What speaks against a system in its answer's own words, percentages, parts and equations.

An answerer who says that the problem does not work out, or leaves the asked quantity to the asker, gives no answer; a
percentage that the question does not state while one that it states stands nowhere is misread; and where the longest of
several pieces is asked, the value of a shorter one is a step on the way.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Final

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.values import Value, approximate
from extractors.equations.given import Given, constants_of
from extractors.equations.identities import is_near
from extractors.errors import ExtractionError
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, names_of, walk

_DISOWNED: Final = re.compile(
    r"\b(?:re)?-?check (?:the|your) (?:problem|question|numbers)\b"
    r"|\b(?:problem|question) (?:is|seems|must be|has|contains|looks) (?:wrong|impossible|incorrect|flawed|inconsistent"
    r"|unsolvable|misprinted|a typo|an error|a mistake|no (?:solution|answer))\b"
    r"|\bthere (?:is|are) no (?:solutions?|answers?|such|whole|integers?)\b|\bno such (?:numbers?|integers?)\b"
    r"|\b(?:numbers|figures) (?:do not|don't|dont|doesn't) (?:work|come) out\b|\bcannot be solved\b|\bcan't be solved\b"
)
_DISOWNING: Final = ("problem", "question", "numbers", "figures", "there is no", "there are no", "no such", "be solved")
"""Words of which one has to stand in the answer: looking for them is quicker than the pattern."""
_LEFT: Final = re.compile(r"\b(?:leave|leaving)\b[^.!?\n]{0,40}\b(?:to|for|up to) (?:you|u)\b")
_LEFT_AT_END: Final = re.compile(
    r"\b(?:you can|now|then|just) (?:find|get|work out|calculate|do) the (?:area|perimeter|volume|total|rest|others?)"
    r"(?: (?:yourself|from here|from there|now))?\s*[.!]?\s*\Z"
)
_ONE_OF_SEVERAL: Final = re.compile(
    r"\b(?:do|try|work|solve|finish) (?:out )?the (?:other|others|rest|remaining|next)\b"
    r"(?: (?:two|three|four|ones?|problems?|questions?|[2-4])){1,2}\b"
)
_REST_LEFT: Final = re.compile(
    r"\b(?:do|finish|leave|try|work\s+out|can\s+(?:get|find|solve))\s+(?:you\s+)?the\s+rest\b"
)
_ENDING: Final = 100
"""Characters at the end of an answer in which it leaves the rest to the asker."""
_EXTREME: Final = re.compile(
    r"\b(?:how|what|which|find)\b[^?.!\n]{0,40}\b(?:(longest|largest|greatest|biggest|oldest|tallest|highest|heaviest)"
    r"|(smallest|shortest|youngest|lowest|least))\b(?! (?:and|or)\b)(?! common\b)"
)
_PERCENTAGES: Final = 2
_LESS_THAN: Final = re.compile(r"(?: [a-z]{1,12})? (?:less|fewer) than\b")
_CREWS: Final = re.compile(
    r"\b(\d{1,4}) (workers|men|women|people|painters|masons|machines|pumps|pipes|taps|farmers|robots|printers"
    r"|tractors)\b"
    r"[^.?!\d]{0,60}\b(\d{1,4}) (?:hours|hrs|days|minutes|mins|weeks)\b[^?\d]{0,80}"
    r"\bhow (?:long|many (?:hours|hrs|days|minutes|mins|weeks))\b[^?\d]{0,60}\b(\d{1,4}) \2\b"
)
_CREW_NUMBERS: Final = 3
_SEVERAL: Final = 3
_NO_PRICES: Final = ("cent", "¢", "%", "coin", "dime", "nickel", "quarter", "penn")
"""Words of questions that count in cents, or in hundredths."""
_PER_CENT: Final = Fraction(1, 100)


def is_disowned(words: str) -> bool:
    """Whether an answer (in lower case) says that the problem does not work out.

    >>> is_disowned("that isn't a whole number, so check the problem you posted.")
    True
    >>> is_disowned("x = -5 is impossible, so x = 12"), is_disowned("check: 5 + 7 = 12")
    (False, False)
    """
    return any(word in words for word in _DISOWNING) and bool(_DISOWNED.search(words.replace("’", "'")))


def is_left_to_asker(words: str) -> bool:
    """Whether an answer (in lower case) leaves the asked quantity, or the other problems of the post, to the asker.

    >>> is_left_to_asker("w = 9 m. i'll leave the perimeter to you."), is_left_to_asker("now find the rest")
    (True, True)
    >>> is_left_to_asker("i will do #1, you do the other two. 3x = 12, x = 4"), is_left_to_asker("do the other side")
    (True, False)
    >>> is_left_to_asker("now find the area: 9 * 15 = 135"), is_left_to_asker("he leaves 5 to his son")
    (False, False)
    """
    if "the " in words and _ONE_OF_SEVERAL.search(words):
        return True
    return bool(_LEFT_AT_END.search(words[-_ENDING:])) or ("leav" in words and bool(_LEFT.search(words)))


def is_rest_left(words: str) -> bool:
    """Whether an answer (in lower case), anywhere in it, leaves whatever its values do not give to the asker.

    >>> is_rest_left("x = 3, you can get the rest and then the area"), is_rest_left("the rest is 12")
    (True, False)
    """
    return "rest" in words and bool(_REST_LEFT.search(words))


def has_foreign_percentage(trees: Sequence[Equation], given: Given) -> bool:
    """Whether a system has a percentage that the question does not state, and leaves out one that it states."""
    if "%" not in given.question and "percent" not in given.question.lower():
        return False
    stated = {n.value / 100 for n in given.numbers if n.kind == "percent" and 0 < n.value < 100}
    if len(stated) < _PERCENTAGES:
        return False
    used = {abs(value) for value in constants_of(*trees)}
    spelt = {p: {p, 100 * p, 1 - p, 1 + p, 100 * (1 - p), 100 * (1 + p)} for p in stated}
    if all(used & spellings for spellings in spelt.values()):
        return False
    own = set(chain(*spelt.values(), given.values))
    pairs = {x for p, q in combinations(sorted(stated), 2) for x in (q - p, q + p, q * p, 100 * (q - p))}
    pairs |= {(1 + p * s) * (1 + q * t) for p, q in combinations(sorted(stated), 2) for s in (1, -1) for t in (1, -1)}
    shares = {value for value in used if 0 < value < 1 and value != _PER_CENT and (value * 1000).denominator == 1}
    return any(value not in own and value not in pairs for value in shares)


def misses_extreme(trees: Sequence[Equation], solutions: Sequence[Mapping[str, Value]], given: Given) -> bool:
    """Whether the largest (smallest) is asked, and a part of an equation is larger (smaller) than all values found."""
    question = given.question.lower()
    found = _EXTREME.search(question) if "est" in question else None
    if found is None:
        return False
    sign = 1 if found[1] else -1
    parts = next((parts for tree in trees for side in (tree.left, tree.right) if (parts := _parts(side))), [])
    return bool(parts) and all(_goes_beyond(parts, values, sign) for values in solutions)


def prices_in_cents(trees: Sequence[Equation], given: Given) -> bool:
    """Whether prices are worked out in cents where the question has dollars: ``4*a + 3*o = 320`` for $3.20.

    Only where all other numbers are the question's own, so that no price of it was turned into cents as well.
    """
    question = given.question.lower()
    if "$" not in question or any(word in question for word in _NO_PRICES):
        return False
    return any(_totals_cents(side, tree, given) for tree in trees for side in (tree.left, tree.right))


def _totals_cents(side: Node, tree: Equation, given: Given) -> bool:
    if not isinstance(side, Num) or given.holds(side.value):
        return False
    amount = side.value / 100
    others = [value for value in constants_of(tree) if value != side.value]
    return amount.denominator > 1 and given.holds(amount) and bool(others) and all(map(given.holds, others))


def reverses_difference(trees: Sequence[Equation], given: Given) -> bool:
    """Whether ``8 - 3x`` stands for "8 less than three times a number": the number that is taken away comes first.

    Only where the question has the number once, and the system nowhere takes it away.
    """
    if " than" not in given.question:
        return False
    question = given.question.lower()
    ends = {number.value: number.end for number in given.numbers}
    counts = Counter(number.value for number in given.numbers)
    lesser = [value for value, end in ends.items() if counts[value] == 1 and _LESS_THAN.match(question, end)]
    if not lesser:
        return False
    nodes = (node for tree in trees for side in (tree.left, tree.right) for node in walk(side))
    differences = [node for node in nodes if isinstance(node, Binary) and node.op == "-"]
    return any(_only_taken_from(Num(value), differences) for value in lesser)


def _only_taken_from(number: Num, differences: Sequence[Binary]) -> bool:
    """Whether something unknown is taken from a number, and the number from nothing."""
    first = any(node.left == number and names_of(node.right) for node in differences)
    return first and not any(node.right == number for node in differences)


def takes_longer_with_more(solutions: Sequence[Mapping[str, Value]], given: Given) -> bool:
    """Whether more workers would need longer for the same work, or fewer of them less long.

    Only where the question gives a crew, its time and another crew, and no number besides.
    """
    found = _CREWS.search(given.question.lower()) if len(given.values) == _CREW_NUMBERS else None
    if found is None:
        return False
    first, time, second = (Fraction(found[place]) for place in (1, 3, 4))
    values = [approximate(value) for row in solutions for value in row.values()]
    return first != second and all(value > time if second > first else value < time for value in values)


def is_unconnected(trees: Sequence[Equation]) -> bool:
    """Whether three equations or more have no unknown in common: the work on several problems.

    Quantities that are only worked out (``x = 48 - 7``) are no problems of their own.
    """
    groups: list[set[str]] = []
    for tree in trees:
        names = set(names_of(tree.left, tree.right))
        if isinstance(tree.left, Name) and not names_of(tree.right):
            continue
        joined = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*joined)]
    return len(groups) >= _SEVERAL


def _goes_beyond(parts: Sequence[Node], values: Mapping[str, Value], sign: int) -> bool:
    try:
        sizes = [sign * approximate(evaluate_tree(part, values)) for part in parts]
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return False
    known = [sign * approximate(value) for value in values.values()]
    return max(sizes) > max(known) and not is_near(max(sizes), max(known))


def _parts(side: Node) -> list[Node]:
    """The things that an equation adds up: ``x``, ``2*x`` and ``2*x+4`` of ``x + 2*x + (2*x+4)``.

    One of them is an unknown as such, and none has a fraction in it: prices times counts are no parts of one whole.
    """
    for node in walk(side):
        if isinstance(node, Binary) and node.op == "+":
            terms = _terms(node)
            numbers = [part.value for term in terms for part in walk(term) if isinstance(part, Num)]
            named = all(names_of(term) for term in terms) and any(isinstance(term, Name) for term in terms)
            return terms if named and all(value.denominator == 1 for value in numbers) else []
    return []


def _terms(node: Node) -> list[Node]:
    """The terms of a sum, left to right; long ones are walked without recursion."""
    terms: list[Node] = []
    while isinstance(node, Binary) and node.op == "+":
        terms.append(node.right)
        node = node.left
    return [node, *reversed(terms)]
