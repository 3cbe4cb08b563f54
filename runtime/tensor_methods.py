"""Tensor's operators and methods: the ops, under the names that MindSpore's Tensor has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import dtype as dtypes
from . import ops
from .indexing import getitem, setitem
from .ops.registry import OPS
from .parameter import assign
from .primitive import convert
from .tensor import Tensor, array_of, wrap

SAME = frozenset(
    """
    abs absolute acos acosh add addmm amax amin arccos arccosh arcsin arcsinh arctan arctanh argmin
    asin asinh atan atan2 atanh baddbmm bitwise_and bitwise_or bitwise_xor bmm broadcast_to ceil
    chunk clamp clip cos cosh count_nonzero cumsum diag div divide dot eq equal erf exp expand_dims
    expm1 flip floor floor_divide fmod gather gather_elements gather_nd ge greater greater_equal gt
    hardshrink index_select inv isfinite isinf isnan le lerp less less_equal log log10 log1p log2
    logical_and logical_not logical_or logical_xor logsumexp lt masked_fill masked_select matmul
    maximum mean minimum moveaxis movedim mul multiply narrow ne neg negative nonzero norm not_equal
    outer pow prod reciprocal relu remainder repeat_interleave roll round rsqrt scatter select
    sigmoid sign sin sinh softmax sort split sqrt square squeeze std sub subtract swapaxes
    swapdims t tan tanh topk tril triu true_divide trunc unbind unsqueeze var
    """.split()  # a list of 100 names, one per line, hides the rest
)
"""Methods that are the op of the same name with the Tensor as its first argument."""


def reflected(op: Callable[..., Tensor]) -> Callable[[Tensor, Any], Tensor]:
    return lambda self, other: op(other, self)


def comparison(op: Callable[..., Tensor]) -> Callable[[Tensor, Any], Any]:
    """An operator that leaves what is neither a Tensor nor a number to Python."""

    def compare(self: Tensor, other: Any) -> Any:
        if other is None or isinstance(other, str):
            return NotImplemented
        return op(self, other)

    return compare


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": ops.add,
    "__sub__": ops.sub,
    "__mul__": ops.mul,
    "__truediv__": ops.div,
    "__floordiv__": ops.floor_divide,
    "__mod__": ops.remainder,
    "__pow__": ops.pow,
    "__matmul__": ops.matmul,
    "__neg__": ops.neg,
    "__pos__": lambda self: self,
    "__abs__": ops.abs,
    "__invert__": lambda self: (
        ops.logical_not(self) if self.dtype is dtypes.bool_ else ops.bitwise_not(self)
    ),
    "__eq__": comparison(ops.equal),
    "__ne__": comparison(ops.not_equal),
    "__lt__": ops.less,
    "__gt__": ops.greater,
    "__le__": ops.less_equal,
    "__ge__": ops.greater_equal,
    "__getitem__": getitem,
    "__setitem__": setitem,
    "__round__": lambda self, digits=0: ops.round(self, decimals=digits),
}
"""What Python's operators call."""

for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    OPERATORS[f"__r{_name}__"] = reflected(OPERATORS[f"__{_name}__"])


def bitwise(on_booleans: Any, on_integers: Any) -> Callable[[Tensor, Any], Tensor]:
    """&, | and ^: logical for two booleans, bitwise for integers."""

    def operator(self: Tensor, other: Any) -> Tensor:
        both = self.dtype is dtypes.bool_ and (
            isinstance(other, bool) or (isinstance(other, Tensor) and other.dtype is dtypes.bool_)
        )
        chosen: Tensor = (on_booleans if both else on_integers)(self, other)
        return chosen

    return operator


for _name in ("and", "or", "xor"):
    OPERATORS[f"__{_name}__"] = OPERATORS[f"__r{_name}__"] = bitwise(
        OPS[f"logical_{_name}"], OPS[f"bitwise_{_name}"]
    )


def sizes(given: tuple[Any, ...]) -> Any:
    """`f(2, 3)` and `f((2, 3))` alike."""
    return given[0] if len(given) == 1 and not isinstance(given[0], int) else given


