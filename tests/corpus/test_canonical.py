"""Canonical JSON and digests: equal content, equal bytes; anything else, other bytes."""

import json
import os
import subprocess
import sys
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.canonical import add_digests, bucket_of, canonical_json, content_digest, digest_of, rows_digest, with_digest
from corpus.code import ROOT
from tests.corpus.samples import post

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(value=PLAIN)
def test_canonical_json_is_json_that_can_always_be_encoded(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text.encode()) == value
    assert "\n" not in text


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical_json({"b": 1, "a": {"d": 2, "c": "é"}}) == '{"a":{"c":"é","d":2},"b":1}'
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})


def test_half_characters_are_escaped_and_whole_ones_are_not() -> None:
    assert canonical_json("é \ud83d 😀 \udfff") == '"é \\ud83d 😀 \\udfff"'


@pytest.mark.rows("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_numbers_that_json_lacks_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        canonical_json(value)


def test_the_content_of_a_post_is_all_but_when_it_was_fetched() -> None:
    first = post("1", "A", 1)
    assert content_digest(first) == content_digest(with_digest(post("1", "A", 9)))
    for change in ({"question": "B"}, {"license": "MIT"}, {"tags": ()}, {"answers": ()}, {"post_id": "forum:2"}):
        assert content_digest(first.model_copy(update=change)) != content_digest(first)


def test_golden_digests() -> None:
    # printf '{"a":1}' | sha256sum, and printf '{"a":1}\n' would be another
    assert digest_of({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert rows_digest([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert rows_digest([post("1"), post("2")]) != rows_digest([post("2"), post("1")])


def test_digests_add_up_in_any_order() -> None:
    parts = ["f" * 64, "0" * 63 + "2", "0" * 63 + "5"]
    assert add_digests(parts) == add_digests(reversed(parts)) == "0" * 63 + "6"


def test_buckets_are_stable_across_processes_and_fill_evenly() -> None:
    buckets = [bucket_of(f"forum:{number}", 8) for number in range(800)]
    assert buckets[:8] == [bucket_of(f"forum:{number}", 8) for number in range(8)]
    assert all(70 <= buckets.count(bucket) <= 130 for bucket in range(8))
    code = "from corpus.canonical import bucket_of; print([bucket_of(f'forum:{n}', 8) for n in range(800)])"
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert json.loads(done.stdout) == buckets


def test_buckets_nest_and_follow_the_digest() -> None:
    names = sorted((f"forum:{number}" for number in range(300)), key=lambda name: sha256(name.encode()).hexdigest())
    for buckets in (1, 2, 8, 512):
        found = [bucket_of(name, buckets) for name in names]
        assert found == sorted(found), "buckets in order hold digests in order"
        assert found == [bucket_of(name, 2 * buckets) // 2 for name in names]
