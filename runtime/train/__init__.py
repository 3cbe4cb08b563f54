"""`mindspore.train`: Model, its callbacks and metrics."""

if not __name__.startswith("msconvert."):
    raise ImportError("import it as msconvert.runtime: bare 'runtime' would collide with others")

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from .. import amp, metrics
from ..amp import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
    build_train_network,
)
from ..engine.failure import missing_names
from ..summary.record import SummaryRecord
from . import callback, elsewhere
from .dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from .model import Model
from .serialization import (
    async_ckpt_thread_status,
    ckpt_to_safetensors,
    export,
    load,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    safetensors_to_ckpt,
    save_checkpoint,
)

__all__ = [
    "DatasetHelper",
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "Model",
    "SummaryRecord",
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
for _room, _names in (
    (callback, callback.__all__),
    (metrics, metrics.__all__),
    (elsewhere, elsewhere.NAMES),
):
    __all__ += _names
    globals().update({name: getattr(_room, name) for name in _names})


if _TYPE_CHECKING:

    def __getattr__(name: str) -> _Any: ...

else:
    __getattr__ = missing_names("mindspore.train", __all__)
