"""A cheap look before a costly search: whether a text holds words without which a pattern finds nothing."""

from collections.abc import Iterable


def folded(text: str) -> str:
    """A text in which every word stands in lower case that ``re.I`` finds in it, Turkish i and long s among them.

    >>> folded("ſhow the Dıagram"), "show" in folded("SHOW")
    ('show the diagram', True)
    """
    return text.replace("ı", "i").replace("İ", "i").casefold()


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of some words stands in a text, on its own or in another word.

    >>> holds_any("the second diagram", ("figure", "diagram")), holds_any("", ("a",))
    (True, False)
    """
    return any(map(text.__contains__, words))
