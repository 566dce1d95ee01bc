"""Words that decide where an equation begins and ends in prose."""

from typing import Final

from extractors.text.wordlists import read_list, words

WORD_OPERATORS: Final[dict[str, str]] = {"times": "*", "plus": "+", "minus": "-", "of": "*", "over": "/"}
"""Words between two operands that stand for a sign; ``of`` only behind a percentage or a fraction."""

EQUALS_WORDS: Final = frozenset({"equals", "equal"})


CONNECTIVES: Final = frozenset(words(read_list("extractors/connectives")))
"""Words that may stand right before an equation without being its left side."""

NOT_A_UNIT: Final = frozenset(words(read_list("extractors/not_a_unit")))
"""Words that never are the unit of the number before them; an equation ends there."""

NUMBER_GUARDS: Final = frozenset(words(read_list("extractors/number_guards")))
"""Words after which a number is an operand of the prose or a label: in "divide by 2 y = 3" the 2 is no factor of y."""

TWO_LETTER_WORDS: Final = frozenset(words(read_list("extractors/two_letter_words")))
"""Short words that are no products of two unknowns."""

SOLVING_WORDS: Final = frozenset(words(read_list("extractors/solving_words")))
"""Words beside the equations of a question that add nothing to them."""

LAW_PRODUCTS: Final = frozenset(words("bh lw lwh rt prt wh"))
"""Products as formulas of geometry, motion and interest write them: ``A = 1/2 bh``."""

CHECK_WORDS: Final = frozenset(words("""check checking proof verify verification ck chk checks test"""))
"""Words that open a section in which the result is put back into the problem."""

UNIT_WORDS: Final = frozenset(words(read_list("extractors/unit_words")))
"""Words that stay units even where the next equation could begin with them."""

CURRENCIES: Final = frozenset("$€£¢")
CURRENCY_WORDS: Final = frozenset({"rs", "usd", "dollars", "eur"})
ROOTS: Final = frozenset({"sqrt", "sqr", "rt"})

UNIT_LETTERS: Final = frozenset("mshgL")
"""Letters that are read as a unit behind a number unless the answer uses them as an unknown."""
