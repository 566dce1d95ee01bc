"""HTML tags that stand in a text as characters: line breaks, blanks and raised or lowered digits; all others go."""

import re
from typing import Final

from extractors.text.edits import Edit
from extractors.text.wordlists import read_list, words

_TAG: Final = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,15})(?:[\s/][^<>]{0,800})?>")
_SIMPLE: Final = re.compile(r"\s?(?:(?P<ordinal>st|nd|rd|th)|[A-Za-z0-9]+)\s?<", re.I)

_BREAK: Final = frozenset(words(read_list("extractors/breaking_elements")))
_SPACE: Final = frozenset(["td", "th"])
_INLINE: Final = frozenset(words(read_list("extractors/inline_elements")))
_RAISED: Final = {"sup": "^", "sub": "_"}


def tag_edits(text: str) -> list[Edit]:
    """Tags of known names out of the text: ``<sup>2</sup>`` -> ``^2``, ``<br>`` -> a line break.

    Only names of HTML count, so that ``x<y`` and ``<z>`` stay.
    """
    edits: list[Edit] = []
    closing: list[str] = []
    for match in _TAG.finditer(text):
        name = match["name"].lower()
        if name in _RAISED:
            plain = (closing.pop() if closing else "") if match["close"] else _raised(name, text, match.end(), closing)
        elif name in _BREAK:
            plain = "\n"
        elif name in _SPACE:
            plain = " "
        elif name in _INLINE:
            plain = ""
        else:
            continue
        edits.append(Edit(match.start(), match.end(), plain))
    return edits


def _raised(name: str, text: str, end: int, closing: list[str]) -> str:
    """The sign of what is raised or lowered, with brackets around more than one word; none before an ordinal's end."""
    simple = _SIMPLE.match(text, end)
    if simple is None:
        closing.append(")")
        return _RAISED[name] + "("
    follows = text.find(">", simple.end()) + 1
    closing.append(" " if not simple["ordinal"] and text[follows : follows + 1].isalnum() else "")
    return "" if simple["ordinal"] and name == "sup" else _RAISED[name]
