"""Two files or folders of tensors, or two collections of arrays, against each other."""

from .comparison import Comparison
from .row import Row
from .settings import Settings

__all__ = ["Comparison", "Row", "Settings"]
