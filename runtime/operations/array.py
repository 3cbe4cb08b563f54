"""Shapes, joining, slicing, gathering, padding, new tensors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.argument import check_choice, check_int, check_type
from ..engine.dtype import DType
from ..engine.failure import ShapeError
from ..engine.primitive import convert
from ..engine.promotion import as_tensor, constant
from ..engine.tensor import Tensor
from ..ops.activation import check_elements
from ..ops.blocks import windows
from ..ops.diagonals import diag_part, fill_diagonal
from ..ops.pairwise import alike
from ..ops.reduction import axes_of
from ..ops.shaping import axis_of, sizes_of
from ..ops.writing import masked_scatter
from ..primitives import shaping as p
from .operation import CLASSES, operation, same

SAME = {
    "Gather nd": "gather_nd",
    "GatherD": "gather_d",
    "MaskedFill": "masked_fill",
    "MaskedSelect": "masked_select",
    "MatrixBandPart": "matrix_band_part",
    "OnesLike": "ones_like",
    "Reshape": "reshape",
    "Select": "select",
    "Transpose": "transpose",
    "ZerosLike": "zeros_like",
    "ScalarCast": "scalar_cast",
    "Shape": "shape",
    "DynamicShape": "dyn_shape",
    "TensorShape": "dyn_shape",
    "TupleToArray": "tuple_to_array",
    "IndexFill": "index_fill",
}
"""Classes whose call is an op."""

for _name, _op in SAME.items():
    same(_name.replace(" n", "N"), _op)

operation("MaskedScatter")(lambda input, mask, source: masked_scatter(input, mask, source))
operation("DiagPart")(lambda input: diag_part(input))
operation("Diag")(lambda input: ops.diag(input))
operation("TransposeExtView")(lambda input, dim0, dim1: ops.swapaxes(input, dim0, dim1))
operation("Reusing")(lambda x: x)
operation("UpdateState")(lambda *state: state[0])
operation("DType")(lambda x: ops.dtype(x))
operation("Rank")(lambda x: ops.rank(check_type("Rank", "x", x, Tensor)))
operation("Size")(lambda x: ops.size(check_type("Size", "x", x, Tensor)))


@operation("ExpandDims")
def expand_dims(input_x: Any, axis: Any) -> Any:
    check_type("ExpandDims", "axis", axis, int, Tensor)
    return ops.expand_dims(input_x, int(axis))


@operation("Tile")
def tile(input: Any, dims: Any) -> Any:
    return ops.tile(input, check_type("Tile", "dims", dims, tuple, list, Tensor))


@operation("Slice")
def slice_(input: Any, begin: Any, size: Any) -> Any:
    """`size` elements from `begin` on along each axis; -1 takes all that follow."""
    bounds = zip(sizes_of(begin), sizes_of(size), input.shape, strict=True)
    if any(first + count > n for first, count, n in bounds):
        raise ShapeError("Slice", "the slice is longer than the axis", got=str(input.shape))
    return ops.slice(input, begin, size)


@operation("ScalarToTensor")
def scalar_to_tensor(x: Any, dtype: Any = dtypes.float32) -> Any:
    return ops.scalar_to_tensor(x, dtype)


@operation("TensorToTuple")
def tensor_to_tuple(x: Any) -> Any:
    return tuple(x.asnumpy().tolist())


@operation("BroadcastTo")
def broadcast_to(input: Any, *, shape: tuple[int, ...] | list[int]) -> Any:
    return ops.broadcast_to(input, shape)


@operation("Squeeze")
def squeeze(input: Any, *, axis: int | tuple[int, ...] | list[int] = ()) -> Any:
    return ops.squeeze(input, axis if axes_of(axis) else None)


@operation("Flatten")
def flatten(input_x: Any) -> Any:
    """The axes behind the first made one."""
    check_type("Flatten", "input_x", input_x, Tensor)
    return ops.reshape(input_x, (input_x.shape[0] if input_x.ndim else 1, -1))


@operation("Concat")
def concat(tensors: Any, *, axis: int = 0) -> Any:
    return ops.concat(check_type("Concat", "tensors", tensors, tuple, list), axis)


@operation("ParallelConcat")
def parallel_concat(values: Any) -> Any:
    """Joined along the first axis, which is 1 of each."""
    if any(x.ndim == 0 or x.shape[0] != 1 for x in values):
        raise ShapeError("ParallelConcat", "the first axis is 1", got=str(values[0].shape))
    return ops.concat(values)


@operation("Stack")
def stack(input_x: Any, *, axis: int = 0) -> Any:
    alike("Stack", *input_x)
    return ops.stack(input_x, axis)


@operation("Unstack")
def unstack(input_x: Any, *, axis: int = 0, num: int | None = None) -> Any:
    return ops.unstack(input_x, axis)


@operation("Split", check=lambda axis, output_num: check_int("Split", "output_num", output_num, 1))
def split(input_x: Any, *, axis: int = 0, output_num: int = 1) -> Any:
    """`output_num` equal pieces."""
    length = input_x.shape[axis_of(axis, input_x.ndim, "Split")]
    if length % output_num:
        raise ShapeError("Split", "no equal pieces", got=f"{length} into {output_num}")
    return ops.split(input_x, [length // output_num] * output_num, axis)


@operation("SplitV")
def split_v(
    input_x: Any, *, size_splits: list[int] | tuple[int, ...], split_dim: int, num_split: int
) -> Any:
    """Pieces of the given sizes; one may be -1."""
    sizes = [*size_splits]
    if -1 in sizes:
        sizes[sizes.index(-1)] = input_x.shape[split_dim] - sum(n for n in sizes if n > 0)
    return ops.split(input_x, sizes, split_dim)


@operation("Meshgrid")
def meshgrid(inputs: Any, *, indexing: Literal["xy", "ij"] = "xy") -> Any:
    if any(x.ndim != 1 for x in inputs):
        raise ShapeError("Meshgrid", "takes vectors", got=str([x.shape for x in inputs]))
    return ops.meshgrid(*inputs, indexing=indexing)


@operation("StridedSlice")
def strided_slice(
    input_x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    masks = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    return ops.strided_slice(input_x, begin, end, strides, *masks)


@operation("ReverseV2")
def reverse_v2(input: Any, *, axis: tuple[int, ...] | list[int]) -> Any:
    if len({k % max(input.ndim, 1) for k in axis}) < len(axis):
        raise ShapeError("ReverseV2", "an axis is given twice", got=str(axis))
    return ops.flip(input, axis)


@operation("ReverseSequence")
def reverse_sequence(x: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int = 0) -> Any:
    if seq_dim == batch_dim:
        raise ShapeError("ReverseSequence", "batch_dim is not seq_dim", got=str(seq_dim))
    return ops.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)


@operation("Gather")
def gather(input_params: Any, input_indices: Any, axis: Any, *, batch_dims: int = 0) -> Any:
    return ops.gather(input_params, input_indices, int(axis), batch_dims)


@operation("EmbeddingLookup")
def embedding_lookup(input_params: Any, input_indices: Any, offset: Any) -> Any:
    """The rows at `input_indices` - offset; zeros for those that are not there."""
    at = ops.sub(input_indices, int(offset))
    count = input_params.shape[0]
    inside = ops.logical_and(ops.greater_equal(at, 0), ops.less(at, count))
    rows = ops.gather(input_params, ops.clamp(at, 0, count - 1), 0)
    shape = (*at.shape, *[1] * (rows.ndim - at.ndim))
    return ops.where(ops.reshape(inside, shape), rows, constant(0, rows.dtype))


@operation("OneHot")
def one_hot(indices: Any, depth: Any, on_value: Any, off_value: Any, *, axis: int = -1) -> Any:
    values = (ops.stop_gradient(x) for x in (on_value, off_value))
    return ops.one_hot(indices, int(depth), *values, axis)


@operation("Pad")
def pad(input_x: Any, *, paddings: tuple[Any, ...] | list[Any]) -> Any:
    """Zeros around: (before, after) for each axis."""
    if len(paddings) != input_x.ndim or any(n < 0 for pair in paddings for n in pair):
        raise ShapeError("Pad", "a pair of sizes for each axis", got=str(paddings))
    return ops.pad(input_x, [n for pair in reversed(paddings) for n in pair])


@operation("PadV3")
def pad_v3(
    x: Any,
    paddings: Any,
    constant_value: Any = None,
    *,
    mode: Literal["constant", "reflect", "edge", "circular"] = "constant",
    paddings_contiguous: bool = True,
) -> Any:
    """Padded; `paddings` counts from the last axis on, pairs or first all that is before."""
    sizes = paddings.asnumpy().reshape(-1).tolist() if isinstance(paddings, Tensor) else paddings
    if not paddings_contiguous:
        half = len(sizes) // 2
        sizes = [n for pair in zip(sizes[:half], sizes[half:], strict=True) for n in pair]
    value = None if mode != "constant" or constant_value is None else as_tensor(constant_value)
    plain = value.asnumpy().item() if value is not None else None
    return ops.pad(x, sizes, "replicate" if mode == "edge" else mode, plain)


@operation("MirrorPad")
def mirror_pad(
    input_x: Any, paddings: Any, *, mode: Literal["REFLECT", "SYMMETRIC"] = "REFLECT"
) -> Any:
    """Mirrored at the edges: (before, after) for each axis; SYMMETRIC repeats the edge."""
    return ops.mirror_pad(input_x, paddings, mode)


@operation("Padding", check=lambda pad_dim_size: check_int("Padding", "pad", pad_dim_size, 1))
def padding(x: Any, *, pad_dim_size: int = 8) -> Any:
    """The last axis, of size 1, filled up with zeros."""
    return ops.padding(x, pad_dim_size)


@operation("SpaceToDepth", check=lambda block_size: check_int("SpaceToDepth", "b", block_size, 2))
def space_to_depth(x: Any, *, block_size: int) -> Any:
    """(n, c, h, w) -> (n, c * b * b, h / b, w / b)."""
    if x.ndim != 4 or x.shape[2] % block_size or x.shape[3] % block_size:
        raise ShapeError("SpaceToDepth", "the block does not divide", got=str(x.shape))
    return p.space_to_depth(x, blocksize=block_size)


@operation("DepthToSpace", check=lambda block_size: check_int("DepthToSpace", "b", block_size, 2))
def depth_to_space(x: Any, *, block_size: int) -> Any:
    """(n, c * b * b, h, w) -> (n, c, h * b, w * b)."""
    if x.ndim != 4 or x.shape[1] % block_size**2:
        raise ShapeError("DepthToSpace", "the block does not divide", got=str(x.shape))
    return p.depth_to_space(x, blocksize=block_size)


@operation("SpaceToBatchND")
def space_to_batch_nd(input_x: Any, *, block_shape: Any, paddings: Any) -> Any:
    return ops.space_to_batch_nd(input_x, block_shape, paddings)


@operation("BatchToSpaceND")
def batch_to_space_nd(input_x: Any, *, block_shape: Any, crops: Any) -> Any:
    return ops.batch_to_space_nd(input_x, block_shape, crops)


@operation("Im2Col")
def im2col(x: Any, *, ksizes: Any, strides: Any = 1, dilations: Any = 1, pads: Any = 0) -> Any:
    """(n, c, h, w) -> (n, c, kernel elements, windows)."""
    return windows(x, ksizes, dilations, pads, strides, "Im2Col")


@operation("Col2Im")
def col2im(
    x: Any,
    output_size: Any,
    *,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    return ops.col2im(x, output_size, kernel_size, dilation, padding, stride)


@operation("ChannelShuffle")
def channel_shuffle(x: Any, *, group: int) -> Any:
    return ops.channel_shuffle(x, group)


@operation("FillDiagonal")
def fill_diagonals(input_x: Any, *, fill_value: float, wrap: bool = False) -> Any:
    return fill_diagonal(input_x, fill_value, wrap)


@operation("Tril")
def tril(input_x: Any, *, diagonal: int = 0) -> Any:
    return ops.tril(input_x, diagonal)


@operation("Triu")
def triu(input: Any, *, diagonal: int = 0) -> Any:
    return ops.triu(input, diagonal)


@operation("TrilIndices")
def tril_indices(*, row: int, col: int, offset: int = 0, dtype: DType = dtypes.int32) -> Any:
    return ops.tril_indices(row, col, offset, dtype=dtype)


@operation("TriuIndices")
def triu_indices(*, row: int, col: int, offset: int = 0, dtype: DType = dtypes.int32) -> Any:
    return ops.triu_indices(row, col, offset, dtype=dtype)


@operation("MatrixDiagV3")
def matrix_diag(
    x: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, *, align: str = "RIGHT_LEFT"
) -> Any:
    return ops.matrix_diag(x, k, num_rows, num_cols, padding_value, align)


@operation("MatrixDiagPartV3")
def matrix_diag_part(x: Any, k: Any, padding_value: Any, *, align: str = "RIGHT_LEFT") -> Any:
    return ops.matrix_diag_part(x, k, padding_value, align)


@operation("MatrixSetDiagV3")
def matrix_set_diag(x: Any, diagonal: Any, k: Any, *, align: str = "RIGHT_LEFT") -> Any:
    return ops.matrix_set_diag(x, diagonal, k, align)


@operation("Fill")
def fill(dtype: Any, dims: Any, x: Any) -> Any:
    """`x` everywhere."""
    check_type("Fill", "dtype", dtype, DType)
    check_type("Fill", "dims", dims, tuple, Tensor)
    value = check_type("Fill", "x", x, int, float, bool, Tensor)
    plain = value.asnumpy().item() if isinstance(value, Tensor) else value
    return ops.full(dims, plain, dtype=dtype)


@operation("FillV2")
def fill_v2(shape: Any, value: Any) -> Any:
    """`value`, a Tensor without axes, everywhere."""
    check_type("FillV2", "value", value, Tensor)
    return ops.broadcast_to(value, shape)


@operation("Zeros")
def zeros(size: Any, dtype: Any = None) -> Any:
    check_type("Zeros", "size", size, int, tuple, list, Tensor)
    return ops.zeros(size, check_type("Zeros", "dtype", dtype, DType, type(None)))


@operation("Ones")
def ones(shape: Any, dtype: Any = None) -> Any:
    check_type("Ones", "shape", shape, int, tuple, list, Tensor)
    return ops.ones(shape, check_type("Ones", "dtype", dtype, DType, type(None)))


@operation("Eye")
def eye(n: int, m: int, dtype: Any) -> Any:
    check_int("Eye", "n", n, 1)
    check_int("Eye", "m", m, 0)
    return ops.eye(n, m, dtype)


@operation("LinSpace")
def linspace(start: Any, stop: Any, num: Any) -> Any:
    """`num` numbers from `start` to `stop`, in the element type of `start`."""
    check_elements("LinSpace", start, dtypes.float32, dtypes.float64)
    check_int("LinSpace", "num", int(num), 1)
    if not start.is_traced and not as_tensor(stop).is_traced:
        return convert(ops.linspace(start, stop, int(num)), start.dtype)
    share = constant(np.linspace(0.0, 1.0, int(num)), start.dtype)
    return ops.stop_gradient(ops.add(start, ops.mul(ops.sub(stop, start), share)))


@operation("LogSpace")
def logspace(
    start: Any, end: Any, *, steps: int = 10, base: int = 10, dtype: DType = dtypes.float32
) -> Any:
    check_choice("LogSpace", "dtype", dtype, (dtypes.float16, dtypes.float32, dtypes.float64))
    return ops.logspace(start, end, steps, base, dtype=dtype)


@operation("Range")
def range_(start: Any, end: Any, step: Any, *, maxlen: int = 1000000) -> Any:
    check_int("Range", "maxlen", maxlen, 1)
    alike("Range", *[as_tensor(x) for x in (start, end, step)])
    return ops.range(start, end, step, maxlen)


@operation("InvertPermutation")
def invert_permutation(input_x: Any) -> Any:
    """Where each number of a permutation stands."""
    check_type("InvertPermutation", "input_x", input_x, tuple, list)
    if sorted(input_x) != [*range(len(input_x))]:
        raise ShapeError("InvertPermutation", "it is no permutation", got=str(input_x))
    return tuple(input_x.index(k) for k in range(len(input_x)))


@operation("UnravelIndex")
def unravel_index(indices: Any, dims: Any) -> Any:
    """The index tuples, as columns, of places in a Tensor of the sizes `dims`."""
    sizes = dims.asnumpy().reshape(-1)
    steps = np.append(np.cumprod(sizes[::-1])[::-1][1:], 1)
    whole = ops.floor_divide(ops.expand_dims(indices, 0), constant(steps[:, None], indices.dtype))
    return ops.remainder(whole, constant(sizes[:, None], indices.dtype))


@operation("DataFormatDimMap")
def data_format_dim_map(x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """Axes of one format as those of the other."""
    places = [src_format.index(letter) for letter in dst_format]
    return convert(ops.gather(constant(places, x.dtype), ops.remainder(x, len(places)), 0), x.dtype)


@operation("DataFormatVecPermute")
def data_format_vec_permute(x: Any, *, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    """A vector (or rows) of one format in the order of the other."""
    return ops.gather(x, constant([src_format.index(letter) for letter in dst_format]), 0)


@operation("Print")
def print_(*input_x: Any) -> Any:
    return ops.print_(*input_x)


CLASSES.update(Pack=CLASSES["Stack"], Unpack=CLASSES["Unstack"], GatherV2=CLASSES["Gather"])
