"""What it costs to profile a compiled step: the same steps with and without, turn about in one run.

    python benchmarks/profiling.py [--networks lenet resnet50 ...] [--steps 50] [--every]

Prints wall time and the process's CPU time of a step and their ratios. Profiled are the steps
whose operators are timed and those between, in the shares in which `msconvert profile` has them in
so many steps: the median of each kind by its share. With `--every` the operators of each step are
timed. At the end the share of ONNX Runtime's own total that the operators add up to, and the five
that take longest beside those of its raw profile.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from networks.sizes import SIZES, batch

from msconvert.runtime.alias import answer_mindspore
from msconvert.runtime.engine.observation import set_timer
from msconvert.runtime.profiler.analysis import totals
from msconvert.runtime.profiler.recorder import Record, Recorder

MOST_OVERHEAD = 1.10
DEFAULT = ("lenet", "resnet18", "resnet50", "lstm")
WARM_UP = 3
Times = list[tuple[float, float]]


class Raw(Recorder):
    """Counts the kernels of ONNX Runtime's files by itself, too. Units: microseconds"""

    def __init__(self, every: bool) -> None:
        super().__init__(every)
        self.kernels: Counter[str] = Counter()

    def take(self, graph: int, path: Path) -> None:
        for event in json.loads(path.read_text(encoding="utf-8")):
            if event["cat"] == "Node" and "_kernel_time" in event["name"]:
                self.kernels[event["args"]["op_name"]] += event["dur"]
        super().take(graph, path)


def timed(step: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU time of a step. Units: ms"""
    wall, cpu = time.perf_counter(), time.process_time()
    step()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


def measured(name: str, steps: int, every: bool) -> tuple[Record, Raw, list[Times]]:
    """The profile, and the times of the steps: without it, timed in it, between those."""
    from networks import in_mindspore

    step = in_mindspore.training_step(name, *batch(name), True)[1]
    for _ in range(WARM_UP):
        step()
    recorder, times = Raw(every), [Times(), Times(), Times()]
    recorder.start()
    step()
    for k in range(2 * steps):
        profiled = (k + k // 2) % 2  # 0 1 1 0: neither always follows the other
        set_timer(recorder if profiled else None)
        one = timed(step)
        times[(1 if recorder.record.runs[-1].sampled else 2) if profiled else 0].append(one)
    set_timer(recorder)
    return recorder.stop(), recorder, times


def overhead(times: list[Times], kind: int) -> tuple[float, float]:
    """A step without the profile and one with it, each kind of step by its share. Units: ms"""
    without, *with_it = [[one[kind] for one in part] for part in times]
    count = sum(map(len, with_it))
    profiled = sum(statistics.median(part) * len(part) / count for part in with_it if part)
    return statistics.median(without), profiled


def show(name: str, steps: int, every: bool) -> bool:
    """Prints the figures of a network; whether its wall time is within the bound."""
    record, raw, times = measured(name, steps, every)
    ratios = []
    print(f"{SIZES[name][0]}: operators timed in {len(times[1])} of {steps} steps")
    for k, kind in enumerate(("wall", "CPU")):
        before, after = overhead(times, k)
        ratios.append(after / before)
        alone = statistics.median(one[k] for one in times[1]) / before
        print(f"  {kind} {before:.2f} ms, profiled {after:.2f} ms, {after / before:.3f} times "
              f"(a timed step {alone:.3f})")  # fmt: skip
    compiled = [one for one in record.ran if one.compiled]
    ours = totals(compiled, lambda one: one.op)
    kernels, length = sum(raw.kernels.values()), sum(one.length for one in compiled)
    share, of_all = length / max(kernels, 1), kernels / record.executed
    print(f"  operators: {share:.1%} of ONNX Runtime's kernels, {of_all:.1%} of all it executed")
    print(f"  five slowest here:      {', '.join(one.name for one in ours[:5])}")
    print(f"  of ONNX Runtime's file: {', '.join(n for n, _ in raw.kernels.most_common(5))}")
    return ratios[0] <= MOST_OVERHEAD


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--networks", nargs="+", choices=list(SIZES), default=list(DEFAULT))
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--every", action="store_true", help="time the operators of each step")
    given = parser.parse_args()
    answer_mindspore()
    slow = [name for name in given.networks if not show(name, given.steps, given.every)]
    print(f"over {MOST_OVERHEAD} times: {', '.join(slow)}" if slow else "all within the bound")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
