"""Where calls of the user's functions are rewritten while they are traced."""

from __future__ import annotations

from typing import Any

from .. import trace as tracing


def lowered(fn: Any) -> Any:
    """`fn`; in a trace that lowers control flow, its form in which the graph decides."""
    trace = tracing.active()
    if trace is None or not trace.lowering:
        return fn
    from .source import own_form  # it needs the compiler, which needs this

    return own_form(fn)
