"""Word lists of the normaliser profiles. They are part of a profile: changing one changes every figure made with it."""

from extractors.text.wordlists import read_list, words

STOP_WORDS = frozenset(words(read_list("curation/stop_words")))
"""The 179 English stop words in general use (Porter and others, as distributed with NLTK until 2024)."""

NUMBER_WORDS = frozenset(words(read_list("curation/masked_numbers")))
"""Cardinals that are masked like digits; ordinals, fractions and ``dozen`` carry meaning of their own and stay."""

GIVEN_NAMES = frozenset(words(read_list("curation/masked_names")))
"""Given names that are masked in any spelling; most are among the commonest of the United States census."""
AMBIGUOUS_NAMES = frozenset(words(read_list("curation/ambiguous_names")))
"""Names that are words as well: masked only where capitalised inside a sentence."""
