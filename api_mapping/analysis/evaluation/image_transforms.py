"""Transforms of torchvision: which of them make a tensor of an image."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ...table.facts.results import TENSOR_KEEPING, TENSOR_MAKING
from ...table.kinds import TENSOR, UNKNOWN, Kind
from ..frame import Frame

if TYPE_CHECKING:
    from .calls import Arguments


def gives_tensor(transform: Kind) -> bool:
    """Whether it makes a tensor of any image; a pipeline does if all behind ToTensor keep it so."""
    home, _, last = transform.name.rpartition(".")
    if not home.startswith("torchvision.transforms"):
        return False
    return last in (*TENSOR_MAKING, *TENSOR_KEEPING) or transform.parts == (TENSOR,)


def may_give_tensor(transform: Kind) -> bool:
    """Whether it gives a tensor, or may: what functions of the user's make of one is not known."""
    return gives_tensor(transform) or transform.parts == (UNKNOWN,)


def is_making(step: Kind) -> bool:
    """Whether it makes a tensor of what may be none."""
    return gives_tensor(step) and step.name.rpartition(".")[2] not in TENSOR_KEEPING


def composed(frame: Frame, called: Kind, arguments: Arguments) -> Kind:
    """A pipeline of transforms, and whether it gives a tensor: by its display, in order."""
    display = arguments.node.args[0] if arguments.node.args else None
    nodes = display.elts if isinstance(display, ast.List | ast.Tuple) else []
    steps = [frame.recorder.kinds.get(node, UNKNOWN) for node in nodes]
    made = next((n for n, step in enumerate(steps) if is_making(step)), None)
    if made is None:
        return Kind("transform", called.name)
    is_certain = all(map(gives_tensor, steps[made:]))
    return Kind("transform", called.name, (TENSOR if is_certain else UNKNOWN,))