class Methods:
    """Methods that differ from the op in their arguments. Never instantiated.

    `self` is the Tensor that they are installed on, and the ops are found at import: both Any.
    """

    def reshape(self: Any, *shape: Any) -> Any:
        return ops.reshape(self, sizes(shape))

    view = reshape

    def transpose(self: Any, *axes: Any) -> Any:
        """The axes reversed without arguments; two axes exchanged; or all in a new order."""
        order = sizes(axes)
        if not axes:
            return ops.transpose(self, tuple(range(self.ndim))[::-1])
        if len(order) == 2 and self.ndim != 2:
            return ops.swapaxes(self, *order)
        return ops.transpose(self, order)

    def permute(self: Any, *axis: Any) -> Any:
        return ops.transpose(self, sizes(axis))

    def expand(self: Any, *size: Any) -> Any:
        return ops.broadcast_to(self, sizes(size))

    def tile(self: Any, *reps: Any) -> Any:
        return ops.tile(self, sizes(reps))

    def flatten(self: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
        return ops.flatten(self, order, start_dim=start_dim, end_dim=end_dim)

    def ravel(self: Any) -> Any:
        return ops.reshape(self, (-1,))

    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        return convert(self, dtypes.as_dtype(dtype))

    def type(self: Any, dtype: Any = None) -> Any:
        return str(self.dtype) if dtype is None else convert(self, dtype)

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Converted to the element type among the arguments; a device is left alone."""
        wanted = [a for a in (*args, *kwargs.values()) if isinstance(a, dtypes.DType)]
        return convert(self, wanted[0]) if wanted else self

    def float(self: Any) -> Any:
        return convert(self, dtypes.float32)

    def half(self: Any) -> Any:
        return convert(self, dtypes.float16)

    def double(self: Any) -> Any:
        return convert(self, dtypes.float64)

    def bfloat16(self: Any) -> Any:
        return convert(self, dtypes.bfloat16)

    def bool(self: Any) -> Any:
        return convert(self, dtypes.bool_)

    def int(self: Any) -> Any:
        return convert(self, dtypes.int32)

    def short(self: Any) -> Any:
        return convert(self, dtypes.int16)

    def long(self: Any) -> Any:
        return convert(self, dtypes.int64)

    def max(
        self: Any, axis: Any = None, keepdims: Any = False, *, return_indices: Any = False
    ) -> Any:
        """The largest element; along `axis` if it is given, with indices if they are asked for."""
        along = axis is not None and return_indices
        return ops.max(self, axis, keepdims) if along else ops.amax(self, axis, keepdims)

    def min(
        self: Any, axis: Any = None, keepdims: Any = False, *, return_indices: Any = False
    ) -> Any:
        along = axis is not None and return_indices
        return ops.min(self, axis, keepdims) if along else ops.amin(self, axis, keepdims)

    def sum(
        self: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, **same: Any
    ) -> Any:
        """The sum; `dim` and `keepdim` are other names of `axis` and `keepdims`."""
        keep = same.pop("keepdim", keepdims)
        if isinstance(dtype, bool):
            dtype, keep = None, dtype
        return ops.sum(self, same.pop("dim", axis), keep, dtype=dtype)

    def argmax(self: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return ops.argmax(self, axis, keepdims)

    def any(self: Any, axis: Any = None, keep_dims: Any = False) -> Any:
        return ops.any(self, axis, keep_dims)

    def all(self: Any, axis: Any = None, keep_dims: Any = False) -> Any:
        return ops.all(self, axis, keep_dims)

    def where(self: Any, condition: Tensor, y: Any) -> Any:
        return ops.where(condition, self, y)

    def dim(self: Any) -> Any:
        return self.ndim

    def numel(self: Any) -> Any:
        return self.size

    def contiguous(self: Any) -> Any:
        return self

    def copy(self: Any) -> Any:
        return self if self.is_traced else wrap(array_of(self))

    def view_as(self: Any, other: Tensor) -> Any:
        return ops.reshape(self, other.shape)

    reshape_as = view_as

    def expand_as(self: Any, other: Tensor) -> Any:
        return ops.broadcast_to(self, other.shape)

    def type_as(self: Any, other: Tensor) -> Any:
        return convert(self, other.dtype)

    def copy_(self: Any, src: Tensor) -> Any:
        return assign(self, ops.broadcast_to(src, self.shape))

    def set_data(self: Any, data: Tensor) -> Any:
        return assign(self, data)

    def set_dtype(self: Any, dtype: dtypes.DType) -> Any:
        return convert(self, dtype)

    def init_data(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self

    def new_zeros(self: Any, size: Any, dtype: Any = None) -> Any:
        return ops.zeros(size, self.dtype if dtype is None else dtype)

    def new_ones(self: Any, size: Any, dtype: Any = None) -> Any:
        return ops.ones(size, self.dtype if dtype is None else dtype)

    T = property(lambda self: ops.transpose(self, tuple(range(self.ndim))[::-1]))
    mT = property(lambda self: ops.swapaxes(self, -1, -2))
    H = property(lambda self: ops.swapaxes(self, -1, -2))


def install() -> None:
    """Puts all of this on Tensor; what Tensor or a subclass defines itself stays."""
    for name in SAME:
        if name in OPS:
            setattr(Tensor, name, OPS[name])
    for name, function in OPERATORS.items():
        setattr(Tensor, name, function)
    for name, member in vars(Methods).items():
        if not name.startswith("__"):
            setattr(Tensor, name, member)


install()
