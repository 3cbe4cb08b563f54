"""Which functions and methods give tensors of bools, or of the type of what they are given."""

from __future__ import annotations

BOOLS = frozenset(
    """
    eq ne lt le gt ge equal not_equal less less_equal greater greater_equal isnan isinf isfinite
    isclose isin isneginf isposinf isreal logical_and logical_or logical_not logical_xor signbit
    bool BoolTensor
    """.split()
)
"""Functions and methods that give nothing else."""


KEPT = frozenset(
    """
    any all view view_as reshape reshape_as flatten ravel t transpose swapaxes swapdims permute
    squeeze unsqueeze select narrow diagonal expand expand_as repeat movedim moveaxis unflatten
    clone contiguous detach cpu cuda flip flipud fliplr roll tril triu masked_fill masked_fill_
    index_select gather bitwise_and bitwise_or bitwise_xor bitwise_not logical_not_ tile
    broadcast_to rot90 take_along_dim
    """.split()
)
"""Those that give tensors of the type of their first argument."""


TYPED = frozenset(
    """
    zeros ones full empty zeros_like ones_like full_like empty_like tensor as_tensor new_zeros
    new_ones new_full new_empty new_tensor to type
    """.split()
)
"""Those that are told the type."""


def gives_bools(api: str) -> bool:
    """Whether a function or method of tensors, by its full name, gives nothing but bools."""
    owner, _, last = api.rpartition(".")
    return owner in ("torch", "torch.Tensor") and last in BOOLS
