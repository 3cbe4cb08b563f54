"""Where calls of the user's functions are rewritten while they are traced."""

from __future__ import annotations

from typing import Any

from .. import trace as tracing
from ..failure import TracedValueError


def lowered(fn: Any) -> Any:
    """`fn`; in a trace that lowers control flow, its form in which the graph decides.

    Raises: MS306 in another trace for a function that prints: it has to, at each run.
    """
    trace = tracing.active()
    if trace is None:
        return fn
    code = getattr(fn, "__code__", None)
    if not trace.lowering and (code is None or "print" not in code.co_names):
        return fn
    from .source import is_own, own_form  # it needs the compiler, which needs this

    if trace.lowering:
        return own_form(fn)
    if code is not None and is_own(code):
        raise TracedValueError("print")
    return fn
