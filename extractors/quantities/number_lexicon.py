"""The words that carry a number.

Sources: the pronouns and parity words follow the alignments of "Annotating Derivations" (Upadhyay and Chang, EACL
2017), where ``dimes`` stands for 0.10 and ``even`` in "consecutive even integers" for 2.
"""

from fractions import Fraction
from typing import Final

from extractors.text import typography
from extractors.text.wordlists import read_list, valued, words

UNITS: Final[dict[str, int]] = {word: value for value, word in enumerate(words(read_list("extractors/number_units")))}
TENS: Final[dict[str, int]] = valued(read_list("extractors/tens"))
SCALES: Final[dict[str, int]] = valued(read_list("extractors/scales"))
SCALE_PLURALS: Final[dict[str, int]] = {
    word + "s": SCALES[word] for word in ("hundred", "thousand", "million", "billion", "trillion")
}
"""They multiply the number before them and are none alone: "3 millions", not "millions of people"."""
DENOMINATORS: Final[dict[str, int]] = valued(read_list("extractors/denominators"))
DENOMINATOR_PLURALS: Final[dict[str, int]] = {"halves": 2} | {
    word + "s": value for word, value in DENOMINATORS.items() if word != "half"
}
COMPOUND_PLURALS: Final = {"firsts": 1, "seconds": 2}
"""They end a denominator and are none alone: "three twenty-firsts"."""
ORDINALS: Final[dict[str, int]] = {"first": 1, "second": 2} | {
    word: value for word, value in DENOMINATORS.items() if word not in {"half", "quarter"}
}
MULTIPLIERS: Final[dict[str, int]] = valued(read_list("extractors/multipliers"))
GROUPS: Final[dict[str, int]] = {"dozen": 12, "dozens": 12, "score": 20, "pair": 2, "couple": 2}
COINS: Final[dict[str, Fraction]] = {
    "penny": Fraction(1, 100),
    "pennies": Fraction(1, 100),
    "nickel": Fraction(1, 20),
    "nickels": Fraction(1, 20),
    "nickle": Fraction(1, 20),
    "nickles": Fraction(1, 20),
    "dime": Fraction(1, 10),
    "dimes": Fraction(1, 10),
    "quarter": Fraction(1, 4),
    "quarters": Fraction(1, 4),
}
PARITY: Final = frozenset({"odd", "even"})
PLACES: Final[dict[str, int]] = {"tens": 10, "hundreds": 100, "thousands": 1000}
ARTICLES: Final = frozenset({"a", "an"})
DEICTIC: Final = frozenset({"next", "last"})

VULGAR: Final = {sign: Fraction(plain) for sign, plain in typography.VULGAR.items()}

LEXICAL: Final = frozenset().union(
    UNITS, TENS, SCALES, SCALE_PLURALS, DENOMINATORS, DENOMINATOR_PLURALS, COMPOUND_PLURALS, ORDINALS, MULTIPLIERS,
    GROUPS, COINS, PARITY, PLACES, ARTICLES, DEICTIC,
)  # fmt: skip
