"""Small problems of two templates, written by us, with the alignment of each slot."""

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.records import SlotAlignment
from extractors.quantities.numbers import find_numbers

LEFT = ("m = a - b",)
TOTAL = ("m = a * b",)


def problem(name: str, question: str, template: tuple[str, ...], order: str, answer: str) -> GoldProblem:
    """A problem whose numbers, in the order of the text, stand in the slots that ``order`` names."""
    slots = [
        SlotAlignment(slot=slot, value=str(number.value), start=number.start, end=number.end)
        for slot, number in zip(order, find_numbers(question), strict=True)
    ]
    values = {slot.slot: slot.value for slot in slots}
    equation = "".join(values.get(character, character) for character in template[0])
    return GoldProblem(
        problem_id=f"made:{name}",
        native_id=name,
        origin="gold",
        question=question,
        equations=(equation,),
        template=template,
        alignment=tuple(slots),
        gold=((answer,),),
    )


PROBLEMS = (
    problem("1", "Ann had 9 pens. She lost 4 pens. How many pens are left?", LEFT, "ab", "5"),
    problem("2", "Tom lost 3 hats. He had 8 hats before. How many hats are left?", LEFT, "ba", "5"),
    problem("3", "Eve had 7 cups. She lost 6 cups. How many cups are left?", LEFT, "ab", "1"),
    problem("4", "Sam lost 2 cards. He had 6 cards before. How many cards are left?", LEFT, "ba", "4"),
    problem("5", "There are 5 boxes with 6 eggs in each box. How many eggs are there in all?", TOTAL, "ab", "30"),
    problem("6", "There are 4 bags with 3 nuts in each bag. How many nuts are there in all?", TOTAL, "ab", "12"),
)
