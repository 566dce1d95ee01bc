"""Where equations begin and end in a text: arrows, rulers, labels, comments, lost and superfluous line breaks.

A formula that is printed twice, as flattened MathML leaves it (``a + b = 9a+b=9``), loses its second copy.

Everything that is no part of an equation but touches one is set apart by a line break, so that the dashes of
"sum is 9 ---- x+y = 9" are never a minus and the label of "x+y = 9 (1)" is never a factor.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from extractors.text.edits import Edit, merged

_ROMAN: Final = r"(?:i{1,3}|iv|vi{0,3})"
_EQ: Final = r"(?:eq(?:n|uation)?s?\.?[ ]?(?:no\.?[ ]?)?#?)"
_MARK: Final = rf"(?:\([ ]{{0,2}}(?:[0-9]{{1,2}}'{{0,2}}|{_ROMAN})[ ]{{0,2}}\)|\[[ ]?[0-9]{{1,2}}[ ]?\])"

_SEPARATOR: Final = re.compile(
    r"<?(?:-{1,400}|={1,400}|~{1,400})>{1,9}|-{3,}+|={3,}+|_{3,}+|~{2,}+|\*{3,}+|:{3,}+|\.{3,}+"
    r"|(?<=[\s:])--(?=[\sA-Za-z(])|(?<=\S)--(?=\s)|(?<![.0-9])\.\.(?![.0-9])|//+|/\*|\*/"
)
_TAGGED: Final = re.compile(
    rf"[ \t.]{{0,40}}[\[({{][ ]{{0,2}}(?:(?:from|in|into|using|by|see)[ ])?{_EQ}[ ]?"
    rf"\(?(?:[0-9]{{1,2}}|{_ROMAN})\)?[ ]{{0,2}}[\])}}]",
    re.I,
)
_LABEL_START: Final = re.compile(
    rf"^[ \t]{{0,20}}(?:(?:\(?{_EQ}[ ]?\(?\[?(?:[0-9]{{1,2}}'?|{_ROMAN})\]?\)?(?:[ ]?[:.)]\)?|[ ]))"
    rf"|(?:{_MARK}|[0-9]{{1,2}}[ ]?(?:\.\)?|\))|{_ROMAN}[.)]|[a-eA-E]\))(?:(?=\n)|[ \t]))"
    rf"[ \t]{{0,20}}(?=[A-Za-z0-9{{$.|-])",
    re.I | re.M,
)
_LABEL_ALONE: Final = re.compile(
    rf"^[ \t]{{0,20}}(?:{_MARK}|{_EQ}[ ]?\(?[ ]?(?:[0-9]{{1,2}}|{_ROMAN})[ ]{{0,3}}\)?)[ \t.]{{0,20}}$", re.I | re.M
)
_LABEL_END: Final = re.compile(
    rf"(?<=[\w)%°])(?P<gap>[ \t]{{0,40}}[.,_-]{{1,9}}[ \t]{{0,9}}|[ \t]{{1,40}})"
    rf"(?:{_MARK}|(?P<eq>{_EQ}[ ]?\(?[ ]?(?:[0-9]{{1,2}}|{_ROMAN})[ ]{{0,2}}\)?))[ \t.]{{0,20}}$",
    re.I | re.M,
)
_LABEL_ROMAN: Final = re.compile(rf"(?<=[\w)])-{{1,2}}(?P<roman>{_ROMAN})[ \t]{{0,20}}$", re.M)

# Here and in _ADJACENT a blank comes first and is then looked back at, so that the search goes from blank to blank.
_COMMENT_GAP: Final = re.compile(r"[ \t](?<=[\w)%$.].)[ \t]+(?=[A-Za-z]{3,}|to[ ]|by[ ])")
_COMMENT_BRACKET: Final = re.compile(
    r"[ \t](?<=[\w)%$].)[ \t]{0,8}(?=[\[(](?>(?:[A-Za-z'][A-Za-z',./]{1,40}+[ ]?+){1,12})[\])])"
)
_CONNECTIVE: Final = re.compile(
    r"[ \t](?<=[\w)%$.,;].)[ \t]{0,8}(?=[A-Zacdghmstw])"
    r"(?=(?:So|Then|Hence|Therefore|Thus|Now|Let|Check|Answer|Since|Because"
    r"|Divid(?:e|ing)|Multiply(?:ing)?|Subtract(?:ing)?|Add(?:ing)?|Substitut(?:e|ing)|Solv(?:e|ing)"
    r"|Simplify(?:ing)?|Combin(?:e|ing)|Distribut(?:e|ing)|Collect(?:ing)?|Put(?:ting)?"
    r"|divide|multiply|subtract|substitute|simplify|collect|combine"
    r"|so|then|hence|therefore|thus|and so|which gives|giving|gives)(?![A-Za-z]))"
)
_ADJACENT: Final = re.compile(
    r"[ \t](?<=[0-9)].)[ \t]{0,8}(?=[A-Za-z](?![A-Za-z])|[0-9]{1,9}[A-Za-z(])"
    r"|[ \t](?<=[ =+*/(-][A-Za-z].)[ \t]{0,8}(?=[A-Za-z0-9](?![A-Za-z]))"
)
_MAX_LINE: Final = 600
_SHORT_LINE: Final = re.compile(r"[ \t]*(?:[0-9]{1,6}(?:\.[0-9]{1,6})?|[A-Za-z]|[-+*/=^()<>])[ \t]*\r?")
_LINE: Final = re.compile(r"[^\n]+")


def separator_edits(text: str) -> list[Edit]:
    """Arrows, rulers, dot leaders and comment marks -> a line break. ``5--3`` and ``x>=3`` stay."""
    return [
        Edit(m.start(), m.end(), "\n")
        for m in _SEPARATOR.finditer(text)
        if not (m[0][0] == "/" and text[m.start() - 1 : m.start()] == ":")
    ]


def label_edits(text: str) -> list[Edit]:
    """Equation labels out of the way: ``(1) x+y=9``, ``x+y=9 .... (1)``, ``[eq2]``, ``Eq1:``, ``-ii``."""
    edits: list[Edit] = []
    worded = "eq" in text.lower()
    if worded:
        edits.extend(Edit(m.start(), m.end(), "\n") for m in _TAGGED.finditer(text))
    marked = worded or "(" in text or "[" in text
    if marked:
        edits.extend(Edit(m.start(), m.end(), "") for m in _LABEL_ALONE.finditer(text))
    edits.extend(Edit(m.start(), m.end(), "") for m in _LABEL_START.finditer(text) if "=" in _line_rest(text, m.end()))
    if marked:
        edits.extend(_end_labels(text))
    if "-i" in text or "-v" in text:
        edits.extend(_roman_labels(text))
    return merged(edits)


def _roman_labels(text: str) -> list[Edit]:
    """``-i`` and ``-ii`` behind equations, where one of them has two letters."""
    roman = [m for m in _LABEL_ROMAN.finditer(text) if "=" in _line_before(text, m.start())]
    if not any(len(m["roman"]) > 1 for m in roman):
        return []
    return [Edit(m.start(), m.end(), "\n") for m in roman]


def _end_labels(text: str) -> Iterator[Edit]:
    """Labels behind an equation. After a single space "(1)" may be a factor, unless two of them number equations."""
    found = [m for m in _LABEL_END.finditer(text) if "=" in _line_before(text, m.start())]
    marks = {m[0].strip(" \t.,_-") for m in found} | {m[0].strip(" \t.") for m in _LABEL_ALONE.finditer(text)}
    numbered = len(marks) >= 2 and not marks.isdisjoint({"(1)", "(i)", "[1]"})
    for match in found:
        if match["eq"] or match["gap"] not in {" ", "\t"} or numbered:
            yield Edit(match.start(), match.end(), "\n")


def _line_before(text: str, position: int) -> str:
    earliest = max(0, position - _MAX_LINE)
    return text[max(text.rfind("\n", earliest, position) + 1, earliest) : position]


def _line_rest(text: str, position: int) -> str:
    end = text.find("\n", position, position + _MAX_LINE)
    return text[position : end if end >= 0 else position + _MAX_LINE]


def comment_edits(text: str) -> list[Edit]:
    """Comments behind an equation on a line of their own, and a break before "So", "Divide by" and the like."""
    edits: list[Edit] = []
    patterns = [_CONNECTIVE]
    if "  " in text or "\t" in text:
        patterns.append(_COMMENT_GAP)
    if "(" in text or "[" in text:
        patterns.append(_COMMENT_BRACKET)
    for line in _LINE.finditer(text):
        equals = text.find("=", *line.span())
        if equals < 0:
            continue
        for pattern in patterns:
            edits.extend(Edit(m.start(), m.end(), "\n") for m in pattern.finditer(text, equals + 1, line.end()))
        edits.extend(_run_on(text, equals, line.end()))
    return merged(edits)


def _run_on(text: str, equals: int, end: int) -> Iterator[Edit]:
    """``x + y = 9 x - y = 3``: between two equals signs, two operands with only a space between them."""
    if end - equals > _MAX_LINE:
        return
    while (following := text.find("=", equals + 1, end)) >= 0:
        gaps = list(_ADJACENT.finditer(text, equals, following))
        if len(gaps) == 1:
            yield Edit(gaps[0].start(), gaps[0].end(), "\n")
        equals = following


def token_line_edits(text: str) -> list[Edit]:
    """A formula with one token on each line (flattened MathML) on one line: ``4 / x / + / 3``."""
    edits: list[Edit] = []
    run: list[int] = []
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        if len(line) <= 16 and _SHORT_LINE.fullmatch(line):
            run.append(end)
        else:
            edits.extend(_joined(text, run))
            run = []
        position = end + 1
    return edits + _joined(text, run)


def _joined(text: str, ends: list[int]) -> list[Edit]:
    if len(ends) < 4:
        return []
    start = text.rfind("\n", 0, ends[0]) + 1
    if not any(sign in text[start : ends[-1]] for sign in "=+-*/"):
        return []
    return [Edit(end, end + 1, " ") for end in ends[:-1]]


_LONGEST_DOUBLED: Final = 400
_MAX_EQUALS: Final = 12
_SHORTEST: Final = 3
_STRUCTURE: Final = dict.fromkeys(map(ord, " \t_()/^{}*,"))


def doubled_edits(text: str) -> list[Edit]:
    """Removes the second copy of a formula that follows its first copy without a gap.

    Copies are compared without blanks, brackets and operators of structure, which flattening loses; the first copy is
    the one that still has them.
    """
    edits: list[Edit] = []
    position = 0
    for line in text.split("\n"):
        if len(line) <= _LONGEST_DOUBLED and 2 <= line.count("=") <= _MAX_EQUALS:
            edits.extend(Edit(position + start, position + end, "") for start, end in _copies(line))
        position += len(line) + 1
    return edits


def _copies(line: str) -> list[tuple[int, int]]:
    bare = line.translate(_STRUCTURE)
    equals = [index for index, char in enumerate(bare) if char == "="]
    if all(_repeat(bare, first, second - first) is None for first, second in combinations(equals, 2)):
        return []
    kept = [index for index, char in enumerate(line) if ord(char) not in _STRUCTURE]
    found: list[tuple[int, int]] = []
    last = 0
    for first in range(len(equals)):
        for second in range(first + 1, len(equals)):
            span = _repeat(bare, equals[first], equals[second] - equals[first])
            if span is None or span[0] < last:
                continue
            start, middle, end = span
            if _is_flattened(line, kept, start, middle, end):
                gap = line[kept[middle - 1] + 1 : kept[middle]]
                found.append((kept[middle] - len(gap.lstrip(" )}")), kept[end - 1] + 1))
                last = end
                break
    return found


def _repeat(bare: str, anchor: int, period: int) -> tuple[int, int, int] | None:
    """Start, middle and end of a square around ``anchor`` with that period, or None; ambiguous ones are left alone."""
    low, high = anchor, anchor
    while low > 0 and bare[low - 1] == bare[low - 1 + period]:
        low -= 1
    while high + 1 + period < len(bare) and bare[high + 1] == bare[high + 1 + period]:
        high += 1
    if high - low + 1 != period or period < _SHORTEST:
        return None
    return low, low + period, low + 2 * period


def _is_flattened(line: str, kept: list[int], start: int, middle: int, end: int) -> bool:
    """Whether the second copy touches the first and holds less structure than it, or is the same to the letter."""
    first = line[kept[start] : kept[middle - 1] + 1]
    second = line[kept[middle] : kept[end - 1] + 1]
    gap = line[kept[middle - 1] + 1 : kept[middle]]
    copied = len(second) < len(first) or second == first
    return copied and not gap.strip(" )}({") and " " not in gap and " " not in second
