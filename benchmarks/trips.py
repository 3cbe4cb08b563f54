"""How many files and functions a command passes through: `python -m msconvert.benchmarks.trips`.

A call tracer in one process counts each function of msconvert that is entered, the files that they
are in (the table of APIs, whose files are data, once), and the pairs of files that call each other
both ways. What a command does in other processes is not seen.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "api_mapping" / "table" / "rows"
NETWORK = ROOT / "examples" / "torch_project" / "network.py"


@dataclass
class Trip:
    """What was entered: functions by file and name, and calls from one file to another."""

    functions: set[tuple[str, str, int]] = field(default_factory=set)
    calls: int = 0
    edges: set[tuple[str, str]] = field(default_factory=set)

    def see(self, frame: FrameType, event: str, _argument: Any) -> None:
        own = file_of(frame)
        if event != "call" or not own:
            return
        code = frame.f_code
        if code.co_name != "<module>":  # imports are no trip
            self.functions.add((own, code.co_qualname, code.co_firstlineno))
            self.calls += 1
            caller = file_of(frame.f_back)
            if caller and caller != own:
                self.edges.add((caller, own))

    @property
    def files(self) -> set[str]:
        return {own for own, _, _ in self.functions}

    @property
    def two_way(self) -> list[tuple[str, str]]:
        return sorted((a, b) for a, b in self.edges if a < b and (b, a) in self.edges)


def file_of(frame: FrameType | None) -> str:
    """The file of msconvert that a frame is in, "" for others; all tables are one."""
    path = Path(frame.f_code.co_filename) if frame is not None else Path()
    if not path.is_relative_to(ROOT) or ".venv" in path.parts or path == Path(__file__):
        return ""
    return "table" if path.parent == TABLES else path.relative_to(ROOT).as_posix()


@contextlib.contextmanager
def traced() -> Iterator[Trip]:
    trip = Trip()
    threading.setprofile(trip.see)  # deep code is read in a thread with a stack of its own
    sys.setprofile(trip.see)
    try:
        yield trip
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def command(*arguments: str) -> None:
    from msconvert.commands.main import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(list(arguments))


def conversion(folder: Path) -> None:
    """A conversion with its comparison, in this process."""
    from msconvert.converter.convert import Options, converted

    model = ROOT / "examples" / "demo.onnx"
    converted(Options(model_file=model, output=folder / "onnx"), lambda _: None)


def trips(folder: Path) -> dict[str, Callable[[], None]]:
    copy = str(NETWORK)
    return {
        "--model_file demo.onnx": lambda: conversion(folder),
        "source network.py": lambda: command("source", copy),
        "scan network.py": lambda: command("scan", copy),
        "compare network.py network.py": lambda: command(
            "compare", copy, copy, "--shape", "2,3,16,16"
        ),
    }


def show(title: str) -> None:
    """Makes one trip and prints its figures; its two-way pairs with -v."""
    with tempfile.TemporaryDirectory() as name, traced() as trip:
        trips(Path(name))[title]()
    figures = len(trip.files), len(trip.functions), trip.calls, len(trip.two_way)
    print("{:32}{:7,}{:11,}{:9,}{:11,}".format(title, *figures))
    for pair in trip.two_way if "-v" in sys.argv else ():
        print("    " + " <-> ".join(pair))


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] in trips(Path()):
        show(sys.argv[1])
        return
    print(f"{'trip':32}{'files':>7}{'functions':>11}{'calls':>9}{'both ways':>11}", flush=True)
    for title in trips(Path()):  # each in a process of its own, which has nothing in its caches
        subprocess.run([sys.executable, "-m", __spec__.name, title, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
