"""Seeded fuzzing of everything that reads hostile text: ``python -m benchmarks.fuzz_reading --inputs 100000 --seed 1``.

Inputs are drawn from the grammar's own alphabet, from pieces of well-formed equations and sentences, and from mutations
of the hostile cases. What has to hold is in ``benchmarks.reading_checks``: no exception may escape that the reader does
not document; the slowest inputs and the peak of the memory are reported. The process limits its own address space, so a
runaway allocation is a failure, not a swapped host.
"""

import argparse
import random
import resource
import string
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.hostile import hostile_cases
from benchmarks.reading_checks import CHECKS

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
