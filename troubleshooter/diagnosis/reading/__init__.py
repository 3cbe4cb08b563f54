"""What the frameworks' options and parameters mean, in the words of `layers`."""

from .describe import describe
from .description import Description

__all__ = ["Description", "describe"]
