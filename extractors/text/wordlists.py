"""Word lists kept as running text, where they stay readable."""


def words(text: str) -> tuple[str, ...]:
    """The blank-separated words of a text.

    >>> words("odd even")
    ('odd', 'even')
    """
    return tuple(text.split())


def valued(text: str) -> dict[str, int]:
    """Words, each with the number behind it.

    >>> valued("twenty 20 thirty 30")
    {'twenty': 20, 'thirty': 30}
    """
    found = text.split()
    return dict(zip(found[::2], map(int, found[1::2]), strict=True))
