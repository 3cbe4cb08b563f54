"""How fast tensors are compared: `python benchmarks/diff.py`, against numpy.load and allclose.

Pairs of .npy files, a ResNet-50 as .pth and .ckpt, and two checkpoints of 6 GB in shards are made
in a temporary folder. Pairs differ by rounding, so that nothing is decided by equal bytes, or are
equal, or differ. Each comparison is `msconvert diff` as a user runs it, start of Python and output
included, pinned to one core, the files in the page cache; the figures are seconds of CPU, the least
of the rounds. Memory is looked at in a run of its own: the most private memory (USS) of it.

MindSpore's former tool is a second peer: `--troubleshooter PYTHON`, one that has its package. It
imports PyTorch where that is installed, as it is where somebody migrates.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from weights import converted, made

SMALL, SMALL_ELEMENTS = 2000, 4096
LARGE, LARGE_ELEMENTS = 20, 12_500_000
SHARD_BYTES, TENSOR_BYTES, BLOCK_BYTES = 1 << 30, 256 << 20, 32 << 20
PAUSE_S = 0.003

NUMPY = """
import os, sys
import numpy as np
a, b = sys.argv[1:]
for name in sorted(os.listdir(a)):
    x, y = np.load(f"{a}/{name}"), np.load(f"{b}/{name}")
    np.allclose(x, y, rtol=1e-5, atol=1e-5)
"""
"""What one would write by hand: the arrays as a whole in memory, no figures, no rows."""

TROUBLESHOOTER = """
import sys
import troubleshooter
troubleshooter.migrator.compare_npy_dir(*sys.argv[1:])
"""


@dataclass(frozen=True)
class Case:
    """A comparison: its sides, the exit status, its targets, whether its peers do the same.

    `ratio` is of its CPU to NumPy's.
    """

    title: str
    a: Path
    b: Path
    status: int = 0
    seconds: float | None = None
    ratio: float | None = None
    private_mb: float | None = None
    has_peer: bool = True

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "msconvert", "diff", str(self.a), str(self.b)]

    def peer(self, script: str, python: str = sys.executable) -> list[str]:
        return [python, "-P", "-c", script, str(self.a), str(self.b)]


# the files


def arrays(folder: Path, count: int, elements: int) -> None:
    """Folders of `count` arrays: the reference, the same but for rounding, a copy, wrong ones."""
    numbers = np.random.default_rng(0)
    for side in ("reference", "rounded", "copied", "wrong"):
        (folder / side).mkdir(parents=True)
    for number in range(count):
        a = numbers.standard_normal(elements, np.float32)
        noise = 1 + 1e-7 * numbers.standard_normal(elements, np.float32)
        for side, array in (
            ("reference", a),
            ("rounded", (a * noise).astype(np.float32)),
            ("copied", a),
            ("wrong", a + np.float32(1e-3)),
        ):
            np.save(folder / side / f"{number:04}.npy", array)


def shards(folder: Path, gigabytes: int, seed: int) -> Path:
    """The index of a checkpoint of bfloat16, in files of a gigabyte; `seed` rounds it."""
    folder.mkdir()
    bits = np.random.default_rng(0).standard_normal(BLOCK_BYTES // 2, np.float32).view(np.uint32)
    rounding = np.random.default_rng(seed).integers(0, 2, BLOCK_BYTES // 2, np.uint16)
    block = ((bits >> 16).astype("<u2") ^ rounding).tobytes()
    weight_map: dict[str, str] = {}
    for shard in range(gigabytes):
        file = f"model-{shard + 1:05}-of-{gigabytes:05}.safetensors"
        names = [f"layers.{shard}.{n}.weight" for n in range(SHARD_BYTES // TENSOR_BYTES)]
        with open(folder / file, "wb") as stream:
            stream.write(header(names))
            for _ in range(SHARD_BYTES // BLOCK_BYTES):
                stream.write(block)
        weight_map |= dict.fromkeys(names, file)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return index


def header(names: list[str]) -> bytes:
    """What stands before the tensors of a .safetensors."""
    places = {
        name: {
            "dtype": "BF16",
            "shape": [TENSOR_BYTES // 2 // 4096, 4096],
            "data_offsets": [number * TENSOR_BYTES, (number + 1) * TENSOR_BYTES],
        }
        for number, name in enumerate(names)
    }
    text = json.dumps(places).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


# the runs


def timed(command: list[str], status: int) -> float:
    """Seconds of CPU of a process, which must end with this status."""
    start = spent()
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != status:
        sys.stderr.write(done.stderr)
        raise subprocess.CalledProcessError(done.returncode, command)
    return spent() - start


def spent() -> float:
    """Seconds of CPU of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def private_mb(command: list[str]) -> float:
    """The most private memory that a process holds, looked at every few milliseconds."""
    most = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        process = psutil.Process(run.pid)
        while run.poll() is None:
            try:
                most = max(most, process.memory_full_info().uss)
            except psutil.Error:  # it has ended meanwhile
                break
            time.sleep(PAUSE_S)
    return most / 1e6


