"""Moves models from PyTorch and ONNX to MindSpore."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .converter.conversion_report import ConversionReport
    from .converter.convert import Options, convert
    from .errors import MsconvertError

__version__ = "0.1.0"

__all__ = ["ConversionReport", "MsconvertError", "Options", "__version__", "convert"]

PLACES = {
    "ConversionReport": "converter.conversion_report",
    "MsconvertError": "errors",
    "Options": "converter.convert",
    "convert": "converter.convert",
}
"""Where each public name is: imported when it is first asked for, as it may be heavy."""


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
