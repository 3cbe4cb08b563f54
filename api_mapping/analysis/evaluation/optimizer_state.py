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


ANY = "state *"
"""The attribute that stands for what is kept under keys that are computed."""


def slot(node: ast.expr) -> str:
    """The attribute that stands for `state["exp_avg"]`."""
    key = node.value if isinstance(node, ast.Constant) else None
    return f"state {key}" if isinstance(key, str) else ANY


def kept_in(frame: Frame, state: Kind, key: ast.expr) -> Kind:
    """What a state has under a key, by all assignments to it."""
    if not isinstance(state.target, Class):
        return UNKNOWN
    attribute = frame.engine.attribute
    return attribute(state.target, slot(key)) or attribute(state.target, ANY) or UNKNOWN


def keep(frame: Frame, state: Kind, key: ast.expr, kind: Kind, place: ast.AST) -> None:
    """Takes an assignment to a state; a tensor in it is seen by all that have the state."""
    if isinstance(state.target, Class):
        kept = HELD if kind.is_tensor else kind
        frame.engine.set_attribute(frame, state.target, slot(key), kept, place)


def asked(frame: Frame, node: ast.Call, name: str, state: Kind, default: Kind) -> Kind:
    """What `state.get("exp_avg")` and the like give; `setdefault` puts it in."""
    if name not in ("get", "setdefault", "pop") or not node.args:
        return UNKNOWN
    if name == "setdefault":
        keep(frame, state, node.args[0], default, node)
    return kept_in(frame, state, node.args[0])
