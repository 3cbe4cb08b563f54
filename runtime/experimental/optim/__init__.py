"""`mindspore.experimental.optim`: optimisers with PyTorch's formulas, groups and schedulers."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.experimental.optim")

from . import lr_scheduler
from .adagrad import Adadelta, Adagrad, RMSprop
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .descent import ASGD, SGD, Rprop
from .optimizer import Optimizer

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