def measured(case: Case, rounds: int, troubleshooter: str) -> bool:
    """Prints a case; whether it is within its targets."""
    commands = {"ours": (case.command, case.status)}
    if case.has_peer:
        commands["NumPy"] = (case.peer(NUMPY), 0)
        if troubleshooter:
            commands["former"] = (case.peer(TROUBLESHOOTER, troubleshooter), 0)
    least = dict.fromkeys(commands, float("inf"))
    for _ in range(rounds):
        for name, (command, status) in commands.items():
            least[name] = min(least[name], timed(command, status))
    ours, memory = least["ours"], private_mb(case.command)
    ratio = ours / least["NumPy"] if case.has_peer else 0.0
    limits = (case.seconds, case.ratio, case.private_mb)
    figures = zip((ours, ratio, memory), limits, strict=True)
    within = all(m is None or got <= m for got, m in figures)
    seconds, most, memory_limit = ("-" if m is None else f"{m:g}" for m in limits)
    peer = f"{least['NumPy']:6.2f} s {ratio:6.2f}" if case.has_peer else f"{'-':>8} {'-':>6}"
    former = f"{least['former']:6.2f} s {least['former'] / ours:5.1f}" if "former" in least else ""
    print(
        f"{case.title:<34} {ours:6.2f} s {seconds:>6} {peer} {most:>6} {former:>14} "
        f"{memory:7.0f} MB {memory_limit:>6}  {'' if within else 'MISSED'}",
        flush=True,
    )
    return within


def array_cases(folder: Path) -> Iterator[Case]:
    for title, count, elements, ratio, memory in (
        ("2,000 pairs of 16 KB", SMALL, SMALL_ELEMENTS, 1.2, None),
        ("20 pairs of 50 MB", LARGE, LARGE_ELEMENTS, 1.6, 80.0),
    ):
        place = folder / f"{count}"
        arrays(place, count, elements)
        os.sync()  # what is still written to the disk would be waited for
        a = place / "reference"
        yield Case(f"{title}, rounding", a, place / "rounded", 0, None, ratio, memory)
        yield Case(f"{title}, equal", a, place / "copied", 0, None, ratio, memory)
        yield Case(f"{title}, all different", a, place / "wrong", 1, None, None, memory)


def resnet_case(folder: Path) -> Case:
    made("resnet50", folder / "resnet50.pth")
    converted(folder / "resnet50.pth", folder / "resnet50.ckpt")
    sides = folder / "resnet50.pth", folder / "resnet50.ckpt"
    return Case("ResNet-50, .pth against .ckpt", *sides, seconds=1.2, has_peer=False)


def shards_case(folder: Path, gigabytes: int) -> Case:
    sides = [shards(folder / f"shards{seed}", gigabytes, seed) for seed in (1, 2)]
    os.sync()
    title = f"{gigabytes} GB in shards, bfloat16"
    return Case(title, *sides, private_mb=250.0, has_peer=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=int, default=6, help="of the checkpoint in shards")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the files are made")
    parser.add_argument(
        "--troubleshooter", metavar="PYTHON", default="", help="measures the former tool, too"
    )
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    good = True
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(cores)})
        print(f"{'':<33}msconvert target    NumPy  ratio target  former, ratio    private target")
        former = options.troubleshooter
        for case in array_cases(folder):
            good &= measured(case, options.rounds, former)
        good &= measured(resnet_case(folder), options.rounds, former)
        if options.gigabytes:
            good &= measured(shards_case(folder, options.gigabytes), 1, former)
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
