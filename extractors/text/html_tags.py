"""HTML and MathML tags that stand in a text as characters: structure becomes line breaks and plain operators."""

import re
from typing import Final

from extractors.text.edits import Edit
from extractors.text.wordlists import read_list, words

_TAG: Final = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,15})(?P<rest>(?:[\s/][^<>]{0,800})?)>")
_DROPPED: Final = re.compile(r"<(script(?! type=.math/tex)|style|annotation)\b[^<>]{0,300}>", re.I)
_ALT: Final = re.compile(r"\balt\s?=\s?(?:\"([^\"<>]{0,400})\"|'([^'<>]{0,400})')", re.I)
_ORDINAL: Final = re.compile(r"\s?(?:st|nd|rd|th)\s?<", re.I)
_SIMPLE: Final = re.compile(r"\s?[A-Za-z0-9]+\s?<")

_BREAK: Final = frozenset(words(read_list("extractors/breaking_elements")))
_SPACE: Final = frozenset(["td", "th", "mspace", "mtd"])
_INLINE: Final = frozenset(words(read_list("extractors/inline_elements")))
_LEAVES: Final = frozenset({"mi", "mn"})
_BETWEEN: Final = {"mfrac": "/", "msup": "^", "msub": "_", "mroot": "^"}


def tag_edits(text: str) -> list[Edit]:
    """Tags of known names out of the text: ``<sup>2</sup>`` -> ``^2``, ``<br>`` -> a line break, fractions -> ``a/b``.

    Only names of HTML and MathML count, so that ``x<y`` and ``<z>`` stay.
    """
    return _Walk(text).edits()


class _Walk:
    """One pass over the tags with the open elements on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Open elements: name, number of children so far, closing text.
        self.stack: list[tuple[str, list[int], str]] = []
        # Closing tags that stand nowhere in the rest of the text, so that they are looked for once.
        self.missing: set[str] = set()

    def edits(self) -> list[Edit]:
        found: list[Edit] = []
        position = 0
        while (match := _TAG.search(self.text, position)) is not None:
            end = self._content_end(match)
            replacement = "" if end is not None else self._replacement(match)
            position = end if end is not None else match.end()
            if replacement is not None:
                found.append(Edit(match.start(), position, replacement))
        return found

    def _content_end(self, match: re.Match[str]) -> int | None:
        """Where an element ends whose content is no text (script, style, the TeX twin of MathML)."""
        dropped = _DROPPED.match(self.text, match.start())
        if dropped is None:
            return None
        closing = f"</{dropped[1]}>"
        close = -1 if closing in self.missing else self.text.find(closing, match.end())
        if close < 0:
            self.missing.add(closing)
            return match.end()
        return close + len(closing)

    def _replacement(self, match: re.Match[str]) -> str | None:
        name = match["name"].lower()
        if name in _BREAK:
            return "\n"
        if name in _SPACE:
            return " "
        if name not in _INLINE:
            return None
        if name == "img":
            alt = _ALT.search(match["rest"])
            return f" {alt[1] or alt[2] or ''} " if alt else ""
        if match["rest"].endswith("/"):
            return ""
        return self._closed(name, match) if match["close"] else self._opened(name, match)

    def _opened(self, name: str, match: re.Match[str]) -> str:
        before = self._separator(name)
        opening, closing = self._frame(name, match.end())
        self.stack.append((name, [0], closing))
        return before + opening

    def _separator(self, name: str) -> str:
        """What stands between this child and the one before it, with its bracket."""
        if not self.stack or self.stack[-1][0] not in _BETWEEN:
            return ""
        parent, count, _ = self.stack[-1]
        count[0] += 1
        bracket = "" if name in _LEAVES else "("
        if count[0] == 1:
            return bracket
        return _BETWEEN[parent] + ("(1/" if parent == "mroot" else "") + bracket

    def _frame(self, name: str, end: int) -> tuple[str, str]:
        if name in {"sup", "sub"}:
            return self._raised(name, end)
        if name == "msqrt":
            return "sqrt(", ")"
        if name == "mfrac":
            # A whole number glued to a fraction is a mixed number: keep them apart.
            return " ", " "
        return "", ""

    def _raised(self, name: str, end: int) -> tuple[str, str]:
        if name == "sup" and _ORDINAL.match(self.text, end):
            return "", ""
        mark = "^" if name == "sup" else "_"
        simple = _SIMPLE.match(self.text, end)
        if simple is None:
            return mark + "(", ")"
        close = self.text.find(">", simple.end() - 1) + 1
        return mark, " " if self.text[close : close + 1].isalnum() else ""

    def _closed(self, name: str, match: re.Match[str]) -> str:
        if not any(entry[0] == name for entry in self.stack[-8:]):
            return ""
        closing = ""
        while True:
            top, _, own = self.stack.pop()
            closing += own
            if top == name:
                break
        if self.stack and self.stack[-1][0] in _BETWEEN:
            closing += "" if name in _LEAVES else ")"
            closing += ")" if self.stack[-1][0] == "mroot" and self.stack[-1][1][0] == 2 else ""
        return closing
