"""The runtime against PyTorch eager and the real MindSpore, side by side in one run.

    python benchmarks/runtime.py [--quick] [--parts training calls ...] [--networks lenet ...]

The networks are written once in plain MindSpore and once in PyTorch (`networks/`). Times are
medians of wall time, the frameworks turn about, each with the same number of threads; ratios are
the runtime's share of PyTorch's time: below 1 the runtime is faster. The real MindSpore runs in
its own Python (MSCONVERT_MINDSPORE_PYTHON, or what `tests/make_mindspore_env.sh` has made), and is
stopped when it is known to be 25 times slower.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import selectors
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from networks.sizes import CONVOLUTIONAL, SIZES, batch

FOLDER = Path(__file__).parent
PARTS = ("training", "inference", "calls", "compile", "memory", "mindspore")

STEP_TARGET, MINDSPORE_TARGET, MEMORY_TARGET = 1.2, 20, 1.5
ADD_TARGET_US, RECORDED_TARGET_US, COMPILE_TARGET_S = 15, 40, 3
PATIENCE = 25
"""How many times the runtime's step the real MindSpore may take before it is stopped."""

Step = Callable[[], Any]


@dataclass(frozen=True)
class Options:
    parts: tuple[str, ...]
    networks: tuple[str, ...]
    threads: int
    seconds: float
    """What timing one network takes, about."""

    @staticmethod
    def of(arguments: list[str]) -> Options:
        parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
        parser.add_argument("--quick", action="store_true", help="fewer rounds")
        parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
        parser.add_argument("--networks", nargs="+", choices=list(SIZES), default=list(SIZES))
        parser.add_argument("--threads", type=int, default=os.cpu_count())
        given = parser.parse_args(arguments)
        seconds = 2.0 if given.quick else 10.0
        return Options(tuple(given.parts), tuple(given.networks), given.threads, seconds)


REST = 0.1
"""Seconds between two frameworks' turns: threads of the one before spin on for a while."""


def turn_about(steps: dict[str, Step], seconds: float) -> dict[str, float]:
    """Median milliseconds of each; 3 to 300 rounds. Of two calls a turn the second counts."""
    for step in steps.values():
        step(), step()
    times: dict[str, list[float]] = {name: [] for name in steps}
    start = time.perf_counter()
    for round_ in range(300):
        if round_ >= 3 and time.perf_counter() - start > seconds:
            break
        for name, step in steps.items():
            time.sleep(REST)
            step()
            before = time.perf_counter()
            step()
            times[name].append((time.perf_counter() - before) * 1e3)
    return {name: statistics.median(values) for name, values in times.items()}


def show(title: str, times: dict[str, float]) -> None:
    """A line with milliseconds, and ratios to the last of them."""
    *others, last = times
    cells = [f"{name} {times[name]:8.1f} ms" for name in times]
    ratios = [f"{times[name] / times[last]:.2f}" for name in others]
    print(f"  {title:50s} {'  '.join(cells)}  ratio {' / '.join(ratios)}", flush=True)


