"""Threads of our own, numbered, so that what a page of one has to hold is known without parsing."""

from dataclasses import dataclass
from types import ModuleType

from crawlers.html_reading.html_tree import parse_document
from crawlers.posts import ParsedThread

# Markup and the text it has to give; {n} is the thread's number, {m} the answer's.
QUESTIONS = (
    ("A rope of {n} ft is cut so that x<sup>2</sup> = {n}.<br>\nHow long is each piece?",
     "A rope of {n} ft is cut so that x^2 = {n}.\nHow long is each piece?"),
    ("Ann is {n} years older than Bob.<br>Together they are 5{n} &amp; no more. Find both.",
     "Ann is {n} years older than Bob.\nTogether they are 5{n} & no more. Find both."),
    ("Solve x &minus; {n} &lt; 9 where x<sub>1</sub> is {n}", "Solve x − {n} < 9 where x_1 is {n}"),
)  # fmt: skip
ANSWERS = (
    ("Let x = {m}.<br>x + {n} = 9{m}<br>\nx = 9{m} &minus; {n}", "Let x = {m}.\nx + {n} = 9{m}\nx = 9{m} − {n}"),
    ("<b>x<sup>{m}</sup></b> = {n}, so x is <sup>1</sup>/<sub>{n}</sub>", "x^{m} = {n}, so x is 1/{n}"),
    ("<pre>  {n}y = 3{m}\n   y = 7</pre>", "  {n}y = 3{m}\n   y = 7"),
    ("no idea {m} lol", "no idea {m} lol"),
)
AUTHORS = ("math_fan22", "QED.lady", "late_bus_kid", "tutor_lenore7")


@dataclass(frozen=True)
class MadeAnswer:
    """One answer as it has to be found."""

    id: str
    html: str
    text: str
    best: bool
    score: int
    author: str


@dataclass(frozen=True)
class Made:
    """One thread as it has to be found."""

    number: int
    title: str
    html: str
    text: str
    answers: tuple[MadeAnswer, ...]


def made(number: int) -> Made:
    """Thread ``number``: 0 to 4 answers, every third thread with a best one, scores from -2 to 1,203."""
    html, text = QUESTIONS[number % len(QUESTIONS)]
    count = (number * 7) % 5
    best = number % count if count and number % 3 == 0 else -1
    answers = []
    for place in range(count):
        body, plain = ANSWERS[(number + place) % len(ANSWERS)]
        values = {"n": number + 2, "m": place + 2}
        score = 1203 if place == 3 else (number + 3 * place) % 9 - 2
        answers.append(
            MadeAnswer(
                id=str(100_000 + 10 * number + (count - place)),
                html=body.format(**values),
                text=plain.format(**values),
                best=place == best,
                score=score,
                author=AUTHORS[(number + place) % len(AUTHORS)],
            )
        )
    values = {"n": number + 2}
    return Made(number, f"Problem {number}", html.format(**values), text.format(**values), tuple(answers))


def page(title: str, head: str, body: str) -> str:
    """A whole page with the furniture that every site has."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - Board</title>{head}\n'
        "<style>.answer { color: red } h1 { margin: 12px }</style><script>var votes = [1, 2]; if (votes[0]<9) go();</script>"
        f'</head>\n<body>\n<header><nav><a href="/">Home</a> <a href="/users">1,204 users</a></nav></header>\n{body}\n'
        "<footer><p>Contact: board@forum.example, page 1 of 1</p></footer></body></html>\n"
    )


def read_by(parser: ModuleType, html: str, url: str) -> ParsedThread | None:
    """What one parser of parsed pages reads of a page."""
    root = parse_document(html)
    thread: ParsedThread | None = None if root is None else parser.thread_in(root, url)
    return thread
