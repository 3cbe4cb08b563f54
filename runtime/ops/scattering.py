"""Scattering with a reduction, and sequences reversed in place."""

from __future__ import annotations

from .. import dtype as dtypes
from ..primitive import convert
from ..primitives import shaping as p
from ..tensor import Tensor
from .registry import alias, op


def scattering(reduction: str) -> None:
    def function(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
        return p.scatter_nd(input_x, convert(indices, dtypes.int64), updates, reduction=reduction)

    function.__doc__ = f"`input_x` with `updates` combined at the index tuples by {reduction}."
    alias(f"tensor_scatter_{reduction}", function)


for _reduction in ("add", "mul", "max", "min"):
    scattering(_reduction)


@op
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """The first `seq_lengths[b]` elements along `seq_dim` of each batch in reverse order."""
    lengths = convert(seq_lengths, dtypes.int64)
    return p.reverse_sequence(x, lengths, batch_axis=batch_dim, time_axis=seq_dim)
