"""`mindspore.scipy`: linear algebra and cosine transforms under SciPy's names."""

from . import fft, linalg

__all__ = ["fft", "linalg"]
