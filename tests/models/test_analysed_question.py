"""How many values a question asks for: the count model on questions of ours, and how it is fitted."""

import pytest

from models.counts import MOST, UNKNOWN, CountModel, bucket, chance_of, chance_of_more, features, likeliest
from models.shipped import shipped_model
from models.system_training import fit_counts

OURS = [
    ("He has 31 coins worth $2. How many coins?", 1),
    ("How many dimes and how many nickels are there?", 2),
    ("how old am i, how old is my brother", 2),
    ("whats their ages now", 2),
    ("I need to tell the bank how many pennies, dimes and quarters there are.", 3),
    ("Find the least and the greatest of the six.", 2),
    ("Say the lowest and the highest of them?", 2),
    ("What's the price of an adult ticket and of a kid's ticket?", 2),
    ("Find the price per mile and the starting fee.", 2),
    ("What do I pay and how much am I saving?", 2),
    ("How many pounds and ounces of difference are there altogether?", 1),
    ("How much does each friend pay?", 1),
    ("The sides of a triangle add up to 48 ft. How long is each side?", 3),
    ("The length of each side of an equilateral triangle is?", 1),
    ("Find the boat's speed and the current's speed.", 2),
    ("Cost of a pen & of a pencil?", 2),
    ("I have 5p and 20p coins, 3.60 in all. How many coin each?", 2),
    ("What is the sum of the three numbers 4, 5 and 6?", 1),
    ("What's the airspeed of the plane and the speed of the wind?", 2),
    ("Find radius of the bed and area of the bed.", 2),
    ("What is the price of a pen, and of a notebook?", 2),
    ("Find the total number of nickels, dimes and quarters.", 1),
    ("Two numbers add to 20, one is 4 more than the other", 2),
    ("The second angle of a triangle is 18 degrees more than the first. Find the angles.", 3),
    ("How many liters of 20% and 45% acid are needed for 50 liters of 30% acid?", 2),
    ("How much did she put in each fund?", 2),
    ("solve 3x+2y=19, x-y=3?", 2),
    ("(x-2)^2=25 solve", 2),
    ("x+y=5, y+z=9, x+z=8, can someone help?", 3),
    ("solve for x: 3x+2y=19, x-y=3", 1),
    ("If 2x + 3 = 19, what is x?", 1),
    ("Alone, Ruth needs 8 hours less than Cal. How long would each need working alone?", 2),
    ("Find the speed of the boat in still water and the speed of the current.", 2),
    ("One base is twice as long as the other. What are the lengths of the bases?", 2),
    ("Two trains meet after 2 hours, one is 30 km/h faster. Speeds?", 2),
    ("Dad's age is 3 times Sam's. Their ages add to 36.", 2),
    ("Half a number plus 3 is 9", 1),
    ("8 less than a number is 4 times 8", 1),
    ("Divide 1500 among A, B, C in ratio 2:3:5", 3),
    ("Ann and Bo divide 60 in the ratio 1:2. How much does Ann get?", 1),
    ("Find a, b and c.", 3),
    ("Find two consecutive even numbers such that the sum of the first and 3 is 9.", 2),
    ("She has dimes, nickels and quarters, 29 in all. How many of each?", 3),
    ("Coffee at $9 is mixed with coffee at $4 to get 20 lb at $6. How many pounds of each?", 2),
    ("Floor seats at $45, lower level at $30 and upper level at $18. How many of each kind?", 3),
    ("3 friends share $230. Ann gets 20 more than Ben, Carl twice as much as Ann. How much does each get?", 3),
    ("45 sweets for 3 children. How many each?", 1),
    ("Her three children shared it equally. How much did each child get?", 1),
    ("Together they need 4 hours. How long does Ann need alone?", 1),
    ("After how many hours are they 50 miles apart?", 1),
    ("If the ratio of their ages is 3:4, what is the total of their present ages?", 1),
    ("How many friends do Lily and Amy have together?", 1),
    ("If each of the stocks was picked 6 times, how many analysts were in the contest?", 1),
    ("How many gallons of an 80% solution must be mixed with a 40% solution to get 200 gallons of 50%?", 2),
    ("How many quarts of an 80% solution must be mixed with 6 quarts of a 40% solution to get 50%?", 1),
    ("Ina wraps 4 more gifts an hour than Joe does. How many gifts an hour does each one wrap?", 2),
    ("Price of 1 coffee? 1 muffin?", 2),
]
"""Questions with the number of values that each asks for; none is learned from."""


def test_most_of_our_questions_are_counted() -> None:
    counts = shipped_model("systems").counts
    right = sum(likeliest(counts.chances(question)) == size for question, size in OURS)
    assert right >= 0.7 * len(OURS)


def test_requests_weigh_more_than_the_rest() -> None:
    found = features("Tom has 3 pears. How many are left?")
    assert found[bucket("asks how many")] == 1.0
    assert found[bucket("last how many are")] == 1.0
    assert found[bucket("whole tom has")] == 0.5
    assert bucket("asks tom") not in found


def test_a_fit_tells_one_from_two() -> None:
    questions = [f"How many {thing}?" for thing in ("pens", "cups", "hats", "cats")]
    questions += [f"How many {a} and how many {b}?" for a, b in (("pens", "cups"), ("hats", "cats"), ("maps", "keys"))]
    made = fit_counts(questions, [1, 1, 1, 1, 2, 2, 2], [1.0] * 7)
    assert likeliest(made.chances("How many dogs?")) == 1
    assert likeliest(made.chances("How many dogs and how many birds?")) == 2
    assert sum(made.chances("How many dogs?")) == pytest.approx(1)
    assert made.chances(" ") == UNKNOWN
    assert CountModel.from_dict({"weights": made.weights, "intercepts": made.intercepts}) == made


def test_chances_of_sizes() -> None:
    chances = (0.4, 0.3, 0.2, 0.1)
    assert [chance_of(chances, size) for size in (0, 1, 4, 9)] == [0.0, 0.4, 0.1, 0.1]
    assert [round(chance_of_more(chances, size), 9) for size in (1, 3, MOST, 9)] == [0.6, 0.1, 0.0, 0.0]
    assert likeliest((0.25,) * MOST) == 1


def test_a_chance_of_more_is_the_same_on_any_python() -> None:
    assert chance_of_more((0.4, 0.1, 0.2, 0.3), 1) == 0.6  # 0.1 + 0.2 + 0.3 is more, added one by one as before 3.12


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="not 4 rows of"):
        CountModel.from_dict({"weights": [[0.0]] * MOST, "intercepts": [0.0] * MOST})
