import pytest

from curation.consensus import agree


@pytest.mark.rows(
    ("values", "solutions", "verdict"),
    [
        pytest.param(["9"], [["9", "14"]], "confirmed", id="one of two unknowns"),
        pytest.param(["14", "9"], [["9", "14"]], "confirmed", id="order does not matter"),
        pytest.param(["7/2"], [["3.5"]], "confirmed", id="fraction and decimal"),
        pytest.param(["14.29"], [["100/7"]], "confirmed", id="rounded to two decimals"),
        pytest.param(["0.333"], [["1/3"]], "confirmed", id="rounded to three decimals"),
        pytest.param(["14.285"], [["100/7"]], "confirmed", id="cut after three decimals"),
        pytest.param(["1.414"], [["1.41421356237310"]], "confirmed", id="rounded irrational"),
        pytest.param(["-3", "3"], [["3"], ["-3"]], "confirmed", id="roots over two solutions"),
        pytest.param(["2"], [["-5"], ["2"]], "confirmed", id="one of two solutions"),
        pytest.param(["14.28"], [["100/7"]], "undecided", id="cut after two decimals"),
        pytest.param(["14"], [["100/7"]], "undecided", id="whole number beside a fraction"),
        pytest.param(["25"], [["1/4"]], "undecided", id="percent and fraction"),
        pytest.param(["0.84"], [["84"]], "undecided", id="dollars and cents"),
        pytest.param(["1001"], [["1000"]], "undecided", id="rounding on the way"),
        pytest.param(["x"], [["4"]], "undecided", id="not a number"),
        pytest.param(["4"], [["n/a"]], "undecided", id="solution not a number"),
        pytest.param([], [["4"]], "undecided", id="no answer"),
        pytest.param(["4"], [], "undecided", id="no solution"),
        pytest.param(["4"], [[]], "undecided", id="empty solution"),
        pytest.param(["5"], [["9", "14"]], "different", id="another number"),
        pytest.param(["9", "5"], [["9", "14"]], "different", id="one of two values is wrong"),
        pytest.param(["9", "14"], [["9", "1"], ["2", "14"]], "different", id="values of two solutions mixed up"),
        pytest.param(["15"], [["14"]], "different", id="whole numbers one apart"),
        pytest.param(["-9"], [["9"]], "different", id="sign"),
        pytest.param(["1e999999999"], [["9"]], "undecided", id="exponent out of bounds"),
        pytest.param(["9" * 5000], [["9"]], "undecided", id="number out of bounds"),
        pytest.param(["1/0"], [["9"]], "undecided", id="division by zero"),
    ],
)
def test_agree(values, solutions, verdict):
    found, detail = agree(values, solutions)
    assert found == verdict
    assert detail


def test_the_doubt_is_named():
    assert agree(["25"], [["1/4"]]) == ("undecided", "25 is 100 times 1/4: percent or cents")
    assert agree(["3", "14.28"], [["3", "100/7"]])[1] == "357/25 is close to 100/7, but is not a rounding of it"
