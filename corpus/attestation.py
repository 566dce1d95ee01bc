"""A statement about a version that others can check without wordquarry: in-toto, signed in the form of DSSE.

The statement (https://github.com/in-toto/attestation, v1) names every file by its digest and says how the rows
were made and how many of them are right. The envelope (https://github.com/secure-systems-lab/dsse, v1) holds the
statement with the signature of an Ed25519 key. ``openssl`` and ``sha256sum`` are enough to check both
(docs/security.md).
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from corpus.canonical import digest_of
from corpus.errors import InputError
from corpus.gate_verdicts import GATE
from corpus.manifest import MANIFEST, pretty_json, sha256_bytes
from corpus.open_files import read_file
from corpus.versions import Version

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
