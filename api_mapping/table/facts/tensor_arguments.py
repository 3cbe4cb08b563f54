"""Arguments of PyTorch's functions that only tensors can be."""

from __future__ import annotations

from functools import cache

from .results import returned

NO_TENSOR_FIRST = frozenset(
    """
    tensor as_tensor asarray from_numpy stack cat concat concatenate hstack vstack dstack
    column_stack row_stack zeros ones empty full eye arange range linspace logspace rand randn
    randint randperm normal scalar_tensor where sparse_coo_tensor einsum block_diag
    cartesian_prod complex broadcast_tensors meshgrid tril_indices triu_indices chain_matmul
    empty_strided frombuffer from_file from_dlpack hann_window hamming_window bartlett_window
    blackman_window kaiser_window get_rng_state result_type is_tensor pow float_power
    empty_permuted atleast_1d atleast_2d atleast_3d align_tensors bucketize isin xlogy remainder
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
    """.split()
)
"""Functions whose first argument need not be a tensor."""


@cache
def takes_tensor(name: str) -> bool:
    """Whether the first argument of a function can only be a tensor."""
    module, _, last = name.rpartition(".")
    if last in NO_TENSOR_FIRST or last[:1].isupper():  # torch.Tensor(3) has three elements
        return False
    spaces = ("torch.nn.functional", "torch.linalg", "torch.fft")
    return module in spaces or (module == "torch" and returned(name).is_tensor)


SECOND = {
    **dict.fromkeys(
        (
            f"torch.nn.functional.{name}"
            for name in """cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss kl_div
            binary_cross_entropy binary_cross_entropy_with_logits""".split()
        ),
        "target",
    ),
    **dict.fromkeys(
        (f"torch.nn.functional.{n}" for n in "linear embedding conv1d conv2d conv3d".split()),
        "weight",
    ),
    **dict.fromkeys((f"torch.{name}" for name in ("bmm", "mm")), "mat2"),
    **dict.fromkeys(("torch.nn.Parameter", "torch.nn.Buffer"), ""),
}
"""The names of second arguments that are tensors; "" where the first one is."""


GIVEN_TENSORS = {
    **dict.fromkeys(
        """expand_as view_as type_as reshape_as bmm mm matmul mv masked_fill masked_fill_
        masked_select masked_scatter masked_scatter_""".split(),
        0,
    ),
    **dict.fromkeys(
        """gather index_select scatter scatter_ scatter_add scatter_add_ index_add index_add_
        index_copy index_copy_ take_along_dim""".split(),
        1,
    ),
}
"""Where methods of tensors take another tensor."""
