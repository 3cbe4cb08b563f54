"""`grad` and `value_and_grad`: reverse mode over the tape, in PyNative and graph mode alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import context
from .compiler import GraphCache, Reaching, state_of
from .failure import NoGradientError
from .parameter import Parameter
from .primitive import REGISTRY, zeros_like
from .tape import DIFFERENTIABLE, Tape, linked, recording, taping
from .tensor import Tensor, wrap
from .trace import active


def pulled_back(tape: Tape, ys: Sequence[Tensor], gs: Sequence[Tensor]) -> dict[int, Tensor]:
    """The gradients that reach each value, by identity, from the gradients `gs` of `ys`."""
    found: dict[int, Tensor] = {}
    for y, g in zip(ys, gs, strict=True):
        gather(found, id(y.value), g)
    for step in reversed(tape.records):
        if found.keys().isdisjoint(step.outputs):
            continue
        incoming = [found.pop(key, None) for key in step.outputs]
        wanted = tuple([key in tape.known for key in step.inputs])
        outgoing = step.pullback(incoming, wanted)
        for key, w, d in zip(step.inputs, wanted, outgoing, strict=False):
            if w and d is not None:
                gather(found, key, d)
    return found


def gather(found: dict[int, Tensor], key: int, g: Tensor) -> None:
    """Adds `g` to what has reached the value `key` already."""
    found[key] = g if key not in found else REGISTRY["Add"](found[key], g)


@dataclass(frozen=True)
class Wanted:
    """With respect to what: positions of arguments, and parameters.

    `single`: a lone gradient is not given in a tuple, even if its position was; `alone`: one
    parameter was given, not a tuple of them.
    """

    positions: tuple[int, ...]
    single: bool
    weights: tuple[Parameter, ...] | None
    alone: bool

    @staticmethod
    def of(grad_position: Any, weights: Any) -> Wanted:
        """Raises: TypeError, ValueError as MindSpore does for anything else."""
        if grad_position is None and weights is None:
            raise ValueError("`grad_position` and `weights` can not be None at the same time.")
        if grad_position is not None and not isinstance(grad_position, (int, tuple)):
            raise TypeError(f"grad_position must be int or tuple, got {type(grad_position)}.")
        positions = (grad_position,) if isinstance(grad_position, int) else grad_position or ()
        alone = isinstance(weights, Parameter)
        if any(isinstance(p, bool) or not isinstance(p, int) or p < 0 for p in positions):
            raise TypeError(f"grad_position must hold whole numbers of 0 or more: {grad_position}")
        parameters = None if weights is None else (weights,) if alone else tuple(weights)
        if parameters is not None and not all(isinstance(w, Tensor) for w in parameters):
            raise TypeError("weights must be a Parameter, or a tuple or list of them.")
        return Wanted(positions, len(positions) == 1, parameters, alone)

    def arranged(self, of_inputs: list[Tensor], of_weights: list[Tensor]) -> Any:
        """Gradients in the structure that MindSpore gives them."""
        first: Any = of_inputs[0] if self.single else tuple(of_inputs)
        second: Any = of_weights[0] if self.alone else tuple(of_weights)
        if self.weights is None:
            return first
        return (first, second) if self.positions else second


def differentiate(
    fn: Callable[..., Any], wanted: Wanted, args: tuple[Any, ...], kwargs: Any, sens: Any
) -> tuple[Any, Any]:
    """(fn(*args), gradients of the sum of its outputs, or of their products with `sens`).

    `sens` is None, or takes the outputs and gives those to start from with their gradients.
    """
    tape = Tape()
    given = list(args)
    for k in wanted.positions:
        given[k] = differentiable(args, k)
        tape.watch(given[k])
    weights = wanted.weights or ()
    for parameter in weights:
        if parameter.requires_grad:
            tape.watch(parameter)
    keys = [id(w.value) for w in weights]
    with taping(*recording.tapes, tape):
        result = fn(*given, **kwargs)
    ys, gs = sens(result)
    found = pulled_back(tape, ys, gs)
    inputs = [gradient_of(found, id(given[k].value), given[k]) for k in wanted.positions]
    return result, wanted.arranged(
        inputs, [gradient_of(found, key, w) for key, w in zip(keys, weights, strict=True)]
    )


def differentiable(args: tuple[Any, ...], position: int) -> Tensor:
    """The argument at `position`, under an identity of its own. Raises: MS307 if it cannot be."""
    if position >= len(args):
        raise IndexError(f"grad_position {position} is out of range for {len(args)} arguments")
    if not isinstance(args[position], Tensor):
        raise NoGradientError(f"argument {position}", "is no Tensor")
    return linked(args[position])


def gradient_of(found: dict[int, Tensor], key: int, x: Tensor) -> Tensor:
    """What has reached `x`; zeros if nothing has."""
    return found[key] if key in found else zeros_like(x)


def tensors_of(result: Any) -> list[Tensor]:
    """The Tensors in a function's result, which may be nested."""
    if isinstance(result, Tensor):
        return [result]
    parts = result.values() if isinstance(result, dict) else result
    if not isinstance(result, (tuple, list, dict)):
        return []
    return [y for part in parts for y in tensors_of(part)]


def ones_for(ys: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
    """The floating outputs, with gradients of one."""
    kept = [y for y in ys if y.value.dtype.kind in DIFFERENTIABLE]
    return kept, [wrap(np.ones(y.shape, y.value.dtype)) for y in kept]


class Differentiated(Reaching):
    """A function's gradient as a function; in graph mode one graph, forward and backward.

    Args: `with_value` gives (value, gradients), else the gradients; `has_aux`: only the first
    output is differentiated, the others are given beside it.
    """

    def __init__(
        self, fn: Callable[..., Any], wanted: Wanted, *, with_value: bool, has_aux: bool
    ) -> None:
        self.fn, self.wanted = fn, wanted
        self.with_value, self.has_aux = with_value, has_aux
        self.graphs = GraphCache()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if context.in_graph_mode() and active() is None and not recording.tapes:
            return self.graphs.call(self.run, args, kwargs, state_of(self.fn))
        return self.run(*args, **kwargs)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        value, gradients = differentiate(self.fn, self.wanted, args, kwargs, self.sens)
        if self.with_value:
            return value, gradients
        return (gradients, value[1:]) if self.has_aux else gradients

    def sens(self, result: Any) -> tuple[list[Tensor], list[Tensor]]:
        if self.has_aux and not (isinstance(result, tuple) and len(result) > 1):
            raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
        return ones_for(tensors_of(result[0] if self.has_aux else result))


def grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """The gradient of `fn`, as `mindspore.grad`. Raises: MS307 for return_ids."""
    if return_ids:
        raise NoGradientError("grad", "return_ids is not known")
    wanted = Wanted.of(grad_position, weights)
    return Differentiated(fn, wanted, with_value=False, has_aux=has_aux)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
) -> Callable[..., Any]:
    """`fn` and its gradient, as `mindspore.value_and_grad`. Raises: MS307 for return_ids."""
    if return_ids:
        raise NoGradientError("value_and_grad", "return_ids is not known")
    wanted = Wanted.of(grad_position, weights)
    return Differentiated(fn, wanted, with_value=True, has_aux=has_aux)
