"""What has to hold whatever is read: one check for each public reader, used by both fuzzers.

A check takes the parts of an input (at least one text) and raises AssertionError where a promise is broken; whatever
else escapes is a bug as well, because only the documented errors are caught here.
"""

import contextlib
from collections.abc import Callable, Sequence

from corpus.benchmarks.asdiv_formulas import parse_asdiv
from corpus.benchmarks.programs import parse_linear_program, parse_program
from crawlers.html_reading.html_text import html_to_text
from curation.reconciliation import template_id
from extractors.answers.answer_candidates import thread_candidates
from extractors.answers.parsing import parse_answer
from extractors.expressions.grammar import parse_equation
from extractors.extraction_errors import ExtractionError
from extractors.privacy.scrubbing import scrub
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import format_value
from extractors.solve.equation_systems import parse_dolphin
from extractors.solve.solving import SolveResult, solve, solve_texts
from extractors.solve.status import STATUSES
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
            parse_linear_program(text, [number.value for number in find_numbers(text)])
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
