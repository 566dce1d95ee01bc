"""Coverage-guided fuzzing of the readers: ``python -m benchmarks.fuzz_coverage --target solve --runs 100000 --seed 1``.

Needs the optional extra ``fuzz`` (Atheris, which brings libFuzzer). The byte code of what is tested is instrumented, so
that inputs which reach new branches are kept and mutated further; they start from the texts of ``tests/cases`` and use
the atoms of the seeded fuzzer as a dictionary. Bytes become text by UTF-8, where what is not UTF-8 becomes lone
surrogates; the unit separator (0x1f) parts the texts of an input. Properties: ``benchmarks.reading_checks``. What
breaks one is kept in the work folder and listed at the end; the address space is limited, so that a
runaway allocation fails.
"""

import argparse
import atexit
import contextlib
import hashlib
import json
import resource
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import atheris

with atheris.instrument_imports(include=["extractors", "curation", "crawlers.html_reading.html_text"]):
    from benchmarks.fuzz_reading import ATOMS, MEMORY_LIMIT, SLOW, TERMS, WORDS
    from benchmarks.hostile import CASES, hostile_cases
    from benchmarks.reading_checks import CHECKS

SEPARATOR = "\x1f"
MAX_PARTS = 6
_SHOWN = 20


def parts_of(data: bytes) -> list[str]:
    """The texts of an input; every byte string is one.

    >>> parts_of(b"x+y=9\\x1fx-y=\\xff")
    ['x+y=9', 'x-y=\\udcff']
    """
    return data.decode("utf-8", "surrogateescape").split(SEPARATOR, MAX_PARTS - 1)


@dataclass
class CoverageFindings:
    """What a run met: promises that did not hold by the place where it showed, and the slowest input."""

    folder: Path
    runs: int = 0
    slow: int = 0
    slowest: tuple[float, bytes] = (0.0, b"")
    broken: dict[str, Path] = field(default_factory=dict)

    def keep(self, error: Exception, data: bytes) -> None:
        """Keeps the first input for every place in the code that raised."""
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno} ({str(error)[:120]})"
        if place not in self.broken:
            path = self.folder / f"broken-{hashlib.sha256(data).hexdigest()[:16]}"
            path.write_bytes(data)
            self.broken[place] = path

    def report(self) -> str:
        """The run as text."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds, data = self.slowest
        return "\n".join(
            [
                f"{self.runs} runs: {len(self.broken)} broken promises, {self.slow} inputs above {SLOW} s, slowest "
                f"{seconds * 1e3:.0f} ms, peak memory {peak:.0f} MiB (limit {MEMORY_LIMIT >> 20} MiB)",
                f"  slowest: {ascii(parts_of(data))[:400]}",
                *(f"  BROKEN {place}: {path}" for place, path in list(self.broken.items())[:_SHOWN]),
            ]
        )


def seeds() -> Iterator[bytes]:
    """The texts of all cases as inputs, the hostile ones written out."""
    for path in sorted(CASES.glob("*.jsonl")):
        if path.name == "hostile.jsonl":
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            yield _encoded(_case_texts(json.loads(line)))
    for _, texts in hostile_cases():
        yield _encoded(texts)


def _case_texts(case: dict[str, Any]) -> list[str]:
    """The texts of a case: one text, the equations of a system, or a thread with the question first."""
    text = case.get("text", case)
    if isinstance(text, dict):
        answers = [answer if isinstance(answer, str) else answer["text"] for answer in text["answers"]]
        text = [text["question"], *answers]
    return text if isinstance(text, list) else [text]


def _encoded(texts: list[str]) -> bytes:
    return SEPARATOR.join(texts).encode("utf-8", "surrogatepass")


def _write_dictionary(path: Path) -> None:
    """The atoms in libFuzzer's notation: one quoted string a line, bytes outside ASCII as escapes."""
    words = dict.fromkeys((*ATOMS, *TERMS, *WORDS, SEPARATOR))
    lines = ['"' + "".join(f"\\x{byte:02x}" for byte in _encoded([word])) + '"' for word in words]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def main() -> None:
    """Runs one target, or with ``all`` every target in turn by the first byte; exit status 1 after a finding."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=(*CHECKS, "all"), default="all")
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-bytes", type=int, default=96, help="longest input; the seeds are cut to it")
    parser.add_argument("--folder", type=Path, help="corpus and findings; a new temporary folder by default")
    options = parser.parse_args()
    folder = options.folder or Path(mkdtemp(prefix="fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for data in {data[: options.max_bytes] for data in seeds()}:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    _write_dictionary(folder / "dictionary")
    findings = CoverageFindings(folder)
    names = list(CHECKS)

    def one_input(data: bytes) -> None:
        name = options.target
        if name == "all":
            name, data = names[data[0] % len(names) if data else 0], data[1:]
        started = time.process_time()
        try:
            CHECKS[name](parts_of(data))
        except Exception as error:  # noqa: BLE001 - whatever escapes is the finding
            findings.keep(error, data)
        seconds = time.process_time() - started
        findings.runs += 1
        findings.slow += seconds > SLOW
        if seconds > findings.slowest[0]:
            findings.slowest = (seconds, data)

    atexit.register(lambda: print(findings.report(), flush=True))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    arguments = [f"-atheris_runs={options.runs}", f"-seed={options.seed}", f"-max_len={options.max_bytes}"]
    arguments += [f"-dict={folder / 'dictionary'}", "-timeout=60", str(corpus)]
    atheris.Setup([sys.argv[0], *arguments], one_input)
    with contextlib.suppress(KeyboardInterrupt):
        atheris.Fuzz()


if __name__ == "__main__":
    main()
