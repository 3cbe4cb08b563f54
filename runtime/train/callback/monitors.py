"""Callbacks that tell of the run: its losses, times, and their history."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ...engine.argument import check_int, check_type
from ...engine.failure import ShapeError
from ...engine.tensor import Tensor
from .callback import Callback, RunContext, loss_of, say


class LossMonitor(Callback):
    """Prints the loss every `per_print_times` steps (never for 0), and in `fit` the metrics.

    Raises: ValueError (MS304) at a step whose loss is NaN or infinite
    """

    def __init__(self, per_print_times: int = 1) -> None:
        check_int("LossMonitor", "per_print_times", per_print_times, 0)
        self._per_print_times = per_print_times
        self._last_print_time = 0

    def step_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        epoch, loss = told.get("cur_epoch_num", 1), loss_of(told.net_outputs)
        step = (told.cur_step_num - 1) % told.batch_num + 1
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ShapeError(
                f"epoch {epoch}, step {step}", "the loss is NAN or INF, the training cannot go on",
                got=str(loss),
                advice="take a smaller learning rate, and look at the rows of this batch",
            )  # fmt: skip
        if told.cur_step_num <= self._last_print_time:
            self._last_print_time = 0  # a new run with the same callback
        if 0 < self._per_print_times <= told.cur_step_num - self._last_print_time:
            self._last_print_time = told.cur_step_num
            say(f"epoch: {epoch} step: {step}, loss is {loss}")

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        metrics = told.get("metrics")
        if metrics:
            say(f"Eval result: epoch {told.cur_epoch_num}, metrics: {metrics}")


class TimeMonitor(Callback):
    """Prints the time of each epoch, and of a step; `data_time` adds what reading rows took."""

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self.data_size = data_size
        self.data_time = check_type("TimeMonitor", "data_time", data_time, bool)
        self.epoch_time = time.time()
        self.data_time_sum, self.data_time_start = 0.0, 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self.data_time_sum += time.time() - self.data_time_start

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.data_time_start = time.time()

    def epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_time = self.data_time_start = time.time()
        self.data_time_sum = 0.0

    def epoch_end(self, run_context: RunContext) -> None:
        milliseconds = (time.time() - self.epoch_time) * 1000
        told = run_context.original_args()
        steps: Any = told.get("batch_num", 0)
        steps = steps if isinstance(steps, int) and steps > 0 else self.data_size
        check_int("TimeMonitor", "data_size", steps, 1)
        line = (
            f"{told.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
            f"per step time: {milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            line += f" (data time: {self.data_time_sum * 1000 / steps:5.3f} ms)"
        say(line)


class History(Callback):
    """Keeps the last loss of each epoch, and its metrics, in `history`; the epochs in `epoch`."""

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        if self.epoch is not None:
            self.epoch["epoch"].append(told.get("cur_epoch_num", 1))
        new = {"net_output": mean_output(told.net_outputs)} | (told.get("metrics") or {})
        for name, value in new.items():
            self.history.setdefault(name, []).append(value)


def mean_output(outputs: Any) -> Any:
    """The mean of the first output, as a number that prints as short as its element type."""
    first = outputs[0] if isinstance(outputs, (tuple, list)) else outputs
    return float(str(np.mean(first.asnumpy()))) if isinstance(first, Tensor) else outputs
