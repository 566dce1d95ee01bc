"""Work done together, roads and times, wind and current, prices of several."""

import re
from typing import Final

from extractors.questions.readings import Reading, single
from extractors.questions.sorts import LENGTHS, SPEED, group_of, minutes
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
_ALONE_IN: Final = re.compile(
    rf" (?:alone|himself|herself|itself|by itself)(?: [a-z]+){{0,5}} {NUMBER} {_UNIT}"
    rf"| {NUMBER} {_UNIT} (?:[a-z]+ ){{0,3}}(?:alone|himself|herself|by itself)"
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


def work_alone(page: Page) -> Reading | None:
    """``Together Sam and Ed need 6 hours, Sam alone needs 10. How long does Ed need alone?``"""
    if len(page.numbers) != 2 or page.has(*_NO_WORK, "less", "more"):
        return None
    both, alone = page.search(_TOGETHER_IN), page.search(_ALONE_IN)
    if both is None or alone is None or not page.used.issuperset(page.numbers):
        return None
    whole, part = group_of(both), group_of(alone)
    if whole == part or minutes(page, page.numbers[0]) != minutes(page, page.numbers[1]):
        return None
    return single(f"1/x+1/({part})=1/({whole})")


_APART: Final = ("toward", "towards", "opposite", "meet")
_ASKS: Final = re.compile(r" (?:how|what|find|which|where) ")
_ASKS_TIME: Final = re.compile(
    r" (?:how long|how many (?:hours|minutes)|how much time|what time|after how|when (?:do|will|did)) "
)
_NO_MEETING: Final = words("later after earlier faster slower before catch east north rest stop stops until")


def opposite_ways(page: Page) -> Reading | None:
    """Two speeds and the distance between: ``55 mph and 65 mph, when are they 360 miles apart?``"""
    if len(page.numbers) != 3 or not page.has(*_APART) or page.has(*_NO_MEETING):
        return None
    if _ASKS.search(page.text) and not _ASKS_TIME.search(page.text):
        return None
    places = [page.starts[found.start(1)] for found in SPEED.finditer(page.text)]
    if len(places) == 1:
        places += [place for place in page.numbers if place < places[0] and page.after(place) in ("and", "km")]
    rest = [place for place in page.numbers if place not in places]
    if len(places) != 2 or len(rest) != 1 or page.after(rest[0]) not in LENGTHS:
        return None
    first, second = (page.tokens[place] for place in places)
    return Reading((f"(({first})+({second}))*x={page.tokens[rest[0]]}",), ("x",))


_FASTER: Final = re.compile(
    rf" {NUMBER} (?:mph|miles|mi|km|kilometers|kph|km / (?:hr?|hour)) (?:per hour |an hour |/ hr? )?(?:faster|slower) "
    r"(?:than (?:the other |another |the second ))?"
)


def one_faster(page: Page) -> Reading | None:
    """Opposite ways: ``One is 20 mph faster, and after 3 hours they are 360 miles apart. How fast is each?``"""
    if len(page.numbers) != 3 or not page.has("opposite", "toward", "towards", "meet") or page.has("later", "earlier"):
        return None
    gap = page.search(_FASTER)
    rest = [place for place in page.numbers if place not in page.used]
    page.used.update(rest)
    hours = [place for place in rest if minutes(page, place) == 60]
    roads = [place for place in rest if page.after(place) in LENGTHS]
    if gap is None or len(hours) != 1 or len(roads) != 1 or not page.complete:
        return None
    road, time = page.tokens[roads[0]], page.tokens[hours[0]]
    return Reading((f"(x+y)*({time})=({road})", f"x-y={gap[1]}"), ("x", "y"))


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


_NO_ROAD: Final = words(
    """average faster slower back return returned more less upstream wind current each left late stop stopped rest"""
)
_ROAD: Final = {
    "v": (re.compile(r" (?:speed|how fast|rate)"), "x*({t})=({d})"),
    "t": (re.compile(r" (?:how long|how many hours|when|time)"), "({v})*x=({d})"),
    "d": (re.compile(r" (?:how far|distance|how many miles|how many km)"), "x=({v})*({t})"),
}
"""Speed, time and distance: how each is asked for, and the equation for it."""


def plain_motion(page: Page) -> Reading | None:
    """Two of distance, time and speed, and the third is asked: ``350 miles in 5 hours, what's the speed?``"""
    if len(page.numbers) != 2 or page.has(*_NO_ROAD):
        return None
    speed = SPEED.search(page.text)
    known = {"v": speed[1]} if speed else {}
    taken = page.starts[speed.start(1)] if speed else None
    for place in page.numbers:
        if place != taken and page.after(place) in LENGTHS:
            known["d"] = page.tokens[place]
        elif place != taken and minutes(page, place) == 60:
            known["t"] = page.tokens[place]
    missing = [kind for kind in _ROAD if kind not in known]
    if len(missing) != 1:
        return None
    asks, form = _ROAD[missing[0]]
    return single(form.format(**known)) if asks.search(page.text) else None


_COSTS: Final = re.compile(
    rf" {NUMBER} ([a-z]+) (?:cost|weigh|costs|weighs) (?:\$ )?{NUMBER} (?:[a-z]+ ){{0,2}}?(?:[.,] )?(?:what|how much)"
    rf" (?:do|does|will|would|is|are) {NUMBER} (?:([a-z]+) )?(?:cost|weigh|costs)"
)


def same_price(page: Page) -> Reading | None:
    """``4 pens cost 10 dollars, what do 9 cost?``"""
    found = page.search(_COSTS)
    if found is None or len(page.numbers) != 3 or (found[5] and found[5].rstrip("s") != found[2].rstrip("s")):
        return None
    return single(f"x/({found[4]})=({found[3]})/({found[1]})")
