"""Optimisers and schedulers of the project's own: what their methods find in the base."""

from __future__ import annotations

import ast

from ...table.facts.results import by_table
from ...table.facts.spelling import OWN_BASES
from ...table.kinds import OPTIMIZER, PARAMETER, STR, TENSOR, UNKNOWN, Kind, dict_of
from ...table.registry import find
from .. import classes
from ..definitions import Class
from ..frame import Frame
from .elements import param_groups
from .optimizer_state import STATE

OF_OPTIMIZER, OF_SCHEDULER = OWN_BASES.values()
OWN = {"optimizer": OF_OPTIMIZER, "scheduler": OF_SCHEDULER}
"""The names of the rows for own classes of these families."""


def own_class(frame: Frame) -> Class | None:
    """The class of the method that a frame runs in; None outside of methods."""
    inner: Frame | None = frame
    while inner is not None and (inner.function is None or inner.function.owner is None):
        inner = inner.outer
    return inner.function.owner if inner is not None and inner.function is not None else None


def is_in_optimizer(frame: Frame) -> bool:
    cls = own_class(frame)
    is_one = cls is not None and classes.is_own_optimizer(cls)
    return is_one and cls is not None and classes.family_of(cls) == "optimizer"


def is_own(receiver: Kind) -> bool:
    """Whether a value is of a class that has the compat module's base."""
    return isinstance(receiver.target, Class) and classes.is_own_optimizer(receiver.target)


def own_member(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind | None:
    """What an own optimiser, or one in it, has from its base; None of what may be its own."""
    is_inside = receiver.target is None and is_in_optimizer(frame)
    if receiver.tag != "optimizer" or not (is_inside or is_own(receiver)):
        return None
    if node.attr not in ("state", "param_groups"):
        return base_member(frame, node, receiver) if receiver.target is None else None
    frame.mention(node, f"{OF_OPTIMIZER}.{node.attr}", "attribute", node.value)
    return states(receiver) if node.attr == "state" else param_groups()


def base_member(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind | None:
    """The same of what the class does not define; None where the base has no such name."""
    api = f"{OWN.get(receiver.tag, '')}.{node.attr}"
    if not find(api) or (receiver.target is not None and not is_own(receiver)):
        return None
    frame.mention(node, api, "attribute", node.value)
    if api == f"{OF_SCHEDULER}.optimizer":
        return OPTIMIZER
    said = by_table(api)
    return Kind("method", api, (receiver,)) if said.is_unknown else said


def states(receiver: Kind) -> Kind:
    """What `self.state` of an own optimiser is."""
    return dict_of(PARAMETER, Kind("dict", STATE, (STR, UNKNOWN), receiver.target))


def gradient(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind | None:
    """What `p.grad` is in a method of an own optimiser; None elsewhere."""
    known = receiver.is_tensor or receiver.is_unknown
    if node.attr != "grad" or not known or not is_in_optimizer(frame):
        return None
    frame.mention(node, f"{OF_OPTIMIZER}.grad", "attribute", node.value)
    return TENSOR
