"""Moves models from PyTorch and ONNX to MindSpore."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api_mapping.findings.model import Scan
    from .api_mapping.findings.workers import scan_paths as scan
    from .converter.conversion_report import ConversionReport
    from .converter.convert import Options
    from .errors import MsconvertError
    from .live.conversion import convert
    from .live.converted import Converted
    from .live.pytorch import convert_module, pytorch2mindspore
    from .observation.watch.session import watch
    from .troubleshooter.compare.comparer import compare_networks
    from .troubleshooter.diff.comparison import Comparison
    from .troubleshooter.diff.interface import compare, compare_checkpoints

# ONNX Runtime sends nothing, and no line on stderr says that it could not. It is read when ONNX
# Runtime is imported, here or in a process that this one starts.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "ConversionReport",
    "Converted",
    "MsconvertError",
    "Options",
    "Scan",
    "__version__",
    "compare",
    "compare_checkpoints",
    "compare_networks",
    "convert",
    "convert_module",
    "pytorch2mindspore",
    "scan",
    "watch",
]

PLACES = {
    "Comparison": "troubleshooter.diff.comparison",
    "ConversionReport": "converter.conversion_report",
    "Converted": "live.converted",
    "MsconvertError": "errors",
    "Options": "converter.convert",
    "Scan": "api_mapping.findings.model",
    "compare": "troubleshooter.diff.interface",
    "compare_checkpoints": "troubleshooter.diff.interface",
    "compare_networks": "troubleshooter.compare.comparer",
    "convert": "live.conversion",
    "convert_module": "live.pytorch",
    "pytorch2mindspore": "live.pytorch",
    "scan": "api_mapping.findings.workers:scan_paths",
    "watch": "observation.watch.session",
}
"""Where each public name is, and what it is called there: imported when it is first asked for."""


def __getattr__(name: str) -> object:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, own_name = PLACES[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), own_name or name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
