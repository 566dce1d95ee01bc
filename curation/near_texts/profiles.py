"""Normaliser profiles: from a question to the token sequence that lexicon diversity compares.

ASDiv (appendix C) takes out stop words, punctuation, numbers and names and compares lemmas. A figure only means
something together with its profile, so profiles are named and their word lists are files of the package.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from corpus.errors import ConfigError
from curation.near_texts.plain_tokens import AMBIGUOUS_NAMES, GIVEN_NAMES, NUMBER_WORDS, STOP_WORDS
from curation.near_texts.tags import tagger_version, tags_of

NUMBER_MASK = "<number>"
NAME_MASK = "<name>"
MAX_CHARACTERS = 200_000
REMEMBERED = 200_000
"""Words whose token is kept in memory, of each profile at each of two places."""

_TOKEN = re.compile(
    r"[^\W\d_]++(?>(?:'[^\W\d_]++)?)"  # a word: most tokens are one, so it is tried first
    r"|\d[\d.,/:]*+(?>(?:st|nd|rd|th)?)"  # a number
    r"|\[[A-Za-z]{1,20}+\]"  # a placeholder
    r"|[.!?]++"  # the end of a sentence
)
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'"})


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


def _lemma(word: str) -> str:
    import simplemma  # its word lists take a fifth of a second

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
    first, later = _tables(profile)
    tokens: list[str] = []
    table = first
    for raw in _TOKEN.findall(_read(text)):
        token = table[raw]
        table = later
        if token:
            tokens.append(token)
        elif token is None:
            table = first
    return tuple(tokens)


class _Table(dict[str, str | None]):
    """The token of each word, number or placeholder met so far: empty if dropped, None for the end of a sentence."""

    def __init__(self, profile: Profile, *, inside: bool) -> None:
        super().__init__()
        self._profile, self._inside = profile, inside

    def __missing__(self, raw: str) -> str | None:
        if len(self) >= REMEMBERED:
            self.clear()
        self[raw] = found = self._token(raw)
        return found

    def _token(self, raw: str) -> str | None:
        if raw[0] in ".!?":
            return None
        if raw[0] == "[":  # a placeholder such as ``[name]`` that ingestion put in
            return f"<{raw[1:-1].lower()}>"
        if raw[0].isdecimal():
            return NUMBER_MASK if self._profile.mask_numbers else raw.rstrip(".,/:")
        return _word(raw, self._inside, self._profile)


@functools.cache
def _tables(profile: Profile) -> tuple[_Table, _Table]:
    """What words become at the beginning of a sentence and inside one."""
    return _Table(profile, inside=False), _Table(profile, inside=True)


def _read(text: str) -> str:
    text = text[:MAX_CHARACTERS]
    return text if text.isascii() and "`" not in text else text.translate(_APOSTROPHES)


def _stretches(text: str) -> list[list[str]]:
    """The tokens between marks that may end a sentence, as they stand: what the tagger is given at once."""
    stretches: list[list[str]] = [[]]
    for raw in _TOKEN.findall(_read(text)):
        if raw[0] in ".!?":
            stretches.append([])
        else:
            stretches[-1].append(raw)
    return stretches


def _word(raw: str, inside: bool, profile: Profile) -> str:
    word = raw.lower()
    if profile.drop_stop_words and word in STOP_WORDS and not (raw == "Will" and inside and profile.mask_names):
        return ""
    if word.endswith("'s"):
        word, raw = word[:-2], raw[:-2]
    if profile.mask_numbers and word in NUMBER_WORDS:
        return NUMBER_MASK
    if profile.mask_names and (word in GIVEN_NAMES or (inside and raw[0].isupper() and word in AMBIGUOUS_NAMES)):
        return NAME_MASK
    return _lemma(word) if profile.lemmatise else word
