"""Callbacks of `map`: what is called before and behind epochs and rows of a pipeline."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..engine.argument import check_range, check_type
from ..engine.failure import MissingNameError
from ..train.callback.callback import Callback
from ..train.callback.callback import RunContext as TrainContext
from . import config
from .faults import DataError
from .node import Row


@dataclass(frozen=True)
class RunContext:
    """Where the pipeline is: all numbers begin with 1."""

    cur_epoch_num: int = 0
    cur_step_num_in_epoch: int = 0
    cur_step_num: int = 0


class DSCallback:
    """What is called while rows are made; a subclass defines what it needs.

    step_size: of so many rows, the first is told only.
    """

    def __init__(self, step_size: int = 1) -> None:
        where = type(self).__name__
        check_range(where, "step_size", check_type(where, "step_size", step_size, int), 1)
        self.step_size = step_size

    def ds_begin(self, ds_run_context: RunContext) -> None:
        """Before the first epoch."""

    def ds_epoch_begin(self, ds_run_context: RunContext) -> None:
        """Before each epoch."""

    def ds_epoch_end(self, ds_run_context: RunContext) -> None:
        """After each epoch."""

    def ds_step_begin(self, ds_run_context: RunContext) -> None:
        """Before a row is made."""

    def ds_step_end(self, ds_run_context: RunContext) -> None:
        """After a row was made."""


HOOKS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


class WaitedDSCallback(Callback, DSCallback):
    """What is called before an epoch or a row, as soon as the training before it is done."""

    def __init__(self, step_size: int = 1) -> None:
        DSCallback.__init__(self, step_size)
        self.step_event, self.epoch_event = threading.Event(), threading.Event()
        self.step_run_context: TrainContext | None = None
        self.epoch_run_context: TrainContext | None = None
        self.training_ended = False

    def sync_epoch_begin(
        self, train_run_context: TrainContext | None, ds_run_context: RunContext
    ) -> None:
        """Before an epoch of the data, after that of the training before it."""

    def sync_step_begin(
        self, train_run_context: TrainContext | None, ds_run_context: RunContext
    ) -> None:
        """Before a row, after the step of the training before it."""

    def epoch_end(self, run_context: TrainContext) -> None:
        self.epoch_run_context = run_context
        self.epoch_event.set()

    def step_end(self, run_context: TrainContext) -> None:
        self.step_run_context = run_context
        self.step_event.set()

    def end(self, run_context: TrainContext) -> None:
        self.epoch_end(run_context)
        self.step_end(run_context)
        self.training_ended = True

    def ds_epoch_begin(self, ds_run_context: RunContext) -> None:
        if ds_run_context.cur_epoch_num > 1:
            self.wait("epoch", self.epoch_event)
            self.sync_epoch_begin(self.epoch_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: RunContext) -> None:
        if ds_run_context.cur_step_num > self.step_size:
            self.wait("step", self.step_event)
            self.sync_step_begin(self.step_run_context, ds_run_context)

    def wait(self, what: str, event: threading.Event) -> None:
        """Raises: RuntimeError (MS314) if nothing is trained on the rows."""
        if self.training_ended:
            return
        seconds = config.get_callback_timeout()
        if not event.wait(seconds):
            problem = f"for {seconds} seconds no {what} of a training has ended"
            advice = "Model.train(..., callbacks=[this callback, too])"
            raise DataError(type(self).__name__, problem, advice=advice)
        event.clear()


def checked_callbacks(given: Any) -> list[DSCallback]:
    """The callbacks of a call of `map`. Raises: TypeError or AttributeError"""
    found = given if isinstance(given, list) else [given]
    for callback in found:
        check_type("map", "callbacks", callback, DSCallback)
        if not any(overrides(callback, name) for name in HOOKS):
            where = f"mindspore.dataset.{type(callback).__name__}"
            raise MissingNameError(where, f"it defines none of {', '.join(HOOKS)}")
    return found


def overrides(callback: DSCallback, name: str) -> bool:
    """Whether a callback's class defines a hook that does something."""
    if not isinstance(callback, WaitedDSCallback):
        return getattr(type(callback), name) is not getattr(DSCallback, name)
    synced = {"ds_epoch_begin": "sync_epoch_begin", "ds_step_begin": "sync_step_begin"}
    own = synced.get(name)
    return own is not None and getattr(type(callback), own) is not getattr(WaitedDSCallback, own)


class Calls:
    """The calls of callbacks in one reading of a pipeline."""

    def __init__(self, callbacks: Sequence[DSCallback]) -> None:
        self.callbacks = callbacks
        self.epoch = self.rows = self.done = self.first = 0

    def call(self, hook: str, row: int) -> None:
        """Calls a hook of all; those of rows only for every `step_size`th of them."""
        context = RunContext(self.epoch, row - self.first if row else 0, row)
        for callback in self.callbacks:
            number = context.cur_step_num_in_epoch
            is_told = "_step_" not in hook or (number - 1) % callback.step_size == 0
            if is_told and overrides(callback, hook):
                getattr(callback, hook)(context)

    def taken(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows on their way into `map`."""
        if self.epoch == 0:
            self.call("ds_begin", 0)
        self.epoch += 1
        self.first = self.rows
        self.call("ds_epoch_begin", self.rows)
        for row in rows:
            self.rows += 1
            self.call("ds_step_begin", self.rows)
            yield row

    def given(self, rows: Iterator[Row]) -> Iterator[Row]:
        """The rows on their way out of it."""
        for row in rows:
            self.done += 1
            self.call("ds_step_end", self.done)
            yield row
        self.call("ds_epoch_end", self.done)
