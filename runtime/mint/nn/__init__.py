"""`mindspore.mint.nn`: layers with PyTorch's arguments, defaults and parameter names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...engine.failure import missing_names
from . import functional, layer
from .layer import LAYERS

__all__ = ["functional", "layer"]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(LAYERS)

    __getattr__ = missing_names("mint.nn", LAYERS)
