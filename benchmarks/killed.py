"""What commands leave that are killed at each naming call: `python benchmarks/killed.py [CASE...]`.

A row for each command: the points, how often its files were all old or all new after the next run
had looked, and what was wrong. The tests have a sample of these.
"""

from __future__ import annotations

import sys

from msconvert.tests.killing import CASES, run


def main() -> None:
    wrong = 0
    print(f"{'command':20} {'points':>7} {'old':>5} {'new':>5} {'wrong':>6}")
    for name, found in run(sys.argv[1:] or list(CASES), step=1):
        new = found.states["new"] + found.states["newer"]
        print(f"{name:20} {found.points:7} {found.states['old']:5} {new:5} {len(found.wrong):6}")
        print("".join(f"  {line}\n" for line in found.wrong), end="", flush=True)
        wrong += len(found.wrong)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
