"""Hostile and damaged files through the commands: `python -m msconvert.benchmarks.fuzz`.

Each case has a kind and a number and is the same for the same seed. It runs in a process of its
own; wrong is a signal, MS901, a traceback, silence, a control character, more than 30 s of CPU time
or 2 GB of memory, anything written outside of `output`, a file left behind, an input changed.
With --state FILE a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

from .cases import KINDS
from .harness import Outcome, prepare, run

Task = tuple[str, int, int, Path | None]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="all if none is given")
    parser.add_argument("--count", type=int, default=100, help="cases of each kind")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--state", type=Path, help="outcomes; those in it are not run again")
    parser.add_argument("--keep", type=Path, help="a folder for the files of what is wrong")
    return parser.parse_args()


def done_before(state: Path | None) -> list[Outcome]:
    if state is None or not state.exists():
        return []
    rows = (json.loads(line) for line in state.read_text().splitlines() if line.endswith("}"))
    return [Outcome(**{**row, "arguments": tuple(row["arguments"])}) for row in rows]


def outcomes(tasks: Iterable[Task], jobs: int) -> Iterator[Outcome]:
    prepare()
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        yield from pool.map(one, tasks, chunksize=4)


def one(task: Task) -> Outcome:
    return run(*task)


def main() -> int:
    wanted = arguments()
    found = done_before(wanted.state)
    found = [item for item in found if item.seed == wanted.seed]
    known = {(item.kind, item.index) for item in found}
    numbers = range(wanted.first, wanted.first + wanted.count)
    pairs = [(kind, index) for index in numbers for kind in wanted.kind or KINDS]
    tasks = [(*pair, wanted.seed, wanted.keep) for pair in pairs if pair not in known]
    for item in outcomes(tasks, wanted.jobs):
        found.append(item)
        if item.wrong:
            print(f"{item.kind} {item.index}: {item.wrong}: {' '.join(item.arguments)}", flush=True)
        if wanted.state is not None:
            with wanted.state.open("a") as stream:
                stream.write(json.dumps(asdict(item)) + "\n")
    for line in table(found):
        print(line)
    return 1 if any(item.wrong for item in found) else 0


def table(found: list[Outcome]) -> Iterator[str]:
    yield "| kind | cases | exit 0 | 1 | 2, 3 | wrong | most CPU s | most MB |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in KINDS:
        rows = [item for item in found if item.kind == kind]
        if not rows:
            continue
        statuses = Counter(min(item.status, 2) for item in rows)
        wrong = sum(bool(item.wrong) for item in rows)
        cpu, memory = max(r.cpu_s for r in rows), max(r.peak_bytes for r in rows) >> 20
        counts = " | ".join(str(statuses[status]) for status in (0, 1, 2))
        yield f"| {kind} | {len(rows)} | {counts} | {wrong} | {cpu:.1f} | {memory} |"


if __name__ == "__main__":
    sys.exit(main())
