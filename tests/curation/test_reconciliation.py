import itertools
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.equivalence.elimination import PresentationKind
from curation.equivalence.reconciliation import classify_template, template_id
from extractors.extraction_errors import ExtractionError, LimitError
from tests.curation.algorithm1 import LinearTemplate, algorithm1, prime_equivalent, renamed_solutions

MIXTURE = ["a * m + b * n = c", "m + n = d"]


@pytest.mark.rows(
    ("first", "second"),
    [
        pytest.param(MIXTURE, ["m + n = a", "b * n + c * m = d"], id="slots and equations in another order"),
        pytest.param(MIXTURE, ["c * x + d * y = a", "y = b - x"], id="unknowns renamed"),
        pytest.param(MIXTURE, ["2 * a * m + 2 * b * n = 2 * c", "d - n = m"], id="rescaled, sides exchanged"),
        pytest.param(MIXTURE, ["(a + 1) * m + (b + 1) * n = c + d", "m + n = d"], id="one row added to the other"),
        pytest.param(["a * m = b"], ["m = b / a"], id="division"),
        pytest.param(["m = a / b + c"], ["b * m - a = c * b"], id="fraction cleared"),
        pytest.param(["0.5 * a = m"], ["a / 2 = m"], id="decimal and fraction"),
        pytest.param(["m - a * n = 0", "m + n = b"], ["n = b - m", "m / n = a"], id="quotient of unknowns"),
        pytest.param(["m = a ^ b"], ["n - b ^ a = 0"], id="slot as exponent"),
        pytest.param(["m ^ 2 = a"], ["a = m * m"], id="quadratic"),
        pytest.param(["m + n = a", "m * n = b"], ["n * (b - n) = a", "m = b - n"], id="sum and product"),
        pytest.param(
            ["b * n + b * m / n = 3", "d * m = a + c"],
            ["d * m = b + c", "3 = e * n + e * m / n"],
            id="a value beside a root, met before or after it",
        ),
        pytest.param(
            ["b * m / n + o = 0", "(a + c) * m / n = e", "a * b * m = 3"],
            ["b * e * m = 3", "(b + d) * m / n = a", "e * m / n + o = 0"],
            id="a product of unknowns, one of them known",
        ),
        pytest.param(["m + n = a"], ["2 * n = 2 * a - 2 * m"], id="fewer equations than unknowns"),
        pytest.param(["m + n = a", "n + o = b"], ["m - o = a - b", "o + n = b"], id="row operation, underdetermined"),
    ],
)
def test_equivalent_templates_share_a_key(first, second):
    assert template_id(first) == template_id(second)
    assert template_id(first, "multiset") == template_id(second, "multiset")


@pytest.mark.rows(
    ("first", "second"),
    [
        pytest.param(["a * m = b"], ["m = a * b"], id="quotient and product"),
        pytest.param(["m = a - b"], ["m = a + b"], id="sign"),
        pytest.param(["m = 0.01 * a"], ["m = 0.1 * a"], id="constants are exact"),
        pytest.param(["m = a * b + c"], ["m = a * b + a"], id="one number twice is not two numbers"),
        pytest.param(["m = a + b - b"], ["m = a"], id="slots count before they cancel"),
        pytest.param(MIXTURE, ["a * m + b * (d - m) = c"], id="one-unknown rewriting of a system"),
        pytest.param(["m = a ^ b"], ["m = a * b"], id="power and product"),
        pytest.param(["m ^ 2 = a"], ["m ^ 3 = a"], id="degree"),
        pytest.param(["m = max(a, b)"], ["m = min(a, b)"], id="functions"),
        pytest.param(["m + n = a"], ["m - n = a"], id="underdetermined, sign"),
    ],
)
def test_templates_that_differ_have_other_keys(first, second):
    assert template_id(first) != template_id(second)


def test_set_semantics_ignores_repeated_values_and_multiset_counts_them():
    once, twice = ["m = a"], ["m = a", "n = a"]
    assert template_id(once) == template_id(twice)
    assert template_id(once, "multiset") != template_id(twice, "multiset")


@pytest.mark.rows(
    ("template", "kind"),
    [
        (MIXTURE, PresentationKind.EXPLICIT),
        (["m + n = a"], PresentationKind.UNDERDETERMINED),
        (["m * m + m = a"], PresentationKind.ALGEBRAIC),
        (["m = a", "m = b"], PresentationKind.EQUATIONS),
        (["2 ^ m = a"], PresentationKind.EQUATIONS),
    ],
)
def test_the_kind_says_what_the_key_guarantees(template, kind):
    assert classify_template(template).kind is kind


def test_keys_are_pinned_over_versions():
    assert template_id(MIXTURE) == "t1-ce529e62bbccc37854c6601b"
    assert template_id(["m = a ^ b"]) == "t1-c39792b1d828e8ce670e12e4"


