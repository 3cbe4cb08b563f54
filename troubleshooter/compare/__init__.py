"""Where two networks part: every layer of both recorded, aligned, and judged alone."""

from .comparer import NetworkComparer, compare_networks
from .comparison import LayerRow, NetworkComparison, Whole
from .records import LayerPair, LayerRecord
from .settings import NetworkSettings
from .trace import Trace, record_network

__all__ = [
    "LayerPair",
    "LayerRecord",
    "LayerRow",
    "NetworkComparer",
    "NetworkComparison",
    "NetworkSettings",
    "Trace",
    "Whole",
    "compare_networks",
    "record_network",
]
