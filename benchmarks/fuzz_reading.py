"""Seeded fuzzing of everything that reads hostile text: ``python -m benchmarks.fuzz_reading --inputs 100000 --seed 1``.

Inputs are drawn from the grammar's own alphabet, from pieces of well-formed equations and sentences, and from mutations
of the hostile cases. What has to hold is in ``CHECKS``, one for each public reader: it takes the parts of an input and
raises AssertionError where a promise is broken; whatever else escapes is a bug as well, because only the documented
errors are caught there. The slowest inputs and the peak of the memory are reported. The process limits its own address
space, so a runaway allocation is a failure, not a swapped host.
"""

import argparse
import contextlib
import random
import resource
import string
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.hostile import hostile_cases
from benchmarks.measuring import peak
from corpus.benchmarks.asdiv_formulas import parse_asdiv
from corpus.benchmarks.programs import parse_program
from crawlers.html_reading.html_text import html_to_text
from curation.equivalence.reconciliation import template_id
from extractors.answers.answer_candidates import thread_candidates
from extractors.answers.parsing import parse_answer
from extractors.expressions.grammar import parse_equation
from extractors.extraction_errors import ExtractionError
from extractors.privacy.scrubbing import scrub
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import format_value
from extractors.solve.equation_systems import STATUSES, parse_dolphin
from extractors.solve.solving import SolveResult, solve, solve_texts
from extractors.templates.induction import induce
from extractors.text.cleaning import apply_steps, clean_question
from extractors.text.plain import plain_maths
from models.shipped import read_thread

SMALL_BUDGET = 1_000
"""Steps of a second solve: it gives the same result or says that it went beyond its budget, never another result."""

Check = Callable[[Sequence[str]], None]


def _held(condition: bool, promise: str) -> None:
    if not condition:
        raise AssertionError(promise)


def _result(result: SolveResult) -> None:
    _held(result.status in STATUSES, f"status {result.status}")
    _held((result.status in ("solved", "numeric")) == bool(result.solutions), "solutions if and only if solved")
    for solution in result.solutions:
        _held(len(solution) == len(result.unknowns), "a value for every unknown")
        _held(all(format_value(value) for value in solution), "values can be written")


def check_solve(parts: Sequence[str]) -> None:
    """The parts are equations; a first one without ``=`` names the unknowns."""
    declared = len(parts) > 1 and "=" not in parts[0]
    unknowns, texts = (parts[0].split(), parts[1:]) if declared else (None, parts)
    result = solve_texts(texts, unknowns)
    _result(result)
    if result.status != "malformed":
        small = solve_texts(texts, unknowns, budget=SMALL_BUDGET)
        _held(small == result or small.status == "too_large", "a smaller budget gives no other result")


def check_formats(parts: Sequence[str]) -> None:
    """Every notation of equations; ExtractionError is documented."""
    for text in parts:
        for parse in (parse_equation, parse_asdiv, parse_program):
            with contextlib.suppress(ExtractionError):
                parse(text)
        with contextlib.suppress(ExtractionError):
            _result(solve(parse_dolphin(text)))


def check_plain(parts: Sequence[str]) -> None:
    """An offset for every character, spans inside the text."""
    for text in parts:
        plain = plain_maths(text)
        _held(len(plain.offsets) in (len(plain.text), len(plain.text) + 1), "an offset for every character")
        for start in range(0, len(plain.text), 7):
            low, high = plain.source_span(start, start + 1)
            _held(0 <= low <= high <= len(text), "a span inside the text")


def check_numbers(parts: Sequence[str]) -> None:
    """Spans in ascending order, with the raw characters."""
    for text in parts:
        last = 0
        for number in find_numbers(text):
            _held(last <= number.start < number.end <= len(text), "spans are disjoint and in order")
            _held(text[number.start : number.end] == number.raw, "raw is what stands at the span")
            _held(bool(format_value(number.value)), "values can be written")
            last = number.end


def check_answer(parts: Sequence[str]) -> None:
    """Answer strings, sums and candidate numbers."""
    for text in parts:
        for values in parse_answer(text):
            _held(all(format_value(value) for value in values), "values can be written")
    thread_candidates(parts)


def check_cleaning(parts: Sequence[str]) -> None:
    """Cleaning replays; scrubbing personal data twice changes nothing more."""
    for text in parts:
        cleaned = clean_question(text)
        _held(apply_steps(text, cleaned.steps) == cleaned.text, "the steps give the cleaned text")
        scrub(text, ["Tom", "math_fan22"])


