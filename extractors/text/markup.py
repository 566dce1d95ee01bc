"""Rewritings of what a page's markup leaves in a post: wrappers, tags, entities, url-encoding.

Tags of known names that stand in a text as characters become line breaks, blanks and raised or lowered digits.
"""

import html
import re
from collections.abc import Iterator
from typing import Final

from extractors.text.edits import Edit, merged
from extractors.text.wordlists import read_list, words

_WRITE: Final = re.compile(
    r"""document\.write\(\s{0,8}(?:"((?>(?:[^"\\\n]|\\.)*))"|'((?>(?:[^'\\\n]|\\.)*))')\s{0,8}\)[ ]?;?"""
)
_ESCAPE: Final = re.compile(r"\\(?:r\\n|n|r|t|[\"'/\\])")
_LITERAL_NEWLINE: Final = re.compile(
    r"(?<!\\)\\(?:r\\n|n)(?!(?:eq?|u|abla|ot(?:in)?|i|mid|ewline|less|leq|geq|eg|parallel|exists|onumber)(?![a-z]))"
)
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,31}[0-9]{0,2});")
_IMAGE: Final = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\s]{0,500}\)")
_LINK: Final = re.compile(r"(?<!!)\[([^\]\n]{1,300})\]\(https?:[^)\s]{0,500}\)")
_BOLD: Final = re.compile(r"(?<![\w*)])\*\*(?=[^\s*])([^*\n]{1,200})(?<=\S)\*\*(?![\w*(])")
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+", re.M)

_ENCODED: Final = re.compile(r"%(?:2[0-9A-Fa-f]|3[C-Ec-e]|5[BDEbde]|7[B-Db-d])")
_ENCODED_SURE: Final = re.compile(r"%(?:2[A-Fa-f]|3[C-Ec-e]|5[BDEbde]|7[B-Db-d])")
_ENCODED_RUN: Final = re.compile(r"[^\s%\"<>]{0,200}+(?>(?:%[0-9A-Fa-f]{2}[^\s%\"<>]{0,200}+){1,100})")
_PLUS_EQUALS: Final = re.compile(r"(?<=[A-Za-z0-9)])\+=\+?|=\+(?=[A-Za-z0-9(])")


def write_edits(text: str) -> Iterator[Edit]:
    """``document.write( "x + y = 9\\n\\n" );`` -> its string, unescaped."""
    for match in _WRITE.finditer(text):
        group = 1 if match[1] is not None else 2
        yield Edit(match.start(), match.start(group), "")
        for escape in _ESCAPE.finditer(text, *match.span(group)):
            yield Edit(escape.start(), escape.end(), _unescaped(escape[0]))
        yield Edit(match.end(group), match.end(), "")


def _unescaped(escape: str) -> str:
    return {"\\n": "\n", "\\r\\n": "\n", "\\r": "\n", "\\t": " "}.get(escape, escape[1:])


def newline_edits(text: str) -> list[Edit]:
    """A backslash and an n where a line break was; LaTeX commands such as ``\\neq`` stay."""
    return [Edit(m.start(), m.end(), "\n") for m in _LITERAL_NEWLINE.finditer(text)]


def entity_edits(text: str) -> list[Edit]:
    """``&lt;`` ``&#92;`` ``&frac12;`` and the like; unknown entities stay."""
    found = ((m, html.unescape(m[0])) for m in _ENTITY.finditer(text))
    return [Edit(m.start(), m.end(), plain) for m, plain in found if plain != m[0]]


def markdown_edits(text: str) -> list[Edit]:
    """Image texts, link texts, bold marks and headings of Markdown."""
    edits: list[Edit] = []
    for pattern in (_IMAGE, _LINK, _BOLD):
        for match in pattern.finditer(text):
            edits.append(Edit(match.start(), match.start(1), ""))
            edits.append(Edit(match.end(1), match.end(), ""))
    edits.extend(Edit(m.start(), m.end(), "") for m in _HEADING.finditer(text))
    return merged(edits)


def url_edits(text: str) -> list[Edit]:
    """Formulas in url-encoding, quoted (``"3%2F4"x``) or not (``y+=7``, where + is a space).

    ``%28`` may be a percentage before a number, so decoding needs a sure sign: an escape with a letter in it.
    """
    edits: list[Edit] = []
    if "%" in text and _ENCODED_SURE.search(text):
        for run in _ENCODED_RUN.finditer(text):
            if _ENCODED_SURE.search(run[0]):
                edits.extend(_decoded(text, run))
    if "+=" in text or edits:
        edits.extend(Edit(m.start(), m.end(), " = ") for m in _PLUS_EQUALS.finditer(text))
    return merged(edits)


def _decoded(text: str, run: re.Match[str]) -> Iterator[Edit]:
    start, end = run.span()
    quoted = text[start - 1 : start] == '"' and text[end : end + 1] == '"'
    if quoted:
        yield Edit(start - 1, start, "")
    for match in _ENCODED.finditer(text, start, end):
        yield Edit(match.start(), match.end(), chr(int(match[0][1:], 16)))
    if quoted:
        yield Edit(end, end + 1, "")
    elif "%2B" in run[0].upper() or "+-+" in run[0]:
        yield from (Edit(i, i + 1, " ") for i in range(start, end) if text[i] == "+")


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
