"""Beside other tools on their own subjects: Math-Verify, price-parser, quantulum3.

``python -m benchmarks.peers`` grades 100,000 generated pairs whose truth is known (``benchmarks.grade_pairs``), and
ends with status 1 if one is called right that is not. ``python -m benchmarks.peers SHARED_DATA`` prints the tables of
docs/quality.md after that; the tools come with the extra ``peers``
(``pip install -e '.[peers]'``). Math-Verify is given each string as it is and as LaTeX between dollar signs. The truth
of a string is that of people (Dolphin18K's sample, our cases) or of a reader of five lines that reads only plain
numbers; whatever it does not read is left out, so that no tool's reading decides.
"""

import json
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from lxml import etree

from benchmarks.grade_pairs import GradeTally, graded_pairs
from benchmarks.measuring import keep_record
from corpus.benchmarks.derivations import token_places
from evaluation.metrics.grade_marks import Mark
from evaluation.metrics.grading import grade
from evaluation.metrics.proportions import Proportion
from extractors.answers.parsing import parse_answer
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import approximate

CASES: Final = Path(__file__).resolve().parents[1] / "tests" / "cases"
JUDGED: Final = Path(__file__).resolve().parents[1] / "evaluation" / "gold_corpora" / "judged" / "answer_strings.jsonl"
MOST: Final = 1000
GENERATED: Final = 100_000
TIMEOUT: Final = 2
"""Seconds that Math-Verify has for a string; towers of powers, which it cannot stop at, are kept from all readers."""
NEAR: Final = Fraction(1, 10**6)
_PLAIN: Final = re.compile(
    r"(?:[$£€]|Rs\.?)?[ ]?(-?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?(?:[ ]?/[ ]?([1-9][0-9]*))?"
)
_NO_UNIT: Final = re.compile(r"(?:hundred|thousand|lakh|crore|illion|dozen|pi)s?\b")
_UNIT: Final = re.compile(r"[ ]?(?:%|[(]?[a-z]{2,}(?:[ /][a-z]{2,}){0,2}[)]?)?\.?")

ValueList = list[Fraction]
Pair = tuple[str, str, bool, Fraction]
"""Answer, gold, whether they are the same, tolerance."""


def plain_value(text: str) -> Fraction | None:
    """The truth of a plain string: "9 (apples)", "$208.10", "1/2"; None for anything else."""
    match = _PLAIN.match(text.strip())
    if match is None or not _UNIT.fullmatch(text.strip(), match.end()) or _NO_UNIT.search(text):
        return None
    value = Fraction(match[2].replace(",", "") + (match[3] or "")) / int(match[4] or 1)
    return -value if match[1] else value


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def options(shared: Path) -> Iterator[tuple[str, list[str], str]]:
    """Set, options, keyed option of AQuA and MathQA."""
    for record in lines(shared / "aqua/aqua_dev.jsonl"):
        texts = {text[0]: text[2:] for text in record["options"]}
        yield "AQuA", list(texts.values()), texts[record["correct"]]
    for record in lines(shared / "mathqa/mathqa_dev_first2000.jsonl"):
        texts = dict(re.findall(r"([a-e]) \) (.*?)(?= , [a-e] \) |\Z)", record["options"]))
        if record["correct"] in texts:
            yield "MathQA", list(texts.values()), texts[record["correct"]]


def drawn(items: Sequence[Any]) -> list[Any]:
    """At most ``MOST`` of some items, by digest of their content."""
    return sorted(items, key=lambda item: sha256(repr(item).encode()).hexdigest())[:MOST]


def answer_strings(shared: Path) -> dict[str, list[tuple[str, list[ValueList]]]]:
    """Strings with the readings of which any one is right, by set."""
    given = {record["id"]: record["ans"] for record in json.loads((shared / "dolphin18k/dev_urls.json").read_text())}
    judged = [(given[line["id"]], line["expect"]) for line in lines(JUDGED)]
    cases = [
        (line["text"], line["expect"]) for line in lines(CASES / "answers.jsonl") if line["label"] != "known_failure"
    ]
    found = {
        "Dolphin18K, by hand": [(text, [[Fraction(v) for v in row] for row in rows]) for text, rows in judged],
        "our cases": [(text, [[Fraction(v) for v in row] for row in rows]) for text, rows in cases],
    }
    asdiv = [problem.findtext("Answer") or "" for problem in etree.parse(shared / "asdiv/ASDiv.xml").iter("Problem")]
    sets: dict[str, list[str]] = {"ASDiv": asdiv, "AQuA": [], "MathQA": []}
    for name, texts, _ in options(shared):
        sets[name] += texts
    for name, texts in sets.items():
        known = [(text, value) for text in dict.fromkeys(texts) if (value := plain_value(text)) is not None]
        found[name] = [(text, [[value]]) for text, value in drawn(known)]
    return found


