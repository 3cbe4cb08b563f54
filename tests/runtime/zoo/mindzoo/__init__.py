"""A package of image models in the way of public model zoos: create_model, create_loss, ..."""

from . import loss, models, optim, scheduler, trainer
from .loss import create_loss
from .models import create_model, is_model, list_models
from .optim import create_optimizer
from .scheduler import create_scheduler

__version__ = "0.3.0"
__all__ = ["create_loss", "create_model", "create_optimizer", "create_scheduler", "is_model", "list_models"]
__all__.extend(["loss", "models", "optim", "scheduler", "trainer"])
