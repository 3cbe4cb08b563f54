"""Products with Jacobians, Jacobians themselves, and derivatives of higher order.

All of them walk the tape; forward mode walks the tape of walking the tape, whose result is
linear in the gradient that it began with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .engine import dtype as dtypes
from .engine.gradient import (
    Transformed,
    checked_positions,
    gradient_of,
    ones_for,
    pulled_back,
    tensors_of,
)
from .engine.parameter import Parameter
from .engine.primitive import REGISTRY, convert
from .engine.tape import Tape, linked, recording, taping
from .engine.tensor import Tensor, wrap


class Recorded:
    """One call of a function with what it computed, to walk back as often as one likes.

    `value` is what the function gave, `ys` the Tensors that are differentiated.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any],
        weights: Sequence[Parameter] = (),
        has_aux: bool = False,
    ) -> None:
        self.tape = Tape()
        self.xs = [linked(x) if isinstance(x, Tensor) else x for x in args]
        self.weights = weights
        for x in [*self.xs, *weights]:
            if isinstance(x, Tensor):
                self.tape.watch(x)
        self.keys = [id(w.content) for w in weights]
        with taping(*recording.tapes, self.tape):
            self.value = fn(*self.xs)
        if has_aux and not (isinstance(self.value, tuple) and len(self.value) > 1):
            raise ValueError("When 'has_aux' is True, origin 'fn' requires more than one outputs.")
        self.differentiated = self.value[0] if has_aux else self.value
        self.ys = tensors_of(self.differentiated)

    @property
    def auxiliary(self) -> Any:
        """The outputs beside the first: alone if it is one."""
        rest = self.value[1:]
        return rest[0] if len(rest) == 1 else rest

    def back(self, gs: Sequence[Tensor]) -> tuple[list[Any], list[Tensor]]:
        """The gradients of the arguments (None of what is no Tensor) and of the weights."""
        found = pulled_back(self.tape, self.ys, gs)
        of_xs = [
            gradient_of(found, id(x.content), x) if isinstance(x, Tensor) else None for x in self.xs
        ]
        pairs = zip(self.keys, self.weights, strict=True)
        return of_xs, [gradient_of(found, key, w) for key, w in pairs]


class Linear:
    """The derivative of a recorded call, as a function of directions."""

    def __init__(self, call: Recorded) -> None:
        self.tape = Tape()
        self.us = [linked(u) for u in ones_for(call.ys)[1]]
        for u in self.us:
            self.tape.watch(u)
        with taping(*recording.tapes, self.tape):
            self.gradients = call.back(self.us)[0]

    def along(self, vs: Sequence[Any]) -> list[Tensor]:
        """The outputs' derivatives in the direction `vs`, one for each argument or None."""
        pairs = [(g, v) for g, v in zip(self.gradients, vs, strict=True) if v is not None]
        found = pulled_back(self.tape, *zip(*pairs, strict=True)) if pairs else {}
        return [gradient_of(found, id(u.content), u) for u in self.us]


