"""Why a function that a network's own code calls gives something else: one thing changed at a time.

What a function computes stands here in NumPy and float64, with one name for each of its arguments,
whichever framework's function it is.
"""

from .differing import FunctionPair, diagnose_function

__all__ = ["FunctionPair", "diagnose_function"]
