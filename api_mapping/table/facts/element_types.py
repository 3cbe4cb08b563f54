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


INTEGER_TYPES = frozenset(
    f"torch.{name}"
    for name in "long int short int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
)
INTEGERS = frozenset(
    """
    argmax argmin argsort randint randperm count_nonzero nonzero one_hot multinomial
    searchsorted bucketize tril_indices triu_indices long int short LongTensor
    IntTensor ShortTensor
    """.split()
)
"""Functions and methods that give integers of whatever they are given, if no type is told."""
SUMS = frozenset("sum prod cumsum cumprod".split())
"""Those that give integers of bools, too."""
OF_ALIKE = KEPT | frozenset("amax amin abs neg sign negative unfold repeat_interleave".split())
"""Those that give integers of a tensor of integers."""


COMPLEX_TYPES = frozenset(
    f"torch.{name}" for name in "cfloat cdouble chalf complex32 complex64 complex128".split()
)
COMPLEX_MADE = frozenset(
    """
    complex polar view_as_complex fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn
    ihfft ihfft2 ihfftn
    """.split()
)
"""Functions that give complex numbers of whatever they are given."""
REAL_PARTS = BOOLS | frozenset(
    """
    abs absolute real imag angle irfft irfft2 irfftn hfft hfft2 hfftn istft view_as_real norm
    vector_norm matrix_norm float double half bfloat16 int long short to type cond svdvals
    """.split()
)
"""Functions and methods that give others of complex numbers, or may."""
SIZES = frozenset({"abs", "absolute"})


def gives_bools(api: str) -> bool:
    """Whether a function or method of tensors, by its full name, gives nothing but bools."""
    owner, _, last = api.rpartition(".")
    return owner in ("torch", "torch.Tensor") and last in BOOLS
