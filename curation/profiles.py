"""Normaliser profiles: from a question to the token sequence that lexicon diversity compares.

ASDiv (appendix C) takes out stop words, punctuation, numbers and names and compares lemmas. A figure only means
something together with its profile, so profiles are named and their word lists are fixed in code.
"""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import simplemma

from corpus.errors import ConfigError
from curation.plain_tokens import AMBIGUOUS_NAMES, GIVEN_NAMES, NUMBER_WORDS, STOP_WORDS
from curation.tags import tagger_version, tags_of

NUMBER_MASK = "<number>"
NAME_MASK = "<name>"
MAX_CHARACTERS = 200_000

_TOKEN = re.compile(
    r"(?P<mask>\[[A-Za-z]{1,20}+\])"
    r"|(?P<number>\d[\d.,/:]*+(?:st|nd|rd|th)?+)"
    r"|(?P<word>[^\W\d_]++(?:'[^\W\d_]++)?+)"
    r"|(?P<end>[.!?]++)"
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})
_POSSESSIVE = "'s"


@dataclass(frozen=True)
class Profile:
    """Which words count as equal: ``signature`` names the profile and all that it does.

    With ``tags`` words are replaced by their part of speech, and the other flags say nothing.
    """

    name: str
    drop_stop_words: bool = True
    mask_numbers: bool = True
    mask_names: bool = True
    lemmatise: bool = True
    tags: bool = False
    version: int = 1

    @property
    def signature(self) -> str:
        """Short text to print beside every figure made with this profile.

        >>> PROFILES["default"].signature
        'default:1|stop:1|numbers:1|names:1|lemma:1'
        """
        if self.tags:
            return f"{self.name}:{self.version}|{tagger_version()}"
        flags = (self.drop_stop_words, self.mask_numbers, self.mask_names, self.lemmatise)
        parts = [f"{label}:{flag:d}" for label, flag in zip(("stop", "numbers", "names", "lemma"), flags, strict=True)]
        return "|".join([f"{self.name}:{self.version}", *parts])


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "default": Profile("default"),
        "surface": Profile("surface", drop_stop_words=False, mask_numbers=False, mask_names=False, lemmatise=False),
        "tags": Profile("tags", tags=True),
    }
)


def profile_named(name: str) -> Profile:
    """The profile of that name; ConfigError names the known ones."""
    if name not in PROFILES:
        raise ConfigError(f"unknown normaliser profile {name!r}; there are: {', '.join(sorted(PROFILES))}")
    return PROFILES[name]


@functools.lru_cache(maxsize=200_000)
def _lemma(word: str) -> str:
    return str(simplemma.lemmatize(word, lang="en")).lower()


def normalise(text: str, profile: Profile = PROFILES["default"]) -> tuple[str, ...]:
    """The tokens of a text under a profile; characters beyond MAX_CHARACTERS are not read.

    >>> normalise("Mary had 12 apples. Her friends ate two of Mary's apples!")
    ('<name>', '<number>', 'apple', 'friend', 'eat', '<number>', '<name>', 'apple')
    >>> normalise("[name] and Mark mark the board.")
    ('<name>', '<name>', 'mark', 'board')
    >>> normalise("Mary had 12 apples.", PROFILES["tags"])
    ('NNP', 'VBD', 'CD', 'NNS')
    """
    if profile.tags:
        return tags_of(_stretches(text))
    tokens: list[str] = []
    inside = False
    for match in _tokens(text):
        kind, raw = match.lastgroup, match.group()
        if kind == "end":
            inside = False
            continue
        token = _word(raw, inside, profile) if kind == "word" else _marked(raw, kind == "number", profile)
        inside = True
        if token:
            tokens.append(token)
    return tuple(tokens)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(text[:MAX_CHARACTERS].translate(_APOSTROPHES))


def _stretches(text: str) -> list[list[str]]:
    """The tokens between marks that may end a sentence, as they stand: what the tagger is given at once."""
    stretches: list[list[str]] = [[]]
    for match in _tokens(text):
        if match.lastgroup == "end":
            stretches.append([])
        else:
            stretches[-1].append(match.group())
    return stretches


def _marked(raw: str, is_number: bool, profile: Profile) -> str:
    """A number in digits, or a placeholder such as ``[name]`` that ingestion put in."""
    if is_number:
        return NUMBER_MASK if profile.mask_numbers else raw.rstrip(".,/:")
    return f"<{raw[1:-1].lower()}>"


def _word(raw: str, inside: bool, profile: Profile) -> str:
    word = raw.lower()
    if profile.drop_stop_words and word in STOP_WORDS and not (raw == "Will" and inside and profile.mask_names):
        return ""
    if word.endswith(_POSSESSIVE):
        word, raw = word[:-2], raw[:-2]
    if profile.mask_numbers and word in NUMBER_WORDS:
        return NUMBER_MASK
    if profile.mask_names and (word in GIVEN_NAMES or (inside and raw[0].isupper() and word in AMBIGUOUS_NAMES)):
        return NAME_MASK
    return _lemma(word) if profile.lemmatise else word
