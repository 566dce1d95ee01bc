"""The functions and predicates that the grammar knows, under one normal name each."""

ALIASES = {
    "sqrt": "sqrt", "abs": "abs", "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot",
    "arcsin": "arcsin", "arccos": "arccos", "arctan": "arctan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "ln": "ln", "log": "log", "exp": "exp",
    "_comb": "comb", "_cm": "comb", "comb": "comb", "nCr": "comb", "choose": "comb",
    "_perm": "perm", "_pm": "perm", "perm": "perm", "nPr": "perm",
    "_gcd": "gcd", "gcd": "gcd", "GCD": "gcd", "_lcm": "lcm", "lcm": "lcm", "LCM": "lcm",
    "_round": "round", "round": "round", "_ceiling": "ceiling", "ceiling": "ceiling", "ceil": "ceiling",
    "_floor": "floor", "floor": "floor", "_int": "floor", "int": "floor",
    "_max": "max", "max": "max", "_min": "min", "min": "min", "remainder": "mod", "mod": "mod",
    "factorial": "factorial", "_root": "root",
}  # fmt: skip
"""Spelling in the text -> normal name. Dolphin18K writes a leading underscore."""

PREDICATES = {
    "is_int": "is_integer", "is_integer": "is_integer", "is_digit": "is_digit",
    "is_odd": "is_odd", "is_even": "is_even", "is_prime": "is_prime", "is_prime_number": "is_prime",
}  # fmt: skip

PREFIX = frozenset({"sqrt", "sin", "cos", "tan", "cot", "arcsin", "arccos", "arctan", "ln", "log"})
"""Functions that may stand before an operand without brackets: ``sin x``, ``log 28``, ``sqrt 5``."""

TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "cot"})

ARITY = {
    "sqrt": (1, 1), "abs": (1, 1), "sin": (1, 1), "cos": (1, 1), "tan": (1, 1), "cot": (1, 1),
    "arcsin": (1, 1), "arccos": (1, 1), "arctan": (1, 1), "ln": (1, 1), "log": (1, 2), "exp": (1, 1),
    "comb": (1, 2), "perm": (1, 2), "gcd": (2, 20), "lcm": (2, 20), "round": (1, 2), "ceiling": (1, 1),
    "floor": (1, 1), "max": (1, 20), "min": (1, 20), "mod": (2, 2), "factorial": (1, 1), "root": (1, 2),
    "radians": (1, 1),
    "is_integer": (1, 20), "is_digit": (1, 20), "is_odd": (1, 20), "is_even": (1, 20), "is_prime": (1, 20),
}  # fmt: skip
"""Least and greatest number of arguments by normal name."""
