"""What stands in a text for personal data that was taken out of it."""

from typing import Final, NamedTuple

MARKS: Final = {
    "mails": "[mail]",
    "phones": "[phone]",
    "names": "[name]",
    "handles": "[handle]",
    "numbers": "[number]",
    "places": "[address]",
}
"""The mark of each kind. ``numbers`` are those of cards, accounts and people; ``places`` are streets and hosts."""


class Found(NamedTuple):
    """Personal data at ``text[start:end]``; ``kind`` is a key of MARKS."""

    start: int
    end: int
    kind: str


def count_marks(text: str) -> dict[str, int]:
    """How many of each kind were taken out of a text, by the marks that stand for them.

    >>> {kind: count for kind, count in count_marks("write to [mail] or call [phone], [name]; [name]").items() if count}
    {'mails': 1, 'phones': 1, 'names': 2}
    """
    return {kind: text.count(mark) for kind, mark in MARKS.items()}
