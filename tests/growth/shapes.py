"""Shapes of text that a reader may choke on: each is a piece written over and over."""

from typing import NamedTuple


class Shape(NamedTuple):
    """A piece to write over and over; ``#`` in it becomes the number of the repetition."""

    name: str
    piece: str

    def text(self, length: int, times: int = 1) -> str:
        """The piece written until the text has about that length, so many times over."""
        times *= max(1, length // len(self.piece))
        if "#" not in self.piece:
            return self.piece * times
        return "".join(self.piece.replace("#", str(number)) for number in range(times))


SHAPES = (
    Shape("numbers and commas", "1,"),
    Shape("different numbers", "# and "),
    Shape("brackets", "(1+(2)) "),
    Shape("open brackets", "((((["),
    Shape("equal signs", "x = x = x = "),
    Shape("equations", "x + # = 9\n"),
    Shape("systems", "x + y = 1#\nx - y = 3\n"),
    Shape("repeated names", "Tom has Tom and Ann. "),
    Shape("nested markup", "<b><i>1</i> \\frac{1}{2} "),
    Shape("unit words", "5 dollars per hour each "),
    Shape("long words", "abcdefghijklmnopqrstuvwxyzabcdefghij" * 2),
    Shape("unicode", "½ é ２ 一 😀 −3 ² "),
    Shape("sentences", "How many are there? I think 3. "),
    Shape("fractions", "1/3 and 0.333 "),
    Shape("powers", "x^2^3**2²"),
    Shape("quotes", "\"it's 'so' "),
    Shape("mixed numbers", "2 1/2 and 3 3/4 "),
    Shape("ordinals", "the first and 2nd one third "),
    Shape("dashes", "1 - -2 -- 3-4 "),
    Shape("dots", "1.2.3... "),
    Shape("letters glued to digits", "a1b2x3"),
    Shape("number words", "twenty-one hundred and five dozen "),
    Shape("percent", "25% of the 40 percent, 3 times "),
    Shape("lines", "1\n"),
    Shape("a chain of sums", "#+1="),
    Shape("sums", "2*#=6 "),
    Shape("open elements", "<script><style>"),
)
