import json

import pytest

from corpus.errors import InputError
from evaluation.solvers.derivation_equivalence import Derivation, NumberClasses, equivalent_derivations
from extractors.extraction_errors import ExtractionError
from tests.tiers import in_turn

GOLD = Derivation(("a * m + b * n = c", "m + n = d"), {"a": 0, "b": 1, "c": 2, "d": 3})


@pytest.mark.rows(
    ("predicted", "groups", "equivalent"),
    [
        pytest.param(GOLD, [], True, id="itself"),
        pytest.param(
            Derivation(("x = a - y", "2 * b * x + 2 * y * c = 2 * d"), {"a": 3, "b": 0, "c": 1, "d": 2}),
            [],
            True,
            id="rewritten and renamed",
        ),
        pytest.param(
            Derivation(GOLD.template, {"a": 1, "b": 0, "c": 2, "d": 3}), [], True, id="symmetric slots swapped"
        ),
        pytest.param(Derivation(GOLD.template, {"a": 0, "b": 1, "c": 3, "d": 2}), [], False, id="other slots swapped"),
        pytest.param(Derivation(GOLD.template, {"a": 0, "b": 1, "c": 2, "d": 4}), [], False, id="another token"),
        pytest.param(Derivation(GOLD.template, {"a": 0, "b": 1, "c": 2, "d": 4}), [[3, 4]], True, id="Equiv token"),
        pytest.param(
            Derivation(GOLD.template, {"a": 0, "b": 1, "c": 2, "d": 5}),
            [[3, 4], [4, 5]],
            True,
            id="Equiv is transitive",
        ),
        pytest.param(Derivation(("a * m = b",), {"a": 0, "b": 1}), [], False, id="another number of slots"),
        pytest.param(
            Derivation(("a * m + b * n = c", "m - n = d"), dict(GOLD.alignment)), [], False, id="another template"
        ),
    ],
)
def test_equivalent_derivations(predicted, groups, equivalent):
    found, reason = equivalent_derivations(predicted, GOLD, groups)
    assert found is equivalent
    assert (reason == "equivalent") is equivalent
    assert equivalent_derivations(GOLD, predicted, groups)[0] is equivalent


def test_numbers_may_be_any_plain_value():
    left = Derivation(("m = a",), {"a": [0, 4]})
    right = Derivation(("m = a",), {"a": [1, 2]})
    assert not equivalent_derivations(left, right)[0]
    assert equivalent_derivations(left, right, [[[0, 4], [1, 2]]])[0]


def test_classes_do_not_depend_on_the_order_of_groups():
    groups = [[1, 2], [3, 4], [2, 3]]
    for order in (groups, groups[::-1]):
        assert len({NumberClasses(order).name_of(number) for number in (1, 2, 3, 4)}) == 1
    assert NumberClasses(groups).name_of(5) != NumberClasses(groups).name_of(1)


@pytest.mark.rows(
    ("data", "message"),
    [
        ({"alignment": []}, "template"),
        ({"template": ["m = a"]}, "alignment"),
        ({"template": ["m = a"], "alignment": [{"slot": "a"}]}, "entries are"),
        (
            {"template": ["m = a"], "alignment": [{"slot": "a", "number": 1}, {"slot": "a", "number": 2}]},
            "slot a is aligned to two numbers",
        ),
    ],
)
def test_bad_derivations_are_named(data, message):
    with pytest.raises(InputError, match=message):
        Derivation.read(data)


def test_slots_need_numbers_and_templates_must_parse():
    with pytest.raises(InputError, match="slots without a number: d"):
        equivalent_derivations(Derivation(GOLD.template, {"a": 0, "b": 1, "c": 2}), GOLD)
    with pytest.raises(ExtractionError, match="expected"):
        equivalent_derivations(Derivation(("m + = 2",), {}), GOLD)


def _derivation(record, swap=None):
    alignment = {a["coeff"]: [a["SentenceId"], a["TokenId"]] for a in record["Alignment"]}
    return Derivation(tuple(record["Template"]), {slot: (swap or {}).get(str(n), n) for slot, n in alignment.items()})


@pytest.mark.shared
@pytest.mark.rows("name", in_turn(["draw/draw.json", "alg514/kushman.json"], 2))
def test_gold_derivations_with_equiv_tokens_exchanged(shared_data, name):
    records = json.loads((shared_data / name).read_text(encoding="utf-8-sig"))
    exchanged = 0
    for record in records:
        groups = [[member[:2] for member in group] for group in record["Equiv"]]
        gold = _derivation(record)
        assert equivalent_derivations(gold, gold, groups) == (True, "equivalent")
        for group in groups:
            other = _derivation(record, {str(group[0]): group[1]})
            exchanged += other != gold
            assert equivalent_derivations(other, gold, groups) == (True, "equivalent")
            if other != gold and group[1] not in gold.alignment.values():
                assert not equivalent_derivations(other, gold)[0]
    assert exchanged >= 15
