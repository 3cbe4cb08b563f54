"""`mindspore.mint`: PyTorch's names, arguments and defaults for the ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine.failure import missing_names
from . import functions, linalg, nn, special
from .composed import COMPOSED
from .functions import FUNCTIONS

__all__ = ["functions", "linalg", "nn", "special"]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(FUNCTIONS | COMPOSED)

    __getattr__ = missing_names("mint", FUNCTIONS | COMPOSED)
