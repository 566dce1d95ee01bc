"""Words of which some stand wherever a finder can find anything, all looked for in one scan of a text (Aho-Corasick).

A finder asks here first: looking for each of hundreds of words alone costs more than all the rest of the scrubbing.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final

from ahocorasick import Automaton

from extractors.text.wordlists import phrases, read_list


class Lookout:
    """Which groups of words stand in a text, on their own or in other words.

    >>> sorted(Lookout({"shapes": ("circle", "arc"), "curves": ("arc",)}).seen_in("the arch"))
    ['curves', 'shapes']
    """

    def __init__(self, groups: Mapping[str, Iterable[str]]) -> None:
        self._automaton = Automaton()
        for name, words in groups.items():
            for word in words:
                self._automaton.add_word(word, frozenset((name,)) | self._automaton.get(word, frozenset()))
        self._automaton.make_automaton()

    def seen_in(self, text: str) -> AbstractSet[str]:
        """The names of the groups."""
        return frozenset[str]().union(*[names for _, names in self._automaton.iter(text)])


_CUES: Final = Lookout(
    {
        "handles": phrases(read_list("extractors/handle_cues")),
        "numbers": phrases(read_list("extractors/personal_number_cues")),
        "mails": ("gmail", "mail", "yahoo", "outlook", "aol", "gmx", "icloud"),
        "at": ("at",),
        "at alone": (" at ",),
        "bracketed at": ("(at", "[at", "{at", "(arroba", "[arroba"),
        "dot": ("dot",),
        "digits": ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
        "calls": phrases("call\ntext\nreach\nnumber\nphone\ncell\nmobile\nwhats\nring\ndial\ncontact"),
        "said": ("name", "nombre", "llamo", "ich ", "appelle", "chiamo", "nome", "heter", "imię"),
        "called": ("call", "name", "go by"),
        "i am": ("i am", "'m ", "’m ", "im ", "self "),
        "listed": ("i am ", "i'm ", "i’m ", "im ", "this is ", "it's ", "its ", "it’s "),
        "this is": ("this is", "it's ", "its ", "it’s "),
        "here": (" here",),
        "field": phrases("name:\nname :\nname=\nname =\nstudent:\nstudent :\nsubmitted by\nauthor"),
        "by-line": tuple(
            f"{done} by" for done in ("posted", "written", "submitted", "answered", "solved", "asked", "tion", "answer")
        ),
        "reported": (" says ", " thinks ", " claims ", " insists ", " told "),
        "closed": phrases(read_list("extractors/closing_cues")),
    }
)


@lru_cache(maxsize=1)
def cues_in(text: str) -> AbstractSet[str]:
    """The groups of cues in a text, whatever their case; each finder asks again about the same text.

    >>> sorted(cues_in("Call 555-1234 or mail us"))
    ['called', 'calls', 'mails']
    """
    return _CUES.seen_in(f" {text.lower()}")
