"""Gradients of functions and networks, under the names that `mindspore.ops` has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..engine.gradient import Differentiated, Wanted, check_flags, get_grad, grad, value_and_grad
from ..jacobian import derivative, jacfwd, jacrev, jet, jvp, linearize, vjp
from ..vmap import vmap
from .registry import alias, op

for _function in (
    *(grad, value_and_grad, get_grad),
    *(jvp, vjp, jacfwd, jacrev, linearize, jet, derivative, vmap),
):
    alias(_function.__name__, _function)


@op
class GradOperation:
    """Makes gradient functions, as `mindspore.ops.GradOperation`.

    Args: get_all, of all inputs, not only the first; get_by_list, of the weights given (beside
    the inputs if get_all); sens_param, the last argument is the gradient of the output.
    """

    def __init__(
        self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False
    ) -> None:
        check_flags(get_all=get_all, get_by_list=get_by_list, sens_param=sens_param)
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
        first = None if operation.get_by_list and not operation.get_all else 0
        wanted = replace(Wanted.of(first, chosen), single=not operation.get_all)
        sens_param = operation.sens_param
        super().__init__(fn, wanted, with_value=False, has_aux=False, sens_param=sens_param)
        self.get_all = operation.get_all

    def of_inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.get_all:
            self.wanted = replace(self.wanted, positions=tuple(range(len(args))))
        return super().of_inputs(args, kwargs)
