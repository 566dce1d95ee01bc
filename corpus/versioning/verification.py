"""What ``verify`` says of a version: where its spans lead, and a statement that others can check without wordquarry.

Every span has to lead to the characters that it names, inside the version itself: the posted question of a problem must
become its question by its cleaning steps, numbers and alignment must stand in the question, and votes and spans must
name an answer of ``answers.parquet`` and the characters there.

The statement (https://github.com/in-toto/attestation, v1) names every file by its digest and says how the rows
were made and how many of them are right. The envelope (https://github.com/secure-systems-lab/dsse, v1) holds the
statement with the signature of an Ed25519 key. ``openssl`` and ``sha256sum`` are enough to check both
(docs/security.md).
"""

import base64
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from corpus.canonical import digest_of
from corpus.errors import InputError
from corpus.folders.files import Folder
from corpus.folders.open_files import read_file
from corpus.record_tables import as_digest, digest_sum, plain_rows
from corpus.records import Problem
from corpus.schema import read_table
from corpus.versioning.gate_verdicts import GATE
from corpus.versioning.manifest import MANIFEST, pretty_json, sha256_bytes
from corpus.versioning.manifest_record import Manifest
from corpus.versioning.version_tables import ANSWERS, BESIDE, DATA, FULL, POSTS, training_table
from corpus.versioning.versions import Version
from extractors.extraction_errors import ExtractionError
from extractors.text.edits import Edit, apply_edits

_SPANS = ("answer_spans", "equation_spans")
_COLUMNS = ("problem_id", "question", "cleaning_steps", "numbers", "alignment", "votes", *_SPANS)

PlainProblem = Mapping[str, Any]


def lost_spans(place: Folder, manifest: Manifest) -> Iterator[str]:
    """What leads nowhere in a version, or is not what its id stands for, one line each; nothing if all is well.

    The files were checked against the manifest before. Rows of the default configuration have to be what the whole rows
    say, and these those of the digest that is part of the id.
    """
    files, digests = manifest["files"], 0
    missing = [path for path in BESIDE if path not in files]
    if missing:
        yield f"it has no {missing[0]}"
        return
    posts = dict(zip(*_columns(place, POSTS, "problem_id", "question"), strict=True))
    names = zip(*_columns(place, ANSWERS, "problem_id", "answer_id"), strict=True)
    answers = dict(zip(names, *_columns(place, ANSWERS, "text"), strict=True))
    for path in sorted(path for path in files if path.startswith(f"{FULL}/")):
        whole = read_table(place.read(path))
        digests += digest_sum(plain_rows(whole, Problem))
        for row in whole.select(_COLUMNS).to_pylist():
            for lost in _lost(row, posts, answers):
                yield f"problem {row['problem_id']}: {lost}"
        small = path.replace(FULL, DATA, 1)
        if small not in files or not read_table(place.read(small)).equals(training_table(whole)):
            yield f"{small} does not hold what {path} says"
    if as_digest(digests) != manifest["rows_sha256"]:
        yield f"the rows of {FULL}/ are not those of its id"


def _columns(place: Folder, path: str, *names: str) -> list[list[Any]]:
    table = read_table(place.read(path), names)
    return [table[name].to_pylist() for name in names]


def _lost(row: PlainProblem, posts: Mapping[str, str], answers: Mapping[tuple[str, str], str]) -> Iterator[str]:
    problem = row["problem_id"]
    if problem not in posts:
        yield f"{POSTS} has no question of it"
    elif _replayed(posts[problem], row["cleaning_steps"]) != row["question"]:
        yield f"its cleaning steps do not make its question of the one in {POSTS}"
    yield from _lost_numbers(row)
    for answer_id in row["votes"]:
        if (problem, answer_id) not in answers:
            yield f"{ANSWERS} has no answer {answer_id}, which voted"
    for span in (span for name in _SPANS for span in row[name]):
        if not _stands(span, answers.get((problem, span["answer_id"]), "")):
            yield f"{span['raw']!r} does not stand at {_place(span)} of answer {span['answer_id']} in {ANSWERS}"


def _lost_numbers(row: PlainProblem) -> Iterator[str]:
    """Numbers and slots that do not stand in the question."""
    for number in row["numbers"]:
        if not _stands(number, row["question"]):
            yield f"number {number['raw']!r} does not stand at {_place(number)} of its question"
    numbers = {(number["start"], number["end"]) for number in row["numbers"]}
    for one in row["alignment"]:
        if (one["start"], one["end"]) not in numbers:
            yield f"slot {one['slot']} is aligned to {_place(one)} of its question, where no number stands"


def _replayed(text: str, steps: Sequence[PlainProblem]) -> str | None:
    """The text after its cleaning steps; None where one does not fit."""
    with contextlib.suppress(ExtractionError):
        for step in steps:
            text = apply_edits(text, [Edit(edit["start"], edit["end"], edit["replacement"]) for edit in step["edits"]])
        return text
    return None


def _stands(span: PlainProblem, text: str) -> bool:
    start, end, raw = span["start"], span["end"], str(span["raw"])
    return 0 <= start < end and text[start:end] == raw


def _place(span: PlainProblem) -> str:
    return f"{span['start']} to {span['end']}"


STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://wordquarry.example/attestation/v1"
PAYLOAD: Final = "application/vnd.in-toto+json"


def statement(version: Version, solved: Mapping[str, int]) -> bytes:
    """The statement about a version, of which every file is held against the manifest first.

    ``solved`` counts what a second solver says of the published systems. VersionError where a file is not as published.
    """
    version.check()
    manifest = version.manifest
    files = {path: facts["sha256"] for path, facts in manifest["files"].items()}
    files[MANIFEST] = sha256_bytes(version.folder.read(MANIFEST))
    said = {
        "_type": STATEMENT,
        "subject": [{"name": path, "digest": {"sha256": files[path]}} for path in sorted(files)],
        "predicateType": PREDICATE,
        "predicate": {
            "dataset": version.name,
            "version": version.version_id,
            "rows": manifest["rows"],
            "rows_sha256": manifest["rows_sha256"],
            "licenses": manifest["licenses"],
            "promise": manifest.get("promise"),
            "precision": [
                {"stage": one["stage"], **one["precision"], **({"verdict": one["verdict"]} if "verdict" in one else {})}
                for one in manifest["audits"]
                if one.get("kind") == GATE or one.get("precision")
            ],
            "second_solver": dict(solved),
            "stages": [
                {"stage": one["stage"], "code": one["code"], "model": one["model"], "config": digest_of(one["config"])}
                for one in manifest["stages"]
            ],
        },
    }
    return pretty_json(said)


def read_signing_key(path: Path) -> Ed25519PrivateKey:
    """The Ed25519 key of a PEM file; InputError for any other file."""
    try:
        key = load_pem_private_key(read_file(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InputError(f"{path} holds no key that can be read ({error}); {_ADVICE}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{path} holds a key of another kind; {_ADVICE}")
    return key


_ADVICE = "make one: openssl genpkey -algorithm ed25519 -out key.pem"


def signed_bytes(payload: bytes) -> bytes:
    """What a signature is of: the type and the statement, each with its length (DSSE, pre-authentication encoding)."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)


def envelope(payload: bytes, key: Ed25519PrivateKey) -> bytes:
    """The statement in a DSSE envelope with one signature; the key is named by the SHA-256 of its public part."""
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    signature = {"keyid": sha256_bytes(public), "sig": _encoded(key.sign(signed_bytes(payload)))}
    return pretty_json({"payloadType": PAYLOAD, "payload": _encoded(payload), "signatures": [signature]})


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()
