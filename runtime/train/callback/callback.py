"""Callbacks, in which order they are called, and what they learn of the run."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np

from ....errors import MsconvertError
from ...engine.failure import ElementTypeError
from ...engine.tensor import Tensor

OLD_HOOKS = ("begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end")
"""The hooks of MindSpore before 2.0: training and evaluation both call them."""


class Callback:
    """What is called in each stage of a run; a subclass defines the hooks that it needs.

    It is entered before the run and exited behind it, whatever happens in between.
    """

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *err: Any) -> None:
        """Releases what a subclass holds."""

    def begin(self, run_context: RunContext) -> None:
        """Before the first epoch, of training and of evaluation."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def end(self, run_context: RunContext) -> None:
        """After the last epoch."""

    def on_train_begin(self, run_context: RunContext) -> None:
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        self.end(run_context)


HOOKS = frozenset(f"{mode}{hook}" for mode in ("", "on_train_", "on_eval_") for hook in OLD_HOOKS)


class CallbackManager:
    """Calls a hook of all callbacks, in their order; a context that enters and exits them.

    Its own hooks call those of all: `manager.step_end(run_context)`.
    """

    def __init__(self, callbacks: Any) -> None:
        """Raises: TypeError (MS304) for what is neither a Callback nor a list of them."""
        several = callbacks if isinstance(callbacks, list) else [callbacks]
        self.callbacks: list[Callback] = [] if callbacks is None else list(several)
        self.stack = ExitStack()
        for one in self.callbacks:
            if not isinstance(one, Callback):
                raise ElementTypeError(
                    "callbacks", "it holds what is no Callback",
                    got=repr(one) if isinstance(one, type) else type(one).__name__,
                    expected="a Callback, or a list of Callbacks",
                    advice="derive the class from mindspore.train.Callback, and give an object "
                    "of it",
                )  # fmt: skip

    def __enter__(self) -> CallbackManager:
        entered = [self.stack.enter_context(one) for one in self.callbacks]
        pairs = zip(entered, self.callbacks, strict=True)
        self.callbacks = [new if isinstance(new, Callback) else old for new, old in pairs]
        return self

    def __exit__(self, *err: Any) -> bool | None:
        return self.stack.__exit__(*err)

    def __getattr__(self, name: str) -> Any:
        if name not in HOOKS:
            raise AttributeError(name)
        return lambda run_context: self.call(name, run_context)

    def call(self, hook: str, run_context: RunContext) -> None:
        for one in self.callbacks:
            getattr(one, hook)(run_context)


class MissingParameterError(MsconvertError, KeyError, AttributeError):
    """MS304: a callback asked the run for what it does not tell."""


class InternalCallbackParam(dict[str, Any]):
    """What a run tells its callbacks: a dictionary whose keys are attributes too."""

    def __getattr__(self, key: str) -> Any:
        if key in self:
            return self[key]
        if key.startswith("__"):
            raise AttributeError(key)
        near = difflib.get_close_matches(key, self, 1)
        raise MissingParameterError(
            "MS304", f"cb_params.{key}", "the run has not set it here",
            expected=", ".join(sorted(self)),
            advice=f"the nearest is {near[0]}" if near else f"cb_params.get({key!r}, default)",
        )  # fmt: skip

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value


class RunContext:
    """What callbacks are called with: it tells of the run, and can end it."""

    interrupted = False
    """Whether the run ends because of Ctrl-C: what serves to resume it is kept."""

    def __init__(self, original_args: dict[str, Any]) -> None:
        if not isinstance(original_args, dict):
            raise ElementTypeError(
                "RunContext", "original_args is no dictionary", got=type(original_args).__name__
            )
        self._original_args = original_args
        self._stop_requested = False

    def original_args(self) -> Any:
        """The parameters of the run: attributes of it, and keys."""
        return self._original_args

    def request_stop(self) -> None:
        """Ends the run after this step."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        return self._stop_requested


def loss_of(outputs: Any) -> Any:
    """A step's loss as a number; the first output as it is, where there are several."""
    if isinstance(outputs, (tuple, list)):
        return outputs[0] if isinstance(outputs[0], Tensor) else outputs
    if isinstance(outputs, Tensor):
        return float(np.mean(outputs.asnumpy()))
    return outputs


_handle_loss = loss_of
"""The name by which users' callbacks import it."""


def say(line: str) -> None:
    """Prints a line at once: a log file shows how far a run is."""
    print(line, flush=True)  # noqa: T201  # what MindSpore's callbacks print is read by scripts


def as_list(callbacks: Any) -> list[Any]:
    """`callbacks` as a list of its own."""
    if callbacks is None:
        return []
    return list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]
