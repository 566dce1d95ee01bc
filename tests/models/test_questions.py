"""How many numbers a question asks for."""

import pytest

from models.questions import question_view


@pytest.mark.parametrize(
    ("question", "size"),
    [
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
    ],
)
def test_asked_size(question: str, size: int) -> None:
    assert question_view(question).asked_size == size
