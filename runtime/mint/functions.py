"""The functions of mint: the op itself where it is the same, else a line that renames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ops
from ..engine.dtype import DType, bool_, float32, int64
from ..engine.tensor import Tensor
from ..ops.registry import OPS
from ..primitives import reduction

SAME = frozenset(
    """
    abs acos acosh addbmm addmm addmv arccos arccosh arcsinh arctan arctan2 arctanh
    asin asinh atan atan2 atanh baddbmm bitwise_and bitwise_or
    bitwise_xor broadcast_to ceil clamp clip cos cosh cross cumprod
    div divide einsum eq erf erfc erfinv exp exp2 expm1 eye flip float_power floor
    floor_divide fmod frac gcd ge greater greater_equal gt histc imag inverse isclose isfinite
    isinf isneginf le lerp less less_equal log log10 log1p log2 logaddexp logaddexp2
    logical_and logical_not logical_or logical_xor logsumexp lt masked_select matmul maximum
    minimum mm mul mv nan_to_num ne neg negative nonzero not_equal outer polar pow
    ravel real reciprocal remainder reshape round rsqrt searchsorted sigmoid sign sin sinc sinh
    square swapaxes t tan tanh tile trace tril triu trunc unbind unsqueeze
    xlogy zeros_like ones_like rand randn rand_like randn_like randint_like randperm
    """.split()
)
"""Ops that have the same meaning and arguments here."""


def typed(y: Tensor, dtype: DType | None) -> Any:
    return y if dtype is None else y.astype(dtype)


def whole(shape: tuple[Any, ...]) -> Any:
    """`f(2, 3)` and `f((2, 3))` alike."""
    return shape[0] if len(shape) == 1 else shape


def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return ops.add(input, other if alpha == 1 else ops.mul(other, alpha))


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    return ops.sub(input, other if alpha == 1 else ops.mul(other, alpha))


def sqrt(input: Any) -> Any:
    return ops.sqrt(input)


def arcsin(input: Any) -> Any:
    return ops.asin(input)


def bitwise_not(input: Tensor) -> Any:
    return ops.logical_not(input) if input.dtype is bool_ else ops.invert(input)


def isnan(tensor: Tensor) -> Any:
    return ops.isnan_ext(tensor)


def bmm(input: Tensor, mat2: Tensor) -> Any:
    return ops.bmm(input, mat2)


def cummax(input: Tensor, dim: int) -> Any:
    return ops.cummax(input, dim)


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Any:
    """How it is computed makes no difference here."""
    return ops.cdist(x1, x2, p)


# reductions


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.all(input, dim, keepdim)


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    return ops.any(input, dim, keepdim)


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    return ops.amax(input, dim, keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    return ops.amin(input, dim, keepdim)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    return ops.argmax(input, dim, keepdim)


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    return ops.argmin(input, dim, keepdim).astype(int64)


def extreme(name: str, input: Tensor, args: tuple[Any, ...], keepdim: bool) -> Any:
    """max and min: of all, of two Tensors, or along an axis with the places."""
    if not args or args[0] is None:
        return OPS[f"a{name}"](input)
    if isinstance(args[0], Tensor):
        return OPS[f"{name}imum"](input, args[0])
    keep = args[1] if len(args) > 1 else keepdim
    places = OPS[f"arg{name}"](input, args[0], keep).astype(int64)
    return OPS[f"a{name}"](input, args[0], keep), places


def max(input: Tensor, *args: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """`max(input)`, `max(input, other)` or `max(input, dim, keepdim)`."""
    return extreme("max", input, args or (dim,), keepdim)


def min(input: Tensor, *args: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """`min(input)`, `min(input, other)` or `min(input, dim, keepdim)`."""
    return extreme("min", input, args or (dim,), keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.mean(typed(input, dtype), dim, keepdim)


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.sum(input, dim, keepdim, dtype=dtype)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.nansum(input, dim, keepdim, dtype=dtype)


def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return ops.prod(input, dim, keepdim, dtype)


def std(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    return ops.std(input, dim, correction, keepdim)


def var(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    return ops.var(input, dim, correction, keepdim)


def var_mean(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    spread = var(input, dim, correction=correction, keepdim=keepdim)
    return spread, mean(input, dim, keepdim)


def std_mean(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    spread = std(input, dim, correction=correction, keepdim=keepdim)
    return spread, mean(input, dim, keepdim)


def count_nonzero(input: Tensor, dim: Any = None) -> Any:
    return ops.count_nonzero(input, () if dim is None else dim).astype(int64)


def cumsum(input: Tensor, dim: int, dtype: DType | None = None) -> Any:
    return ops.cumsum(input, dim, dtype)


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The norm of vectors over all axes asked for; of matrices for "nuc" alone."""
    if p == "nuc":
        return ops.norm(input, p, dim, keepdim, dtype=dtype)
    return ops.vector_norm(input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype)


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    return bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    return input.shape == other.shape and bool(ops.all(ops.equal(input, other)))


# places and order


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    return ops.argsort(input, dim, descending).astype(int64)


def sort(
    input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False
) -> tuple[Tensor, Tensor]:
    values, places = ops.sort(input, dim, descending)
    return values, places.astype(int64)


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    values, places = ops.topk(input, k, dim, largest, sorted)
    return values, places.astype(int64)


