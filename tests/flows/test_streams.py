"""Standard streams that are closed, full, or with nobody at the other end: one line, and exit status 1."""

import subprocess

import pytest

from tests.flows.command import FRESH, ROOT, environment, interpreter
from tests.tiers import in_turn

HOW = {
    "closed": (">&-", "it is closed"),
    "full": (">/dev/full", "No space left on device"),
    "nobody there": ("", "Broken pipe"),
}
COMMANDS = (["--help"], ["gate", "check", "--help"], ["grade", "3", "3"], ["stage", "numbers"])


def said(words: list[str], how: str, given: str = '{"id": "1", "text": "3"}\n') -> subprocess.CompletedProcess[str]:
    """What a shell's redirection makes of a command; a warm process cannot be handed a stream that is closed."""
    script = f'exec "$@" {how}' if how else 'exec 3>&1; { "$@" 3>&-; echo "status $?" >&2; } | true'
    command = ["/bin/bash", "-c", script, "sh", *(FRESH if "&-" in how else interpreter({})), *words]
    return subprocess.run(
        command, input=given, capture_output=True, text=True, cwd=ROOT, env=environment({}), timeout=120, check=False
    )


@pytest.mark.rows("words", in_turn(COMMANDS, 3), ids=" ".join)
@pytest.mark.rows("how", HOW)
def test_a_result_that_cannot_be_written_is_one_line(how: str, words: list[str]) -> None:
    redirection, why = HOW[how]
    result = said(words, redirection)
    lines = result.stderr.splitlines()
    status = lines.pop() if not redirection else f"status {result.returncode}"
    assert status == "status 1"
    assert lines == [f"wordquarry: cannot write standard output: {why}; what it holds is incomplete"]


def test_standard_input_that_is_closed_is_one_line() -> None:
    result = said(["stage", "numbers"], "<&-")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == "wordquarry: cannot read standard input: it is closed; give a file, or open it\n"


@pytest.mark.rows("how", in_turn(["2>&-", "2>/dev/full", "<&- 2>&-"], 3))
def test_messages_that_nobody_hears_change_nothing(how: str) -> None:
    result = said(["grade", "3", "4"], how)
    assert (result.returncode, result.stdout, result.stderr) == (0, "wrong: 3, gold 4\n", "")


@pytest.mark.full
def test_a_file_that_is_opened_is_never_taken_for_a_closed_stream() -> None:
    result = said(["stage", "numbers", "/dev/stdin"], ">&- 2>&-")
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "")
