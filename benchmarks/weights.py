"""How fast weights are converted: `python benchmarks/weights.py`, against copying the file.

A checkpoint of a gigabyte (as a Transformer's: matrices, norms, an embedding of 160 MB) is made in
a temporary folder. Each conversion is `msconvert weights` as a user runs it: start of Python,
names, writing, fsync, the comparison of every tensor. Next to it are `cp` and fsync of the same
bytes, one after the other in each round, both into a new file. The figures are the best of the
rounds. Memory is the largest resident size of the process, mapped pages included. Then the same for
the weights of a ResNet-50, on one core.
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

WIDTH = 1024
LAYER_BYTES = 4 * (3 * WIDTH * WIDTH + 5 * WIDTH)
WORDS = 40_000
WORDS_BYTES = 4 * WORDS * WIDTH
TIME_TARGET, MEMORY_TARGET_MB, RESNET_TARGET_S = 1.5, 300, 0.8

CONVERSIONS = (("w.pth", "w.ckpt"), ("w.ckpt", "back.pth"), ("w.pth", "w.safetensors"))
"""Each source is an output of one before, or what is made at first."""
RESNET50 = ((64, 3), (128, 4), (256, 6), (512, 3))
"""Width and number of the blocks of each stage."""


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
    for layer in range(round((gigabytes * 1e9 - WORDS_BYTES) / LAYER_BYTES)):
        yield f"blocks.{layer}.up.weight", block[: 3 * WIDTH]
        yield f"blocks.{layer}.up.bias", block[0, : 3 * WIDTH]
        for name in ("weight", "bias"):
            yield f"blocks.{layer}.norm.{name}", block[1]


def resnet50() -> Iterator[tuple[str, np.ndarray]]:
    """The state dict of torchvision's ResNet-50: 320 tensors, 102 MB."""
    numbers = np.random.default_rng(0)
    for name, shape in resnet50_shapes():
        yield name, numbers.standard_normal(shape, np.float32)


def resnet50_shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from convolution("conv1", "bn1", (64, 3, 7, 7))
    inputs = 64
    for stage, (width, count) in enumerate(RESNET50, 1):
        for number in range(count):
            path = f"layer{stage}.{number}"
            sizes = ((width, inputs, 1, 1), (width, width, 3, 3), (4 * width, width, 1, 1))
            for place, shape in enumerate(sizes, 1):
                yield from convolution(f"{path}.conv{place}", f"{path}.bn{place}", shape)
            if number == 0:
                names = (f"{path}.downsample.0", f"{path}.downsample.1")
                yield from convolution(*names, (4 * width, inputs, 1, 1))
            inputs = 4 * width
    yield "fc.weight", (1000, 2048)
    yield "fc.bias", (1000,)


def convolution(
    conv: str, norm: str, shape: tuple[int, ...]
) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{conv}.weight", shape
    for name in ("weight", "bias", "running_mean", "running_var"):
        yield f"{norm}.{name}", shape[:1]
    yield f"{norm}.num_batches_tracked", ()


def timed(command: list[str]) -> Run:
    """Runs a command in a process of its own, on the cores that this one has."""
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
    """`msconvert weights`, into a new file."""
    target.unlink(missing_ok=True)
    command = [sys.executable, "-m", "msconvert", "weights", str(source), "-o", str(target)]
    words = ["--rename", "words.weight=words.embedding_table"] if source.name == "w.pth" else []
    return timed(command + words)


def best(runs: list[Run]) -> Run:
    return Run(min(run.seconds for run in runs), max(run.peak_mb for run in runs))


def rounds(count: int, *work: Callable[[], Run]) -> list[Run]:
    """The best of each, all of them once in every round."""
    found = [[each() for each in work] for _round in range(count)]
    return [best([runs[place] for runs in found]) for place in range(len(work))]


def made(what: str, path: Path, *arguments: float) -> None:
    """Writes a file in a process of its own: children count the memory of their parent as theirs.

    `what` names a function of this module.
    """
    shown = ", ".join(map(str, arguments))
    program = (
        "import weights, msconvert.formats.pytorch.pth_writer as writer; "
        f"writer.write_pth({str(path)!r}, weights.{what}({shown}))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, check=True)


def row(source: Path, target: Path, count: int) -> tuple[Run, Run]:
    """Prints copying and converting side by side."""
    plain, ours = rounds(count, lambda: copied(source), lambda: converted(source, target))
    megabytes = source.stat().st_size / 1e6
    print(
        f"{f'{source.name} -> {target.name}':<26} {megabytes:6.0f} MB {plain.seconds:9.2f} s "
        f"{ours.seconds:9.2f} s {ours.seconds / plain.seconds:6.2f} {ours.peak_mb:10.0f} MB"
    )
    return plain, ours


def large(folder: Path, gigabytes: float, count: int) -> bool:
    """Whether the large checkpoint is converted within its targets."""
    made("tensors", folder / "w.pth", gigabytes)
    good = True
    for old, new in CONVERSIONS:
        plain, ours = row(folder / old, folder / new, count)
        over = ours.peak_mb - WORDS_BYTES / 1e6
        good &= ours.seconds <= TIME_TARGET * plain.seconds and over <= MEMORY_TARGET_MB
    return good


def small(folder: Path, count: int) -> bool:
    """Whether a ResNet-50 is, on one core."""
    made("resnet50", folder / "resnet50.pth")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    _plain, ours = row(folder / "resnet50.pth", folder / "resnet50.ckpt", count)
    os.sched_setaffinity(0, cores)
    return ours.seconds <= RESNET_TARGET_S


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the files are made")
    options = parser.parse_args()
    print("conversion                 size      cp + fsync  msconvert  ratio   memory at most")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        good = large(Path(name), options.gigabytes, options.rounds)
        good &= small(Path(name), options.rounds)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
