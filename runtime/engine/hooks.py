"""Hooks: functions that see the gradient of a Tensor, or of a Cell's inputs and outputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .primitive import zeros_like
from .tape import Gradients, detached, is_watched, record
from .tensor import Tensor

Hook = Callable[..., Any]


class HookHandle:
    """What removes a hook again, as `mindspore`'s HookHandle; `changed` is told of it."""

    def __init__(
        self, hooks: dict[int, Any], key: int, changed: Callable[[], None] | None = None
    ) -> None:
        self.hooks, self.key, self.changed = hooks, key, changed

    def remove(self) -> None:
        if self.hooks.pop(self.key, None) is not None and self.changed is not None:
            self.changed()


_keys = itertools.count()


def add_hook(
    hooks: dict[int, Any],
    hook: Hook,
    changed: Callable[[], None] | None = None,
    *,
    prepend: bool = False,
) -> HookHandle:
    """Adds a hook behind the others, or before. Raises: TypeError if it cannot be called."""
    if not callable(hook):
        raise TypeError(f"Expected a callable hook function, but got {type(hook).__name__}.")
    key, before = next(_keys), dict(hooks)
    if prepend:
        hooks.clear()
    hooks[key] = hook
    hooks.update(before)
    if changed is not None:
        changed()
    return HookHandle(hooks, key, changed)


@dataclass(frozen=True)
class CellHook:
    """A hook of a cell's call: whether it gets keyword arguments, and is called after errors."""

    function: Hook
    with_kwargs: bool
    always: bool = False

    def __call__(self, cell: Any, args: Any, kwargs: Any, *output: Any) -> Any:
        given = (args, kwargs) if self.with_kwargs else (args,)
        return self.function(cell, *given, *output)


def register_hook(x: Tensor, hook: Hook) -> HookHandle:
    """Calls `hook` with the gradient of `x`; what it gives, if anything, goes on instead."""
    hooks: dict[int, Hook] = x.__dict__.setdefault("hooks_of_gradient", {})
    handle = add_hook(hooks, hook)
    if is_watched((x,)) and len(hooks) == 1:
        passed = hooked(x, lambda g: through(hooks, g))
        x.content = passed.content
    return handle


def hooked(x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    """`x` under an identity of its own, whose gradient goes through `change`."""
    y = detached(x)

    def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
        return [None if g is None else change(g) for g in gs]

    record((x,), (y,), back)
    return y


def through(hooks: dict[int, Hook], g: Tensor) -> Tensor:
    """The gradient `g` after all hooks."""
    for hook in [*hooks.values()]:
        changed = hook(g)
        g = g if changed is None else changed
    return g


def after_hooks(x: Tensor, g: Tensor) -> Tensor:
    """The gradient of `x`, which the hooks registered before it was watched have seen."""
    hooks = x.__dict__.get("hooks_of_gradient")
    return g if hooks is None else through(hooks, g)


def insert_gradient_of(x: Any, function: Hook) -> Any:
    """`x`; its gradient is function(gradient), as `mindspore.ops.InsertGradientOf`."""
    return hooked(x, function) if isinstance(x, Tensor) else x


def hook_backward(xs: tuple[Any, ...], hook: Hook) -> Any:
    """The inputs; `hook` sees the tuple of their gradients, as `mindspore.ops.HookBackward`."""
    ys = tuple([detached(x) if isinstance(x, Tensor) else x for x in xs])

    def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
        changed = hook(tuple(gs))
        if changed is None:
            return gs
        return changed if isinstance(changed, (tuple, list)) else (changed,)

    inputs = [x if isinstance(x, Tensor) else None for x in xs]
    record(inputs, [y for y in ys if isinstance(y, Tensor)], back)
    return ys if len(ys) > 1 else ys[0]


class GradientHooks:
    """The backward hooks of one call of a cell.

    `before` are called with (cell, gradients of the outputs), `after` with (cell, gradients of
    the inputs, gradients of the outputs); what they give goes on instead.
    """

    def __init__(self, cell: Any, before: dict[int, Hook], after: dict[int, Hook]) -> None:
        self.cell, self.before, self.after = cell, before, after
        self.of_outputs: tuple[Tensor, ...] = ()
        self.unwatched = 0
        """Inputs that no gradient is for: the hooks are called with None for each."""

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The inputs, whose gradients the hooks see."""

        def back(gs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            for hook in [*self.after.values()]:
                gs = replaced(gs, hook(self.cell, gs, self.of_outputs))
            return gs

        tensors = [x for x in args if isinstance(x, Tensor)]
        self.unwatched = 0 if is_watched(tensors) else len(tensors)
        return passed(args, back) if self.after else args

    def outputs(self, result: Any) -> Any:
        """The outputs, whose gradients the hooks see."""

        def back(gs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            for hook in [*self.before.values()]:
                gs = replaced(gs, hook(self.cell, gs))
            self.of_outputs = gs
            for hook in [*self.after.values()] if self.unwatched else ():
                hook(self.cell, (None,) * self.unwatched, gs)
            return gs

        several = isinstance(result, tuple)
        ys = passed(result if several else (result,), back)
        return ys if several else ys[0]


def replaced(gs: tuple[Tensor, ...], changed: Any) -> tuple[Tensor, ...]:
    """What a hook gave; the gradients themselves if it gave nothing."""
    if changed is None:
        return gs
    made = tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)
    if len(made) != len(gs):
        raise TypeError(
            f"The backward hook return value size is {len(made)} not equal to input size {len(gs)}"
        )
    return made


def passed(
    xs: tuple[Any, ...], change: Callable[[tuple[Tensor, ...]], tuple[Tensor, ...]]
) -> tuple[Any, ...]:
    """`xs`; the gradients of its Tensors go through `change`, all at once."""
    tensors = [x for x in xs if isinstance(x, Tensor)]
    made = [detached(x) for x in tensors]

    def back(gs: Gradients, wanted: tuple[bool, ...]) -> Gradients:
        pairs = zip(gs, made, strict=True)
        return change(tuple([zeros_like(y) if g is None else g for g, y in pairs]))

    record(tensors, made, back)
    left = iter(made)
    return tuple([next(left) if isinstance(x, Tensor) else x for x in xs])


def after_pre_hook(
    changed: Any, args: tuple[Any, ...], kwargs: dict[str, Any], with_kwargs: bool
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs after a hook that gave `changed`. Raises: RuntimeError as MindSpore."""
    if changed is None:
        return args, kwargs
    if not with_kwargs:
        return (changed if isinstance(changed, tuple) else (changed,)), kwargs
    if not (isinstance(changed, tuple) and len(changed) == 2):
        raise RuntimeError(
            "forward pre hook with kwargs must return None or a tuple of (new_args, new_kwargs), "
            f"but got {changed}"
        )
    return changed
