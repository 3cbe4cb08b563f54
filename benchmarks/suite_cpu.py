"""What a run of the tests costs in seconds of CPU, by file: of pytest and of all that it starts.

    OUT=/tmp/cpu pytest -p msconvert.benchmarks.suite_cpu -n logical --dist loadfile
    python -m msconvert.benchmarks.suite_cpu /tmp/cpu [tests/FILE.py]     files, or tests of one

A process that a test starts counts for the test, also one that lives on, as MindSpore's does. What
a fixture costs counts for the first test that asks for it. Linux alone has these figures.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

TICKS = os.sysconf("SC_CLK_TCK")


def children(process: str) -> list[str]:
    """The numbers of the processes that one has started."""
    found: list[str] = []
    for file in Path("/proc", process, "task").glob("*/children"):
        try:
            found += file.read_text().split()
        except OSError:
            continue  # its thread has ended
    return found


def seconds_of(process: str) -> float:
    """The CPU seconds of a process and of those that it has waited for."""
    try:
        text = Path("/proc", process, "stat").read_text()
    except OSError:
        return 0.0  # it has ended
    return sum(map(int, text.rpartition(")")[2].split()[11:15])) / TICKS


def seconds() -> float:
    """The CPU seconds of this process and of all that it has started."""
    waiting, total = [str(os.getpid())], 0.0
    while waiting:
        process = waiting.pop()
        total += seconds_of(process)
        waiting += children(process)
    return total


class Measured:
    """Writes a line for each test: its seconds, and its name."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.stream = (folder / f"{os.getpid()}.txt").open("w", buffering=1)
        self.before = 0.0

    def tell(self, name: str) -> None:
        now = seconds()
        self.stream.write(f"{now - self.before:.2f}\t{name}\n")
        self.before = now

    def pytest_collection_finish(self) -> None:
        self.tell("collection")

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tell(nodeid)

    def pytest_sessionfinish(self) -> None:
        self.tell("end")


def pytest_configure(config: pytest.Config) -> None:
    """Of xdist, the processes that run tests measure."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Measured(Path(os.environ["OUT"])))


def main(folder: str, file: str = "") -> None:
    spent: Counter[str] = Counter()
    for path in Path(folder).glob("*.txt"):
        for line in path.read_text().splitlines():
            cost, _, name = line.partition("\t")
            place, _, test = name.partition("::")
            if place == (file or place):
                spent[test if file else place] += float(cost)
    for name, cost in spent.most_common():
        print(f"{cost:8.1f}  {name}")
    print(f"{sum(spent.values()):8.1f}  in all: {sum(spent.values()) / 60:.1f} minutes")


if __name__ == "__main__":
    main(*sys.argv[1:])
