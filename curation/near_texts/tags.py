"""Part-of-speech tags of words: what syntactic diversity compares (SD; ASDiv, section 3.1 and appendix C).

The tagger is TextBlob's: the lexicon of Brill's tagger with Penn Treebank tags, and suffixes for words that it does not
hold. It needs no download, and gives the same tags everywhere. It loads NLTK, which takes seconds, so it is imported
with the first text that is tagged, and nowhere else.
"""

import functools
import importlib.metadata
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

NUMBER, ORDINAL, NAME = "CD", "JJ", "NNP"
_NEGATION = "n't"
_CLITICS = frozenset({"'s", "'ll", "'re", "'ve", "'d", "'m"})


@functools.cache
def _tagger() -> Any:
    from textblob.taggers import PatternTagger

    tagger = PatternTagger()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it reads its lexicon with the first word, and leaves it open
        tagger.tag("word", tokenize=False)
    return tagger


@functools.cache
def tagger_version() -> str:
    """The tagger with its version: another lexicon gives other tags."""
    return f"textblob-{importlib.metadata.version('textblob')}"


def tags_of(sentences: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The tags of words, numbers and placeholders such as ``[name]``, sentence after sentence.

    Words stand without spaces; of two tags that the lexicon holds for a word the first counts.

    >>> tags_of([["Mary's", "sister", "had", "4", "apples"], ["They", "don't", "count"]])
    ('NNP', 'POS', 'NN', 'VBD', 'CD', 'NNS', 'PRP', 'VBP', 'RB', 'NN')
    """
    split = [[part for word in sentence for part in _parts(word)] for sentence in sentences]
    words = [word for sentence in split for word in sentence]
    if not words:
        return ()
    tagged = _tagger().tag("\n".join(" ".join(sentence) for sentence in split if sentence), tokenize=False)
    return tuple(_tag(word, tag) for word, (_, tag) in zip(words, tagged, strict=True))


def _parts(word: str) -> tuple[str, ...]:
    """A word and what is glued to it, as the Penn Treebank splits them: ``do n't``, ``they 'll``."""
    if len(word) > len(_NEGATION) and word.lower().endswith(_NEGATION):
        return word[: -len(_NEGATION)], word[-len(_NEGATION) :].lower()
    stem, apostrophe, rest = word.partition("'")
    clitic = (apostrophe + rest).lower()
    return (stem, clitic) if stem and clitic in _CLITICS else (word,)


def _tag(word: str, tag: str) -> str:
    """Digits are numbers whatever the lexicon says (it holds words of short messages: ``4`` for ``for``)."""
    if word[0].isdigit():
        return ORDINAL if word[-1].isalpha() else NUMBER
    return NAME if word[0] == "[" else tag.partition("|")[0]
