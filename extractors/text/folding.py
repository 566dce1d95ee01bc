"""A cheap look before a costly search: whether a text can hold what a pattern that ignores case is to find."""


def folded(text: str) -> str:
    """A text in which every word stands in lower case that ``re.I`` finds in it, Turkish i and long s among them.

    >>> folded("ſhow the Dıagram"), "show" in folded("SHOW")
    ('show the diagram', True)
    """
    return text.replace("ı", "i").replace("İ", "i").casefold()
