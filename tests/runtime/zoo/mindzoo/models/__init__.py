"""Models of the zoo; importing a module registers what it holds."""

import importlib
import pkgutil

from . import attention, convolutional, layers
from .model_factory import FeatureExtractWrapper, create_model
from .registry import is_model, list_models, list_modules, model_entrypoint, register_model

for _package in (attention, convolutional):
    for _found in pkgutil.iter_modules(_package.__path__):
        importlib.import_module(f"{_package.__name__}.{_found.name}")

__all__ = ["FeatureExtractWrapper", "create_model", "is_model", "layers", "list_models",
           "list_modules", "model_entrypoint", "register_model"]
