"""Word lists: the one loader of list files, and the shapes a list is written in.

A long list is a file, ``PACKAGE/wordlists/NAME.txt``, that travels in the wheel: a header of lines with ``#`` that say
what the list is, an empty line, and the list. Short ones stand in the code as running text. A list is read when its
module is imported. ``corpus.code`` finds the files that a module reads by its calls of ``read_list``, so that a changed
list changes the digests of the stages that use it. Therefore the name is always written out in the call.
"""

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def list_file(name: str, root: Path = ROOT) -> Path:
    """The file of a list, which is named by package and list; packages lie in ``root``.

    >>> list_file("extractors/tens").relative_to(ROOT).as_posix()
    'extractors/wordlists/tens.txt'
    """
    package, _, title = name.partition("/")
    return root / package / "wordlists" / f"{title}.txt"


def read_list(name: str, root: Path = ROOT) -> str:
    """The text of a list file behind its header. Raises OSError where there is no file, ValueError for no list in it.

    >>> words(read_list("extractors/number_units"))[:4]
    ('zero', 'one', 'two', 'three')
    """
    path = list_file(name, root)
    text = path.read_text(encoding="utf-8").partition("\n\n")[2]
    if not text.strip():
        raise ValueError(f"{path} holds no list; write one below a header and an empty line")
    return text


def words(text: str) -> tuple[str, ...]:
    """The blank-separated words of a text.

    >>> words("odd even")
    ('odd', 'even')
    """
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The lines of a text, each a phrase in which ``_`` stands for a blank at an edge.

    >>> phrases("screen name\\n_ig:\\n")
    ('screen name', ' ig:')
    """
    return tuple(line.replace("_", " ") for line in text.splitlines())


def valued(text: str) -> dict[str, int]:
    """Words, each with the number behind it.

    >>> valued("twenty 20 thirty 30")
    {'twenty': 20, 'thirty': 30}
    """
    found = text.split()
    return dict(zip(found[::2], map(int, found[1::2]), strict=True))


def spellings(text: str) -> dict[str, str]:
    """Spellings, each with the name at the beginning of its line.

    >>> spellings("foot: foot feet ft\\ninch: inch inches")
    {'foot': 'foot', 'feet': 'foot', 'ft': 'foot', 'inch': 'inch', 'inches': 'inch'}
    """
    lines = (line.partition(":") for line in text.splitlines())
    return {spelling: name for name, _, spelled in lines for spelling in spelled.split()}


def folded(text: str) -> str:
    """A text in which every word stands in lower case that ``re.I`` finds in it, Turkish i and long s among them.

    >>> folded("ſhow the Dıagram"), "show" in folded("SHOW")
    ('show the diagram', True)
    """
    return text.replace("ı", "i").replace("İ", "i").casefold()


def holds_any(text: str, words: Iterable[str]) -> bool:
    """Whether one of some words stands in a text, on its own or in another word.

    >>> holds_any("the second diagram", ("figure", "diagram")), holds_any("", ("a",))
    (True, False)
    """
    return any(map(text.__contains__, words))
