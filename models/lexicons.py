"""Word lists of the post classifier with how often their entries stand in a text; numbered parts of a question.

A list is written as one string: entries between commas, ``*`` after a stem, ``/`` between alternatives of a phrase's
word. Counting looks each word up once and tries phrases only where their first word stands, so it is linear.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

_Entry = tuple[tuple[int, ...], tuple[tuple[int, tuple[str, ...]], ...]]
MAX_KNOWN: Final = 100_000


@dataclass(frozen=True)
class Lexicon:
    """Words, stems, and phrases by their first word."""

    words: frozenset[str]
    stems: tuple[str, ...]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]

    @classmethod
    def of(cls, entries: str) -> "Lexicon":
        """Read a list.

        >>> Lexicon.of("prime, factor*, how do/does").phrases
        {'how': (('how', 'do'), ('how', 'does'))}
        """
        words, stems, phrases = set[str](), list[str](), dict[str, list[tuple[str, ...]]]()
        for entry in (part.strip() for part in entries.split(",")):
            if " " in entry:
                for phrase in product(*(word.split("/") for word in entry.split())):
                    phrases.setdefault(phrase[0], []).append(phrase)
            elif entry.endswith("*"):
                stems.append(entry[:-1])
            else:
                words.add(entry)
        return cls(frozenset(words), tuple(stems), {first: tuple(found) for first, found in phrases.items()})

    def holds(self, word: str) -> bool:
        """Whether the word itself, without its neighbours, is of the list."""
        return word in self.words or word.startswith(self.stems)


def word_set(entries: str) -> frozenset[str]:
    """The words of a list that holds nothing else."""
    return Lexicon.of(entries).words


LEXICONS: Final[Mapping[str, Lexicon]] = {
    "quantity": Lexicon.of(
        "find, calculate, determine, solve, compute, evaluate, simplify, whats, what's, "
        "how many/much/long/old/far/fast/tall/high/wide/big/soon/large/deep/heavy/often, "
        "what is/are/was/were/will/would/must/should/percent/percentage/number/fraction/amount/r/do/does/can, "
        "when will/do/does/did, in how many, to how many"
    ),
    "method": Lexicon.of(
        "why, formula*, explain*, explanation, rule*, trick*, method*, ever, always, general*, example*, meaning, "
        "definition, concept*, understand*, tips, "
        "how do/does/can/would/should/did you/u/i/we/one/it/people/they/ya, how to, how is/are, difference between, "
        "is/are there a/an/any, what is/are a/an, what does/do, what's a/an/the, best/easy/easiest/fastest way, "
        "step by step, you/u/i/we know, used for, real life, stand/stands for, called"
    ),
    "elsewhere": Lexicon.of(
        "figure, figures, diagram*, graph, attached, attachment, image*, link, worksheet, chapter, ch, section, "
        "scan, exercise, ex, passage, previous, drawing, shown, page 0, on/of page, the/my/this book/page/chart, "
        "the/this/a/following picture/pic, the/this/following table, according to, problem/question/example 0, "
        "the region, part a/b/c/d, same problem/question, last/previous/other/next question/problem/part, "
        "graph/figure/problem/equation/table above/below, above/below graph/figure/problem/equation/table"
    ),
    "college": Lexicon.of(
        "integral*, integrat*, intergrat*, antideriv*, derivative*, deriv, differentia*, dx, dy, dt, calculus, calc, "
        "matrix, matrices, eigen*, vector*, topolog*, theorem*, lemma, converg*, diverg*, laplace, fourier, manifold*, "
        "continuous*, continuity, compact, variance, bayes*, regression, isomorph*, homomorph*, functor*, cohomolog*, "
        "gradient*, ode, pde, asymptot*, subspace*, estimator*, quantum, entropy, hamiltonian, tensor*, jacobian, "
        "abelian, commutative, inflection, infinit*, taylor, maclaurin, determinant*, deviation*, sigma, anova, "
        "hypothes*, poisson, gaussian, sd, stdev, z score/scores, confidence interval/level, normally distributed, "
        "chi squared/square, standard error, critical point/points/value/values, related rates, "
        "complex number/numbers/plane/analysis, random variable/variables/sample, null space, "
        "linear algebra/independence/transformation, limit of/as, tangent line/plane, margin of, "
        "power/infinite series, x approaches/goes/tends, real analysis, cross/dot product, moment generating, "
        "probability distribution/density"
    ),
    "proof": Lexicon.of("prove*, proof*, proving, induction, iff, verify, show/shows that, such that"),
    "science": Lexicon.of(
        "physics, chemistry, chem, biology, newton, newtons, joule*, volt*, ohm*, amps, ampere*, watt*, hz, hertz, "
        "frequency, accelerat*, friction*, gravity, gravitation*, momentum, mole, moles, molar*, ph, atom*, electron*, "
        "molecul*, doppler, pendulum, focal, wavelength, resistor*, circuit*, kinetic, projectile*, "
        "thermo*, enthalpy, isotope*, java, software, windows, excel, half life"
    ),
    "school": Lexicon.of(
        "equation*, percent*, sum, product, quotient, integer*, digit*, fraction*, ratio, average, perimeter, area, "
        "volume, radius, diameter, length, width, rectang*, triang*, angle*, hypotenuse, factor, twice, half, times, "
        "consecutive, total, altogether, speed, rate, mph, miles, hours, minutes, age, ages, years, older, younger, "
        "coins, dimes, nickels, quarters, cents, dollars, interest, invested, ticket*, cost*, price*, solution*, "
        "mixture*, gallons, liters, litres, pounds, each, less, more, than, remain*, left, digits, number, numbers"
    ),
    "several": Lexicon.of(
        "problems, exercises, equations, these, homework, hw, questions please/for/on/that, "
        "few/couple/some/my questions, "
        "each of these, all of these, question/problem two/one, the other one, the first one, the following problems"
    ),
    "clueless": Lexicon.of(
        "depends, missing, info, information, unclear, insufficient, "
        "which book/page/one/problem/equation/figure/graph/expression/region/table/system/picture, "
        "can't/cannot/cant see/answer/tell, not enough, need more, post the, type it/the, "
        "don't/dont have the/your/that, no way to, what's/whats the question/equation, "
        "what is/are the question/rest/equation/numbers, "
        "left out, cut off, what question/problem/figure/graph/table/equation/passage/region/expression/book, "
        "how big/long/much is/was, one question at/per"
    ),
}


class Vocabulary(dict[str, "_Entry | None"]):
    """What some of the lists say of words, worked out when a word is first met; None for most words."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._names = names
        self._lists = tuple(LEXICONS[name] for name in names)

    def __missing__(self, word: str) -> "_Entry | None":
        if len(self) >= MAX_KNOWN:
            self.clear()
        places = tuple(place for place, lexicon in enumerate(self._lists) if lexicon.holds(word))
        phrases = tuple(
            (place, phrase) for place, lexicon in enumerate(self._lists) for phrase in lexicon.phrases.get(word, ())
        )
        self[word] = (places, phrases) if places or phrases else None
        return self[word]

    def counts(self, words: tuple[str, ...]) -> dict[str, int]:
        """How often words and phrases of each list stand in a text, by the list's name.

        >>> Vocabulary("method").counts(tuple("how do you find the slope".split()))
        {'method': 1}
        """
        found = [0] * len(self._lists)
        for at, entry in enumerate(map(self.__getitem__, words)):
            if entry is not None:
                for place in entry[0]:
                    found[place] += 1
                for place, phrase in entry[1]:
                    if words[at : at + len(phrase)] == phrase:
                        found[place] += 1
        return dict(zip(self._names, found, strict=True))


