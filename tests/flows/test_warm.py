"""A command in a warm process is a command: the same output and status as from a fresh one, and it ends when killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.command import FRESH, ROOT, environment, interpreter, wordquarry
from tests.tiers import in_turn

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm processes are for Linux only")

LINES = '{"id": "a", "text": "3 pens"}\nnot json\n'


@pytest.mark.rows(
    ("arguments", "status"),
    in_turn(
        [
            pytest.param(["--help"], 0, id="help"),
            pytest.param(["stage", "numbers"], 0, id="input"),
            pytest.param(["stage", "numbers", "--strict"], 1, id="strict"),
            pytest.param(["verify", "nothing", "--data", "nowhere"], 1, id="failure"),
            pytest.param(["build", "--shards", "0"], 2, id="usage"),
        ],
        5,
    ),
)
def test_output_and_status_are_those_of_a_fresh_process(arguments: list[str], status: int) -> None:
    def run(begun: list[str]) -> tuple[int, str, str]:
        done = subprocess.run(
            [*begun, *arguments], input=LINES, capture_output=True, encoding="utf-8", cwd=ROOT,
            env=environment(), timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    found = run(interpreter({}))
    assert found == run(FRESH)
    assert found[0] == status


def test_the_environment_is_that_of_the_caller(tmp_path: Path) -> None:
    refused = wordquarry("build", "--data", tmp_path, env={"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    assert refused.returncode == 1
    assert interpreter({"PYTHONHASHSEED": "1"}) == FRESH


def test_who_kills_the_caller_kills_the_command(tmp_path: Path) -> None:
    begun = [*interpreter({}), "stage", "numbers"]
    (tmp_path / "lines").write_text(LINES * 5_000, encoding="utf-8")  # what they give fills any buffer
    with (
        (tmp_path / "lines").open() as lines,
        subprocess.Popen(begun, stdin=lines, stdout=subprocess.PIPE, cwd=ROOT, env=environment()) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.read(1) == b"{"
        process.kill()
        process.stdout.read()  # ends when nobody can write to it any more
