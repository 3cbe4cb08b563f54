"""`mindspore.ops.operations`: MindSpore's primitive classes, `P.MatMul(transpose_b=True)(x, w)`.

A family is a module of this folder; every module is imported. A class is made of a function:

    @operation("MatMul")
    def mat_mul(x: Any, y: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
        ...

Its keyword-only parameters are the constructor's (by position, too), the others the call's. A
class that is the op under another name is a row: `same("Abs", "abs")`.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from ..engine.failure import missing_names
from .operation import CLASSES

for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...

else:
    globals().update(CLASSES)

    __getattr__ = missing_names("ops", CLASSES)
