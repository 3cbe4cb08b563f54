"""`mindspore.context`: the settings of the engine, and those of several devices."""

from __future__ import annotations

from .devices.auto_parallel import (
    ParallelMode,
    get_auto_parallel_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_ps_context,
)
from .engine.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    get_context,
    get_current_device,
    get_seed,
    reset_context,
    set_context,
    set_deterministic,
    set_device,
    set_seed,
)

__all__ = [
    "COMPATIBLE",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "STRICT",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "get_current_device",
    "get_ps_context",
    "get_seed",
    "reset_auto_parallel_context",
    "reset_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_ps_context",
    "set_seed",
]
