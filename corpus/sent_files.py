"""What a data folder has sent to a place, by path and digest: ``pushes/<digest of place and dataset>.json``.

Others write to a place too. So nothing that lies there says whose it is, neither a name nor a manifest; what was sent
is noted here, before the first byte of it goes.
"""

from collections.abc import Iterable, Iterator

from corpus.canonical import canonical_json, digest_of
from corpus.errors import StoreError
from corpus.files import Folder
from corpus.strict_json import load_json

PUSHES = "pushes"

SentFile = tuple[str, str]
"""The path of a file at a place, and the SHA-256 of its bytes."""


class SentFiles:
    """The files of one dataset that this data folder has sent to one place, which ``address`` names."""

    def __init__(self, data: Folder, dataset: str, address: str) -> None:
        self.folder, self.key = data / PUSHES, digest_of([address, dataset])[:32]
        self._told = {"dataset": dataset, "place": address}

    def files(self) -> set[SentFile]:
        """All that was noted; StoreError where the note is damaged."""
        name = f"{self.key}.json"
        if not self.folder.exists(name):
            return set()
        try:
            return {(str(path), str(digest)) for path, digest in load_json(self.folder.read(name))["files"]}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{self.folder}/{name} is damaged; remove it, and what it noted that lies at {self._told['place']} has "
                "to be moved away by hand"
            ) from error

    def note(self, files: Iterable[SentFile]) -> None:
        """Write down what was sent, or is about to be, in place of what stood there."""
        record = {**self._told, "files": sorted(map(list, files))}
        self.folder.write(f"{self.key}.json", canonical_json(record).encode())


def sent_places(data: Folder) -> Iterator[tuple[str, str, set[SentFile]]]:
    """Every dataset and place that something was sent to, and the files; StoreError where a note is damaged."""
    for name in (data / PUSHES).names():
        if name.endswith(".json"):
            try:
                told = load_json((data / PUSHES).read(name))
                dataset, place = str(told["dataset"]), str(told["place"])
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise StoreError(
                    f"{data}/{PUSHES}/{name} is damaged; remove it, and look by hand at the places that versions were "
                    "pushed to"
                ) from error
            yield dataset, place, SentFiles(data, dataset, place).files()
