"""Asterisks that a renderer took for emphasis: ``3*4*5`` came out as ``3<em>4</em>5``, whose characters read as 345."""

import re
from itertools import islice

from crawlers.html_tree import Element

EMPHASIS = frozenset(("em", "i", "strong"))
_PIECES, _LONGEST = 50, 400
_NUMBER = re.compile(r"[0-9][0-9.,]*")
_FACTOR = re.compile(r"[\w(√]|\.[0-9]")
_INLINE = frozenset(("span", "em", "i", "strong", "b", "font", "a"))


def eaten_signs(element: Element, before: str) -> tuple[str, str]:
    """What was lost where an emphasis begins and ends, if digits meet there; ``before`` is the character before it.

    Markdown makes ``<em>`` of asterisks: they are put back where operands meet at both ends, or where more than a
    number is emphasised. Else digits are only kept apart, since one digit of a number may be marked; in ``<i>`` and
    ``<strong>``, which people type, such a digit stays in its number.

    >>> from crawlers.html_tree import parse_document
    >>> def show(page: str) -> tuple[str, str]:
    ...     return eaten_signs(next(parse_document(page).iter("em", "i")), "3")
    >>> show("3<em>4</em>5"), show("3<em>4 = 12</em>"), show("3<em>4</em> pens"), show("3<i>4</i>5"), show("3<i>4</i>")
    (('*', '*'), ('*', ''), (' ', ''), (' ', ' '), ('', ''))
    """
    inner = "".join(islice(element.itertext(with_tail=False), _PIECES))[:_LONGEST]
    after = _following(element)
    meets = _is_digit(before) and _is_digit(inner[:1]), _is_digit(inner[-1:]) and _is_digit(after[:1])
    if not any(meets):
        return "", ""
    begins, ends = before.isalnum() or before == ")", _FACTOR.match(after) is not None
    is_product = (begins and ends) or _NUMBER.fullmatch(inner) is None
    if element.tag == "em" and is_product:
        return "*" * begins, "*" * ends
    apart = element.tag == "em" or is_product
    return " " * (apart and meets[0]), " " * (apart and meets[1])


def _is_digit(character: str) -> bool:
    return character.isascii() and character.isdigit()


def _following(element: Element) -> str:
    """What stands behind an element, up to two characters of it."""
    outer: Element | None = element
    while outer is not None and not outer.tail and outer.getnext() is None:
        outer = outer.getparent()
        if outer is None or outer.tag not in _INLINE:
            return ""
    assert outer is not None
    if outer.tail:
        return outer.tail[:2]
    following = outer.getnext()
    return "" if following is None or following.tag in ("br", "p", "div") else (following.text or "")[:2]
