"""`mindspore.nn.probability`: distributions, and bijections between values."""

from . import bijector, distribution

__all__ = ["bijector", "distribution"]
