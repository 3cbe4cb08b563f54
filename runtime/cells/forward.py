"""A cell's run before its gradient is asked for with the same inputs: it is then not run twice.

    loss = self.network(x)
    grads = self.grad(self.network, self.weights)(x)

MindSpore takes the gradient of the run that gave the loss. Here it is run again, from the state
that it began with; so running means move once, as there.
"""

from __future__ import annotations

from typing import Any

from ..engine.tensor import Tensor
from ..engine.trace import Trace, active


class Forward:
    """The state before a run of `cell`, and after it."""

    def __init__(self, cell: Any, args: tuple[Any, ...], trace: Trace | None) -> None:
        self.cell, self.args, self.calls = cell, args, 1
        self.before = held(cell, trace)
        self.after: dict[int, tuple[Tensor, Any]] = {}

    def end(self, trace: Trace | None) -> None:
        """Only what has changed is kept."""
        after = held(self.cell, trace)
        changed = [k for k in after if k not in self.before or after[k][1] is not self.before[k][1]]
        self.after = {k: after[k] for k in changed}
        self.before = {k: self.before[k] for k in changed if k in self.before}

    def rewind(self, args: tuple[Any, ...], trace: Trace | None) -> None:
        """The state before, if these are its inputs and nothing has changed it since."""
        same = len(args) == len(self.args) and all(
            a is b for a, b in zip(args, self.args, strict=True)
        )
        now = held(self.cell, trace)
        if same and all(k in now and now[k][1] is self.after[k][1] for k in self.after):
            for k, (variable, _) in self.after.items():
                restore(variable, self.before.get(k, (variable, None))[1], trace)


def held(cell: Any, trace: Trace | None) -> dict[int, tuple[Tensor, Any]]:
    """What the parameters of a cell hold; in a trace, those that it has changed."""
    if trace is None:
        return {id(p): (p, p.held) for p in cell.get_parameters()}
    return dict(trace.updates)


def restore(variable: Tensor, value: Any, trace: Trace | None) -> None:
    """In a trace, None is what the variable held when the trace began."""
    if trace is None:
        variable.content = value
    elif value is None:
        del trace.updates[id(variable)]
        trace.variables[id(variable)].current = None
    else:
        trace.assign(variable, value)


def run(cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A run whose gradient may be asked for next."""
    forward = None if kwargs else begun(cell, args)
    if forward is None:
        return cell._run(*args, **kwargs)
    try:
        return cell._run(*args)
    finally:
        forward.end(active())


def begun(cell: Any, args: tuple[Any, ...]) -> Forward | None:
    """To be ended after the run; None where MindSpore runs a cell twice.

    Outside of graphs it keeps the run of a cell for which `set_grad` has been called.
    """
    trace = active()
    if trace is None:
        if not cell.__dict__["requires_grad"]:
            return None
        cell.__dict__["_forward"] = forward = Forward(cell, args, None)
        return forward
    known = trace.forwards.get(id(cell))
    trace.forwards[id(cell)] = forward = Forward(cell, args, trace)
    forward.calls = 1 if known is None else known.calls + 1
    return forward


def begin_again(cell: Any, args: tuple[Any, ...]) -> None:
    """To be called before a cell is run for its gradient."""
    trace = active()
    kept = cell.__dict__.pop("_forward", None) if trace is None else trace.forwards.get(id(cell))
    if kept is not None and (trace is None or kept.calls == 1):
        kept.rewind(args, trace)