def geometric_mean(ratios: Iterable[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def copied(ours: Any, theirs: Any) -> None:
    """Gives the runtime's network the weights of PyTorch's, which come in the same order."""
    import mindspore as ms

    for mine, other in zip(ours.trainable_params(), theirs.parameters(), strict=True):
        mine.set_data(ms.Tensor(other.detach().numpy().reshape(mine.shape).copy()))


def training_pair(name: str) -> dict[str, Step]:
    """The runtime's and PyTorch's step. Raises: AssertionError if their first losses differ."""
    from networks import in_mindspore, in_torch

    x, y = batch(name)
    net, ours = in_mindspore.training_step(name, x, y, True)
    other, theirs = in_torch.training_step(name, x, y)
    copied(net, other)
    mine, expected = ours(), theirs()
    assert abs(mine - expected) <= 1e-3 * abs(expected), (name, mine, expected)
    return {"runtime": ours, "PyTorch": theirs}


def training(options: Options) -> dict[str, dict[str, float]]:
    """Prints training steps in graph mode; their times."""
    print("Training step, graph mode: forward, backward, optimiser")
    found = {}
    for name in options.networks:
        found[name] = turn_about(training_pair(name), options.seconds)
        show(SIZES[name][0], found[name])
    mean = geometric_mean(times["runtime"] / times["PyTorch"] for times in found.values())
    print(f"  geometric mean {mean:.2f} (target {STEP_TARGET}, goal 1.0)\n")
    return found


def inference_trio(name: str) -> dict[str, Step]:
    from networks import in_mindspore, in_torch

    x, _ = batch(name)
    other, theirs = in_torch.inference(name, x)
    found = {}
    for title, compiled in (("graph", True), ("PyNative", False)):
        net, step = in_mindspore.inference(name, x, compiled)
        copied(net, other)
        assert np.allclose(step(), theirs(), rtol=1e-3, atol=1e-3), name
        found[title] = in_mode(step, compiled)
    return found | {"PyTorch": theirs}


def in_mode(step: Step, compiled: bool) -> Step:
    """`step`, with the mode set before each call."""
    import mindspore as ms

    mode = ms.GRAPH_MODE if compiled else ms.PYNATIVE_MODE

    def call() -> Any:
        ms.set_context(mode=mode)
        return step()

    return call


def inference(options: Options) -> None:
    print("Inference")
    found = []
    for name in options.networks:
        times = turn_about(inference_trio(name), options.seconds / 2)
        found.append(times)
        show(SIZES[name][0], times)
    for mode in ("graph", "PyNative"):
        mean = geometric_mean(times[mode] / times["PyTorch"] for times in found)
        print(f"  geometric mean, {mode}: {mean:.2f}")
    print()


def per_call(step: Step, count: int, seconds: float) -> float:
    """Microseconds per call, which does `count` things: the median of rounds of 200 things."""
    number = max(200 // count, 1)
    for _ in range(number):
        step()
    rounds = []
    start = time.perf_counter()
    while time.perf_counter() - start < seconds / 5:
        before = time.perf_counter()
        for _ in range(number):
            step()
        rounds.append((time.perf_counter() - before) / number * 1e6)
    return statistics.median(rounds)


CHAIN = 100
"""Adds in the function whose gradient is recorded."""


def chained(x: Any, y: Any) -> Any:
    for _ in range(CHAIN):
        x = x + y
    return x


def calls(options: Options) -> None:
    """Prints what an add of two 8x8 tensors costs: alone, recorded with its way back, as a grad."""
    import mindspore as ms
    import torch

    ms.set_context(mode=ms.PYNATIVE_MODE)
    a, b = (ms.Tensor(np.ones((8, 8), np.float32)) for _ in range(2))
    c, d = torch.ones(8, 8), torch.ones(8, 8)
    e, f = (torch.ones(8, 8, requires_grad=True) for _ in range(2))
    one, many = (ms.value_and_grad(fn, (0, 1)) for fn in (lambda x, y: x + y, chained))
    ones = torch.ones(8, 8)
    rows = (
        ("add", lambda: a + b, lambda: c + d, 1, ADD_TARGET_US),
        ("add in a recorded chain of 100, forward and backward", lambda: many(a, b),
         lambda: torch.autograd.grad(chained(e, f), (e, f), ones), CHAIN, RECORDED_TARGET_US),
        ("value_and_grad of a single add", lambda: one(a, b),
         lambda: torch.autograd.grad(e + f, (e, f), ones), 1, None),
    )  # fmt: skip
    print("PyNative calls, 8x8")
    for title, ours, theirs, count, target in rows:
        mine, other = (per_call(step, count, options.seconds) / count for step in (ours, theirs))
        goal = "" if target is None else f"  target {target} us"
        print(f"  {title:54s} runtime {mine:6.1f} us  PyTorch {other:6.1f} us{goal}", flush=True)
    print()


def compile_time(options: Options) -> None:
    """Prints how long the first step takes longer than the third."""
    from networks import in_mindspore

    name = "resnet50" if "resnet50" in options.networks else options.networks[0]
    _, step = in_mindspore.training_step(name, *batch(name), True)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    print(f"Compiling the training step of {SIZES[name][0]}")
    print(f"  {times[0] - times[2]:.1f} s beyond a step of {times[2]:.1f} s "
          f"(target {COMPILE_TARGET_S} s)\n")  # fmt: skip


def alone(framework: str, name: str, steps: int, threads: int, python: str) -> subprocess.Popen:
    command = [python, str(FOLDER / "one_process.py"), framework, name, str(steps), str(threads)]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def peak(framework: str, name: str, threads: int) -> float:
    """MB that three steps take in a process of their own, beyond its imports."""
    with alone(framework, name, 3, threads, sys.executable) as process:
        lines = process.communicate()[0].splitlines()
    return float(lines[-1].split()[1])


def memory(options: Options) -> None:
    print("Peak memory of three training steps, beyond what the imports take")
    for name in options.networks:
        mine, other = (peak(which, name, options.threads) for which in ("runtime", "torch"))
        print(
            f"  {SIZES[name][0]:50s} runtime {mine:6.0f} MB  PyTorch {other:6.0f} MB  "
            f"ratio {mine / other:.2f}",
            flush=True,
        )
    print(f"  target {MEMORY_TARGET}\n")


def mindspore_python() -> str | None:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    made = cache / "msconvert" / "mindspore-2.10.0" / "bin" / "python"
    python = Path(os.environ.get("MSCONVERT_MINDSPORE_PYTHON") or made)
    return str(python) if python.exists() else None


def lines_before(process: subprocess.Popen, patience: Callable[[int], float]) -> list[str]:
    """What it prints, until it ends or the next line takes longer than patience(lines so far)."""
    found: list[str] = []
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(patience(len(found))):
            line = process.stdout.readline()
            if not line:
                return found
            found.append(line.strip())
    process.kill()
    return found


def against_mindspore(options: Options, trained: dict[str, dict[str, float]]) -> None:
    """Prints how much faster than the real MindSpore a step is: at least, where it was stopped."""
    python = mindspore_python()
    if python is None:
        print("No MindSpore here: bash tests/make_mindspore_env.sh")
        return
    print("Training step of the real MindSpore (PyNative; compiled it is no faster)")
    for name in options.networks:
        mine = trained[name]["runtime"] / 1e3
        limit = max(PATIENCE * mine, 5.0)
        with alone("mindspore", name, 2, options.threads, python) as process:
            lines = lines_before(process, lambda count, limit=limit: limit if count else 120.0)
        steps = [float(line) for line in lines if line[:1].isdigit()]
        took, sign = (min(steps), "") if steps else (limit, "more than ")
        target = f"  target {MINDSPORE_TARGET}" if name in CONVOLUTIONAL else ""
        print(
            f"  {SIZES[name][0]:50s} {sign}{took:.2f} s  {sign}{took / mine:.0f} times{target}",
            flush=True,
        )


def main(options: Options) -> None:
    os.environ.setdefault("OMP_NUM_THREADS", str(options.threads))
    import torch

    from msconvert.runtime.alias import answer_mindspore

    answer_mindspore()
    import mindspore as ms

    torch.set_num_threads(options.threads)
    ms.set_context(runtime_num_threads=options.threads)
    print(json.dumps({"threads": options.threads, "torch": torch.__version__}))
    trained: dict[str, dict[str, float]] = {}
    if "training" in options.parts or "mindspore" in options.parts:
        trained = training(options)
    if "inference" in options.parts:
        inference(options)
    if "calls" in options.parts:
        calls(options)
    if "compile" in options.parts:
        compile_time(options)
    if "memory" in options.parts:
        memory(options)
    if "mindspore" in options.parts:
        against_mindspore(options, trained)


if __name__ == "__main__":
    main(Options.of(sys.argv[1:]))
