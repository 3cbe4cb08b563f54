"""Converts weight files, and shows that a network takes what was written."""

from .convert import Outcome, convert_weights
from .settings import NetworkCall, WeightSettings

__all__ = ["NetworkCall", "Outcome", "WeightSettings", "convert_weights"]
