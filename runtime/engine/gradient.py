"""`grad` and `value_and_grad`: reverse mode over the tape, in PyNative and graph mode alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import context, observation
from .compiler import Constant, GraphCache, Layout, flatten, rebuild
from .flow.lowering import lowered
from .flow.reach import Reaching, state_of
from .hooks import after_hooks
from .mutable import MutableDict, MutableList, MutableTuple
from .parameter import Parameter
from .primitive import REGISTRY, zeros_like
from .tape import NUMERIC, Tape, linked, recording, taping
from .tensor import Tensor, wrap
from .trace import active


def pulled_back(tape: Tape, ys: Sequence[Tensor], gs: Sequence[Tensor]) -> dict[int, Tensor]:
    """The gradients that reach each value, by identity, from the gradients `gs` of `ys`."""
    found: dict[int, Tensor] = {}
    for y, g in zip(ys, gs, strict=True):
        gather(found, id(y.content), g)
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


def checked_positions(grad_position: Any) -> tuple[int, ...]:
    """`grad_position` as a tuple. Raises: TypeError, ValueError as MindSpore does."""
    if isinstance(grad_position, int):
        if grad_position < 0:
            raise ValueError("grad_position must be >= 0.")
        return (int(grad_position),)
    if not isinstance(grad_position, tuple):
        raise TypeError("For 'F.grad', the 'grad_position' must be int or tuple.")
    if not all(isinstance(position, int) for position in grad_position):
        raise TypeError("For 'F.grad', the element in 'grad_position' must be int.")
    if len({*grad_position}) < len(grad_position):
        raise ValueError("There are duplicate positions in `grad_position`, please check it")
    if any(position < 0 for position in grad_position):
        raise ValueError("The element in grad_position must be >= 0.")
    return tuple(map(int, grad_position))


@dataclass(frozen=True)
class Wanted:
    """With respect to what: positions of arguments, and parameters.

    `single`: a lone gradient is not given in a tuple, even if its position was; `alone`: one
    parameter was given, not a tuple of them; `ids`: each gradient comes with its position or
    its parameter's name.
    """

    positions: tuple[int, ...]
    single: bool
    weights: tuple[Parameter, ...] | None
    alone: bool
    ids: bool = False

    @staticmethod
    def of(grad_position: Any, weights: Any, ids: bool = False) -> Wanted:
        """Raises: TypeError, ValueError as MindSpore does for anything else."""
        if grad_position is None and weights is None:
            raise ValueError("`grad_position` and `weight` can not be None at the same time.")
        positions = () if grad_position is None else checked_positions(grad_position)
        alone = isinstance(weights, Parameter)
        parameters = None if weights is None else (weights,) if alone else tuple(weights)
        if parameters is not None and not all(isinstance(w, Tensor) for w in parameters):
            raise TypeError("weights must be a Parameter, or a tuple or list of them.")
        return Wanted(positions, True, parameters, alone, ids)

    def arranged(self, of_inputs: Sequence[Any], of_weights: Sequence[Tensor]) -> Any:
        """Gradients in the structure that MindSpore gives them; None: the argument has none."""
        inputs = [
            (k, g) if self.ids else g
            for k, g in zip(self.positions, of_inputs, strict=True)
            if g is not None
        ]
        first: Any = inputs[0] if self.single and len(inputs) == 1 else tuple(inputs)
        if self.weights is None:
            return first
        named = [
            (w.name, g) if self.ids else g for w, g in zip(self.weights, of_weights, strict=True)
        ]
        second: Any = named[0] if self.alone else tuple(named)
        return (first, second) if self.positions else second


@dataclass(frozen=True)
class Argument:
    """An argument that gradients are wanted of: its structure, its Tensors, and those watched."""

    layout: Any
    leaves: tuple[Tensor, ...]
    watched: tuple[Tensor, ...]

    @staticmethod
    def of(args: Sequence[Any], position: int) -> Argument:
        """Raises: RuntimeError, IndexError in graph mode, for a position that is not there."""
        if position >= len(args):
            kind = IndexError if context.in_graph_mode() else RuntimeError
            raise kind(f"Position index {position} is exceed input size.")
        leaves: list[Tensor] = []
        x = args[position]
        if hasattr(x, "with_values"):
            return OfValues(x, (x.values,), (linked(x.values),))
        if isinstance(x, (Tensor, MutableTuple, MutableList, MutableDict)):
            layout = flatten(x, leaves)
        else:
            layout = Constant.of(x)
        return Argument(layout, tuple(leaves), tuple(map(linked, leaves)))

    def given(self) -> Any:
        return rebuild(self.layout, [*self.watched])

    def gradients(self, found: dict[int, Tensor]) -> Any:
        """In the argument's structure; None if it holds no Tensor."""
        if not self.leaves:
            return None
        pairs = zip(self.leaves, self.watched, strict=True)
        return rebuild(
            without_numbers(self.layout),
            [after_hooks(x, gradient_of(found, id(y.content), x)) for x, y in pairs],
        )


class OfValues(Argument):
    """A sparse matrix: the gradient is that of its values."""

    def given(self) -> Any:
        return self.layout.with_values(self.watched[0])

    def gradients(self, found: dict[int, Tensor]) -> Any:
        x = self.leaves[0]
        return after_hooks(x, gradient_of(found, id(self.watched[0].content), x))


