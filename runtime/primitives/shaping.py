"""Shapes, slices, gathering, scattering and new tensors.

Each function is one ONNX operator; see `primitive.py`.
"""

from __future__ import annotations

from typing import Any

from ..primitive import primitive
from ..tensor import Tensor


@primitive("CenterCropPad")
def center_crop_pad(
    input_data: Tensor, shape: Tensor, *, axes: tuple[int, ...] | None = None
) -> Any: ...


@primitive("Compress")
def compress(input: Tensor, condition: Tensor, *, axis: int | None = None) -> Any: ...


@primitive("Concat")
def concat(*inputs: Tensor, axis: int) -> Any: ...


@primitive("ConstantOfShape")
def constant_of_shape(input: Tensor, *, value: Any = None) -> Any: ...


@primitive("DepthToSpace")
def depth_to_space(input: Tensor, *, blocksize: int, mode: str = "DCR") -> Any: ...


@primitive("Expand")
def expand(input: Tensor, shape: Tensor) -> Any: ...


@primitive("EyeLike")
def eye_like(input: Tensor, *, dtype: int | None = None, k: int = 0) -> Any: ...


@primitive("Flatten")
def flatten(input: Tensor, *, axis: int = 1) -> Any: ...


@primitive("Gather")
def gather(data: Tensor, indices: Tensor, *, axis: int = 0) -> Any: ...


@primitive("GatherElements")
def gather_elements(data: Tensor, indices: Tensor, *, axis: int = 0) -> Any: ...


@primitive("GatherND")
def gather_nd(data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Any: ...


@primitive("NonZero")
def non_zero(x: Tensor) -> Any: ...


@primitive("OneHot")
def one_hot(indices: Tensor, depth: Tensor, values: Tensor, *, axis: int = -1) -> Any: ...


@primitive("Pad")
def pad(
    data: Tensor,
    pads: Tensor,
    constant_value: Tensor | None = None,
    axes: Tensor | None = None,
    *,
    mode: str = "constant",
) -> Any: ...


@primitive("Range")
def range(start: Tensor, limit: Tensor, delta: Tensor) -> Any: ...


@primitive("Reshape")
def reshape(data: Tensor, shape: Tensor, *, allowzero: int = 0) -> Any: ...


@primitive("ReverseSequence")
def reverse_sequence(
    input: Tensor, sequence_lens: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Any: ...


@primitive("ScatterElements")
def scatter_elements(
    data: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> Any: ...


@primitive("ScatterND")
def scatter_nd(
    data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none"
) -> Any: ...


@primitive("Shape")
def shape(data: Tensor, *, end: int | None = None, start: int = 0) -> Any: ...


@primitive("Size")
def size(data: Tensor) -> Any: ...


@primitive("Slice")
def slice(
    data: Tensor,
    starts: Tensor,
    ends: Tensor,
    axes: Tensor | None = None,
    steps: Tensor | None = None,
) -> Any: ...


@primitive("SpaceToDepth")
def space_to_depth(input: Tensor, *, blocksize: int) -> Any: ...


@primitive("Split")
def split(
    input: Tensor, split: Tensor | None = None, *, axis: int = 0, num_outputs: int | None = None
) -> Any: ...


@primitive("Squeeze")
def squeeze(data: Tensor, axes: Tensor | None = None) -> Any: ...


@primitive("Tile")
def tile(input: Tensor, repeats: Tensor) -> Any: ...


@primitive("Transpose")
def transpose(data: Tensor, *, perm: tuple[int, ...] | None = None) -> Any: ...


@primitive("Trilu")
def trilu(input: Tensor, k: Tensor | None = None, *, upper: int = 1) -> Any: ...


@primitive("Unsqueeze")
def unsqueeze(data: Tensor, axes: Tensor) -> Any: ...
