"""Text under way: pieces that are put together, and what must not be put together."""

from crawlers.styles import LOWERED


class Frame:
    """Pieces of text under way: the page itself, or the inside of one superscript or subscript.

    ``placed`` says how the last piece was set, if it was raised or lowered: what follows may have to be kept off it.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.placed = ""

    def last(self) -> str:
        """The last character, or the empty string."""
        return self.parts[-1][-1] if self.parts else ""

    def add(self, piece: str) -> None:
        """Put a piece at the end."""
        if piece:
            self.parts.append(piece)
            self.placed = ""

    def strip_spaces(self) -> None:
        """Take away the spaces that end the text."""
        while self.parts and self.parts[-1].endswith(" "):
            self.parts[-1] = self.parts[-1].rstrip(" ")
            if not self.parts[-1]:
                self.parts.pop()

    def take_back(self, piece: str) -> None:
        """Take away the last piece, if it is this one, and the spaces behind it."""
        if "".join(self.parts[-2:]).rstrip(" ").endswith(piece):
            self.strip_spaces()
            if self.last() and self.parts[-1] == piece:
                self.parts.pop()

    def strip_number(self) -> None:
        """Take away the number that ends the text."""
        if self.parts:
            self.parts[-1] = self.parts[-1].rstrip("0123456789.,")
            if not self.parts[-1]:
                self.parts.pop()

    def strip_lines(self, start: int) -> None:
        """Take away the line breaks and spaces that end the text, but none before piece ``start``."""
        while len(self.parts) > start and not self.parts[-1].strip(" \n"):
            self.parts.pop()
        if len(self.parts) > start:
            self.parts[-1] = self.parts[-1].rstrip(" \n")

    def newlines(self) -> int:
        """How many line breaks the text ends in."""
        if self.last() != "\n":
            return 0
        count = 0
        for piece in reversed(self.parts):
            bare = piece.rstrip("\n")
            count += len(piece) - len(bare)
            if bare:
                break
        return count

    def ends_in_base(self) -> bool:
        """Whether the text ends in what can be raised to a power, a space after it or not: bracket or lone letter."""
        tail = "".join(self.parts[-3:]).rstrip(" ")[-2:]
        return tail[-1:] in (")", "]") or (tail[-1:].isalpha() and not tail[:-1].isalpha())

    def would_run_on(self, following: str) -> bool:
        """Whether the next character would be read into what was raised or lowered: 2³4 is not 2 to the 34."""
        last = self.last()
        if not last.isalnum():
            return False
        if self.placed == LOWERED and not following.isdigit():
            base = self.parts[-2][-1] if len(self.parts) > 1 else ""
            return not (base.isupper() and following.isupper())  # H2O is one word
        return following.isdigit() or last.isalpha()
