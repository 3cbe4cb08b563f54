"""Callbacks made of functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import log
from ...engine.argument import check_type
from ...engine.parameter import assign
from ...engine.tensor import Tensor
from .callback import Callback, RunContext
from .plateau import rate_of

Hook = Callable[[RunContext], Any] | None


class LearningRateScheduler(Callback):
    """After each step sets the learning rate to learning_rate_function(rate, number of steps)."""

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        rate = rate_of(told.optimizer, "LearningRateScheduler")
        old = float(np.array2string(rate.asnumpy()))  # MindSpore rounds it by printing it
        new = self.learning_rate_function(old, told.cur_step_num)
        if not math.isclose(old, new, rel_tol=1e-10):
            assign(rate, Tensor(np.float32(new)))
            log.info("At step %s, learning_rate change to %s", told.cur_step_num, new)


class LambdaCallback(Callback):
    """A callback whose hooks are functions of the run's context."""

    def __init__(
        self,
        on_train_epoch_begin: Hook = None,
        on_train_epoch_end: Hook = None,
        on_train_step_begin: Hook = None,
        on_train_step_end: Hook = None,
        on_train_begin: Hook = None,
        on_train_end: Hook = None,
        on_eval_epoch_begin: Hook = None,
        on_eval_epoch_end: Hook = None,
        on_eval_step_begin: Hook = None,
        on_eval_step_end: Hook = None,
        on_eval_begin: Hook = None,
        on_eval_end: Hook = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name.startswith("on_")}
        for name, hook in given.items():
            if hook is not None:
                check_type("LambdaCallback", name, hook, Callable)  # type: ignore[arg-type]
                setattr(self, name, hook)
