"""Pages: jinja2 templates with everything escaped, self-contained, and a policy that lets nothing else run.

And texts with the characters made visible that a value was read from, for pages and for terminals.
"""

import base64
import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from corpus.records import Problem, TextSpan
from corpus.versioning.mathematics import mathml

OPENING, CLOSING = "⟦", "⟧"
CONTEXT = 60
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class EvidenceMark:
    """Characters ``[start, end)`` of a text, and what they are evidence of."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class MarkedSegment:
    """A stretch of text and the kinds of marks it lies under, sorted; none for plain text."""

    text: str
    kinds: tuple[str, ...]


def segments(text: str, marks: Iterable[EvidenceMark]) -> tuple[MarkedSegment, ...]:
    """Cut a text at the ends of its marks; marks may overlap, and what lies outside the text is cut off.

    >>> marks = [EvidenceMark(0, 5, "equation"), EvidenceMark(4, 5, "answer")]
    >>> [(segment.text, segment.kinds) for segment in segments("x = 7 dogs", marks)]
    [('x = ', ('equation',)), ('7', ('answer', 'equation')), (' dogs', ())]
    """
    events: dict[int, list[tuple[int, str]]] = {}
    for mark in marks:
        start, end = max(0, mark.start), min(len(text), mark.end)
        if start < end:
            events.setdefault(start, []).append((1, mark.kind))
            events.setdefault(end, []).append((-1, mark.kind))
    found, active, last = [], dict[str, int](), 0
    for place in sorted(events):
        if place > last:
            found.append(MarkedSegment(text[last:place], _kinds(active)))
        for change, kind in events[place]:
            active[kind] = active.get(kind, 0) + change
        last = place
    return (*found, MarkedSegment(text[last:], ())) if last < len(text) else tuple(found)


def _kinds(active: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted(kind for kind, depth in active.items() if depth))


def visible(text: str) -> str:
    r"""The text with control and direction characters spelt out, so that a post cannot steer a terminal.

    >>> visible("a\x1b[2Jb\tc")
    'a\\x1b[2Jb\tc'
    """
    return _UNPRINTABLE.sub(lambda found: _spelt(ord(found.group())), text)


def _spelt(code: int) -> str:
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def snippet(text: str, start: int, end: int) -> str:
    """A span between brackets with some context, on one line.

    >>> snippet("so x = 7 dogs", 7, 8)
    'so x = ⟦7⟧ dogs'
    """
    before, after = text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]
    left, right = "…" if start > CONTEXT else "", "…" if end + CONTEXT < len(text) else ""
    line = f"{left}{before}{OPENING}{text[start:end]}{CLOSING}{after}{right}"
    return visible(" ".join(line.split()))


def span_marks(spans: Iterable[TextSpan], answer_id: str, kind: str) -> list[EvidenceMark]:
    """The marks that some spans leave on one answer."""
    return [EvidenceMark(span.start, span.end, kind) for span in spans if span.answer_id == answer_id]


def answer_marks(problem: Problem, answer_id: str) -> list[EvidenceMark]:
    """What a problem's values rest on in one answer: kinds ``answer`` and ``equation``."""
    return [
        *span_marks(problem.answer_spans, answer_id, "answer"),
        *span_marks(problem.equation_spans, answer_id, "equation"),
    ]


def question_marks(problem: Problem) -> list[EvidenceMark]:
    """The textual numbers of a problem's cleaned question, kind ``number``, and those a slot stands for, ``slot``."""
    numbers = [EvidenceMark(number.start, number.end, "number") for number in problem.numbers]
    return [*numbers, *(EvidenceMark(slot.start, slot.end, "slot") for slot in problem.alignment)]


def indented(lines: Sequence[str]) -> list[str]:
    """Lines set to the right."""
    return [f"  {line}" for line in lines]


PAGES = Path(__file__).parent / "pages"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["mathematics"] = _mathematics
    return environment


def _mathematics(equations: Sequence[str]) -> "_Raw | str":
    """A system as mathematics, and as its text where it has none."""
    shown = mathml(equations)
    return "; ".join(equations) if shown is None else _Raw(shown)


@functools.cache
def source_of(name: str) -> str:
    """The text of a style sheet or script beside the templates."""
    return (PAGES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(template: str, scripts: Sequence[str] = (), *, connect: str = "'none'", **values: Any) -> str:
    """Fill a template; ``scripts`` name the parts of the one inline script its content policy allows, by digest.

    ``connect`` is what the script may ask for, in the words of the policy.

    Posts are hostile: every value is escaped, and a browser refuses any script but ours, and any other resource.
    """
    code = "".join(source_of(script) for script in scripts)
    allowed = f"script-src 'sha256-{_digest(code)}'" if code else "script-src 'none'"
    policy = (
        f"default-src 'none'; {allowed}; style-src 'sha256-{_digest(source_of('page.css'))}'; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    filled = _environment().get_template(template)
    return filled.render(policy=policy, style=_raw(source_of("page.css")), code=_raw(code), **values)


class _Raw:
    """What is ours and must reach the page unescaped: style sheet and script (their digests have to hold), MathML."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __html__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def _raw(text: str) -> _Raw:
    return _Raw(text)
