"""How fast weights are converted: `python benchmarks/weights.py`, against copying the file.

A checkpoint of a gigabyte (as a Transformer's: matrices, norms, an embedding of 160 MB) is made in
a temporary folder. Each conversion is `msconvert weights` as a user runs it: start of Python,
names, writing, fsync, the comparison of every tensor. Next to it are `cp` and fsync of the same
bytes, one after the other in each round. The figures are the best of the rounds. Memory is the
largest resident size of the process, mapped pages included.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from msconvert.formats.pth_writer import write_pth

WIDTH = 1024
LAYERS = 64
WORDS = 40_000
TIME_TARGET, MEMORY_TARGET_MB = 1.5, 300

CONVERSIONS = (("w.pth", "w.ckpt"), ("w.ckpt", "back.pth"), ("w.pth", "w.safetensors"))
"""Each source is an output of one before, or what is made at first."""


@dataclass(frozen=True)
class Run:
    """A process that ended well: how long it took, and the most memory that it held."""

    seconds: float
    peak_mb: float


def tensors(gigabytes: float) -> Iterator[tuple[str, np.ndarray]]:
    """The parameters of a large network, of about this size."""
    numbers = np.random.default_rng(0)
    yield "words.weight", numbers.standard_normal((WORDS, WIDTH), np.float32)
    block = numbers.standard_normal((4 * WIDTH, WIDTH), np.float32)
    for layer in range(round(LAYERS * gigabytes * 0.8)):
        yield f"blocks.{layer}.up.weight", block[: 3 * WIDTH]
        yield f"blocks.{layer}.up.bias", block[0, : 3 * WIDTH]
        for name in ("weight", "bias"):
            yield f"blocks.{layer}.norm.{name}", block[1]


def timed(command: list[str]) -> Run:
    """Runs a command in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(time.perf_counter() - start, usage.ru_maxrss / 1024)


def copied(source: Path) -> Run:
    """`cp` and fsync of a file."""
    target = source.with_name("copy")
    run = timed(["sh", "-c", f"cp '{source}' '{target}' && sync '{target}'"])
    target.unlink()
    return run


def converted(source: Path, target: Path) -> Run:
    command = [sys.executable, "-m", "msconvert", "weights", str(source), "-o", str(target)]
    return timed([*command, "--force", "--layer", "words=Embedding"])


def best(runs: list[Run]) -> Run:
    return Run(min(run.seconds for run in runs), max(run.peak_mb for run in runs))


def rounds(count: int, *work: Callable[[], Run]) -> list[Run]:
    """The best of each, all of them once in every round."""
    found = [[each() for each in work] for _round in range(count)]
    return [best([runs[place] for runs in found]) for place in range(len(work))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the files are made")
    options = parser.parse_args()
    largest = WORDS * WIDTH * 4 / 1e6
    good = True
    print("conversion                 size      cp + fsync  msconvert  ratio  memory over largest")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        write_pth(folder / "w.pth", tensors(options.gigabytes))
        for old, new in CONVERSIONS:
            source, target = folder / old, folder / new

            def convert(source: Path = source, target: Path = target) -> Run:
                return converted(source, target)

            def copy(source: Path = source) -> Run:
                return copied(source)

            plain, ours = rounds(options.rounds, copy, convert)
            ratio, over = ours.seconds / plain.seconds, ours.peak_mb - largest
            good = good and ratio <= TIME_TARGET and over <= MEMORY_TARGET_MB
            print(
                f"{f'{old} -> {new}':<26} {source.stat().st_size / 1e6:6.0f} MB "
                f"{plain.seconds:9.2f} s {ours.seconds:9.2f} s {ratio:6.2f} {over:10.0f} MB"
            )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
