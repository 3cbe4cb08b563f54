"""Hooks: functions that see the gradient of a Tensor, or of a Cell's inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tape import Gradients, detached, is_watched, record
from .tensor import Tensor

Hook = Callable[..., Any]


class HookHandle:
    """What removes a hook again, as `mindspore`'s HookHandle; `changed` is told of it."""

    def __init__(
        self, hooks: dict[int, Hook], key: int, changed: Callable[[], None] | None = None
    ) -> None:
        self.hooks, self.key, self.changed = hooks, key, changed

    def remove(self) -> None:
        if self.hooks.pop(self.key, None) is not None and self.changed is not None:
            self.changed()


def add_hook(
    hooks: dict[int, Hook], hook: Hook, changed: Callable[[], None] | None = None
) -> HookHandle:
    """Adds a hook behind the others. Raises: TypeError if it cannot be called."""
    if not callable(hook):
        raise TypeError(f"Expected a callable hook function, but got {type(hook).__name__}.")
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    if changed is not None:
        changed()
    return HookHandle(hooks, key, changed)


def register_hook(x: Tensor, hook: Hook) -> HookHandle:
    """Calls `hook` with the gradient of `x`; what it gives, if anything, goes on instead."""
    hooks: dict[int, Hook] = x.__dict__.setdefault("hooks_of_gradient", {})
    handle = add_hook(hooks, hook)
    if is_watched((x,)) and len(hooks) == 1:
        passed = hooked(x, lambda g: through(hooks, g))
        x.value = passed.value
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
