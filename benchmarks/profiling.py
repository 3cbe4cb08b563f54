"""What it costs to profile a compiled step: the same steps with and without, turn about in one run.

    python benchmarks/profiling.py [--networks lenet resnet50 ...] [--steps 30]

Prints medians of wall time and of the process's CPU time, and their ratios; at the end the share
of ONNX Runtime's own total that the operators add up to, and the five that take longest beside
those of its raw profile.
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


class Raw(Recorder):
    """Counts the kernels of ONNX Runtime's files by itself, too. Units: microseconds"""

    def __init__(self) -> None:
        super().__init__()
        self.kernels: Counter[str] = Counter()

    def take(self, path: Path, began: float) -> None:
        for event in json.loads(path.read_text(encoding="utf-8")):
            if event["cat"] == "Node" and "_kernel_time" in event["name"]:
                self.kernels[event["args"]["op_name"]] += event["dur"]
        super().take(path, began)


def timed(step: Callable[[], Any]) -> tuple[float, float]:
    """Wall and CPU time of a step. Units: ms"""
    wall, cpu = time.perf_counter(), time.process_time()
    step()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


def measured(name: str, steps: int) -> tuple[Record, Raw, list[list[tuple[float, float]]]]:
    """The profile, and the times of the steps without and with it."""
    from networks import in_mindspore

    step = in_mindspore.training_step(name, *batch(name), True)[1]
    for _ in range(WARM_UP):
        step()
    recorder, times = Raw(), [[], []]
    recorder.start()
    for _ in range(WARM_UP):
        step()
    for k in range(2 * steps):
        profiled = (k + k // 2) % 2  # 0 1 1 0: neither always follows the other
        set_timer(recorder if profiled else None)
        times[profiled].append(timed(step))
    set_timer(recorder)
    return recorder.stop(), recorder, times


def show(name: str, steps: int) -> bool:
    """Prints the figures of a network; whether its wall time is within the bound."""
    record, raw, (without, profiled) = measured(name, steps)
    ratios = []
    for k, kind in enumerate(("wall", "CPU")):
        before, after = (statistics.median(t[k] for t in one) for one in (without, profiled))
        ratios.append(after / before)
        print(f"{SIZES[name][0]}: {kind} {before:.2f} ms, profiled {after:.2f} ms, "
              f"{after / before:.3f} times")  # fmt: skip
    ours = totals([one for one in record.ran if one.compiled], lambda one: one.op)
    kernels = sum(raw.kernels.values())
    share, of_all = sum(one.total for one in ours) / max(kernels, 1), kernels / record.executed
    print(f"  operators: {share:.1%} of ONNX Runtime's kernels, {of_all:.1%} of all it executed")
    print(f"  five slowest here:      {', '.join(one.name for one in ours[:5])}")
    print(f"  of ONNX Runtime's file: {', '.join(n for n, _ in raw.kernels.most_common(5))}")
    return ratios[0] <= MOST_OVERHEAD


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--networks", nargs="+", choices=list(SIZES), default=list(DEFAULT))
    parser.add_argument("--steps", type=int, default=30)
    given = parser.parse_args()
    answer_mindspore()
    slow = [name for name in given.networks if not show(name, given.steps)]
    print(f"over {MOST_OVERHEAD} times: {', '.join(slow)}" if slow else "all within the bound")
    return 1 if slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
