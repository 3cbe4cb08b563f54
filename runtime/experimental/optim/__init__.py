"""`mindspore.experimental.optim`: optimisers with PyTorch's formulas, groups and schedulers."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime.experimental.optim")

from . import lr_scheduler
from .optimizer import SGD, Adam, AdamW, Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