def without_numbers(layout: Any) -> Any:
    """`layout` with zeros for its numbers: they have no gradient."""
    if isinstance(layout, Layout):
        return Layout(layout.kind, tuple(map(without_numbers, layout.parts)), layout.keys)
    if isinstance(layout, Constant) and isinstance(layout.value, (int, float)):
        return Constant.of(type(layout.value)(0))
    return layout


def differentiate(
    fn: Callable[..., Any], wanted: Wanted, args: tuple[Any, ...], kwargs: Any, sens: Any
) -> tuple[Any, Any]:
    """(fn(*args), gradients of the sum of its outputs, or of their products with `sens`).

    `sens` takes the outputs and gives those to start from with their gradients.
    """
    if recording.forbidden:
        raise RuntimeError("In no_grad context, you can not calculate gradient")
    if not kwargs and hasattr(type(fn), "_begin_again"):  # a cell, which may have just been run
        fn._begin_again(args)  # type: ignore[attr-defined]
    tape = Tape()
    chosen = {k: Argument.of(args, k) for k in wanted.positions}
    given = [chosen[k].given() if k in chosen else x for k, x in enumerate(args)]
    for argument in chosen.values():
        for x in argument.watched:
            tape.watch(x)
    weights = wanted.weights or ()
    for parameter in weights:
        if parameter.requires_grad:
            tape.watch(parameter)
    keys = [id(w.content) for w in weights]
    with taping(*recording.tapes, tape):
        result = lowered(fn)(*given, **kwargs)
    ys, gs = sens(result)
    observation.tell_of_loss(ys)
    found = pulled_back(tape, ys, gs)
    of_weights = [
        after_hooks(w, gradient_of(found, key, w)) for key, w in zip(keys, weights, strict=True)
    ]
    return result, wanted.arranged([x.gradients(found) for x in chosen.values()], of_weights)


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
    """The outputs of numbers, with gradients of one."""
    kept = [y for y in ys if y.content.dtype.kind in NUMERIC]
    return kept, [wrap(np.ones(y.shape, y.content.dtype)) for y in kept]


class Transformed(Reaching):
    """A function made of the function `fn`; in graph mode one graph."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.graphs = GraphCache()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if context.in_graph_mode() and active() is None and not recording.tapes:
            return self.graphs.call(self.run, args, kwargs, state_of(self.fn))
        return self.run(*args, **kwargs)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class Differentiated(Transformed):
    """A function's gradient as a function; in graph mode one graph, forward and backward.

    Args: `with_value` gives (value, gradients), else the gradients; `has_aux`: only the first
    output is differentiated, the others are given beside it; `sens_param`: the last argument is
    the gradient of the output.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        wanted: Wanted,
        *,
        with_value: bool,
        has_aux: bool,
        sens_param: bool = False,
    ) -> None:
        super().__init__(fn)
        self.wanted = wanted
        self.with_value, self.has_aux, self.sens_param = with_value, has_aux, sens_param
        self.given_sens: tuple[Any, ...] = ()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        count = len(args) - self.sens_param
        self.given_sens = args[count:]
        return self.of_inputs(args[:count], kwargs)

    def of_inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value, gradients = differentiate(self.fn, self.wanted, args, kwargs, self.sens)
        if self.with_value:
            return value, gradients
        return (gradients, value[1:]) if self.has_aux else gradients

    def sens(self, result: Any) -> tuple[list[Tensor], list[Tensor]]:
        if self.has_aux and not (isinstance(result, tuple) and len(result) > 1):
            raise ValueError("When has_aux is True, origin fn requires more than one outputs.")
        ys = tensors_of(result[0] if self.has_aux else result)
        return (ys, tensors_of(self.given_sens[0])) if self.given_sens else ones_for(ys)


def grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """The gradient of `fn`, as `mindspore.grad`."""
    check_flags(has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    wanted = Wanted.of(grad_position, weights, return_ids)
    return Differentiated(fn, wanted, with_value=False, has_aux=has_aux, sens_param=sens_param)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: Any = 0,
    weights: Any = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]:
    """`fn` and its gradient, as `mindspore.value_and_grad`."""
    check_flags(has_aux=has_aux, return_ids=return_ids, sens_param=sens_param)
    wanted = Wanted.of(grad_position, weights, return_ids)
    return Differentiated(fn, wanted, with_value=True, has_aux=has_aux, sens_param=sens_param)


def check_flags(**flags: Any) -> None:
    """Raises: TypeError if one of them is no bool."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"The '{name}' should be bool, but got {type(value).__name__}")


def get_grad(gradients: Any, identifier: Any) -> Tensor:
    """Of gradients with `return_ids`, that of a position or a Parameter, as `mindspore.get_grad`.

    Raises: RuntimeError if there is none.
    """
    if not isinstance(identifier, (int, Parameter)):
        raise TypeError(
            f"For `get_grad`, the `x` should be an integer or a Parameter, but got {identifier}"
        )
    if not isinstance(gradients, tuple):
        raise TypeError(f"For `get_grad`, the gradients should be a tuple, but got {gradients}")
    key = identifier.name if isinstance(identifier, Parameter) else identifier
    found = with_id(gradients, key)
    if found is None:
        raise RuntimeError(f"Can not find the gradient for position or Parameter {identifier}")
    return found


def with_id(gradients: tuple[Any, ...], key: int | str) -> Tensor | None:
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)):
        return gradients[1] if gradients[0] == key else None
    nested = (with_id(part, key) for part in gradients if isinstance(part, tuple))
    return next((found for found in nested if found is not None), None)