def gather(input: Tensor, dim: int, index: Tensor) -> Any:
    return ops.gather_elements(input, dim, index)


def scatter(input: Tensor, dim: int, index: Tensor, src: Any) -> Any:
    return ops.scatter(input, dim, index, src)


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    return ops.tensor_scatter_elements(input, index, src, dim, "add")


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    added = source if alpha == 1 else ops.mul(source, alpha)
    return ops.index_add(input, index, added, dim)


def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    return ops.index_select(input, dim, index)


def select(input: Tensor, dim: int, index: int) -> Any:
    places = [slice(None)] * (dim % input.ndim)
    return input[(*places, index)]


def narrow(input: Tensor, dim: int, start: int, length: int) -> Any:
    return ops.narrow(input, dim, start, length)


def take(input: Tensor, index: Tensor) -> Any:
    return ops.gather(ops.reshape(input, (-1,)), index, 0)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    values, _, inverse, counts = reduction.unique(input, axis=dim, sorted=int(sorted), outputs=4)
    places = ops.reshape(inverse, input.shape) if dim is None else inverse
    made = (values, *[places][: int(return_inverse)], *[counts][: int(return_counts)])
    return made if len(made) > 1 else values


def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    return ops.unique_consecutive(input, return_inverse, return_counts, dim)


# shapes


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    return ops.cat(tensors, dim)


concat = cat


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    return ops.stack(tensors, dim)


def hstack(tensors: Sequence[Tensor]) -> Any:
    return ops.hstack(tensors)


def dstack(tensors: Sequence[Tensor]) -> Any:
    return ops.dstack(tensors)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    return ops.chunk(input, chunks, dim)


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> Any:
    return ops.split(tensor, split_size_or_sections, dim)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    given = tensors[0] if isinstance(tensors[0], (list, tuple)) else tensors
    return ops.meshgrid(*given, indexing="ij" if indexing is None else indexing)


def permute(input: Tensor, dims: Any) -> Any:
    return ops.transpose(input, dims)


def squeeze(input: Tensor, dim: Any = None) -> Any:
    """Axes of size 1 removed; those of `dim` that are larger stay."""
    chosen = dim if isinstance(dim, (tuple, list)) else (dim,)
    if dim is None:
        return ops.squeeze(input)
    single = tuple([k for k in chosen if input.shape[k] == 1])
    return ops.squeeze(input, single) if single else input


def transpose(input: Tensor, dim0: int, dim1: int) -> Any:
    return ops.swapaxes(input, dim0, dim1)


def repeat_interleave(
    input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    return ops.repeat_interleave(input, repeats, dim)


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Any:
    return ops.roll(input, shifts, dims)


def clone(input: Tensor) -> Any:
    return ops.identity(input)


def item(input: Tensor) -> Any:
    """The one element as a Python number. Raises: MS306 while a graph is traced."""
    return input.item()


# making


def zeros(size: Any, *, dtype: DType | None = None) -> Any:
    return ops.zeros(size, dtype)


def ones(size: Any, *, dtype: DType | None = None) -> Any:
    return ops.ones(size, dtype)


def full(size: Any, fill_value: Any, *, dtype: DType | None = None) -> Any:
    return ops.full(size, fill_value, dtype=dtype)


def full_like(input: Tensor, fill_value: Any, *, dtype: DType | None = None) -> Any:
    return ops.full_like(input, fill_value, dtype=dtype)


def empty(*size: Any, dtype: DType | None = None, device: Any = None, **memory: Any) -> Any:
    return ops.zeros(whole(size), dtype)


def empty_like(input: Tensor, *, dtype: DType | None = None, **memory: Any) -> Any:
    return ops.zeros_like(input, dtype=dtype)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    return ops.arange(start, end, step, dtype=dtype)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Any:
    return typed(ops.linspace(start, end, steps), dtype if dtype is not None else float32)


def softmax(input: Tensor, dim: int, *, dtype: DType | None = None) -> Any:
    return ops.softmax(typed(input, dtype), dim)


# random numbers


def bernoulli(input: Tensor, *, generator: Any = None) -> Any:
    """1 with the probability that the element is."""
    return ops.bernoulli(input, input)


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Any:
    return ops.multinomial(input, num_samples, replacement).astype(int64)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Any:
    """Of the shape `size`, or that of the Tensors among mean and std."""
    if size is None:
        size = next(value.shape for value in (mean, std) if isinstance(value, Tensor))
    return ops.normal(tuple(size), mean, std)


def randint(*args: Any, generator: Any = None, dtype: Any = int64, device: Any = None) -> Any:
    """`randint(low, high, size)`, or `randint(high, size)` from 0."""
    low, high, size = args if len(args) == 3 else (0, *args)
    return ops.randint(low, high, tuple(size), dtype=dtype)


divide = ops.div
fix = ops.trunc

OWN = {
    name: made
    for name, made in globals().items()
    if callable(made) and getattr(made, "__module__", "") == __name__
} | {"divide": divide, "fix": fix}

FUNCTIONS: dict[str, Callable[..., Any]] = {name: OPS[name] for name in SAME if name in OPS} | OWN
"""Every function by name."""

for _name in ("typed", "whole", "extreme"):
    del FUNCTIONS[_name]
