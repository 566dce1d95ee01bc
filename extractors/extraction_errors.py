"""What can go wrong while structure is read out of text, and how much text is read."""


class ExtractionError(Exception):
    """Recognised but malformed input; ``code`` is stable, the message says what, where and what to do."""

    code = "malformed"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class LimitError(ExtractionError):
    """The input passes a stated bound (length, depth, magnitude or step budget)."""

    code = "too_large"


MAX_TEXT = 50_000
"""Characters of a text. A longer one is no post: it is left as it is, and no numbers are read in it."""
