"""Which functions, methods and properties give a tensor that shares the memory of another."""

from __future__ import annotations

CASTS = frozenset(
    "to type type_as float double half bfloat16 int long short bool char byte cpu cuda".split()
)
"""What gives the tensor itself only where it has that element type and device."""

SAME = CASTS | frozenset(
    "data detach detach_ contiguous requires_grad_ share_memory_ pin_memory".split()
)
"""What gives the tensor itself, or the same memory in both; a copy shares nothing in either."""

IN_ORDER = frozenset(
    "view view_as reshape reshape_as flatten ravel squeeze unsqueeze unflatten".split()
)
"""Views with all elements, in their order."""

PARTS = frozenset(
    "chunk split unbind tensor_split hsplit vsplit dsplit split_with_sizes unsafe_chunk "
    "unsafe_split unsafe_split_with_sizes".split()
)
"""Several views, of parts that lie one behind another."""

OTHER_VIEWS = frozenset(
    "t T mT H mH adjoint transpose swapaxes swapdims permute movedim moveaxis narrow select "
    "diagonal expand expand_as broadcast_to unfold real imag view_as_real view_as_complex "
    "as_strided".split()
)

SIZES = frozenset(
    """size dim ndimension numel nelement element_size stride get_device is_floating_point
    is_complex""".split()
)
"""Methods that give the same each time, and change nothing."""

METADATA = SIZES | frozenset(
    """new_zeros new_ones new_full new_empty zeros_like ones_like full_like empty_like
    rand_like randn_like randint_like""".split()
)
"""What asks a tensor for its sizes, element type or device, and reads no element."""

OF_ARRAYS = frozenset("as_tensor asarray from_numpy numpy".split())
"""What gives the same memory to NumPy, or takes it from there, where MindSpore may copy."""

VIEWS = IN_ORDER | PARTS | OTHER_VIEWS | {"detach"}
"""What gives another tensor over the same memory, and can only be written to through that one."""

OF_MODULE = frozenset(
    f"torch.nn.Module.{name}"
    for name in "parameters named_parameters buffers named_buffers state_dict get_parameter "
    "get_buffer".split()
)
"""Methods that give tensors which a module holds."""

COMPUTING = frozenset(
    """
    abs acos arange asin atan ceil clamp clone cos cosh cumsum empty erf exp eye floor full
    full_like linspace log log1p logspace matmul mean mul ones ones_like outer pow rand
    rand_like randint randn randn_like randperm reciprocal round rsqrt sigmoid sign sin sinh
    sqrt square stack sum tan tanh tensor tril triu zeros zeros_like
    """.split()
)
"""Functions and methods whose result shares no memory with what they are given."""
