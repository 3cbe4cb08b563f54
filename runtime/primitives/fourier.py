"""The discrete Fourier transform, by NumPy on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.dtype import Array
from ..engine.host import host
from ..engine.tensor import Tensor

OTHER_NORM = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The scaling of the transform that goes back, if it is not to be the inverse but the adjoint."""


@host("FFTN")
def fftn(
    x: Array, *, axes: tuple[int, ...], norm: str = "backward", inverse: bool = False
) -> Array:
    """The transform of complex numbers over `axes`."""
    transform: Any = np.fft.ifftn if inverse else np.fft.fftn
    return np.asarray(transform(x, axes=axes, norm=norm)).astype(x.dtype)


@fftn.vjp
def fftn_vjp(
    g: Tensor, y: Tensor, x: Tensor, *, axes: tuple[int, ...], norm: str, inverse: bool
) -> Tensor:
    return fftn(g, axes=axes, norm=OTHER_NORM[norm], inverse=not inverse)
