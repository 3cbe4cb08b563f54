"""`vmap`: a function called for every slice of its inputs, the results stacked.

It is called once per slice, in a graph too: right for every function, those with control flow,
random numbers or gradients inside as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .engine.gradient import Transformed
from .engine.tensor import Tensor


class Vmapped(Transformed):
    """`fn` for slices along `in_axes`, one after the other; results are stacked at `out_axes`.

    A list of cells as `fn`: each slice has its own.
    """

    def __init__(self, fn: Any, in_axes: Any, out_axes: Any) -> None:
        super().__init__(fn)
        self.in_axes, self.out_axes = in_axes, out_axes

    def run(self, *args: Any, **kwargs: Any) -> Any:
        fn: Any = self.fn
        cells = fn if is_cell_list(fn) else None
        for name, axes in (("in_axes", self.in_axes), ("out_axes", self.out_axes)):
            if axes is None and cells is None:
                raise RuntimeError(
                    f"The '{name}' of 'vmap' cannot be a single None "
                    "while 'fn' is not a 'CellList'."
                )
        axes = spread(self.in_axes, args, "in_axes")
        sizes = {*sizes_along(args, axes)}
        if cells is not None:
            sizes.add(len(cells))
        if len(sizes) != 1:
            found = " and ".join(map(str, sorted(sizes)))
            raise RuntimeError(
                "The 'axis_size' of each argument in the scope of 'vmap' should be equal, "
                f"but got {found or 'no axis at all'}."
            )
        called = [fn] * sizes.pop() if cells is None else list(cells)
        results = [call(*part(args, axes, k), **kwargs) for k, call in enumerate(called)]
        return stacked(results, self.out_axes)


def is_cell_list(fn: Any) -> bool:
    from .nn.container import CellList  # layers need gradients

    return isinstance(fn, (list, tuple, CellList))


def spread(axes: Any, given: Any, name: str) -> Any:
    """The axis of every Tensor of `given`, in its structure. Raises: RuntimeError."""
    if isinstance(axes, (tuple, list)):
        if not isinstance(given, (tuple, list)) or len(axes) != len(given):
            count = len(given) if isinstance(given, (tuple, list)) else 1
            raise RuntimeError(
                f"When vmap`s '{name}' is a tuple or list, and its size must be equal to the "
                f"number of arguments of 'fn': {count}, but got size: {len(axes)}."
            )
        return [spread(a, x, name) for a, x in zip(axes, given, strict=True)]
    if axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
        raise RuntimeError(
            f"The axis in vmap`s '{name}' can only be of type Int or None, but got {axes!r}."
        )
    if isinstance(given, (tuple, list)):
        return [spread(axes, x, name) for x in given]
    return axes if axes is None else checked_axis(axes, given, name)


def checked_axis(axis: int, x: Any, name: str) -> int:
    """Raises: RuntimeError if `x` has no such axis."""
    rank = x.ndim if isinstance(x, Tensor) else 0
    if not -rank <= axis < rank:
        raise RuntimeError(
            f"The axis: {axis} in '{name}' is out of bounds for array of dimension "
            f"[{-rank},{rank})."
        )
    return axis % rank


def sizes_along(given: Any, axes: Any) -> Iterator[int]:
    if isinstance(axes, list):
        for x, a in zip(given, axes, strict=True):
            yield from sizes_along(x, a)
    elif axes is not None:
        yield given.shape[axes]


def part(given: Any, axes: Any, k: int) -> Any:
    """Slice `k` of every Tensor."""
    if isinstance(axes, list):
        made = [part(x, a, k) for x, a in zip(given, axes, strict=True)]
        return made if isinstance(given, list) else tuple(made)
    return given if axes is None else given[(slice(None),) * axes + (k,)]


def stacked(results: Sequence[Any], axes: Any) -> Any:
    """The results of all slices in one; where `axes` is None, they are all the same."""
    from .ops.shaping import stack  # ops need this module

    first = results[0]
    if isinstance(first, (tuple, list)):
        several = isinstance(axes, (tuple, list))
        if several and len(axes) != len(first):
            raise RuntimeError(
                "When vmap`s 'out_axes' is a tuple or list, its size must be equal to the number "
                f"of results of 'fn': {len(first)}, but got size: {len(axes)}."
            )
        each = axes if several else [axes] * len(first)
        parts = [stacked(p, a) for p, a in zip(zip(*results, strict=True), each, strict=True)]
        return type(first)(parts)
    if axes is None or first is None:
        return first
    every = [y if isinstance(y, Tensor) else Tensor(y) for y in results]
    if not -every[0].ndim - 1 <= axes <= every[0].ndim:
        raise RuntimeError(f"The axis: {axes} in 'out_axes' is out of bounds.")
    return stack(every, axes)


def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """`fn` for every slice of its arguments, as `mindspore.vmap`.

    Args: in_axes, the axis that is sliced: of all arguments, or one of each, None for those that
    go in as they are; out_axes, where the slices' axis is in the results.
    """
    return Vmapped(fn, in_axes, out_axes)
