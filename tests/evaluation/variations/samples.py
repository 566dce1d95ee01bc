"""Problems of our own to vary."""

from corpus.benchmarks.gold_problems import GoldProblem

STOCK = "Nora had 14 shells. She lost 5 of them. How many shells does Nora have left?"
LISTED = "Nora has 12 red beads and 7 blue beads. How many beads does Nora have in all?"
OWNERS = "Nora has 12 beads. Omar has 7 beads. How many more beads does Nora have than Omar?"
BOXES = "Each box holds 6 jars. If Nora fills 4 boxes, how many jars does she need?"
PACKED = "A shop packs its jars. If each box holds 6 jars, how many boxes does it need for 48 jars?"
TICKETS = (
    "The club sold 120 tickets . Tickets cost $ 5 for adults and $ 2 for children . "
    "It took in $ 390 . How many adults and how many children came ?"
)
NUMBERS = "One number is 4 more than twice another . Their sum is 31 . What are the numbers ?"
ROPE = "Nora cut 9 feet of rope off 23 feet of rope. How many feet of rope were left?"


def problem(question: str, equation: str, gold: str, *more: str) -> GoldProblem:
    """A problem as a corpus has it; more equations make it a system."""
    equations = (equation, *more)
    return GoldProblem(
        problem_id="own:1",
        native_id="1",
        origin="own",
        question=question,
        answer=gold,
        gold=(tuple(gold.split("; ")),) if gold else (),
        equations=tuple(one for one in equations if one),
    )


STOCK_PROBLEM = problem(STOCK, "x=14-5", "9")
LISTED_PROBLEM = problem(LISTED, "x=12+7", "19")
TICKETS_PROBLEM = problem(TICKETS, "a+c=120", "50; 70", "5*a+2*c=390")
NUMBERS_PROBLEM = problem(NUMBERS, "x=2*y+4", "22; 9", "x+y=31")
