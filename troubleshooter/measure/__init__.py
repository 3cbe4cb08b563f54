"""How far one array is from another: one pass over both, and numbers that can be judged again."""

from .measuring import measure
from .metrics import Metrics, Side, Ulps, Worst
from .tolerance import PROFILES, Tolerance, tolerance_of

__all__ = ["PROFILES", "Metrics", "Side", "Tolerance", "Ulps", "Worst", "measure", "tolerance_of"]
