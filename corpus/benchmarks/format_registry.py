"""The registry of corpus formats: how each is told, read and written, and the license its upstream states."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from corpus.benchmarks import asdiv, choices, derivations, dolphin, own
from corpus.benchmarks import single_answers as single
from corpus.benchmarks.gold_problems import GoldProblem, asked
from corpus.errors import InputError

ProblemReader = Callable[[Any], GoldProblem]
Writer = Callable[[GoldProblem, bool], dict[str, Any]]
"""Takes a problem and whether it was read from the same format; raises GoldRecordError for what it cannot hold."""


@dataclass(frozen=True)
class Format:
    """A format; ``fields`` are those that every record has; ``container`` is how records stand in a file.

    ``question`` reads only what a record asks, also of one of which nothing else can be read.
    """

    name: str
    title: str
    fields: tuple[str, ...]
    read: ProblemReader
    write: Writer | None
    question: Callable[[Any], str]
    container: str = "list"
    license: str | None = None


def _asked(*names: str) -> Callable[[Any], str]:
    return lambda record: asked(record, *names)


_SVAMP = (single.SVAMP_FIELDS, single.read_svamp, single.write_svamp, _asked("Body", "Question"))
_MAWPS = (single.MAWPS_FIELDS, single.read_mawps, single.write_mawps, _asked("original_text"))
_DERIVATIONS = (derivations.FIELDS, derivations.read, derivations.write, _asked("sQuestion"))
_ARITHMETIC = (derivations.FIELDS, derivations.read, derivations.write_arithmetic, _asked("sQuestion"))
ARITHMETIC = (
    ("singleeq", "SingleEQ (ALGES)", "list"),
    ("ai2", "AI2 (Verb395)", "triples"),
    ("il", "IL", "list"),
    ("cc", "CC", "list"),
    ("allarith", "AllArith", "list"),
)
"""Corpora with the fields of DRAW but for the derivation: name, title and container."""
_ASDIV = (asdiv.FIELDS, asdiv.read, asdiv.write, _asked("Body", "Question"))
_DOLPHIN1878 = (dolphin.LISTED_FIELDS, dolphin.from_listed, dolphin.write_listed, dolphin.question_of)
_AQUA = (choices.AQUA_FIELDS, choices.read_aqua, choices.write_aqua, _asked("question"))
_MATHQA = (choices.MATHQA_FIELDS, choices.read_mathqa, choices.write_mathqa, _asked("Problem"))
_ALL = (
    Format("draw", "DRAW-1K", *_DERIVATIONS),
    Format("alg514", "Alg-514", *_DERIVATIONS),
    *(Format(name, title, *_ARITHMETIC, container) for name, title, container in ARITHMETIC),
    Format("asdiv", "ASDiv", *_ASDIV, "xml", "CC BY-NC 4.0"),
    Format("dolphin", "Dolphin18K", dolphin.FIELDS, dolphin.read, dolphin.write, dolphin.question_of),
    Format("dolphin1878", "Dolphin1878", *_DOLPHIN1878),
    Format("mathqa", "MathQA", *_MATHQA),
    Format("aqua", "AQuA", *_AQUA, "lines", "Apache-2.0"),
    Format("svamp", "SVAMP", *_SVAMP, "list", "MIT"),
    Format("mawps", "MAWPS", *_MAWPS, "list", "MIT"),
    Format(
        "gsm8k", "GSM8K", single.GSM8K_FIELDS, single.read_gsm8k, single.write_gsm8k, _asked("question"), "lines", "MIT"
    ),
    Format("gold", "gold problems", own.GOLD_FIELDS, own.read_gold, own.write_gold, _asked("question"), "lines"),
    Format("problems", "rows of a dataset", own.PROBLEM_FIELDS, own.read_problem, None, _asked("question"), "lines"),
)
FORMATS: Mapping[str, Format] = MappingProxyType({each.name: each for each in _ALL})


def format_named(name: str, others: Iterable[str] = ()) -> Format:
    """The format of that name; InputError names the known ones, and others that a command knows."""
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; there are: {', '.join((*FORMATS, *others))}")
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
