"""Work done together, roads and times, wind and current, prices of several."""

import re
from typing import Final

from extractors.questions.readings import Reading, single
from extractors.questions.sorts import LENGTHS, SPEED, minutes
from extractors.questions.wording import NUMBER, Page
from extractors.text.wordlists import words

_WORK: Final = words(
    """job paint paints fill fills fence lawn mow mows work working pipe pipes clean room house type do does needs takes
    wash build tap taps"""
)
_NO_WORK: Final = words(
    """drain drains empty empties leak leaks left leaves joined joins then after quits half faster slower twice times
    than stops stopped rest remaining out again meet every around track"""
)
_ONE_UNIT: Final = re.compile(r" an? (?:hour|minute|day|week) ")
_BOTH_JOBS: Final = re.compile(r" both (?:rooms|houses|jobs|lawns|walls|fences|fields|cars) ")
_UNIT: Final = "(?:hours|hrs|minutes|mins|days|hour)"
_TOGETHER_IN: Final = re.compile(
    rf"(?: together| both)[^.;?!0-9]{{0,60}} (?:in |takes? |needs? |require )?{NUMBER} {_UNIT}"
    rf"| {NUMBER} {_UNIT} (?:if |when )?(?:working )?together"
)


def work_together(page: Page) -> Reading | None:
    """``Ann can paint a fence in 8 hours, Bob in 12. How long together?``"""
    if len(page.numbers) != 2 or not page.has("together", "both") or not page.has(*_WORK) or page.has(*_NO_WORK):
        return None
    if any(pattern.search(page.text) for pattern in (_ONE_UNIT, _TOGETHER_IN, _BOTH_JOBS)):
        return None
    if page.text.rfind(" how ") < page.begins(page.numbers[-1]) and page.tokens[-1] != "?":
        return None
    units = {minutes(page, place) for place in page.numbers}
    bare = [place for place in page.numbers if minutes(page, place) is None]
    if len(units - {None}) != 1 or not all(page.before(place) in _BEFORE_TIME for place in bare):
        return None
    first, second = (page.tokens[place] for place in page.numbers)
    return single(f"1/x=1/({first})+1/({second})")


_BEFORE_TIME: Final = ("in", "takes", "take", "needs", "requires", "for", "about")


_FLOWS: Final = ("wind", "current", "stream", "still")


def with_current(page: Page) -> Reading | None:
    """One way with the wind or the current in some time, the way back against it."""
    if not page.has(*_FLOWS) or SPEED.search(page.text) or page.has("same", "total", "third", "altogether"):
        return None
    lengths = [page.value(place) for place in page.numbers if page.after(place) in LENGTHS]
    times = [page.value(place) for place in page.numbers if minutes(page, place) == 60]
    if len(times) != 2 or not 0 < len(lengths) < 3 or len(lengths) + len(times) < len(page.numbers) or not all(times):
        return None
    fast, slow = sorted((lengths[0] / times[0], lengths[-1] / times[1]), reverse=True)
    return Reading((f"x+y={fast}", f"x-y={slow}"), ("x", "y")) if fast > slow else None
