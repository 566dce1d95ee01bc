"""Work that copies of this process share."""

import errno
import os
import threading
import time

import pytest

from curation.near_texts.copies import by_copies
from curation.near_texts.text_index import TooAlikeError


def test_each_share_is_done_once_each_by_a_process_of_its_own():
    found = by_copies(lambda number: (number, os.getpid()), 3)
    assert [number for number, _ in found] == [0, 1, 2]
    assert found[0][1] == os.getpid()
    assert len({process for _, process in found}) == 3


def test_what_a_copy_changes_stays_with_it():
    seen = []
    assert by_copies(lambda number: seen.append(number) or list(seen), 3) == [[0], [1], [2]]
    assert seen == [0]


def test_the_share_of_a_copy_that_is_killed_is_done_here():
    here = os.getpid()

    def work(number):
        if os.getpid() != here:
            os.kill(os.getpid(), 9)
        return number

    assert by_copies(work, 3) == [0, 1, 2]


def test_where_no_copy_can_be_made_all_is_done_here(monkeypatch):
    def full():
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(os, "fork", full)
    assert by_copies(lambda number: (number, os.getpid()), 3) == [(number, os.getpid()) for number in range(3)]


def test_the_share_of_a_copy_that_is_killed_while_it_answers_is_done_here():
    here = os.getpid()

    def work(number):
        if os.getpid() != here:  # more than a pipe holds: it waits until somebody reads
            threading.Timer(0.2, os.kill, (os.getpid(), 9)).start()
        elif number == 0:
            time.sleep(1)
        return bytes([number]) * (1 << 22)

    assert by_copies(work, 2) == [bytes(1 << 22), b"\1" * (1 << 22)]


@pytest.mark.parametrize("failing", [0, 1])
def test_what_is_raised_in_a_copy_is_raised_here(failing):
    def work(number):
        if number == failing:
            raise TooAlikeError(number)
        return number

    with pytest.raises(TooAlikeError, match=str(failing)):
        by_copies(work, 2)
