"""A text as its readers see it: nothing that is not shown, digits and letters in ASCII, icons as what they stand for.

Who hides an address from programs hides it by characters that no reader sees, by digits of another script, or behind
the picture of a phone. Finders look at the text as it is seen, and places lead back to the text as it is.
"""

import re
from typing import Final

from extractors.text.edits import Edit, Traced
from extractors.text.marks import Found

_FULL_WIDTH: Final = 0xFEE0
_PHONES: Final = "☎☏✆✇📞📱📲🕻🕼🕽🕾🕿🖀🖁"
_MAILS: Final = "✉📧📨📩📬📭📮🖂"
_SEEN: Final = re.compile(
    "(?P<unseen>[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]++"
    "|&(?:shy|zwj|zwnj|ZeroWidthSpace|NoBreak|#(?:173|820[3-7]|8288|65279)|#[xX](?:[aA][dD]|200[b-fB-F]|2060|[fF][eE][fF]{2}));)"
    f"|(?P<phone>[{_PHONES}])|(?P<mail>[{_MAILS}])|(?P<wide>[\uff01-\uff5e])|(?P<digit>(?![0-9])\\d)"
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