OF_QUESTIONS: Final = Vocabulary(*(name for name in LEXICONS if name != "clueless"))
OF_ANSWERS: Final = Vocabulary("college", "clueless")

_MARK: Final = re.compile(
    r"(?<![\w.,$/+*=^-])(?:(?:q(?:uestion)?|prob(?:lem)?|no|number|#)[.:]?\s?)?[(\[#]?"
    r"(?:(?P<number>[0-9]{1,2})|(?P<roman>i{1,3}|iv|v)|(?P<letter>[a-j]))\s?"
    r"(?:[)\]:.]+(?![0-9])|/(?=\s)|(?=\n)|(?:(?<=\n.)|(?<=#.)|(?<=#..)|(?<=q.))\s)"
)
_WORK: Final = re.compile(r"[=?*+]|\s[-x/]\s")
_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5}
MAX_GAP: Final = 4
SHORT: Final = 18


@dataclass(frozen=True)
class Parts:
    """How many ``items`` a question has in ascending order, and how many short ``choices`` of one problem."""

    items: int = 0
    choices: int = 0


@dataclass(frozen=True)
class _Mark:
    kind: str
    place: int
    start: int
    end: int


def _marks(question: str) -> list[_Mark]:
    found = []
    for match in _MARK.finditer(question):
        kind = str(match.lastgroup)
        text = match[kind]
        place = int(text) if kind == "number" else _ROMAN[text] if kind == "roman" else ord(text) - ord("a") + 1
        found.append(_Mark(kind, place, match.start(), match.end()))
    return found


def _run(marks: Sequence[_Mark]) -> list[_Mark]:
    """The longest run in which each mark follows the one before it in the count, with small gaps."""
    best: list[_Mark] = []
    current: list[_Mark] = []
    for mark in marks:
        follows = bool(current) and 0 < mark.place - current[-1].place <= MAX_GAP
        current = [*current, mark] if follows else [mark]
        best = max(best, current, key=len)
    return best


def _short(question: str, run: Sequence[_Mark]) -> bool:
    """Whether the text after each mark is no longer than a value: choices, where the items are letters."""
    ends = [*(mark.start for mark in run[1:]), len(question)]
    texts = [question[mark.end : end].strip() for mark, end in zip(run, ends, strict=True)]
    return all(len(text) <= SHORT and not _WORK.search(text) for text in texts[:-1])


def parts_of(question: str) -> Parts:
    """The items and choices of a question in lower case.

    >>> parts_of("1) solve 2x = 4 2) solve 3x = 9"), parts_of("what is x? a) 1 b) 2 c) 3")
    (Parts(items=2, choices=0), Parts(items=0, choices=3))
    """
    marks = _marks(question)
    if len(marks) < 2:
        return Parts()
    runs = [_run([mark for mark in marks if mark.kind == kind]) for kind in ("number", "roman", "letter")]
    items = choices = 0
    for run in runs:
        if len(run) < 2:
            continue
        if run[0].kind == "letter" and len(run) > 2 and _short(question, run):
            choices = max(choices, len(run))
        else:
            items = max(items, len(run))
    return Parts(items, choices)
