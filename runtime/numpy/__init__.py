"""`mindspore.numpy`: NumPy's functions on Tensors, each a composition of ops.

A family is a module of this folder whose functions carry `@public`; every module is imported.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from typing import TYPE_CHECKING, Any

from ..engine import dtype as _dtypes
from ..engine.failure import missing_names
from .registry import FUNCTIONS

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")

TYPES = (
    "bool_ float16 float32 float64 float_ int8 int16 int32 int64 int_ uint uint8 uint16 uint32 "
    "uint64"
).split()

CONSTANTS = {"inf": math.inf, "PINF": math.inf, "NINF": -math.inf, "nan": math.nan, "pi": math.pi}

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(FUNCTIONS)
    globals().update({name: getattr(_dtypes, name) for name in TYPES} | CONSTANTS)

    __getattr__ = missing_names("mindspore.numpy", FUNCTIONS)
