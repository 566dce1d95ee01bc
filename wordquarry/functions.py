"""The public functions. Each imports what it needs when it is called, so that ``import wordquarry`` is quick."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractors.real_numbers.values import Value


@dataclass(frozen=True)
class Solution:
    """What solving a system gave.

    ``status`` is ``solved`` (all solutions), ``numeric`` (found by a bounded search, perhaps not all),
    ``underdetermined``, ``inconsistent``, ``unsupported``, ``malformed`` or ``too_large``; ``detail`` says why there
    are no solutions. Each of ``solutions`` gives every unknown its value: a ``Fraction`` where it is rational, else an
    exact root, or a ``Decimal`` where it was found numerically.
    """

    status: str
    unknowns: tuple[str, ...]
    solutions: tuple[Mapping[str, Value], ...]
    detail: str = ""


@dataclass(frozen=True)
class Reading:
    """The equation system of a thread.

    ``equations`` is None where no system is likely enough; ``note`` then says why. ``asked`` holds an expression over
    ``unknowns`` for each value that the question asks for. ``solutions`` are those of ``Solution``; beside the unknowns
    they give the value of each expression that an answer derives. ``probability`` (0 to 1) is that of the likeliest
    system, also where it is not returned. ``votes`` are the places of the answers that give its solution.
    """

    equations: tuple[str, ...] | None
    unknowns: tuple[str, ...]
    asked: tuple[str, ...]
    solutions: tuple[Mapping[str, Value], ...]
    votes: tuple[int, ...]
    probability: float
    note: str | None = None


@dataclass(frozen=True)
class Slot:
    """A slot of a template and the number that fills it: ``question[start:end]`` states ``value``."""

    name: str
    value: Fraction
    start: int
    end: int


@dataclass(frozen=True)
class Template:
    """The template of a problem: its equations with slots ``a`` to ``l`` for the numbers of the question.

    ``template_id`` is the same for equivalent templates. ``slots`` says where the numbers stand; ``ambiguous`` that a
    number stands in several places, so that a person has to decide.
    """

    equations: tuple[str, ...]
    template_id: str
    slots: tuple[Slot, ...]
    ambiguous: bool


if TYPE_CHECKING:
    from pandas import DataFrame

    from curation.near_texts.diversity import DiversityReport
    from evaluation.metrics.grade_marks import Grade
    from extractors.quantities.numbers import Number
    from extractors.real_numbers.values import Value
    from models.answer_model import Ranking
    from models.post_model import ScopePrediction
    from models.thread_reading import ThreadReading


def find_numbers(text: str) -> tuple[Number, ...]:
    """The numbers that a text states, in order: ``value``, ``start``, ``end``, ``raw``, ``kind`` and ``unit``.

    ``text[start:end] == raw`` and ``value`` is an exact ``Fraction``. Texts of more than 50,000 characters are not
    read. After "Annotating Derivations" (Upadhyay & Chang 2017), section 2.

    >>> [(str(number.value), number.raw) for number in find_numbers("Twice as many, at $2.50 for half a pound")]
    [('2', 'Twice'), ('5/2', '2.50'), ('1/2', 'half')]
    """
    from extractors.quantities.numbers import find_numbers

    return find_numbers(text)


def parse_answer(text: str) -> tuple[tuple[Value, ...], ...]:
    """The values of an answer string: its alternatives, each a tuple; ``()`` where it states no number.

    Reads lists, ``or``, units, money, mixed numbers, LaTeX, radicals, ratios and clock times, in the notation of
    Dolphin18K (Huang et al. 2016) and other benchmarks.

    >>> [[str(value) for value in values] for values in parse_answer("9; 14 or 3 1/2")]
    [['9', '14'], ['7/2']]
    """
    from extractors.answers.parsing import parse_answer

    return parse_answer(text)


def grade(answer: str, gold: str, tolerance: Fraction = Fraction(0), strict: Collection[str] = ()) -> Grade:
    """Whether an answer is the gold answer: ``mark`` is ``right``, ``wrong`` or ``undecided``, ``why`` says why.

    Reads LaTeX and plain text: formulas, lists, points, sets, inequalities, functions, equations, matrices, units.
    ``tolerance`` is relative to the gold value. ``strict`` asks for more than equality: ``exact`` (no rounding),
    ``unit`` (that of the gold), ``form`` (the same but for the order of terms). Never takes long, may be called from
    several threads; ValueError for a negative tolerance and for another word in ``strict``.

    >>> print(grade("x > 3", "3 < x").mark, grade("3/6", "1/2", strict=["form"]).mark)
    right wrong
    """
    from evaluation.metrics.grade_marks import Strict
    from evaluation.metrics.grading import grade

    return grade(answer, gold, tolerance, [Strict(mode) for mode in strict])


def solve(equations: Sequence[str], unknowns: Sequence[str] | None = None) -> Solution:
    """Solve a system exactly; ``unknowns`` says which values are wanted, by default those of all names.

    Never raises: what cannot be read or solved has another ``status`` and a ``detail``. The work is bounded in steps,
    so the same system always gives the same result.

    >>> solve(["s + b = 15", "8s + 6b = 106"]).solutions
    ({'s': Fraction(8, 1), 'b': Fraction(7, 1)},)
    >>> solve(["x + y = 3"]).status
    'underdetermined'
    """
    from extractors.solve.solving import solve_texts

    found = solve_texts(_listed(equations), None if unknowns is None else _listed(unknowns))
    return Solution(str(found.status), found.unknowns, _by_name(found.unknowns, found.solutions), found.detail)


def read_thread(question: str, answers: Sequence[str], *, min_votes: int = 1) -> Reading:
    """The equation system that the answers of a thread set up for its question, or none and why.

    ``answers`` are texts as posted. ``min_votes`` answers have to give the solution; with 1 the probability of the
    system decides alone, 2 is the rule of Dolphin18K. Reads with the models that travel with the package.

    >>> reading = read_thread("Two numbers add up to 12 and differ by 2. What are they?", ["x+y=12, x-y=2, x=7, y=5"])
    >>> reading.equations, reading.asked, reading.votes
    (('x+y=12', 'x-y=2'), ('x', 'y'), (0,))
    """
    found = _read(question, answers, min_votes).equations
    core = found.core
    equations = None if found.equations is None else core.equations
    solutions = core.solutions(found.unknowns, found.solutions)
    return Reading(equations, core.unknowns, core.asked, solutions, found.votes, found.probability, found.note)


def rank(question: str, answers: Sequence[str]) -> Ranking:
    """The values that the answers of a thread give, the likeliest first, with a confidence from 0 to 1.

    ``values`` are the best candidate in text form (``7/2``), ``ranked`` the best five with their scores, ``spans``
    where the values stand in the answers; ``sure()`` says whether the model would publish them. The ranking SVM of
    Dolphin18K (Huang et al. 2016), section 3.2.

    >>> best = rank("Ann has 3 boxes of 4 pens. How many pens does she have?", ["3*4 = 12 pens", "12"])
    >>> best.values, best.sure()
    (('12',), True)
    """
    return _read(question, answers, 1).ranking


def classify(question: str, answers: Sequence[str] = ()) -> ScopePrediction:
    """Whether a post is one elementary problem: its ``probability`` (0 to 1) and the likeliest ``outcome``.

    The outcome is ``ok``, ``general``, ``college``, ``multiple``, ``incomplete`` or ``not_math``. After Dolphin18K
    (Huang et al. 2016), section 3.1.

    >>> classify("A pen costs $2 more than a pencil. Both cost $5. What is the price of the pen?", ["3.50"]).outcome
    'ok'
    """
    return _model("posts").scope(_cleaned(question), _listed(answers))  # type: ignore[no-any-return]


def template_of(question: str, equations: Sequence[str], unknowns: Sequence[str] | None = None) -> Template:
    """The template of a problem: its equations with slots for the numbers that stand in the question.

    ``unknowns`` puts the unknowns in an order of yours. Raises ExtractionError for equations that cannot be read. After
    DRAW (Upadhyay & Chang 2015), section 3.3.

    >>> found = template_of("5 pens and 2 pencils cost $9 ...", ["5*p + 2*q = 9"])
    >>> found.equations, [(slot.name, str(slot.value), slot.start) for slot in found.slots]
    (('a * m + b * n = c',), [('a', '5', 0), ('b', '2', 11), ('c', '9', 27)])
    """
    from curation.equivalence.reconciliation import template_id
    from extractors.quantities.numbers import find_numbers
    from extractors.templates.induction import induce

    names = None if unknowns is None else _listed(unknowns)
    found = induce(question, find_numbers(question), _listed(equations), names)
    slots = tuple(Slot(slot.slot, Fraction(slot.value), slot.start, slot.end) for slot in found.alignment)
    return Template(found.template, template_id(found.template), slots, found.ambiguous)


def same_template(first: Template | Sequence[str], second: Template | Sequence[str]) -> bool:
    """Whether two templates are equivalent: the same solutions for all numbers, slots and unknowns renamed at will.

    A template is what ``template_of`` returns, or its equations, in which names ``a`` to ``l`` are slots and all others
    unknowns. Raises ExtractionError for what is no template. After "Annotating Derivations" (Upadhyay & Chang 2017),
    section 4.

    >>> same_template(["a*m + b*n = c", "m + n = d"], ["n = a - m", "b - c*m = d*n"])
    True
    """
    return _template_id(first) == _template_id(second)


def diversity(texts: Sequence[str], groups: Sequence[Hashable] | None = None) -> DiversityReport:
    """Lexicon usage diversity (ASDiv, Miao et al. 2020): how unlike each text is to the nearest other one, 0 to 1.

    ``lexicon_diversity`` and ``nearest`` (the place of that text, or None) stand in the order of ``texts``; ``cld`` is
    the mean over the corpus. With ``groups`` a text is compared with those of its group only.

    >>> found = diversity(["Tom ate 3 red apples at home.", "Ann ate 5 red apples at home.", "How far is it?"])
    >>> found.lexicon_diversity, found.nearest
    ((0.0, 0.0, 1.0), (1, 0, None))
    """
    from curation.near_texts.diversity import corpus_diversity

    return corpus_diversity(_listed(texts), groups)


def load(version: str, data: str = "data", *, full: bool = False) -> DataFrame:
    """A published version as a pandas DataFrame: a problem a row, by split and appearance, a column for each field.

    ``version`` is ``NAME`` (its latest), ``NAME/ID``, or the path of a version's folder; ``data`` is the data folder of
    the first two. The columns are those of the default configuration, or all that is known of a problem with ``full``.
    Lists are tuples, records dictionaries, and what a problem does not have is missing. Every file is checked against
    the manifest; raises VersionError, a CorpusError, for one that is not there or not as published.

    >>> load("nothing", data="nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    corpus.errors.VersionError: no dataset nothing in ...nowhere/versions; there are: none
    """
    from pandas import DataFrame

    from corpus.records import Problem, TrainingRow
    from corpus.workspace import Workspace

    opened = Workspace(data).versions.open(version)
    rows = opened.problems() if full else opened.training_rows()
    return DataFrame([row.model_dump() for row in rows], columns=list((Problem if full else TrainingRow).model_fields))


def _model(kind: str) -> Any:
    from models.shipped import shipped_model

    return shipped_model(kind)


def _read(question: str, answers: Sequence[str], min_votes: int) -> ThreadReading:
    from models.shipped import shipped_reader

    return shipped_reader().read(_cleaned(question), _listed(answers), min_votes)


def _cleaned(question: str) -> str:
    from extractors.text.cleaning import clean_question

    return clean_question(question).text


def _template_id(template: Template | Sequence[str]) -> str:
    from curation.equivalence.reconciliation import template_id

    return template.template_id if isinstance(template, Template) else template_id(_listed(template))


def _listed(texts: Sequence[str]) -> list[str]:
    """The texts as a list; TypeError for a single string, which would be taken letter by letter."""
    if isinstance(texts, str):
        raise TypeError(f"expected a list of texts, not one string; write [{texts[:40]!r}]")
    return list(texts)


def _by_name(unknowns: Sequence[str], rows: Sequence[Sequence[Value]]) -> tuple[Mapping[str, Value], ...]:
    return tuple(dict(zip(unknowns, row, strict=True)) for row in rows)
