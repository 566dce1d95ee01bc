"""Word lists written as running text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    >>> sorted(word_set("a the a"))
    ['a', 'the']
    """
    return frozenset(text.split())
