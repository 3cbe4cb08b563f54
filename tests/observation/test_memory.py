"""A long run with everything on keeps its memory, and what it writes is bounded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, os, sys
folder = sys.argv[2]
os.environ["MINDSPORE_DUMP_CONFIG"] = folder + "/dump.json"
os.environ["MSCONVERT_DUMP_MAX_BYTES"] = "6000000"
common = {"dump_mode": 0, "path": folder + "/dump", "net_name": "Net", "iteration": "all",
          "saved_data": "statistic", "input_output": 0, "kernels": [], "support_device": [0]}
with open(folder + "/dump.json", "w") as stream:
    json.dump({"common_dump_settings": common, "e2e_dump_settings": {"enable": True}}, stream)
import numpy as np
import msconvert, msconvert.runtime as ms
from msconvert.runtime import dataset as ds, nn, ops, profiler, train
from msconvert.runtime.profiler.recorder import resident

ms.set_context(mode=int(sys.argv[1]))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.summary = nn.Dense(8, 4), ops.ScalarSummary()

    def construct(self, x):
        y = self.dense(x)
        self.summary("mean", y.mean())
        return y


class Memory(train.Callback):
    seen = []

    def on_train_step_end(self, run_context):
        profile.step()
        if run_context.original_args().cur_step_num % 500 == 0:
            self.seen.append(resident())


net = Net()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = train.Model(net, loss, nn.Momentum(net.trainable_params(), 0.001, 0.9))
x = np.random.default_rng(0).normal(size=(600, 8)).astype(np.float32)
rows = ds.NumpySlicesDataset((x, np.arange(600) % 4), ["x", "y"], shuffle=True)
rows = rows.map(lambda a: a * 1.0, ["x"], num_parallel_workers=2).batch(2)
collector = train.SummaryCollector(folder, collect_freq=1, max_file_size=400_000)
chosen = profiler.schedule(wait=5, active=20, repeat=0)
profile = profiler.profile(schedule=chosen, on_trace_ready=lambda one: None)
profile.start()
with msconvert.watch(("nan", "overflow", "unchanged-weights", "zero-gradients", "exploding")):
    model.train(10, rows, callbacks=[collector, Memory()])
print(max(Memory.seen[1:]) - Memory.seen[1])
"""


@pytest.mark.parametrize("mode", [0, 1])
def test_three_thousand_steps_keep_their_memory(mode: int, tmp_path: Path) -> None:
    program = [sys.executable, "-c", SCRIPT, str(mode), str(tmp_path)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=900, check=True)
    assert int(done.stdout.split()[-1]) < 12 << 20
    (path,) = tmp_path.glob("*tfevents*_MS")
    assert path.stat().st_size <= 400_000
    tables = [*tmp_path.glob("dump/rank_0/Net/0/*/statistic.csv")]
    assert len(tables) > 100
    assert sum(table.stat().st_size for table in tables) < 6_500_000
    assert done.stderr.count("Nothing more is dumped") == 1