def as_tuple(x: Any) -> tuple[Any, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def like(result: Any, parts: Sequence[Any]) -> Any:
    """`parts` in a tuple if `result` is one, else the only one."""
    return tuple(parts) if isinstance(result, (tuple, list)) else parts[0]


def check_aux(has_aux: Any) -> None:
    if not isinstance(has_aux, bool):
        raise TypeError("The 'has_aux' must be bool type.")


def check_tensors(*given: Any) -> None:
    """Raises: TypeError for what is neither a Tensor nor a container."""
    if not all(isinstance(x, (Tensor, tuple, list)) for x in given):
        raise TypeError("The inputs type must be a Tensor, tuple or list of Tensors.")


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> Any:
    """(fn(*inputs), its derivative in the direction `v`), as `mindspore.jvp`."""
    check_aux(has_aux)
    check_tensors(inputs, v)
    args, vs = as_tuple(inputs), as_tuple(v)
    if len(args) != len(vs):
        raise ValueError(f"v has invalid length: should be {len(args)}, but got {len(vs)}")
    call = Recorded(fn, args, has_aux=has_aux)
    tangents = like(call.differentiated, Linear(call).along(vs))
    if has_aux:
        return call.differentiated, tangents, call.auxiliary
    return call.value, tangents


def linearize(fn: Callable[..., Any], inputs: Any) -> tuple[Any, Callable[[Any], Any]]:
    """(fn(*inputs), the function that gives its derivative in a direction)."""
    check_tensors(inputs)
    call = Recorded(fn, as_tuple(inputs))
    linear = Linear(call)
    return call.value, lambda vectors: like(call.value, linear.along(as_tuple(vectors)))


def vjp(fn: Callable[..., Any], *inputs: Any, weights: Any = None, has_aux: bool = False) -> Any:
    """(fn(*inputs), the function that gives the inputs' gradients), as `mindspore.vjp`."""
    check_tensors(*inputs)
    check_aux(has_aux)
    alone = isinstance(weights, Parameter)
    chosen = () if weights is None else (weights,) if alone else tuple(weights)
    call = Recorded(fn, inputs, chosen, has_aux)

    def back(*v: Any) -> Any:
        check_tensors(*v)
        of_inputs, of_weights = call.back(tensors_of(v))
        first = tuple([g for g in of_inputs if g is not None])
        if weights is None:
            return first
        return first, of_weights[0] if alone else tuple(of_weights)

    if has_aux:
        return call.differentiated, back, call.auxiliary
    return call.value, back


class Jacobian(Transformed):
    """All derivatives of a function's outputs by the arguments at `positions`."""

    def __init__(self, fn: Callable[..., Any], positions: Any, has_aux: bool) -> None:
        check_aux(has_aux)
        super().__init__(fn)
        self.positions = checked_positions(positions)
        self.has_aux = has_aux

    def run(self, *args: Any, **kwargs: Any) -> Any:
        if max(self.positions) >= len(args):
            raise ValueError("The element in grad_position must belong to [0, args_num).")
        call = Recorded(self.fn, args, has_aux=self.has_aux)
        rows = self.blocks(call, [call.xs[k] for k in self.positions])
        found = rows if len(self.positions) > 1 else [row[0] for row in rows]
        jacobian = found[0] if len(rows) == 1 else tuple(found)
        return (jacobian, call.auxiliary) if self.has_aux else jacobian

    def blocks(self, call: Recorded, xs: list[Tensor]) -> list[tuple[Tensor, ...]]:
        """One for each output and argument, of the shape (*output, *argument)."""
        raise NotImplementedError


class ReverseJacobian(Jacobian):
    """One walk for each element of the outputs."""

    def blocks(self, call: Recorded, xs: list[Tensor]) -> list[tuple[Tensor, ...]]:
        return [
            tuple([
                joined([gs[k] for gs in self.walks(call, y)], (*call.ys[y].shape, *x.shape))
                for k, x in zip(self.positions, xs, strict=True)
            ])
            for y in range(len(call.ys))
        ]  # fmt: skip

    def walks(self, call: Recorded, at: int) -> list[list[Any]]:
        zeros = [wrap(np.zeros(y.shape, y.content.dtype)) for y in call.ys]
        return [
            call.back([*zeros[:at], one, *zeros[at + 1 :]])[0] for one in unit_vectors(call.ys[at])
        ]


class ForwardJacobian(Jacobian):
    """One walk for each element of the arguments."""

    def blocks(self, call: Recorded, xs: list[Tensor]) -> list[tuple[Tensor, ...]]:
        linear = Linear(call)
        columns = []
        for k, x in zip(self.positions, xs, strict=True):
            nothing: list[Any] = [None] * len(call.xs)
            columns.append(
                [linear.along([*nothing[:k], v, *nothing[k + 1 :]]) for v in unit_vectors(x)]
            )
        return [
            tuple([
                joined([step[n] for step in steps], (*y.shape, *x.shape), len(y.shape))
                for steps, x in zip(columns, xs, strict=True)
            ])
            for n, y in enumerate(call.ys)
        ]  # fmt: skip


def unit_vectors(x: Tensor) -> list[Tensor]:
    """Tensors like `x` that are one at one element and zero elsewhere."""
    rows = np.eye(x.size, dtype=x.content.dtype)
    return [wrap(row.reshape(x.shape)) for row in rows]


def joined(parts: list[Tensor], shape: tuple[int, ...], axis: int = 0) -> Tensor:
    """The parts stacked along a new axis, and that taken apart to `shape`."""
    place = wrap(np.array([axis], np.int64))
    stacked = REGISTRY["Concat"](*[REGISTRY["Unsqueeze"](p, place) for p in parts], axis=axis)
    return REGISTRY["Reshape"](stacked, wrap(np.array(shape, np.int64)))


def jacrev(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Jacobian of `fn` in reverse mode, as `mindspore.jacrev`."""
    return ReverseJacobian(fn, grad_position, has_aux)


def jacfwd(
    fn: Callable[..., Any], grad_position: Any = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The Jacobian of `fn` in forward mode, as `mindspore.jacfwd`."""
    return ForwardJacobian(fn, grad_position, has_aux)


def along_path(fn: Callable[..., Any], order: int) -> Callable[..., list[Tensor]]:
    """The derivative of `order` of fn's outputs by t, for arguments that move with t.

    It takes the arguments, then their first derivatives, and so on up to `order`.
    """
    if order == 0:
        return lambda *xs: tensors_of(fn(*xs))
    before = along_path(fn, order - 1)

    def derived(*paths: Tensor) -> list[Tensor]:
        count = len(paths) // (order + 1)
        call = Recorded(before, paths[: count * order])
        return Linear(call).along(paths[count:])

    return derived


def floating(x: Tensor) -> Tensor:
    """Whole numbers as float32. Raises: TypeError for element types that have no derivatives."""
    if x.dtype not in (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64):
        raise TypeError(f"the derivatives of a {x.dtype} are not known")
    return convert(x, dtypes.float32) if x.content.dtype.kind == "i" else x


def paths_of(primals: Any, series: Any) -> tuple[list[Tensor], list[list[Tensor]]]:
    """The arguments, and for each order their derivatives. Raises: TypeError, ValueError."""
    xs, rows = as_tuple(primals), as_tuple(series)
    if isinstance(primals, Tensor) != isinstance(series, Tensor):
        raise TypeError("For 'F.jet', the 'primals' and `series` must be both Tensor or tuple.")
    if len(xs) != len(rows):
        raise ValueError("The lengths of primals and series must be the same.")
    rows = tuple([r[None] if r.shape == x.shape else r for x, r in zip(xs, rows, strict=True)])
    if any(x.shape != r.shape[1:] for x, r in zip(xs, rows, strict=True)):
        raise ValueError("In series, the shape of each element must be the same as the primals.")
    if any(x.dtype is not r.dtype for x, r in zip(xs, rows, strict=True)):
        raise TypeError("For `F.jet`, the elements' types of primals and series must be the same")
    steps = [[floating(r)[k] for r in rows] for k in range(rows[0].shape[0])]
    return [floating(x) for x in xs], steps


def jet(fn: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, Any]:
    """fn's value and its derivatives along a path, whose own are `series`; as `ops.jet`."""
    xs, steps = paths_of(primals, series)
    values = fn(*xs)
    found = [
        along_path(fn, k)(*xs, *[v for step in steps[:k] for v in step])
        for k in range(1, len(steps) + 1)
    ]
    place = wrap(np.array([0], np.int64))
    rows = [
        REGISTRY["Concat"](*[REGISTRY["Unsqueeze"](y, place) for y in ys], axis=0)
        for ys in zip(*found, strict=True)
    ]
    several = isinstance(values, tuple) and len(values) > 1
    return (list(values), rows) if several else (values, rows[0])


def derivative(fn: Callable[..., Any], primals: Any, order: int) -> tuple[Any, Any]:
    """fn's value and its derivative of `order`, as `ops.derivative`."""
    if isinstance(order, bool) or not isinstance(order, int):
        raise TypeError("For `F.derivative`, the type of order must be int.")
    if order < 1:
        raise ValueError(
            f"For `F.derivative`, value of order should not be less than 1, but got {order}."
        )
    xs = [floating(x) for x in as_tuple(primals)]
    ones = [wrap(np.ones(x.shape, x.content.dtype)) for x in xs]
    zeros = [wrap(np.zeros(x.shape, x.content.dtype)) for x in xs] * (order - 1)
    values = fn(*xs)
    found = along_path(fn, order)(*xs, *ones, *zeros)
    several = isinstance(values, tuple) and len(values) > 1
    return (list(values), found) if several else (values, found[0])
