"""How often a sign told a fault: counts from ``wordquarry quality doctor``, and what another check says."""

from collections.abc import Mapping
from typing import Final

ROUNDS: Final = 20
"""One row in so many is taken to be faulty."""
SHARES: Final[Mapping[str, tuple[int, int]]] = {
    "answer: a placeholder": (182, 201),
    "answer: digits that are not read, a number is asked for": (83, 123),
    "answer: digits that are not read, no number is asked for": (27, 86),
    "answer: words, a number is asked for": (54, 58),
    "answer: words, no number is asked for": (30, 546),
    "equations: another value": (212, 212),
    "equations: rounded": (1, 1),
    "formula: another number than the answer": (476, 477),
    "formula: its arithmetic does not hold": (2, 2),
    "question: a second question with figures, the post model agrees": (6, 6),
    "question: a second question with figures, the post model does not": (2, 3),
    "question: a second question with figures, the post model wavers": (9, 9),
    "question: figures between two questions, the post model agrees": (44, 44),
    "question: figures between two questions, the post model does not": (20, 20),
    "question: figures between two questions, the post model wavers": (80, 100),
    "question: no numbers, nor in a solution": (23, 23),
    "question: no numbers, the solution has some": (143, 163),
    "question: the answer is announced": (49, 49),
    "question: the answer stands behind what is asked": (106, 106),
    "row: the same numbers, few words differ, an answer unknown": (3, 3),
    "row: the same numbers, few words differ, another answer": (0, 19),
    "row: the same numbers, few words differ, the same answer": (109, 128),
    "row: the same numbers, some words differ, the same answer": (14, 14),
    "solution: comes to another value, perhaps, answer absent": (54, 54),
    "solution: comes to another value, perhaps, answer inside": (37, 56),
    "solution: comes to another value, surely, answer absent": (10, 10),
    "solution: comes to another value, surely, answer inside": (9, 10),
    "solution: names another option": (11, 11),
    "solution: names the option but comes to another value, perhaps, answer absent": (20, 78),
    "solution: names the option but comes to another value, surely, answer absent": (6, 7),
}
"""By the name of a sign, on how many of the rows that show it it named the fault; a sound row counts 19 times."""
_ROW: Final = "row: the same words and numbers"
CERTAIN: Final[Mapping[str, float]] = {
    f"{_ROW}, the same answer": 0.99,
    f"{_ROW}, another answer": 0.99,
    f"{_ROW}, an answer unknown": 0.99,
    "equations: no solution": 0.99,
    "options: the keyed one stands twice": 0.99,
    "options: another one stands twice": 0.99,
    "answer: yes or no": 0.99,
    "question: proof": 0.89,
    "question: yes_or_no": 0.9,
}
"""Exact checks; and types of questions, by ``wordquarry quality question-types`` (12 of 13 and 4 of 4 are right)."""
