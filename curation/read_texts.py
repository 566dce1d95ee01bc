"""Token sequences of many texts, each kept once; a text that an earlier run saw is not read again.

What is left for the next run says by the SHA-256 of a text which tokens it has. It holds as long as texts are read in
the same way: whoever keeps it has to see to that.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pyarrow as pa

from corpus.canonical import sha256_text
from corpus.record_tables import whole_column
from curation.ngrams import DistinctTexts

DIGEST, TOKENS = "text_sha256", "tokens"
SCHEMA = pa.schema([(DIGEST, pa.string()), (TOKENS, pa.list_(pa.dictionary(pa.int32(), pa.string())))])


class ReadTexts:
    """Texts as they are added, with the SHA-256 of each: ``distinct`` are the token sequences, ``places`` says which
    one each text has."""

    def __init__(self, read: Callable[[str], Iterable[str]], known: pa.Table | None = None) -> None:
        """``read`` gives the tokens of a text; ``known`` has the columns of SCHEMA, of texts that were read so."""
        self.distinct, self.places, self.digests = DistinctTexts(), list[int](), list[str]()
        self._read, self._known = read, dict[str, bytes]()
        if known is not None:
            self._know(whole_column(known, DIGEST), whole_column(known, TOKENS))

    def _know(self, digests: pa.StringArray, tokens: pa.ListArray) -> None:
        self.distinct = DistinctTexts(tokens.values.dictionary.to_pylist())
        numbers, size = tokens.values.indices.to_numpy().tobytes(), array("i").itemsize
        bounds = (tokens.offsets.to_numpy().astype(np.int64) * size).tolist()
        for digest, start, end in zip(digests.to_pylist(), bounds[:-1], bounds[1:], strict=True):
            self._known[digest] = numbers[start:end]

    def add(self, text: str, digest: str = "") -> int:
        """The place of the tokens of a text among the distinct sequences; its digest, where it is known already."""
        digest = digest or sha256_text(text)
        numbers = self._known.get(digest)
        place = self.distinct.add(self._read(text)) if numbers is None else self.distinct.add_numbers(numbers)
        self.places.append(place)
        self.digests.append(digest)
        return place

    def table(self) -> pa.Table:
        """What a next run may know: the rows of SCHEMA, one for each text that was added, in that order."""
        return pa.table([pa.array(self.digests, pa.string()), self._tokens(self.places)], schema=SCHEMA)

    def _tokens(self, places: Sequence[int]) -> pa.ListArray:
        """Token sequences over the words that occur in them, in alphabetical order."""
        numbers, offsets = self.distinct.arrays(places)
        words = self.distinct.vocabulary()
        used = np.flatnonzero(np.bincount(numbers, minlength=len(words))).tolist()
        ranks = np.zeros(len(words), np.int32)
        used.sort(key=words.__getitem__)
        ranks[used] = np.arange(len(used), dtype=np.int32)
        values = pa.DictionaryArray.from_arrays(
            pa.array(ranks[numbers]), pa.array([words[number] for number in used], pa.string())
        )
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)
