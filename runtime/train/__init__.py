"""`mindspore.train`: Model, its callbacks and metrics."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from typing import Any

from .. import amp, metrics
from ..amp import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
    build_train_network,
)
from ..checkpoint import (
    async_ckpt_thread_status,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    save_checkpoint,
)
from ..checkpoint_formats import ckpt_to_safetensors, safetensors_to_ckpt
from ..engine.failure import MissingNameError
from ..exchange import load
from ..export import export
from . import callback
from .dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from .model import Model

__all__ = [
    "DatasetHelper",
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "Model",
    "amp",
    "async_ckpt_thread_status",
    "build_train_network",
    "callback",
    "ckpt_to_safetensors",
    "connect_network_with_dataset",
    "data_sink",
    "export",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "metrics",
    "safetensors_to_ckpt",
    "save_checkpoint",
]
for _room in (callback, metrics):
    __all__ += _room.__all__
    globals().update({name: getattr(_room, name) for name in _room.__all__})


def __getattr__(name: str) -> Any:
    """Raises: MS301 with the nearest name that there is."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise MissingNameError.of("mindspore.train", name, __all__)