@pytest.mark.rows(
    ("template", "error"),
    [
        ([], ExtractionError),
        (["a + = m"], ExtractionError),
        (["m > a"], ExtractionError),
        (["m = a / 0"], ExtractionError),
        (["m = a / (b - b)"], ExtractionError),
        (["m = " + " + ".join(f"a{i}" for i in range(40))], LimitError),
        (["m = (a + b) ^ 1000"], LimitError),
    ],
)
def test_bad_templates_are_named(template, error):
    with pytest.raises(error, match=r"\w+"):
        template_id(template)


def test_interchangeable_slots_are_no_trouble():
    many = ["m = " + " + ".join("abcdefghijkl")]
    assert template_id(many) == template_id(["m = " + " + ".join(reversed("abcdefghijkl"))])
    pairs = ["m = a * b + c * d + e * f + g * h + i * j + k * l"]
    assert template_id(pairs) == template_id(["m = a * l + b * k + c * j + d * i + e * h + f * g"])
    assert template_id(pairs) != template_id(["m = a * b + b * d + e * f + g * h + i * j + k * l"])


COEFFICIENTS = st.sampled_from(["a", "b", "c", "d", "e", "f", "1", "2", "0.01", "0", "(a + b)", "a * c"])


@st.composite
def systems(draw):
    """Two equations in two unknowns, as texts of coefficients: left m, left n, right."""
    return [[draw(COEFFICIENTS) for _ in range(3)] for _ in range(2)]


def _written(rows):
    return [f"({p}) * m + ({q}) * n = {r}" for p, q, r in rows]


@given(systems(), st.permutations("abcdef"), st.integers(-3, 3), st.sampled_from(["2", "a", "(1 - b)"]), st.booleans())
@settings(max_examples=150, deadline=None)
def test_renaming_reordering_rescaling_and_row_operations_never_change_a_key(rows, letters, add, factor, flip):
    original = classify_template(_written(rows))
    (p, q, r), (s, t, u) = rows
    changed = [[p, q, r], [f"({s}) + {add} * ({p})", f"({t}) + {add} * ({q})", f"({u}) + {add} * ({r})"]]
    if original.kind is not PresentationKind.EXPLICIT:
        # Row operations and factors made of slots are only undone where the system is consistent for all slots.
        changed, factor = [[p, q, r], [s, t, u]], "2"
    changed[0] = [f"({factor}) * ({part})" for part in changed[0]]
    texts = _written(reversed(changed) if flip else changed)
    table = str.maketrans("abcdef" + "mn", "".join(letters) + ("nm" if flip else "mn"))
    if all(name in "".join(_written(rows)) for name in "ab" if name in factor):
        assert classify_template([text.translate(table) for text in texts]).template_id == original.template_id


@given(systems(), systems())
@settings(max_examples=150, deadline=None)
def test_keys_agree_with_the_prime_field(first, second):
    left, right = _written(first), _written(second)
    if classify_template(left).kind is classify_template(right).kind is PresentationKind.EXPLICIT:
        sides = LinearTemplate(left), LinearTemplate(right)
        assert (template_id(left) == template_id(right)) is prime_equivalent(*sides)


def _templates(path):
    with path.open(encoding="utf-8-sig") as file:
        return sorted({tuple(record["Template"]) for record in json.load(file)})


@pytest.mark.shared
def test_all_released_pairs_agree_with_algorithm_1(shared_data):
    by_slots = {}
    for name in ("draw/draw.json", "alg514/kushman.json"):
        for template in _templates(shared_data / name):
            found = LinearTemplate(template)
            by_slots.setdefault(len(found.slots), []).append((template_id(template), renamed_solutions(found)))
            if len(found.slots) > 5:
                by_slots[len(found.slots)].pop()
    pairs = equal = 0
    for members in by_slots.values():
        for (left_key, left), (right_key, right) in itertools.combinations(members, 2):
            pairs += 1
            equal += left_key == right_key
            if left.shape[-1] == right.shape[-1] or left_key == right_key:
                assert (left_key == right_key) is algorithm1(left, right)
    assert pairs > 3000
    assert equal >= 20


@pytest.mark.shared
@pytest.mark.rows(
    ("name", "lists", "classes", "as_multiset"),
    [("draw/draw.json", 199, 194, 196), ("alg514/kushman.json", 25, 24, 24)],
)
def test_released_templates_fall_into_known_classes(shared_data, name, lists, classes, as_multiset):
    templates = _templates(shared_data / name)
    assert len(templates) == lists
    assert len({template_id(template) for template in templates}) == classes
    assert len({template_id(template, "multiset") for template in templates}) == as_multiset


@pytest.mark.shared
def test_rewritten_released_templates_keep_their_keys(shared_data):
    chooser = random.Random(5)
    for template in _templates(shared_data / "draw/draw.json"):
        letters = list("abcdefghijkl")
        chooser.shuffle(letters)
        table = str.maketrans("abcdefghijkl" + "mn", "".join(letters) + "nm")
        rewritten = [f"3 * ({side}) = 3 * ({other})" for other, side in (text.split("=") for text in template)]
        assert template_id([text.translate(table) for text in reversed(rewritten)]) == template_id(template)
