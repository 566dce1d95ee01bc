"""Seeded fuzzing of everything that reads hostile text: ``python -m benchmarks.fuzz_reading --inputs 100000 --seed 1``.

Inputs are drawn from the grammar's own alphabet, from pieces of well-formed equations and sentences, and from mutations
of the hostile cases. No exception may escape that the reader does not document; the slowest inputs and the peak of the
memory are reported. The process limits its own address space, so a runaway allocation is a failure, not a swapped host.
"""

import argparse
import contextlib
import json
import random
import resource
import string
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from extractors.algebra.solving import STATUSES, solve_texts
from extractors.algebra.values import format_value
from extractors.answers.parsing import parse_answer
from extractors.equations.votes import read_thread
from extractors.errors import ExtractionError
from extractors.expressions.asdiv import parse_asdiv
from extractors.expressions.grammar import parse_equation
from extractors.expressions.programs import parse_program
from extractors.quantities.numbers import find_numbers
from extractors.text.cleaning import apply_steps, clean_question
from extractors.text.plain import plain_maths

MEMORY_LIMIT = 1 << 30
SLOW = 1.0
"""Seconds of processor time, so that a busy machine does not change the verdict."""
HOSTILE = Path(__file__).parent.parent / "tests" / "cases" / "hostile.jsonl"

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
HIDDEN_KEYS = ("id", "label", "expect", "repeat")


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
        lines = HOSTILE.read_text(encoding="utf-8").splitlines() if HOSTILE.exists() else []
        self.hostile = [text[:3000] for line in lines if line for text in _texts(json.loads(line))]

    def draw(self) -> str:
        """One input."""
        pick = self.rng.random()
        if pick < 0.35:
            return _equation(self.rng)
        if pick < 0.65:
            return _symbols(self.rng)
        if pick < 0.85:
            return _prose(self.rng)
        if pick < 0.93 or not self.hostile:
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


def _texts(case: dict[str, object]) -> list[str]:
    """The texts of a hostile case, with its repeats written out (at most 3,000 characters each)."""
    repeats = case.get("repeat")
    found = [value for key, value in sorted(case.items()) if key not in HIDDEN_KEYS and isinstance(value, str)]
    for mark, (piece, count) in sorted(repeats.items()) if isinstance(repeats, dict) else ():
        found = [text.replace(mark, piece * min(count, 3000 // len(piece)), 1) for text in found]
    return [text[:3000] for text in found if text]


Case = tuple[object, ...]


def _run_solve(texts: list[str], unknowns: list[str] | None) -> None:
    result = solve_texts(texts, unknowns)
    if result.status not in STATUSES:
        raise AssertionError(result.status)
    for solution in result.solutions:
        if len(solution) != len(result.unknowns):
            raise AssertionError("solution and unknowns differ in number")
        for value in solution:
            format_value(value)


def _run_plain(text: str) -> None:
    plain = plain_maths(text)
    if len(plain.offsets) not in (len(plain.text), len(plain.text) + 1):
        raise AssertionError("an offset for every character")
    for start in range(0, len(plain.text), 7):
        low, high = plain.source_span(start, start + 1)
        if not 0 <= low <= high <= len(text):
            raise AssertionError("a span outside the text")


def _run_numbers(text: str) -> None:
    for number in find_numbers(text):
        if text[number.start : number.end] != number.raw:
            raise AssertionError("raw is not what stands at the span")


def _run_clean(text: str) -> None:
    cleaned = clean_question(text)
    if apply_steps(text, cleaned.steps) != cleaned.text:
        raise AssertionError("the steps do not give the cleaned text")


def _run_parsers(text: str) -> None:
    for parse in (parse_equation, parse_asdiv, parse_program):
        with contextlib.suppress(ExtractionError):
            parse(text)


def _run_answer(text: str) -> None:
    for values in parse_answer(text):
        for value in values:
            format_value(value)


def _run_thread(question: str, answers: list[str]) -> None:
    thread = read_thread(question, answers, 1)
    for system in thread.candidates:
        for start, end in system.spans:
            if not 0 <= start <= end <= len(answers[system.answer]):
                raise AssertionError("a span outside its answer")


def _one(inputs: Inputs) -> Case:
    return (inputs.draw(),)


def _system(inputs: Inputs) -> Case:
    unknowns = inputs.rng.choice((None, None, None, ["x"], ["x", "y"], ["x+y"]))
    return [inputs.draw() for _ in range(inputs.rng.randint(1, 3))], unknowns


def _thread(inputs: Inputs) -> Case:
    def text() -> str:
        return " ".join(inputs.draw() for _ in range(inputs.rng.randint(1, 4)))

    return text(), [text() for _ in range(inputs.rng.randint(1, 3))]


TARGETS: dict[str, tuple[int, Callable[[Inputs], Case], Callable[..., None]]] = {
    "solve": (30, _system, _run_solve),
    "parsers": (15, _one, _run_parsers),
    "plain_maths": (15, _one, _run_plain),
    "find_numbers": (15, _one, _run_numbers),
    "parse_answer": (10, _one, _run_answer),
    "clean_question": (10, _one, _run_clean),
    "read_thread": (5, _thread, _run_thread),
}
"""Reader -> its share of the inputs in percent, how they are drawn, and what must hold."""


@dataclass
class Findings:
    """What a run met."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    slowest: dict[str, tuple[float, Case]] = field(default_factory=dict)
    escaped: list[tuple[str, str, Case]] = field(default_factory=list)
    slow: int = 0

    def note(self, name: str, seconds: float, case: Case) -> None:
        """Counts one input."""
        self.counts[name] += 1
        self.seconds[name] += seconds  # type: ignore[assignment]
        self.slow += seconds > SLOW
        if seconds > self.slowest.get(name, (0.0, ()))[0]:
            self.slowest[name] = (seconds, case)


def fuzz(inputs: int, seed: int) -> Findings:
    """Runs the readers over that many inputs."""
    source, findings = Inputs(seed), Findings()
    names = list(TARGETS)
    weights = [TARGETS[name][0] for name in names]
    for _ in range(inputs):
        name = source.rng.choices(names, weights)[0]
        _, draw, run = TARGETS[name]
        case = draw(source)
        started = time.process_time()
        try:
            run(*case)
        except Exception as error:  # noqa: BLE001 - whatever escapes is the finding
            findings.escaped.append((name, repr(error)[:200], case))
        findings.note(name, time.process_time() - started, case)
    return findings


def report(findings: Findings, seed: int) -> str:
    """The run as text."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = [
        f"{sum(findings.counts.values())} inputs, seed {seed}: {len(findings.escaped)} exceptions, "
        f"{findings.slow} inputs above {SLOW} s, peak memory {peak:.0f} MiB (limit {MEMORY_LIMIT >> 20} MiB)"
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
