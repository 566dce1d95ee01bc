"""Threads made for the tests of the models."""

from fractions import Fraction

from corpus.records import Label, ScopeOutcome
from models.label_split import LabelledThread

QUESTION = "Ann has 31 coins, nickels and dimes, worth $2.35. How many of each does she have?"
ANSWERS = (
    "n + d = 31\n5n + 10d = 235\n5d = 80\nd = 16\nn = 31 - 16 = 15\nso 15 nickels and 16 dimes",
    "235/15 = 15.67 so about 16 nickels",
    "16 dimes, 15 nickels. Check: 16*10 + 15*5 = 235",
    "ask your mom",
)


def label(
    post_id: str, reason: ScopeOutcome, gold: tuple[str, ...] | None = None, family: str = "", author: str = ""
) -> Label:
    """A label in few words."""
    return Label(
        post_id=post_id, in_scope=reason == "ok", scope_reason=reason, gold_answer=gold, family=family, author=author
    )


def wholes(*numbers: int) -> tuple[Fraction, ...]:
    """Whole numbers as a solution has them."""
    return tuple(map(Fraction, numbers))


def labelled(count: int, *, in_scope: bool = True) -> list[LabelledThread]:
    """Small threads: a sum with a right, a terse and a wrong answer; or talk without a problem."""
    made = []
    for number in range(count):
        post_id = f"test:{'in' if in_scope else 'out'}-{number:03}"
        author = f"asker{number % 7}"
        first, second = 11 + 3 * number, 5 + 2 * number
        total = first + second
        if in_scope:
            question = f"Bob picked {first} pears and {second} plums. How many pieces of fruit did he pick?"
            answers = (
                f"{first} + {second} = {total}\nHe picked {total} pieces of fruit.",
                f"{total} pieces" if number % 3 else f"{first} - {second} = {first - second}",
                f"i think {total + 1}" if number % 2 else "fruit is healthy",
            )
            known = label(post_id, "ok", (str(total),), "sums", author)
        else:
            question = "Why do we need fractions at all? What is the difference between a ratio and a fraction?"
            answers = (f"Ask your teacher, room {number}.",)
            known = label(post_id, "general", None, "talk", author)
        made.append(LabelledThread(post_id, question, answers, known))
    return made


def systems(count: int) -> list[LabelledThread]:
    """Threads of one kind; every fifth answer slips, and says so little that nothing shows it but the numbers."""
    found = []
    for number in range(count):
        total, apart = 40 + 2 * number, 8
        larger, smaller = (total + apart) // 2, (total - apart) // 2
        stated = total + 13 if number % 5 == 0 else total
        text = f"x + y = {stated}\nx - y = {apart}\nx = {(stated + apart) // 2}"
        label = Label(post_id=f"p{number}", in_scope=True, scope_reason="ok", gold_answer=(str(larger), str(smaller)))
        question = f"Two numbers add up to {total} and differ by {apart}. Find both."
        found.append(LabelledThread(f"p{number}", question, (text,), label))
    return found