def check_thread(parts: Sequence[str]) -> None:
    """The first part is the question, the others are answers."""
    question, answers = parts[0], list(parts[1:] or parts)
    thread = read_thread(question, answers, 1)
    for system in thread.candidates:
        for start, end in system.spans:
            _held(0 <= start <= end <= len(answers[system.answer]), "a span inside its answer")


def check_templates(parts: Sequence[str]) -> None:
    """Templates of the parts as equations, with the first part as the question, and their keys."""
    question, equations = parts[0], parts[1:] or parts
    with contextlib.suppress(ExtractionError):
        found = induce(question, find_numbers(question), equations)
        _held(all(0 <= slot.start < slot.end <= len(question) for slot in found.alignment), "slots inside the question")
        template_id(found.template)
    with contextlib.suppress(ExtractionError):
        template_id(equations)


def check_html(parts: Sequence[str]) -> None:
    """Pages become text without trailing spaces; LimitError is documented."""
    for text in parts:
        with contextlib.suppress(ExtractionError):
            written = html_to_text(text)
            _held(written == written.strip("\n"), "no blank lines around")


CHECKS: dict[str, Check] = {
    "solve": check_solve,
    "formats": check_formats,
    "plain": check_plain,
    "numbers": check_numbers,
    "answer": check_answer,
    "cleaning": check_cleaning,
    "thread": check_thread,
    "templates": check_templates,
    "html": check_html,
}

MEMORY_LIMIT = 1 << 30
SLOW = 1.0
"""Seconds of processor time, so that a busy machine does not change the verdict."""
_LONGEST = 1000
"""Characters that are taken of a hostile case."""

_ATOM_TEXT = r"""
x y z X n a b 1 2 3 10 .5 0.15 1/2 ( ) + - * / ^ ** = < > <= != ! % | sqrt abs sin cos ln log _comb _round _lcm
is_digit is_int or and , ; ± +/- e pi 1e5 9 99 xy ab tail_wind r[1] x1 ° √ ² $ 1,200 __class__ . ? mod °' " ' :
unkn: equ: r5 hh:mm LCM[ GCD( divide( const_100 #0 {{{ }}} \frac{ } \( \) $$ &#215; %2A <sup> </sup> → => ----
half twice dozen third dimes million thirty-two minus negative a.m. 1st Answer: Step 9^9^9 5.5.5 1,2,3 ½ π × ÷ −
"""
_TERM_TEXT = """
x y 2 3 z 7 1/2 (x+1) (y-2) (x+y) x^2 y^2 xy sqrt(x) |x-2| 2^x sin(x) x^3 1/x 1/(x-y) _floor(x) x%7 10% .5x
z^m 3z^(m-1) (m+n)%5 (x+y)/7z 33.333 2.651167 _round(x,1) 12feet 2??
"""
_WORD_TEXT = """
Let be the number of apples so then we have two equations Sum is twice as much boys girls cost $ each rest = 81 - a
miles per hour total Therefore x = 5 and y = 4 check: 5+3 = 8 Dad = 63 d = rt 2(1,200 - E) 16 x .5 ? ! . , (1) [eq2]
"""
_INVISIBLE = (" ", "  ", "\n", "\t", "\x00", "\ud800", "\u202e", "х", "５", "\u2028", "\ufeff", "\U0001d7d9")
ATOMS = (*_ATOM_TEXT.split(), *_INVISIBLE)
TERMS = tuple(_TERM_TEXT.split())
WORDS = tuple(_WORD_TEXT.split())


def _symbols(rng: random.Random) -> str:
    return "".join(rng.choices(ATOMS, k=rng.randint(1, 18)))


def _equation(rng: random.Random) -> str:
    def side() -> str:
        return "".join(rng.choice(TERMS) + rng.choice("+-*/+-^") for _ in range(rng.randint(0, 3))) + rng.choice(TERMS)

    return side() + rng.choice("====<>") + side()


def _prose(rng: random.Random) -> str:
    def part() -> str:
        return rng.choice((rng.choice(WORDS), rng.choice(WORDS), rng.choice(ATOMS), _equation(rng)))

    return rng.choice((" ", " ", " ", "")).join(part() for _ in range(rng.randint(1, 25)))


def _noise(rng: random.Random) -> str:
    pool = string.printable if rng.random() < 0.5 else "".join(map(chr, range(0x20, 0x2600, 37)))
    return "".join(rng.choices(pool, k=rng.randint(0, 60)))


