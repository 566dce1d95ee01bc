"""Words that decide where an equation begins and ends in prose."""

from typing import Final

WORD_OPERATORS: Final[dict[str, str]] = {"times": "*", "plus": "+", "minus": "-", "of": "*", "over": "/"}
"""Words between two operands that stand for a sign; ``of`` only behind a percentage or a fraction."""

EQUALS_WORDS: Final = frozenset({"equals", "equal"})


def words(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


CONNECTIVES: Final = words(
    """so then thus hence therefore and or but that gives giving get gets is are becomes have has if when since because
    let which means now also again yields check answer total solving solve we you i he she they it to with from
    equation eq earns makes pays needs sells costs spends owes gains uses eats made paid sold buys bought left does
    took takes were was be as where"""
)
"""Words that may stand right before an equation without being its left side."""

NOT_A_UNIT: Final = words(
    """so then thus hence therefore and or but that gives giving get is are if when since because let which means now
    also again check the by to from with in into for at divide divided subtract add multiply both sides side
    equation solve put plug substitute simplify combine distribute yes no ok where we you he she they it as than
    equals equal must should would will can was were be becomes"""
)
"""Words that never are the unit of the number before them; an equation ends there."""

NUMBER_GUARDS: Final = words(
    """by step eq equation example problem question number case part times rule chapter exercise line hint"""
)
"""Words after which a number is an operand of the prose or a label: in "divide by 2 y = 3" the 2 is no factor of y."""

TWO_LETTER_WORDS: Final = words(
    """so if he we it in is my no on or to do go up us at as an am by be me ms mr dr rs kg hi ok oh ex of re eq cm mm
    km ft yd hr lb oz ml pt qt pm vs"""
)
"""Short words that are no products of two unknowns."""

SOLVING_WORDS: Final = words(
    """algebra all and answer are both can completing does elimination equation equations factor factoring find
    following for formula get given graphing help how linear math method need please pls quadratic root roots set show
    simultaneous solution solutions solve solved solving someone square step steps stuck substitution system systems
    thank thanks that the this unknowns using values variables what whats where with work you"""
)
"""Words beside the equations of a question that add nothing to them."""

LAW_PRODUCTS: Final = words("bh lw lwh rt prt wh")
"""Products as formulas of geometry, motion and interest write them: ``A = 1/2 bh``."""

CHECK_WORDS: Final = words("""check checking proof verify verification ck chk checks test""")
"""Words that open a section in which the result is put back into the problem."""

UNIT_WORDS: Final = words(
    """cents cent dollars dollar bucks euros euro pounds pound pence pesos rupees hours hour hrs hr minutes minute mins
    min seconds second secs sec days day weeks week months month years year yrs yr miles mile mi km kilometers
    kilometres meters metres feet foot ft inches inch in yards cm mm m kg g grams gram ounces oz lb lbs liters
    litres l ml gallons gal mph kph percent degrees sq square people units"""
)
"""Words that stay units even where the next equation could begin with them."""

CURRENCIES: Final = frozenset("$€£¢")
CURRENCY_WORDS: Final = frozenset({"rs", "usd", "dollars", "eur"})
ROOTS: Final = frozenset({"sqrt", "sqr", "rt"})

UNIT_LETTERS: Final = frozenset("mshgL")
"""Letters that are read as a unit behind a number unless the answer uses them as an unknown."""
