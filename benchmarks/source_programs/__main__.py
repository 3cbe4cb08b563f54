"""Whole programs with PyTorch, the runtime and MindSpore:

    python -m msconvert.benchmarks.source_programs [NAME ...] [--mindspore PYTHON]

All without a name. Results are kept in a file (`--to`); docs/source-programs.md is made of them.
What the Lightning programs need of PyTorch's side is found by PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from msconvert.benchmarks.data import MINDSPORE
from msconvert.benchmarks.source_programs.judging import LISTS, TARGETS, judged, original
from msconvert.benchmarks.source_programs.page import LATEST, PAGE, Results, page, read


def write(path: Path, results: Results) -> None:
    plain = {
        name: {target: asdict(verdict) for target, verdict in one.items()}
        for name, one in sorted(results.items())
    }
    path.write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mindspore", default=str(MINDSPORE), help="the Python that has MindSpore")
    parser.add_argument("--target", choices=TARGETS, help="this one only")
    parser.add_argument("--list", choices=LISTS, default="programs", help="of these programs")
    parser.add_argument("--to", type=Path, help="the file of the results")
    given = parser.parse_args()
    to = given.to or LATEST[given.list]
    results = read(to)
    for program in LISTS[given.list]:
        if given.names and program.stem not in given.names:
            continue
        wanted = original(program)
        for target in [given.target] if given.target else TARGETS:
            python = sys.executable if target == "bundled" else given.mindspore
            verdict = judged(program, wanted, target, python)
            results.setdefault(program.stem, {})[target] = verdict
            print(f"{program.stem:24} {target:9} {verdict.kind:8} {verdict.why[:200]}", flush=True)
            write(to, results)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
