"""`mindspore.mint.nn`: layers with PyTorch's arguments, defaults and parameter names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...failure import MissingNameError
from . import functional, layer
from .layer import LAYERS

__all__ = ["functional", "layer"]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(LAYERS)

    def __getattr__(name: str) -> Any:
        """Raises: MS301 with the nearest name that there is."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingNameError.of("mint.nn", name, LAYERS)
