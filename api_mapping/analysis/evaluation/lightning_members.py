"""What Lightning's module and Trainer have for the code of a project."""

from __future__ import annotations

import ast

from ...table.kinds import (
    BOOL,
    DEVICE,
    INT,
    MODULE,
    OPTIMIZER,
    STR,
    TENSOR,
    Kind,
    dict_of,
    list_of,
)
from .. import classes
from ..definitions import Class
from ..frame import Frame
from ..lightning import MEMBERS
from ..lightning import MODULE as MODULE_BASE

TRAINER = Kind("trainer", "pytorch_lightning.Trainer")
LIGHTNING = {"trainer": TRAINER, "current_epoch": INT, "global_step": INT, "device": DEVICE}
"""What the members of a LightningModule are."""
OF_TRAINER = {
    "optimizers": list_of(OPTIMIZER),
    "callback_metrics": dict_of(STR, TENSOR),
    "current_epoch": INT,
    "global_step": INT,
    "max_epochs": INT,
    "sanity_checking": BOOL,
    "should_stop": BOOL,
    "lightning_module": MODULE,
}


def of_trainer(frame: Frame, node: ast.Attribute, receiver: Kind) -> Kind:
    """A Trainer's members; what has no row is refused by its name."""
    api = f"{receiver.name}.{node.attr}"
    is_call = frame.call_of(node) is not None
    frame.mention(node, api, "reference" if is_call else "attribute", node.value)
    return OF_TRAINER.get(node.attr) or Kind("method", api, (receiver,))


def is_of_lightning(receiver: Kind, name: str) -> bool:
    """Whether an instance of the project's has a name from Lightning's module."""
    is_one = isinstance(receiver.target, Class) and name in MEMBERS
    return is_one and classes.torch_base(receiver.target) == MODULE_BASE
