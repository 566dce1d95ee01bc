"""Word lists kept as running text, where they stay readable."""


def words(text: str) -> tuple[str, ...]:
    """The blank-separated words of a text.

    >>> words("odd even")
    ('odd', 'even')
    """
    return tuple(text.split())
