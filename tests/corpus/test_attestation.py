"""The statement about a version: true of its files, and checked by programs that know nothing of wordquarry."""

import base64
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import ConfigError, InputError, VersionError
from corpus.versioning.manifest import sha256_bytes
from corpus.versioning.verification import envelope, read_signing_key, signed_bytes, statement
from flows.command_line.look_commands import verify
from tests.worlds import build_world

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the program openssl")


def openssl(*words: object) -> subprocess.CompletedProcess[str]:
    """What openssl says."""
    return subprocess.run(["openssl", *map(str, words)], capture_output=True, text=True, check=False)


@needs_openssl
def test_openssl_and_sha256_check_a_version(tmp_path: Path) -> None:
    _, version = build_world(tmp_path / "data")
    private, public = tmp_path / "key.pem", tmp_path / "key.pub"
    openssl("genpkey", "-algorithm", "ed25519", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    said = json.loads(envelope(statement(version, {"agree": 10}), read_signing_key(private)))
    (signature,) = said["signatures"]
    payload = base64.b64decode(said["payload"])
    (tmp_path / "signature").write_bytes(base64.b64decode(signature["sig"]))

    def verified(content: bytes) -> bool:
        (tmp_path / "signed").write_bytes(content)
        check = ("pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", tmp_path / "signed")
        return openssl(*check, "-sigfile", tmp_path / "signature").returncode == 0

    assert verified(b"DSSEv1 28 application/vnd.in-toto+json %d " % len(payload) + payload)
    assert not verified(signed_bytes(payload.replace(b'"rows": 10', b'"rows": 11')))
    told = json.loads(payload)
    assert told["_type"] == "https://in-toto.io/Statement/v1"
    names = {one["name"] for one in told["subject"]}
    assert {"README.md", "manifest.json", "data/train-00000-of-00001.parquet"} <= names
    for one in told["subject"]:
        assert one["digest"]["sha256"] == sha256_bytes(Path(str(version.folder), one["name"]).read_bytes())
    assert (told["predicate"]["rows"], told["predicate"]["second_solver"]) == (10, {"agree": 10})
    assert told["predicate"]["licenses"] == ["CC-BY-4.0"]


def test_the_statement_says_what_people_judged(tmp_path: Path) -> None:
    _, version = build_world(tmp_path)
    share = {"value": 0.9, "low": 0.7, "high": 0.97, "n": 20}
    judged = [{"stage": "answers", "sheet_id": "s1", "precision": share}, {"stage": "in_scope", "contradicted": 1}]
    gate = {"stage": "answers", "kind": "gate", "verdict": "more", "precision": {"n": 20, "low": 0.7}}
    said = json.loads(statement(replace(version, manifest={**version.manifest, "audits": [*judged, gate]}), {}))
    assert said["predicate"]["precision"] == [
        {"stage": "answers", **share},
        {"stage": "answers", "n": 20, "low": 0.7, "verdict": "more"},
    ]


@needs_openssl
def test_a_key_that_does_not_fit_ends_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    openssl("genpkey", "-algorithm", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", path)
    with pytest.raises(InputError, match="holds a key of another kind; make one: openssl genpkey"):
        read_signing_key(path)
    path.write_text("no key")
    with pytest.raises(InputError, match=r"key\.pem holds no key that can be read .*; make one"):
        read_signing_key(path)


def test_a_key_without_a_place_for_the_statement_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--key signs a statement; say with --attest FILE where it goes"):
        verify("quarry", key=tmp_path / "key.pem", data=str(tmp_path))


def test_nothing_is_stated_of_a_version_that_is_damaged(tmp_path: Path) -> None:
    _, version = build_world(tmp_path)
    Path(str(version.folder), "README.md").write_text("another card")
    with pytest.raises(VersionError, match=r"README\.md is not the file that was published"):
        statement(version, {})