def pairs(shared: Path) -> dict[str, list[Pair]]:
    """Answers beside golds, by set: what is the same is written twice by others, what is not are other options."""
    asdiv: list[Pair] = []
    for problem in etree.parse(shared / "asdiv/ASDiv.xml").iter("Problem"):
        answer, formula = problem.findtext("Answer") or "", (problem.findtext("Formula") or "").rpartition("=")[2]
        values = plain_value(answer), plain_value(formula)
        if None not in values and not re.search("[A-Za-z]", formula):
            asdiv.append((formula.strip(), answer, values[0] == values[1], Fraction(0)))
    found: dict[str, list[Pair]] = {
        "ASDiv, result and answer": drawn(asdiv),
        "AQuA, options": [],
        "MathQA, options": [],
    }
    for name, texts, keyed in options(shared):
        gold = plain_value(keyed)
        for text in texts if gold is not None else ():
            value = plain_value(text)
            if value is not None and ("%" in text) == ("%" in keyed):
                written = f"\\frac{{{value.numerator}}}{{{value.denominator}}}" if value.denominator > 1 else str(value)
                written += " %" * ("%" in text)
                found[f"{name}, options"].append((written, keyed, value == gold, Fraction(0)))
    for record in json.loads((shared / "dolphin18k/dev_urls.json").read_text()):
        first, bar, second = (part.strip() for part in record["ans"].partition("|"))
        if bar and "|" not in second and " or " not in record["ans"]:
            found.setdefault("Dolphin18K, two spellings, 0.2 %", []).append((second, first, True, Fraction(2, 1000)))
    found["our cases, decided ones"] = [
        (case["answer"], case["gold"], case["expect"] == "right", Fraction(case.get("tolerance", 0)))
        for case in lines(CASES / "grades.jsonl")
        if case["expect"] != "undecided"
    ]
    return {name: drawn(rows) for name, rows in found.items()}


def same(values: Sequence[Fraction], wanted: Sequence[Fraction]) -> bool:
    """Equal as sets of values, to a millionth of their size."""
    rest = list(wanted)
    for value in values:
        match = next((other for other in rest if abs(value - other) <= NEAR * max(Fraction(1), abs(other))), None)
        if match is None:
            return False
        rest.remove(match)
    return not rest


class MathVerify:
    """Math-Verify: the values of its first reading."""

    def __init__(self, *, latex: bool) -> None:
        from math_verify import parse, verify

        self.latex, self.parse, self.verify = latex, parse, verify

    def written(self, text: str) -> str:
        """The text as it is given to the parser."""
        bare = text.replace("\\$", "$").replace("$", "")
        return f"${bare}$" if self.latex else text

    def values(self, text: str) -> list[ValueList]:
        """No, or one, reading; a percentage counts as its number as well."""
        signal.setitimer(signal.ITIMER_REAL, TIMEOUT)
        try:
            found = [
                value for item in self.parse(self.written(text), parsing_timeout=0)[:1] for value in _numbers_of(item)
            ]
        except (TypeError, ValueError, AttributeError, OverflowError, TimeoutError):
            return []
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return [found, [100 * value for value in found]] if found and "%" in text else [found] if found else []

    def mark(self, pair: Pair) -> Mark:
        answer, gold, _, tolerance = pair
        read = tuple(self.parse(self.written(text), parsing_timeout=TIMEOUT) for text in (gold, answer))
        if not all(read):
            return Mark.UNDECIDED
        equal = self.verify(*read, float_rounding=2 if tolerance else 6, timeout_seconds=TIMEOUT)
        return Mark.RIGHT if equal else Mark.WRONG


def _numbers_of(item: Any) -> Iterator[Fraction]:
    """The numbers of a sympy object: of a set, a tuple, an equation's right side."""
    if isinstance(item, str):
        return
    if getattr(item, "rhs", None) is not None:
        yield from _numbers_of(item.rhs)
    elif isinstance(item, (set, frozenset, tuple, list)) or getattr(item, "is_FiniteSet", False):
        for part in item:
            yield from _numbers_of(part)
    elif type(item).__name__ in {"Tuple", "And", "Or"}:
        for part in item.args:
            yield from _numbers_of(part)
    else:
        yield Fraction(str(item.evalf(30)))


