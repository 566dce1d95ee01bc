"""What other ways to look for leaks flag, on texts whose tokens can be counted."""

import pytest

from curation.contamination import Item
from evaluation.corpus_figures.leak_yardsticks import long_grams, paragraphs, sampled_grams

THIRTEEN = "Ann has 12 red pens and Tom gives her 7 blue pens today"
TWENTY = "A train leaves at noon and runs 60 miles an hour while a second one leaves at two and catches it"
BENCHMARK = [Item("a", THIRTEEN), Item("b", TWENTY)]


@pytest.mark.rows(
    ("text", "by_grams", "by_paragraphs", "by_samples"),
    [
        (THIRTEEN, True, True, True),
        (f"Help please!\n{THIRTEEN.upper()}!", True, True, True),
        (f"{THIRTEEN} and tomorrow", True, False, True),
        (THIRTEEN.replace("red", "old"), False, False, False),
        (TWENTY.replace("catches it", "stops"), True, False, True),
        ("Nothing of this kind stands in any of the problems that we hold against it here", False, False, False),
        ("", False, False, False),
    ],
)
def test_what_is_flagged(text: str, by_grams: bool, by_paragraphs: bool, by_samples: bool) -> None:
    assert long_grams(BENCHMARK)(text) is by_grams
    assert paragraphs(BENCHMARK)(text) is by_paragraphs
    assert sampled_grams(BENCHMARK)(text) is by_samples
