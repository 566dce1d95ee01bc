"""The registry of corpus formats: how each is told, read and written, and the license its upstream states."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from corpus.benchmarks import asdiv, choices, derivations, dolphin, gsm8k, own, svamp_mawps
from corpus.benchmarks.gold_problems import GoldProblem
from corpus.errors import InputError

ProblemReader = Callable[[Any], GoldProblem]
Writer = Callable[[GoldProblem, bool], dict[str, Any]]
"""Takes a problem and whether it was read from the same format; raises GoldRecordError for what it cannot hold."""


@dataclass(frozen=True)
class Format:
    """A format; ``fields`` are those that every record has; ``container`` is how records stand in a file."""

    name: str
    title: str
    fields: tuple[str, ...]
    read: ProblemReader
    write: Writer | None
    container: str = "list"
    license: str | None = None


_ALL = (
    Format("draw", "DRAW-1K", derivations.FIELDS, derivations.read, derivations.write),
    Format("alg514", "Alg-514", derivations.FIELDS, derivations.read, derivations.write),
    Format("asdiv", "ASDiv", asdiv.FIELDS, asdiv.read, asdiv.write, "xml", "CC BY-NC 4.0"),
    Format("dolphin", "Dolphin18K", dolphin.FIELDS, dolphin.read, dolphin.write),
    Format("mathqa", "MathQA", choices.MATHQA_FIELDS, choices.read_mathqa, choices.write_mathqa),
    Format("aqua", "AQuA", choices.AQUA_FIELDS, choices.read_aqua, choices.write_aqua, "lines", "Apache-2.0"),
    Format("svamp", "SVAMP", svamp_mawps.SVAMP_FIELDS, svamp_mawps.read_svamp, svamp_mawps.write_svamp, "list", "MIT"),
    Format("mawps", "MAWPS", svamp_mawps.MAWPS_FIELDS, svamp_mawps.read_mawps, svamp_mawps.write_mawps, "list", "MIT"),
    Format("gsm8k", "GSM8K", gsm8k.FIELDS, gsm8k.read, gsm8k.write, "lines", "MIT"),
    Format("gold", "gold problems", own.GOLD_FIELDS, own.read_gold, own.write_gold, "lines"),
    Format("problems", "rows of a dataset", own.PROBLEM_FIELDS, own.read_problem, None, "lines"),
)
FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in _ALL})


def format_named(name: str) -> Format:
    """The format of that name; InputError names the known ones."""
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; there are: {', '.join(FORMATS)}")
    return FORMATS[name]


def recognised(record: Mapping[str, Any]) -> list[str]:
    """Names of the formats whose fields a record has, our own first, then those that ask for most fields.

    Our own records hold the fields of several published formats as well.

    >>> recognised({"ID": "chal-0", "Body": "", "Question": "", "Equation": "", "Answer": 5.0})
    ['svamp']
    """
    fitting = [each for each in _ALL if all(name in record for name in each.fields)]
    return [
        each.name for each in sorted(fitting, key=lambda each: ("problem_id" not in each.fields, -len(each.fields)))
    ]
