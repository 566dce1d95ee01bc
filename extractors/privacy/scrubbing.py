"""Personal data taken out of text without touching the maths.

Finders say where it stands (``mails``, ``phones``, ``people``, ``handles``, ``numbers``, ``places``), those of digits
behind the maths guard; a mark takes its place (``marks``), and positions that later steps record are those of the text
with its marks.
What is removed is not kept: it is not to be found again.

Who hides an address from programs hides it by characters that no reader sees, by digits of another script, or behind
the picture of a phone. Finders look at the text as it is seen, and places lead back to the text as it is.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from extractors.privacy.handles import find_handles, find_numbers_of_people
from extractors.privacy.mails import find_mails
from extractors.privacy.people import find_people, scrub_authors
from extractors.privacy.phones import find_phones
from extractors.privacy.places import find_places
from extractors.text.edits import MARKS, Edit, Found, Traced

_FULL_WIDTH: Final = 0xFEE0
_PHONE_ICONS: Final = "☎☏✆✇📞📱📲🕻🕼🕽🕾🕿🖀🖁"
_MAIL_ICONS: Final = "✉📧📨📩📬📭📮🖂"
_SEEN: Final = re.compile(
    "(?P<unseen>[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]++"
    "|&(?:shy|zwj|zwnj|ZeroWidthSpace|NoBreak|#(?:173|820[3-7]|8288|65279)|#[xX](?:[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF]{2}));)"
    f"|(?P<phone>[{_PHONE_ICONS}])|(?P<mail>[{_MAIL_ICONS}])|(?P<wide>[\uff01-\uff5e])|(?P<digit>(?![0-9])\\d)"
)


class SeenText:
    """A text as it is seen, with a way back: ``text[start:end]`` stands at ``source(found)`` of the text as it is."""

    def __init__(self, text: str) -> None:
        traced = Traced(text)
        if not text.isascii() or "&" in text:
            traced.rewrite([_edit(match) for match in _SEEN.finditer(text)])
        self.text = traced.text
        self._starts, self._ends = traced.offsets()

    def source(self, found: Found) -> Found:
        """What was found in the text as it is seen, where it stands in the text as it is.

        >>> SeenText("to\u00adm@mail.example").source(Found(0, 16, "mails"))
        Found(start=0, end=17, kind='mails')
        """
        return Found(self._starts[found.start], self._ends[found.end - 1], found.kind)


def _edit(match: re.Match[str]) -> Edit:
    kind, raw = match.lastgroup, match[0]
    if kind == "wide":
        shown = chr(ord(raw) - _FULL_WIDTH)
    elif kind == "digit":
        shown = str(int(raw))
    else:
        shown = {"phone": " phone:", "mail": " mail:"}.get(kind or "", "")
    return Edit(match.start(), match.end(), shown)


Finders = tuple[Callable[[str], Iterator[Found]], ...]
_FINDERS: Final[Finders] = (find_handles, find_mails, find_numbers_of_people, find_places, find_phones)
"""In the order of their say: where two overlap, the first one's kind is taken."""
_PASSES: Final = 4


@dataclass(frozen=True)
class Scrubbed:
    """The text without personal data, and how many of each kind were replaced."""

    text: str
    mails: int = 0
    phones: int = 0
    names: int = 0
    handles: int = 0
    numbers: int = 0
    places: int = 0

    @property
    def total(self) -> int:
        """All replacements."""
        return self.mails + self.phones + self.names + self.handles + self.numbers + self.places


def scrub(text: str, names: Iterable[str] = ()) -> Scrubbed:
    """Replace personal data by marks ([mail], [phone], ...) and mentions of ``names``, a thread's authors, by [name].

    A name that could be a word of the problem (a first name, or a part of a full one) is replaced only where it is a
    mention: ``@Tom``, ``thanks, Tom``, ``Tom wrote:``, ``Tom's answer``, a signature; a handle such as ``math_fan22``
    everywhere. A name that the writer gives himself or signs with, and ``@Name``, go whosoever it is.

    >>> scrub("write to tom.b@mail.example or call 555-123-4567").text
    'write to [mail] or call [phone]'
    >>> scrub("555-123-432 = 0, 5551234567 + 1, 3.25@8%", ()).total
    0
    >>> scrub("Tom has 9 pens, @Tom said. thanks math_fan22", ["Tom", "math_fan22"]).text
    'Tom has 9 pens, [name] said. thanks [name]'
    """
    counts: Counter[str] = Counter()
    text = _without(text, _FINDERS, counts)
    text, named = scrub_authors(text, names)
    text = _without(text, (find_people,), counts)
    counts["names"] += named
    return Scrubbed(text, **counts)


def _without(text: str, finders: Finders, counts: Counter[str]) -> str:
    """The text with a mark for everything that is found, also for what is found once other things are gone."""
    for _ in range(_PASSES):
        spans = find_all(text, finders)
        if not spans:
            break
        text = _replaced(text, spans)
        counts.update(found.kind for found in spans)
    return text


def find_all(text: str, finders: Finders = (*_FINDERS, find_people)) -> list[Found]:
    """Personal data in the order of the text, disjoint; names of authors are not sought.

    >>> find_all("call 555-123-4567 or mail a@b.example")
    [Found(start=5, end=17, kind='phones'), Found(start=26, end=37, kind='mails')]
    """
    taken: list[Found] = []
    covered = bytearray(len(text))
    seen = SeenText(text)
    for find in finders:
        for found in map(seen.source, find(seen.text)):
            start, end, _ = found
            if covered.find(1, start, end) < 0:
                covered[start:end] = b"\1" * (end - start)
                taken.append(found)
    return sorted(taken)


def _replaced(text: str, spans: Iterable[Found]) -> str:
    pieces, done = [], 0
    for found in spans:
        pieces += [text[done : found.start], MARKS[found.kind]]
        done = found.end
    return "".join([*pieces, text[done:]])
