"""Two persons or things compared: ages now and then, how many one has, what one costs.

Who is who is hardly ever needed: of two sizes of which one is "three times as" the other or "8 more than" it, ``x`` is
the larger. A question that speaks of more than two is not read.
"""

import re
from collections.abc import Iterator
from typing import Final

from extractors.questions.worded import UNIT, QuestionReading
from extractors.questions.wording import NUMBER, Page
from extractors.text.wordlists import read_list, words

_FACTORS: Final = {"twice": "2", "double": "2", "thrice": "3", "triple": "3"}
_TIMES: Final = rf"(?:{NUMBER} times|(twice|double|thrice|triple))"
_AS: Final = (
    r"(?:the (?:age|price|cost|weight|amount|number|money|length) of|older than|that of|the|[a-z]+'s"
    r"|as (?:old|much|many|long|tall|heavy|expensive|big|large|high|far)(?: [a-z]+){0,2}? as)"
)
_MORE: Final = (
    r"(?:(?:older|more|longer|taller|heavier|greater|larger|higher|bigger)(?: [a-z]+){0,2}? than"
    r"|(?:older|taller|longer)(?= (?:[.,?]|and) ))"
)
_LESS: Final = r"(?:younger|less|fewer|shorter|lighter|smaller|cheaper|lower)(?: [a-z]+){0,2}? than"
_YEARS: Final = r"(?:years?|yrs?)"
_LATER: Final = rf"(?:in {NUMBER} (?:more )?{_YEARS}|{NUMBER} {_YEARS} (?:later|hence|from now|on))"
_AGO: Final = rf"(?:{NUMBER} {_YEARS} (?:ago|back|earlier|before))"
_THEN: Final = re.compile(
    rf" (?:{_LATER}|{_AGO})(?: ,)?(?: [a-z']+){{1,8}}? {_TIMES}"
    r" (?:as old(?: as)?|older than|the age of|his|her|the|that of|[a-z]+'s age)"
)
_DATED_SUM: Final = re.compile(
    rf" (?:ago|earlier|before|later|hence|now|in -?\d+ {_YEARS})[^.;?!]{{0,30}} (?:sum|total|ages) [^.;?!]{{0,40}}\d"
    r"| (?:sum|total) [^.;?!]{0,40}(?: ago | hence | will be )"
)
_TENSES: Final = frozenset(words("was were when will ago hence later then"))
"""Words of another time: each has to belong to a comparison."""
_BEYOND: Final = tuple(
    (re.compile(rf" {NUMBER} (?:\$ )?{UNIT}{gap} {_TIMES} "), sign) for gap, sign in ((_MORE, "+"), (_LESS, "-"))
)
"""``7 more than twice``, ``3 less than 5 times``."""
_NOW: Final = (
    (re.compile(rf" {_TIMES} {_AS} "), "x={0}*y"),
    (re.compile(rf" {NUMBER} {UNIT}{_MORE} "), "x=y+{0}"),
    (re.compile(rf" {NUMBER} {UNIT}{_LESS} "), "x=y+{0}"),
)
_TOTALS: Final = tuple(
    map(
        re.compile,
        (
            rf" (?:a|the|1) [a-z]+ and (?:a|the|1) [a-z]+ (?:together )?(?:cost|weigh)s? (?:\$ |rs )?{NUMBER} ",
            r" (?:sum of (?:[a-z']+ ){1,6}?(?:is|was|=|equals)|ages (?:total|add up to|add to|sum to)|total of"
            r"|together(?: [a-z]+){0,3}|altogether(?: [a-z]+){0,3}|add up to|add to|total)(?: is| of)?"
            rf" (?:\$ )?{NUMBER} ",
            rf" {NUMBER} (?:\$ )?(?:[a-z]+ ){{0,3}}?(?:together|altogether|in all|combined|in total|between them) ",
        ),
    )
)
_OTHERS: Final = words(read_list("extractors/other_parties"))
"""Words of more than two persons or things, or of something that changes hands."""


def two_sizes(page: Page) -> QuestionReading | None:
    """``A dress and a hat cost $140. The dress costs $40 more than the hat``; two persons of whom one is older."""
    if page.has(*_OTHERS) or not page.has("times", "than", *_FACTORS) or _DATED_SUM.search(page.text):
        return None
    equations = [*_then(page), *_now(page)]
    if any(place not in page.used for place, token in enumerate(page.tokens) if token in _TENSES):
        return None
    total = next((found for pattern in _TOTALS if (found := page.search(pattern)) is not None), None)
    if total is not None:
        equations.append(f"x+y={total[1]}")
    return (
        QuestionReading(tuple(equations), ("x", "y"), pick=_picked(page))
        if page.complete and len(equations) == 2
        else None
    )


def _factor(*groups: str | None) -> str:
    """The factor that one of two groups holds."""
    return next(_FACTORS.get(group, group) for group in groups if group is not None)


def _then(page: Page) -> Iterator[str]:
    """What was or will be some years away."""
    for found in _THEN.finditer(page.text):
        page.use(found)
        later, hence, ago, *factor = found.groups()
        shift = f"+{later or hence}" if later or hence else f"-{ago}"
        yield f"(x{shift})={_factor(*factor)}*(y{shift})"


def _now(page: Page) -> Iterator[str]:
    """The comparisons as they are now."""
    for pattern, sign in _BEYOND:
        found = page.search(pattern)
        if found is not None:
            yield f"x={_factor(found[2], found[3])}*y{sign}{found[1]}"
            return
    for pattern, form in _NOW:
        for found in pattern.finditer(page.text):
            group = next(group for group in range(1, pattern.groups + 1) if found[group])
            if page.starts.get(found.start(group)) not in page.used:
                page.use(found)
                yield form.format(_factor(found[group]))


_SUBJECT: Final = re.compile(
    r" ([a-z']+) (?:is|has|had|have|costs|weighs|earns|was) (?:now )?(?:\$ )?(?:-?\d+|twice|double|thrice|triple)"
    r" ([^.;?!]{0,60}?) ?(?:as|than|times) (?:her |his |the |my |that of )?([a-z']+)"
)
_ASKS: Final = re.compile(r" (?:how (?:old|many|much)|what is|find) ([^.?!]{1,50})[.?!] ")
_SHORTER: Final = re.compile(r"\b(?:younger|less|fewer|shorter|lighter|smaller|cheaper|lower)\b")
_BOTH: Final = frozenset(words("each both they them and their ages"))


def _picked(page: Page) -> str:
    """Which of the two alone is asked for by name: ``max``, ``min``, or "" where it is both or not clear."""
    found, asks = _SUBJECT.search(page.text), _ASKS.findall(page.text)
    if found is None or len(asks) != 1:
        return ""
    asked = {word.removesuffix("'s") for word in asks[0].split()}
    subject, other = found[1] in asked, found[3].removesuffix("'s") in asked
    if subject == other or not asked.isdisjoint(_BOTH):
        return ""
    smaller = _SHORTER.search(found[2]) is not None and " times " not in found[0]
    return "min" if smaller == subject else "max"
