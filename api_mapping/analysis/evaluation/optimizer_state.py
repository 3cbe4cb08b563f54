"""What own optimisers keep for their parameters: `self.state[p]["exp_avg"]`, known by its key."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.kinds import HELD, UNKNOWN, Kind
from ..definitions import Class

if TYPE_CHECKING:
    from ..frame import Frame

STATE = "torch.optim.Optimizer.state[]"
"""The kind of what is kept for one parameter: a dictionary of an own class, its target."""


def slot(node: ast.expr) -> str:
    """The attribute that stands for `state["exp_avg"]`; "" if the key is computed."""
    key = node.value if isinstance(node, ast.Constant) else None
    return f"state {key}" if isinstance(key, str) else ""


def kept_in(frame: Frame, state: Kind, key: ast.expr) -> Kind:
    """What a state has under a key, by all assignments to it."""
    if not isinstance(state.target, Class) or not slot(key):
        return UNKNOWN
    return frame.engine.attribute(state.target, slot(key)) or UNKNOWN


def keep(frame: Frame, state: Kind, target: ast.Subscript, kind: Kind) -> None:
    """Takes an assignment to a state; a tensor in it is seen by all that have the state."""
    if isinstance(state.target, Class) and slot(target.slice):
        kept = HELD if kind.is_tensor else kind
        frame.engine.set_attribute(frame, state.target, slot(target.slice), kept, target)
