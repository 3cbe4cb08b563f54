"""Gradients of functions and networks, under the names that `mindspore.ops` has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..gradient import Differentiated, Wanted, grad, value_and_grad
from .registry import alias, op

alias("grad", grad)
alias("value_and_grad", value_and_grad)


@op
class GradOperation:
    """Makes gradient functions, as `mindspore.ops.GradOperation`.

    Args: get_all, of all inputs, not only the first; get_by_list, of the weights given (beside
    the inputs if get_all); sens_param, the last argument is the gradient of the output.
    """

    def __init__(
        self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False
    ) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list)):
            if not isinstance(value, bool):
                raise TypeError(
                    f"For 'GradOperation', the '{name}' should be bool, but got {type(value)}"
                )
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable[..., Any], weights: Any = None) -> Callable[..., Any]:
        """The gradient of `fn`. Raises: ValueError if `weights` are needed and not given."""
        if self.get_by_list and weights is None:
            if not hasattr(fn, "trainable_params"):
                raise ValueError("For get_by_list, weights must be given.")
            weights = fn.trainable_params()
        return ByOperation(self, fn, weights)


class ByOperation(Differentiated):
    """What a GradOperation gives: how many positions there are is known when it is called."""

    def __init__(self, operation: GradOperation, fn: Callable[..., Any], weights: Any) -> None:
        chosen = weights if operation.get_by_list else None
        super().__init__(fn, Wanted.of(0, chosen), with_value=False, has_aux=False)
        self.operation, self.weights = operation, chosen

    def run(self, *args: Any, **kwargs: Any) -> Any:
        count = len(args) - self.operation.sens_param
        self.given_sens = args[count:] if self.operation.sens_param else ()
        every = tuple(k for k in range(count) if hasattr(args[k], "asnumpy"))
        positions: Any = every if self.operation.get_all else 0
        if self.weights is not None and not self.operation.get_all:
            positions = None
        wanted = Wanted.of(positions, self.weights)
        self.wanted = replace(wanted, single=wanted.single and not self.operation.get_all)
        return super().run(*args[:count], **kwargs)

    def sens(self, result: Any) -> Any:
        ys, gs = super().sens(result)
        if not self.given_sens:
            return ys, gs
        given = self.given_sens[0]
        return ys, [*given] if isinstance(given, (tuple, list)) else [given]
