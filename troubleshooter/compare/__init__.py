"""Where two networks part: every layer of both recorded, aligned, and judged alone."""

from .comparer import NetworkComparer, NetworkSettings, compare_networks
from .comparison import LayerRow, NetworkComparison
from .records import LayerPair, LayerRecord

__all__ = [
    "LayerPair",
    "LayerRecord",
    "LayerRow",
    "NetworkComparer",
    "NetworkComparison",
    "NetworkSettings",
    "compare_networks",
]
