"""`mindspore.ops`: functions on Tensors, each a composition of primitives.

A family is a module of this folder whose functions carry `@op`; every module is imported. The
primitive classes (`ops.MatMul`) come from `runtime/operations`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from ..engine.failure import missing_names
from .registry import OPS

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(OPS)

    from ..operations import CLASSES  # written with the ops above

    globals().update(CLASSES)

    __getattr__ = missing_names("ops", [*OPS, *CLASSES])
