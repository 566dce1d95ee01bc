"""Questions stored twice: a title repeated as the body's beginning, or a whole text that stands twice."""

import re
from typing import Final

from extractors.text.edits import Edit

_BORDER: Final = re.compile(r"\n|[?!]+[ ]|\.{2,}[ ]?|\.[ ]|…[ ]?")
_MAX_BORDERS: Final = 6
_MAX_TITLE: Final = 300
_SHORTEST: Final = 10


def repeat_edits(text: str) -> list[Edit]:
    """Removes the first copy where the text after a border begins with it again.

    Copies are compared by letters, digits and operators only; the second copy is kept, because a title may be cut.
    """
    kept = [index for index, char in enumerate(text) if char.isalnum() or char in "=+*/^<>-$%"]
    bare = "".join(text[index].casefold()[:1] for index in kept)
    half, odd = divmod(len(bare), 2)
    if not odd and half >= _SHORTEST and bare[:half] == bare[half:] and not text[kept[half - 1] + 1].isalnum():
        return [Edit(0, kept[half], "")]
    position = 0
    for number, border in enumerate(_BORDER.finditer(text, 0, _MAX_TITLE)):
        if number >= _MAX_BORDERS:
            break
        while position < len(kept) and kept[position] < border.start():
            position += 1
        if position >= _SHORTEST and bare.startswith(bare[:position], position):
            return [Edit(0, border.end(), "")]
    return []
