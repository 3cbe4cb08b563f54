"""Callbacks that watch a figure, and act where it improves no more."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np

from ... import log
from ...cells.cell import Cell
from ...checkpoint import load_param_into_net
from ...engine.argument import check_choice, check_float, check_int, check_type
from ...engine.failure import ShapeError
from ...engine.parameter import Parameter, assign
from ...engine.tensor import Tensor
from .callback import Callback, RunContext, loss_of, say

SMALLER_IS_BETTER = (
    "hausdorff_distance", "mae", "mse", "loss", "perplexity", "mean_surface_distance",
    "root_mean_square_distance", "eval_loss",
)  # fmt: skip
"""The figures that mode 'auto' wants small; all others large."""


class Watching(Callback):
    """Abstract: watches the figure `monitor`, and counts the epochs in which it is no better.

    monitor: "loss" of the last step; "eval_loss" and the names of metrics in `Model.fit`.
    """

    def __init__(self, monitor: str, verbose: bool, mode: str, min_delta: float) -> None:
        name = type(self).__name__
        self.monitor: str = check_type(name, "monitor", monitor, str)
        self.verbose: bool = check_type(name, "verbose", verbose, bool)
        self.mode: str = check_type(name, "mode", mode, str)
        check_choice(name, "mode", mode, ("auto", "min", "max"))
        self.min_delta = abs(check_type(name, "min_delta", min_delta, float, int))
        auto = mode == "auto" and monitor in SMALLER_IS_BETTER
        self.sign = -1 if mode == "min" or auto else 1
        self.start()

    def start(self) -> None:
        self.wait = 0
        self.best: Any = -math.inf * self.sign

    def is_improvement(self, a: Any, b: Any) -> bool:
        """Whether `a` is better than `b` by more than `min_delta`."""
        return bool(self.sign * a > self.sign * b + self.min_delta)

    def on_train_begin(self, run_context: RunContext) -> None:
        self.start()

    def figure(self, told: Any) -> Any:
        """The figure that is watched; None if there is none, or it is 0, as MindSpore has it.

        Raises: ValueError (MS304) if it is no single number
        """
        known = told.get("eval_results", {})
        found = loss_of(told.net_outputs) if self.monitor == "loss" else known.get(self.monitor)
        if found is None:
            log.warning(
                "%s watches %s, which there is not. Available choices are: %s",
                type(self).__name__, self.monitor, sorted({"loss", *known}),
            )  # fmt: skip
            return None
        value = found.asnumpy() if isinstance(found, Tensor) else np.asarray(found)
        if value.dtype == object or value.size != 1 or value.ndim > 0:
            raise ShapeError(
                f"{type(self).__name__}: {self.monitor}", "it watches single numbers only",
                got=f"shape {value.shape}",
                advice="watch another figure, or one whose eval() gives an average",
            )  # fmt: skip
        return value if value else None


class EarlyStopping(Watching):
    """Stops the training after `patience` epochs in which the figure is no better.

    With a `baseline`, only what is better than it too ends the waiting. restore_best_weights
    sets the weights back to those of the best epoch.
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        super().__init__(monitor, verbose, mode, min_delta)
        check_int("EarlyStopping", "patience", patience, 0)
        if baseline is not None:
            check_type("EarlyStopping", "baseline", baseline, float, int)
        self.patience, self.baseline = patience, baseline if baseline else None
        self.restore_best_weights = check_type(
            "EarlyStopping", "restore_best_weights", restore_best_weights, bool
        )

    def start(self) -> None:
        super().start()
        self.stopped_epoch = 0
        self.best_weights_param_dict: Any = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        current = self.figure(told)
        if current is None:
            return
        if self.best_weights_param_dict is None:
            self.keep_weights(told.train_network)
        self.wait += 1
        if self.is_improvement(current, self.best):
            self.best = current
            self.keep_weights(told.train_network)
            if self.baseline is None or self.is_improvement(current, self.baseline):
                self.wait = 0
        if self.wait >= self.patience:
            self.stopped_epoch = told.cur_epoch_num
            run_context.request_stop()
            self.restore(told.train_network)

    def keep_weights(self, network: Cell) -> None:
        if self.restore_best_weights:
            self.best_weights_param_dict = copy.deepcopy(network.parameters_dict())

    def restore(self, network: Cell) -> None:
        if self.best_weights_param_dict is not None:
            if self.verbose:
                say("Restoring model weights from the end of the best epoch.")
            load_param_into_net(network, self.best_weights_param_dict)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.stopped_epoch > 0 and self.verbose:
            say(f"Epoch {self.stopped_epoch:05d}: early stopping")


class ReduceLROnPlateau(Watching):
    """Multiplies the learning rate with `factor` after `patience` epochs without improvement.

    It is not less than `min_lr`; for `cooldown` epochs after that nothing is counted.
    Raises: ValueError (MS304) for an optimizer with a schedule, or rates of groups
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, verbose, mode, min_delta)
        check_float("ReduceLROnPlateau", "factor", factor, 0.0, 1.0, ends="neither")
        check_int("ReduceLROnPlateau", "patience", patience, 0)
        check_int("ReduceLROnPlateau", "cooldown", cooldown, 0)
        self.factor, self.patience, self.cooldown = factor, patience, cooldown
        self.min_lr = check_type("ReduceLROnPlateau", "min_lr", min_lr, float, int)

    def start(self) -> None:
        super().start()
        self.cooldown_counter = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        told = run_context.original_args()
        rate = rate_of(told.optimizer, "ReduceLROnPlateau")
        current = self.figure(told)
        if current is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_improvement(current, self.best):
            self.best, self.wait = current, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self.reduce(rate, told.cur_epoch_num)

    def reduce(self, rate: Parameter, epoch: int) -> None:
        if rate.asnumpy() > np.float32(self.min_lr):
            new = max(rate * self.factor, Tensor(np.float32(self.min_lr)))
            assign(rate, new)
            if self.verbose:
                say(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new}.")
        self.cooldown_counter, self.wait = self.cooldown, 0


def rate_of(optimizer: Any, where: str) -> Parameter:
    """The one learning rate of an optimizer. Raises: ValueError (MS304) if it has several."""
    rate = getattr(optimizer, "learning_rate", None)
    if isinstance(rate, Parameter):
        return rate
    raise ShapeError(
        where, "it needs an optimizer with one learning rate that can be set",
        got=f"learning_rate is a {type(rate).__name__}",
        expected="a number, for all parameters",
        advice="give the optimizer learning_rate=0.1 and no rates of groups, or leave the callback "
        "out: a schedule sets the rate by itself",
    )  # fmt: skip
