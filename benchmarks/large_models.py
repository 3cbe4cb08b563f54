"""What large files cost: `python benchmarks/large_models.py FOLDER [BERT.onnx ...]`.

1. BERT's files that are given, such as BERT-12 of docs/gallery and one of real width, with the
   comparison: CPU seconds and peak memory.
2. A file of 2.2 GB of weights beside it, made here, without comparison and with it.
3. A graph of 5,000 nodes, made here, with the comparison.
4. Graphs of 100,000 nodes, made here, without comparison and with it: Relu alone, and as those
   of 5,000.

The command runs in a process of its own; seconds are those of CPU of all its processes, memory is
what they have together, pages that several share counted once. What FOLDER has is not made again.
The modules are compiled beforehand, as those of an installed package are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from msconvert.benchmarks.scan import watch_memory

BERT_CPU_S, BERT_PEAK_GB = 4.0, 1.0
WITHOUT, WITH = 1.2, 2.2
"""Times the bytes of the weights."""

UNCOMPILED = "PYTHONDONTWRITEBYTECODE"

NODES, NODES_CPU_S = 5000, 10.0
MANY_NODES, MANY_NODES_CPU_S = 100_000, 5.0
MIXED = ("Relu", "Add", "Tanh", "Mul", "Sigmoid", "Max")
"""Activations, sums and products by turns, each of the two values before it."""

WIDTH, LAYERS = 4096, 33
"""2.2 GB of float32."""


@dataclass(frozen=True)
class Cost:
    """Seconds of CPU, gigabytes at the peak, and whether the command found all equal."""

    cpu_s: float
    peak_gb: float
    is_equal: bool


def cost(model: Path, output: Path, *flags: str) -> Cost:
    """The whole command, as it is run from a shell."""
    shutil.rmtree(output, ignore_errors=True)
    command = [sys.executable, "-m", "msconvert", "--model_file", str(model), "--output"]
    before, peaks = os.times(), [0.0]
    nowhere = subprocess.DEVNULL
    command += [str(output), *flags]
    keeping = {name: value for name, value in os.environ.items() if name != UNCOMPILED}
    with subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=keeping) as run:
        Thread(target=watch_memory, args=(run, peaks)).start()
        status = run.wait()
    after = os.times()
    shutil.rmtree(output, ignore_errors=True)
    return Cost(sum(after[2:4]) - sum(before[2:4]), max(peaks) / 1e3, status == 0)


def heavy(path: Path) -> None:
    """Layers of 64 MiB each with residual connections; the weights stand in a file beside."""
    nodes, weights = [], []
    rng = np.random.default_rng(0)
    x = "x"
    for i in range(LAYERS):
        array = rng.standard_normal((WIDTH, WIDTH), np.float32) / WIDTH
        weights.append(numpy_helper.from_array(array, f"layers.{i}.weight"))
        nodes.append(helper.make_node("MatMul", [x, f"layers.{i}.weight"], [f"m{i}"]))
        nodes.append(helper.make_node("Add", [x, f"m{i}"], [f"y{i}"]))
        x = f"y{i}"
    save(path, nodes, weights, x, (1, WIDTH), beside=True)


def long(path: Path, ops: Sequence[str] = MIXED, count: int = NODES) -> None:
    """So many nodes in a chain."""
    nodes, made = [], ["x", "x"]
    for i in range(count):
        op = ops[i % len(ops)]
        taken = 2 if op in ("Add", "Mul", "Max") else 1
        name = f"/block.{i // 10}/{op}_{i}"
        nodes.append(helper.make_node(op, made[-taken:], [f"v{i}"], name=name))
        made.append(f"v{i}")
    save(path, nodes, [], made[-1], (2, 8), beside=False)


def save(
    path: Path,
    nodes: list[onnx.NodeProto],
    weights: list[TensorProto],
    last: str,
    shape: tuple[int, ...],
    beside: bool,
) -> None:
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n in ("x", last)]
    graph = helper.make_graph(nodes, "graph", ends[:1], ends[1:], weights)
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.save(model, path, save_as_external_data=beside, location=f"{path.stem}.weights")


def row(what: str, got: float, most: float, unit: str) -> str:
    verdict = "met" if got <= most else "MISSED"
    return f"{what:<48} {got:7.2f} {unit:<4} at most {most:5.2f}   {verdict}"


def measured(folder: Path, berts: list[Path]) -> Iterator[str]:
    out = folder / "out"
    few = folder / "few.onnx"
    save(few, [helper.make_node("Relu", ["x"], ["y"])], [], "y", (2, 8), beside=False)
    cost(few, out)
    for bert in berts:
        found = cost(bert, out)
        yield f"{bert}: {'equal' if found.is_equal else 'NOT EQUAL'}"
        yield row("  CPU with the comparison", found.cpu_s, BERT_CPU_S, "s")
        yield row("  peak with the comparison", found.peak_gb, BERT_PEAK_GB, "GB")
    for name, make in (("heavy", heavy), ("long", long)):
        if not (folder / f"{name}.onnx").exists():
            make(folder / f"{name}.onnx")
    weights_gb = (folder / "heavy.weights").stat().st_size / 1e9
    yield f"{weights_gb:.2f} GB of weights"
    for what, most, flags in (("without", WITHOUT, ["--no-verify"]), ("with", WITH, [])):
        found = cost(folder / "heavy.onnx", out, *flags)
        yield f"  {'done' if found.is_equal else 'NOT EQUAL'}, {found.cpu_s:.1f} s of CPU"
        yield row(
            f"  peak {what} the comparison, by the weights", found.peak_gb / weights_gb, most, ""
        )
    found = cost(folder / "long.onnx", out)
    yield f"{NODES} nodes: {'equal' if found.is_equal else 'NOT EQUAL'}"
    yield row("  CPU with the comparison", found.cpu_s, NODES_CPU_S, "s")
    for name, ops in (("relu", ("Relu",)), ("mixed", MIXED)):
        yield from many(folder, name, ops)


def many(folder: Path, name: str, ops: Sequence[str]) -> Iterator[str]:
    """What a graph of 100,000 nodes costs."""
    path = folder / f"{name}.onnx"
    if not path.exists():
        long(path, ops, MANY_NODES)
    for what, flags in (("without", ["--no-verify"]), ("with", [])):
        found = cost(path, folder / "out", *flags)
        said = "done" if found.is_equal else "NOT EQUAL"
        yield f"{MANY_NODES} nodes, {name}: {said}, {found.peak_gb:.2f} GB"
        yield row(f"  CPU {what} the comparison", found.cpu_s, MANY_NODES_CPU_S, "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("berts", type=Path, nargs="*")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for line in measured(given.folder, given.berts):
        print(line, flush=True)


if __name__ == "__main__":
    main()
