"""How much text is read: a bound that all readers of free text share."""

MAX_TEXT = 50_000
"""Characters of a text. A longer one is no post: it is left as it is, and no numbers are read in it."""
