"""`mindspore.nn`: layers and containers. Each module of this folder is imported."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from .. import metrics, probability
from ..cells.cell import Cell
from ..engine.failure import missing_names

ABSTRACT = frozenset(
    """
    AdaptiveLine AdaptiveMax AdaptivePool AlongAxis AvgPool BatchNorm CellSequence
    ChannelDropout Convolution Decay Elementwise FractionalMaxPool InstanceNorm MaxPool
    MaxUnpool MicroBatches NormPool Normalised PadLayer Pool Recurrent RecurrentCell
    ScaledGradient Setting Shrink Step TransformerLayer TransformerStack TransposedConvolution
    """.split()
)
"""Classes that layers share and MindSpore does not have."""

LAYERS: dict[str, Any] = {"Cell": Cell}
"""Every layer by name."""

for _found in pkgutil.iter_modules(__path__):
    _module = importlib.import_module(f"{__name__}.{_found.name}")
    for _name, _member in vars(_module).items():
        own = getattr(_member, "__module__", "") == _module.__name__
        if own and isinstance(_member, type) and _name not in ABSTRACT:
            LAYERS[_name] = _member

for _function in importlib.import_module(f"{__name__}.learning_rate").FUNCTIONS:
    LAYERS[_function.__name__] = _function
PRIVATE = {
    "_BatchNorm": "normalization.BatchNorm",
    "_Conv": "convolution.Convolution",
    "_InstanceNorm": "normalization.InstanceNorm",
    "_Loss": "loss.LossBase",
}
"""Bases that scripts import for isinstance: MindSpore's name, and the class that it is here."""

for _name, _path in PRIVATE.items():
    _where, _, _class = _path.partition(".")
    LAYERS[_name] = getattr(importlib.import_module(f"{__name__}.{_where}"), _class)
LAYERS["get_activation"] = importlib.import_module(f"{__name__}.activation").get_activation

for _name, _made in importlib.import_module(f"{__name__}.attributes").HELD.items():
    LAYERS[_name].held = _made

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    METRICS = {name: getattr(metrics, name) for name in metrics.__all__}
    OTHERS = METRICS | {"probability": probability}
    globals().update(OTHERS | LAYERS)

    __getattr__ = missing_names("nn", OTHERS | LAYERS)
