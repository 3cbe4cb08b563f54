"""What a parameter of which nothing is known shows itself to be, by the names used on it."""

from __future__ import annotations

import ast

from . import classes
from .definitions import Function
from .frame import Frame
from .kinds import MODULE, PARAMETER, UNKNOWN, Kind
from .names import TENSOR_METHODS, TENSOR_PROPERTIES

DISTINCTIVE = frozenset(
    """
    unsqueeze unsqueeze_ permute masked_fill masked_fill_ contiguous expand_as view_as index_select
    requires_grad detach new_zeros new_ones new_tensor new_full new_empty softmax sigmoid
    log_softmax is_cuda masked_select scatter_ index_add_ narrow unbind bmm baddbmm
    """.split()
)
"""What tensors have and no other common type has."""
ANYWHERE = frozenset(
    "unsqueeze permute masked_fill expand_as view_as index_select masked_select bmm".split()
)
"""What a parameter of any function shows itself by."""
OF_OTHERS = frozenset("add_ apply_ map_ requires_grad_ resize_ set_ share_memory_".split())
"""Methods with an underscore behind them that modules and other types have, too."""
IN_PLACE = frozenset(n for n in TENSOR_METHODS if n.endswith("_")) - OF_OTHERS
ANYWHERE |= IN_PLACE
DISTINCTIVE |= IN_PLACE
IN_FORWARD = DISTINCTIVE | frozenset(
    "shape size view reshape transpose dim flatten dtype device mean chunk expand new long".split()
)
"""What a parameter of forward shows itself by: forward is given tensors or containers of them."""
AGAINST = frozenset(
    """
    append extend keys values items get pop update join startswith lower upper strip astype
    image_sizes tensors encode decode read write
    """.split()
)


def note_evidence(frame: Frame, name: str, receiver: Kind) -> None:
    """Notes what the use of an attribute says of the parameter that has it."""
    if receiver.name != "param":
        return
    function: Function = receiver.target[0]
    owner = function.owner
    in_module = owner is not None and classes.is_module(owner)
    said = DISTINCTIVE if in_module else ANYWHERE
    if name in (IN_FORWARD if in_module and function.name == "forward" else said):
        frame.takes_as_tensor(receiver)
    elif name in AGAINST or (name not in TENSOR_METHODS and name not in TENSOR_PROPERTIES):
        frame.takes_as_other(receiver)


def note_filled(frame: Frame, node: ast.Call) -> None:
    """Notes that what an initialiser fills, by a name that layers have for it, is a layer's."""
    filled = node.args[0] if node.args else None
    if isinstance(filled, ast.Attribute) and filled.attr == "data":
        filled = filled.value
    if not isinstance(filled, ast.Attribute) or filled.attr not in ("weight", "bias"):
        return
    kinds = frame.recorder.kinds
    if kinds.get(filled, UNKNOWN).is_unknown and kinds.get(filled.value, UNKNOWN).is_unknown:
        frame.mention(filled, f"{MODULE.name}.{filled.attr}", "attribute", filled.value)
        kinds[filled] = PARAMETER
