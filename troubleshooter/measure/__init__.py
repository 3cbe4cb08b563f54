"""How far one array is from another: one pass over both, and numbers that can be judged again."""

from ...numerics.tolerance import PROFILES, Tolerance, tolerance_of
from .measuring import measure
from .metrics import Metrics, Side, Ulps, Worst

__all__ = ["PROFILES", "Metrics", "Side", "Tolerance", "Ulps", "Worst", "measure", "tolerance_of"]
