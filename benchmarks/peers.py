"""Beside Math-Verify on its own subject.

``python -m benchmarks.peers`` grades 100,000 generated pairs whose truth is known (``benchmarks.grade_pairs``), and
ends with status 1 if one is called right that is not. ``python -m benchmarks.peers SHARED_DATA`` prints the table of
docs/quality.md after that; Math-Verify comes with the extra ``peers`` (``pip install -e '.[peers]'``). It is given each
string as it is and as LaTeX between dollar signs. The truth of a pair is that of people, or of a reader of five lines
that reads only plain numbers; whatever it does not read is left out, so that no tool's reading decides.
"""

import json
import re
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
from evaluation.metrics.grade_marks import Mark
from evaluation.metrics.grading import grade
from evaluation.metrics.proportions import Proportion

CASES: Final = Path(__file__).resolve().parents[1] / "tests" / "cases"
MOST: Final = 1000
GENERATED: Final = 100_000
TIMEOUT: Final = 2
"""Seconds that Math-Verify has for a string; towers of powers, which it cannot stop at, are kept from all readers."""
_PLAIN: Final = re.compile(
    r"(?:[$£€]|Rs\.?)?[ ]?(-?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(\.[0-9]+)?(?:[ ]?/[ ]?([1-9][0-9]*))?"
)
_NO_UNIT: Final = re.compile(r"(?:hundred|thousand|lakh|crore|illion|dozen|pi)s?\b")
_UNIT: Final = re.compile(r"[ ]?(?:%|[(]?[a-z]{2,}(?:[ /][a-z]{2,}){0,2}[)]?)?\.?")

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


class MathVerify:
    """Math-Verify, which is given each string as it is or between dollar signs."""

    def __init__(self, *, latex: bool) -> None:
        from math_verify import parse, verify

        self.latex, self.parse, self.verify = latex, parse, verify

    def written(self, text: str) -> str:
        """The text as it is given to the parser."""
        bare = text.replace("\\$", "$").replace("$", "")
        return f"${bare}$" if self.latex else text

    def mark(self, pair: Pair) -> Mark:
        answer, gold, _, tolerance = pair
        read = tuple(self.parse(self.written(text), parsing_timeout=TIMEOUT) for text in (gold, answer))
        if not all(read):
            return Mark.UNDECIDED
        equal = self.verify(*read, float_rounding=2 if tolerance else 6, timeout_seconds=TIMEOUT)
        return Mark.RIGHT if equal else Mark.WRONG


def tallied(right: int, wrong: int, n: int) -> list[str]:
    """The cells of a row: right, wrong, nothing, and right less twice wrong a hundred."""
    return [str(Proportion(right, n)), str(wrong), str(n - right - wrong), f"{100 * (right - 2 * wrong) / n:.1f}"]


def table(title: str, head: str, rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    parts = [f"### {title}", "", f"| {head} |", "|" + "---|" * (head.count("|") + 1)]
    return "\n".join([*parts, *("| " + " | ".join(row) + " |" for row in rows), ""])


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


def main() -> None:
    """Prints the generated pairs; with a folder the table beside Math-Verify too, which ``--record`` keeps."""
    tally = graded_pairs(GENERATED)
    print(generated_table(tally))
    for pair in tally.false_rights[:MOST]:
        print(f"falsely right: {pair}", file=sys.stderr)
    if len(sys.argv) > 1 and find_spec("math_verify"):
        beside_peers(Path(sys.argv[1]))
    elif len(sys.argv) > 1:
        print("the table beside Math-Verify is left out; it needs pip install -e '.[peers]'", file=sys.stderr)
    sys.exit(bool(tally.false_rights))


def beside_peers(shared: Path) -> None:
    """The table of both."""
    warnings.simplefilter("ignore")
    shown = grades_table(shared)
    print(shown)
    if "--record" in sys.argv[2:]:
        keep_record("peers", "python -m benchmarks.peers ../shared/data", shown)


if __name__ == "__main__":
    main()
