"""`recompute`: accepted, and of no effect, since a compiled step decides itself what it keeps."""

from __future__ import annotations

from typing import Any

from .cell import Cell


def recompute(
    block: Any,
    *args: Any,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn: Any = None,
    **kwargs: Any,
) -> Any:
    """block(*args, **kwargs), as `mindspore.recompute`. Raises: TypeError if it is no Cell."""
    if not isinstance(block, Cell):
        raise TypeError("Recompute function now only support block which inherited from Cell!")
    if use_reentrant and not output_recompute and context_fn is not None:
        raise ValueError("context_fn is only supported when use_reentrant=False.")
    return block(*args, **kwargs)