class Inputs:
    """Draws inputs; one seed gives one sequence."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self.hostile = [text[:_LONGEST] for _, texts in hostile_cases() for text in texts[:3]]

    def draw(self) -> str:
        """One input."""
        pick = self.rng.random()
        if pick < 0.35:
            return _equation(self.rng)
        if pick < 0.65:
            return _symbols(self.rng)
        if pick < 0.85:
            return _prose(self.rng)
        if pick < 0.93:
            return _noise(self.rng)
        return self._mutated(self.rng.choice(self.hostile))

    def _mutated(self, text: str) -> str:
        rng = self.rng
        if rng.random() < 0.7:
            start = rng.randint(0, max(0, len(text) - 200))
            text = text[start : start + rng.randint(1, 200)]
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(text))
            text = text[:at] + rng.choice(ATOMS) * rng.choice((1, 1, 2, 5)) + text[at + rng.randint(0, 3) :]
        return text


def _one(inputs: Inputs) -> list[str]:
    return [inputs.draw()]


def _system(inputs: Inputs) -> list[str]:
    """Equations, sometimes behind the names of their unknowns."""
    unknowns = inputs.rng.choice(("", "", "", "x", "x y", "x+y"))
    return [*([unknowns] if unknowns else []), *(inputs.draw() for _ in range(inputs.rng.randint(1, 3)))]


def _thread(inputs: Inputs) -> list[str]:
    """A question and up to three answers."""

    def text() -> str:
        return " ".join(inputs.draw() for _ in range(inputs.rng.randint(1, 4)))

    return [text() for _ in range(inputs.rng.randint(2, 4))]


TARGETS: dict[str, tuple[int, Callable[[Inputs], list[str]]]] = {
    "solve": (27, _system),
    "formats": (15, _one),
    "plain": (15, _one),
    "numbers": (15, _one),
    "answer": (10, _one),
    "cleaning": (10, _one),
    "thread": (3, _thread),
    "templates": (2, _thread),
    "html": (3, _one),
}
"""Check -> its share of the inputs in percent, and how they are drawn."""


@dataclass
class Findings:
    """What a run met."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, list[str]]] = field(default_factory=dict)
    escaped: list[tuple[str, str, list[str]]] = field(default_factory=list)
    slow: int = 0

    def note(self, name: str, seconds: float, case: list[str]) -> None:
        """Counts one input."""
        self.counts[name] += 1
        self.seconds[name] += seconds  # type: ignore[assignment]
        self.slow += seconds > SLOW
        if seconds > self.slowest.get(name, (0.0, []))[0]:
            self.slowest[name] = (seconds, case)


def fuzz(inputs: int, seed: int) -> Findings:
    """Runs the readers over that many inputs."""
    source, findings = Inputs(seed), Findings()
    names = list(TARGETS)
    weights = [TARGETS[name][0] for name in names]
    for _ in range(inputs):
        name = source.rng.choices(names, weights)[0]
        case = TARGETS[name][1](source)
        started = time.process_time()
        try:
            CHECKS[name](case)
        except Exception as error:  # noqa: BLE001 - whatever escapes is the finding
            findings.escaped.append((name, repr(error)[:200], case))
        findings.note(name, time.process_time() - started, case)
    return findings


def report(findings: Findings, seed: int) -> str:
    """The run as text."""
    lines = [
        f"{sum(findings.counts.values())} inputs, seed {seed}: {len(findings.escaped)} exceptions, "
        f"{findings.slow} inputs above {SLOW} s, peak memory {peak():.0f} MiB (limit {MEMORY_LIMIT >> 20} MiB)"
    ]
    for name in TARGETS:
        if findings.counts[name]:
            longest, case = findings.slowest[name]
            mean = findings.seconds[name] / findings.counts[name] * 1e3
            lines.append(
                f"  {name}: {findings.counts[name]} inputs, mean {mean:.3f} ms, slowest {longest * 1e3:.0f} ms: "
                f"{ascii(case)[:300]}"
            )
    lines += [f"  ESCAPED {name} {error} {ascii(case)[:600]}" for name, error, case in findings.escaped[:20]]
    return "\n".join(lines)


def main() -> int:
    """Fuzzes and prints; exit status 1 where an exception escaped or an input was too slow."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    findings = fuzz(options.inputs, options.seed)
    print(report(findings, options.seed))
    return 1 if findings.escaped or findings.slow else 0


if __name__ == "__main__":
    sys.exit(main())