def ours(text: str) -> list[ValueList]:
    """Our readings; the roots of one unknown also together."""
    found = [[approximate(value) for value in row] for row in parse_answer(text)]
    joined = [value for row in found for value in row]
    return [*found, joined] if len(found) > 1 else found


def tallied(right: int, wrong: int, n: int) -> list[str]:
    """The cells of a row: right, wrong, nothing, and right less twice wrong a hundred."""
    return [str(Proportion(right, n)), str(wrong), str(n - right - wrong), f"{100 * (right - 2 * wrong) / n:.1f}"]


def table(title: str, head: str, rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    parts = [f"### {title}", "", f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return "\n".join([*parts, *("| " + " | ".join(row) + " |" for row in rows), ""])


def answers_table(shared: Path) -> str:
    """parse-answer beside Math-Verify."""
    readers: dict[str, Callable[[str], list[ValueList]]] = {
        "wordquarry": ours,
        "Math-Verify": MathVerify(latex=False).values,
        "Math-Verify, as LaTeX": MathVerify(latex=True).values,
    }
    rows = []
    for name, strings in answer_strings(shared).items():
        for reader, read in readers.items():
            right = wrong = 0
            for text, wanted in strings:
                found = read(text)
                joined = [value for row in wanted for value in row]
                fits = any(same(values, row) for values in found for row in [*wanted, joined]) if wanted else not found
                right, wrong = right + fits, wrong + (not fits and bool(found))
            rows.append([name, reader, *tallied(right, wrong, len(strings))])
    return table("Answer strings", "strings | reader | right | wrong | nothing | right less twice wrong, of 100", rows)


def grades_table(shared: Path) -> str:
    """grade beside Math-Verify."""
    graders: dict[str, Callable[[Pair], Mark]] = {
        "wordquarry": lambda pair: grade(pair[0], pair[1], pair[3]).mark,
        "Math-Verify": MathVerify(latex=False).mark,
        "Math-Verify, as LaTeX": MathVerify(latex=True).mark,
    }
    rows = []
    for name, asked in pairs(shared).items():
        for grader, mark in graders.items():
            marks = Counter((mark(pair), Mark.RIGHT if pair[2] else Mark.WRONG) for pair in asked)
            right = sum(n for (said, true), n in marks.items() if said == true)
            nothing = sum(n for (said, _), n in marks.items() if said == Mark.UNDECIDED)
            rows.append([name, grader, *tallied(right, len(asked) - right - nothing, len(asked))])
    return table("Equality", "pairs | grader | right | wrong | undecided | right less twice wrong, of 100", rows)


def generated_table(tally: GradeTally) -> str:
    """What grade makes of generated pairs, by family."""
    rows = []
    for family in sorted({family for family, _, _ in tally.marks}):
        same = [tally.marks[family, True, mark] for mark in (Mark.RIGHT, Mark.UNDECIDED, Mark.WRONG)]
        other = [tally.marks[family, False, mark] for mark in (Mark.WRONG, Mark.UNDECIDED, Mark.RIGHT)]
        rows.append([family, *(str(count) for count in (*same, *other))])
    head = "pairs of | same: right | undecided | wrong | another: wrong | undecided | right"
    total = sum(tally.marks.values())
    title = f"Generated pairs: {total}, {len(tally.false_rights)} falsely right, in {tally.seconds:.0f} s"
    return table(title, head, rows)


def quantulum(text: str) -> list[tuple[Fraction, int, int]]:
    """The numbers of quantulum3 with their spans."""
    from quantulum3 import classifier, parser

    classifier.USE_CLF = False  # its pickled model names units, which are not asked here, and needs an old scikit-learn
    try:
        found = parser.parse(text)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError, ZeroDivisionError):
        return []
    return [(Fraction(str(quantity.value)), *quantity.span) for quantity in found]


def price(text: str) -> list[tuple[Fraction, int, int]]:
    """The one amount that price-parser reads, as if it stood anywhere."""
    from price_parser import Price

    amount = Price.fromstring(text).amount
    return [] if amount is None else [(Fraction(amount), 0, len(text))]


def own(text: str) -> list[tuple[Fraction, int, int]]:
    return [(number.value, number.start, number.end) for number in find_numbers(text)]


def cases_rows() -> Iterator[list[str]]:
    """Numbers of our cases; price-parser gets those with one amount of money, which is what it is for."""
    cases = [case for case in lines(CASES / "numbers.jsonl") if case["label"] != "known_failure"]
    money = [case for case in cases if [number["kind"] for number in case["expect"]] == ["money"]]
    for name, chosen, readers in (
        ("all", cases, {"wordquarry": own, "quantulum3": quantulum}),
        ("one amount of money", money, {"wordquarry": own, "quantulum3": quantulum, "price-parser": price}),
    ):
        for reader, found_by in readers.items():
            right = wrong = 0
            for case in chosen:
                wanted = [Fraction(number["value"]) for number in case["expect"]]
                found = [value for value, _, _ in found_by(case["text"])]
                fits = len(found) == len(wanted) and same(found, wanted)
                right, wrong = right + fits, wrong + (not fits and bool(found))
            yield [f"our cases, {name}", reader, *tallied(right, wrong, len(chosen))]


def slots(shared: Path) -> Iterator[tuple[str, int, str, Fraction, str]]:
    """Question, place, token, value and the words around of each aligned slot of DRAW."""
    for record in json.loads((shared / "draw/draw.json").read_text()):
        question = record["sQuestion"]
        places = token_places(question)
        for slot in record["Alignment"]:
            sentence, at = slot["SentenceId"], slot["TokenId"]
            near = [places[sentence, one] for one in (at - 1, at, at + 1) if (sentence, one) in places]
            around = " ".join(question[start:end] for start, end in near)
            start, end = places[sentence, at]
            yield question, start, question[start:end], Fraction(slot["Value"]), around


def draw_rows(shared: Path) -> Iterator[list[str]]:
    """DRAW's aligned numbers; price-parser gets the words around those beside a currency."""
    all_slots = list(slots(shared))
    money = [slot for slot in all_slots if re.search(r"\$|€|£|\b(?:dollars?|cents?|rs)\b", slot[4], re.I)]

    def at_place(read: Callable[[str], list[tuple[Fraction, int, int]]], slot: tuple[Any, ...]) -> list[Fraction]:
        question, start, token, _, _ = slot
        return [value for value, low, high in known(read, question) if low < start + len(token) and start < high]

    cache: dict[tuple[str, str], list[tuple[Fraction, int, int]]] = {}

    def known(read: Callable[[str], list[tuple[Fraction, int, int]]], text: str) -> list[tuple[Fraction, int, int]]:
        key = (read.__name__, text)
        if key not in cache:
            cache[key] = read(text)
        return cache[key]

    for name, chosen, readers in (
        ("DRAW, aligned numbers", all_slots, {"wordquarry": own, "quantulum3": quantulum}),
        ("DRAW, beside a currency", money, {"wordquarry": own, "quantulum3": quantulum, "price-parser": price}),
    ):
        for reader, read in readers.items():
            right = wrong = 0
            for slot in chosen:
                found = [value for value, _, _ in price(slot[4])] if read is price else at_place(read, slot)
                fits = any(same([value], [slot[3]]) for value in found)
                right, wrong = right + fits, wrong + (not fits and bool(found))
            yield [name, reader, *tallied(right, wrong, len(chosen))]


def _give_up(_signal: int, _frame: object) -> None:
    raise TimeoutError


PEERS = ("math_verify", "price_parser", "quantulum3")
"""What the tables beside peers need."""


def main() -> None:
    """Prints the generated pairs; with a folder the three tables as well, which ``--record`` keeps in docs/figures."""
    tally = graded_pairs(GENERATED)
    print(generated_table(tally))
    for pair in tally.false_rights[:MOST]:
        print(f"falsely right: {pair}", file=sys.stderr)
    if len(sys.argv) > 1 and all(map(find_spec, PEERS)):
        beside_peers(Path(sys.argv[1]))
    elif len(sys.argv) > 1:
        print("the tables beside peers are left out; they need pip install -e '.[peers]'", file=sys.stderr)
    sys.exit(bool(tally.false_rights))


def beside_peers(shared: Path) -> None:
    """The three tables."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _give_up)
    head = "numbers | reader | right | wrong | nothing | right less twice wrong, of 100"
    numbers = table("Numbers in texts", head, [*cases_rows(), *draw_rows(shared)])
    shown = "\n".join([answers_table(shared), grades_table(shared), numbers])
    print(shown)
    if "--record" in sys.argv[2:]:
        keep_record("peers", "python -m benchmarks.peers ../shared/data", shown)


if __name__ == "__main__":
    main()
