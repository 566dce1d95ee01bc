"""Known vulnerabilities of the pinned packages, looked up by pip-audit; ``python .ci/vulnerabilities.py``.

Fails for one that a release of the package has fixed, unless `.ci/accepted.txt` names it with the reason why it does
no harm here. One without a fix is shown and does not fail: nobody could land anything until others have acted. Where
the vulnerability service is out of reach the audit is left out, and says so.
"""

import argparse
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SERVICE = "https://api.osv.dev/v1/query"
REACH_SECONDS, ANSWER_SECONDS, WHOLE_SECONDS = 5, 10, 240
TOO_LONG = f"no result within {WHOLE_SECONDS} seconds"


def out_of_reach(service: str) -> str:
    """Why the service does not answer a question as it should; empty where it does."""
    question = {"package": {"name": "pip", "ecosystem": "PyPI"}, "version": "20.0"}
    request = urllib.request.Request(  # noqa: S310 - https, or a test's http
        service, json.dumps(question).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=REACH_SECONDS) as answer:  # noqa: S310 - the same
            return "" if isinstance(json.load(answer), dict) else "its answer is of another form"
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))


def accepted(path: Path) -> dict[str, str]:
    """Vulnerabilities that are known to do no harm here: a line each, the id and the reason."""
    lines = [line.split(maxsplit=1) for line in path.read_text(encoding="utf-8").splitlines()]
    named = [words for words in lines if words and not words[0].startswith("#")]
    if any(len(words) < 2 for words in named):
        raise SystemExit(f"{path}: every line needs an id and a reason")
    return dict(named)


def found(service: str, pins: Path) -> list[dict[str, object]] | str:
    """What pip-audit finds, a row for each vulnerability; or why it did not come to an end."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(pins), "--no-deps", "--disable-pip"]
    command += ["--vulnerability-service", "osv", "--osv-url", service, "--format", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "--timeout", str(ANSWER_SECONDS)],
            capture_output=True,
            text=True,
            timeout=WHOLE_SECONDS,
            check=False,
        )
        report = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return TOO_LONG
    except ValueError:
        return (done.stderr.strip().splitlines() or ["pip-audit says nothing"])[-1]
    return [
        {"name": package["name"], "version": package["version"], **flaw}
        for package in report["dependencies"]
        for flaw in package.get("vulns", ())
    ]


def main() -> int:
    """Print what there is to say; exit status 1 for a vulnerability to act on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", default=SERVICE)
    parser.add_argument("--pins", type=Path, default=ROOT / "constraints.txt")
    parser.add_argument("--accepted", type=Path, default=ROOT / ".ci" / "accepted.txt")
    given = parser.parse_args()
    known, reason = accepted(given.accepted), out_of_reach(given.service)
    flaws = reason or found(given.service, given.pins)
    if isinstance(flaws, str):
        if out_of_reach(given.service) or flaws == TOO_LONG:
            print(f"pip-audit: left out, {given.service} cannot be used ({flaws})")
            return 0
        print(f"pip-audit: failed: {flaws}")
        return 1
    act, met = 0, set()
    for flaw in flaws:
        names = {flaw["id"], *flaw["aliases"]}
        met |= names
        why = next((known[name] for name in sorted(names) if name in known), "")
        fixed = ", ".join(flaw["fix_versions"])
        act += bool(fixed and not why)
        state = f"accepted: {why}" if why else f"fixed in {fixed}" if fixed else "no fix yet"
        print(f"pip-audit: {flaw['name']} {flaw['version']}: {flaw['id']}, {state}")
    for name in sorted(known.keys() - met):
        print(f"pip-audit: {name} is no longer met; take it out of {given.accepted.name}")
    pins = len(given.pins.read_text(encoding="utf-8").split())
    print(f"pip-audit: {pins} pinned packages, {len(flaws)} known vulnerabilities, {act} to act on")
    return min(act, 1)


if __name__ == "__main__":
    sys.exit(main())
