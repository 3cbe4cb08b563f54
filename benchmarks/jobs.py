"""Scripts as courses on MindSpore have them, with the real one and the runtime, in both modes:
`python -m msconvert.benchmarks.jobs [PYTHON]`.

Each script of `jobs/` runs in a folder of its own and prints what it has computed. Lines are the
same if their words are, and their numbers within a thousandth. Written before their first run; what
differed then is told in docs/training.md.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from msconvert.benchmarks.data import MINDSPORE

SCRIPTS = sorted(Path(__file__).with_name("jobs").glob("*.py"))
MODES = "graph", "pynative"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
NEAR, LIMIT_S = 1e-3, 300


def printed(command: list[str]) -> str:
    """What a script prints, with the last line of its error if it fails."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOG_v": "3"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
    failure = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return "\n".join([done.stdout.strip(), *failure])


def difference(here: str, there: str) -> str:
    """The first line in which they differ; nothing if there is none."""
    lines = list(zip(here.splitlines(), there.splitlines(), strict=False))
    for number, (one, other) in enumerate(lines):
        if not alike(one, other):
            return f"line {number + 1}:\n    here  {one[:300]}\n    there {other[:300]}"
    if here.count("\n") != there.count("\n"):
        longer = max(here, there, key=len).splitlines()[len(lines)]
        return f"{here.count(chr(10))} and {there.count(chr(10))} lines: {longer[:300]}"
    return ""


def alike(one: str, other: str) -> bool:
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= NEAR * max(1.0, abs(float(b))) for a, b in pairs)


def main(arguments: list[str]) -> None:
    python = arguments[0] if arguments else str(MINDSPORE)
    equal = total = 0
    for script in SCRIPTS:
        is_both = "sys.argv[1]" in script.read_text(encoding="utf-8")
        for mode in MODES if is_both else MODES[:1]:
            there = printed([python, str(script), mode])
            here = printed([sys.executable, "-m", "msconvert.runtime", str(script), mode])
            found = difference(here, there)
            total, equal = total + 1, equal + (not found)
            print(f"{script.stem} ({mode}): {found or 'equal'}", flush=True)
    print(f"{equal} of {total} equal")


if __name__ == "__main__":
    main(sys.argv[1:])
