"""Sparse matrices: COOTensor, CSRTensor and the older RowTensor and SparseTensor.

They are tuples of their parts, so that graphs take and give them. Which elements there are is
looked up in the indices at once; what they are worth is computed with ops, so that it has a
gradient, and so that graph mode can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import ops
from .engine import dtype as dtypes
from .engine.dtype import Array, DType
from .engine.failure import ElementTypeError, ShapeError
from .engine.primitive import convert
from .engine.promotion import promote
from .engine.tensor import Tensor, wrap

INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


class Parts(tuple[Any, ...]):
    """The parts of a sparse tensor: a tuple that `kind(*parts)` makes again."""

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        named = zip(self._fields[:-1], self[:-1], strict=True)
        inside = "".join(f", {name}={shown(part)}" for name, part in named)
        return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}{inside})"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return type(self), tuple(self)

    @property
    def shape(self) -> tuple[int, ...]:
        return self[-1]  # type: ignore[no-any-return]

    @property
    def values(self) -> Tensor:
        return self[-2]  # type: ignore[no-any-return]

    @property
    def indices(self) -> Tensor:
        return self[-3]  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        return self.values.dtype

    @property
    def size(self) -> int:
        """The number of values that are stored."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        return self.values.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def to_tuple(self) -> tuple[Any, ...]:
        return tuple(self)

    def with_values(self, values: Tensor) -> Any:
        """The same places with other values."""
        kind: Any = type(self)
        return kind(*self[:-2], values, self.shape)

    def astype(self, dtype: DType) -> Any:
        return self.with_values(self.values.astype(dtype))

    def abs(self) -> Any:
        return self.with_values(ops.abs(self.values))

    def __neg__(self) -> Any:
        return self.with_values(-self.values)

    def require_shape_of(self, other: Any) -> None:
        if self.shape != other.shape:
            got = f"{self.shape} and {other.shape}"
            raise ShapeError(type(self).__name__, "the shapes must be equal", got=got)

    def cannot(self, verb: str, other: Any) -> ElementTypeError:
        kind = type(other).__name__
        return ElementTypeError(type(self).__name__, f"cannot {verb} it and a {kind}")


def shown(x: Tensor) -> str:
    if x.is_traced:
        return str(x)
    text = np.array2string(x.asnumpy(), formatter={"float_kind": "{: .8e}".format})
    line = "\n" if x.ndim > 1 else ""
    return f"Tensor(shape={list(x.shape)}, dtype={x.dtype}, value={line}{text})"


def check_parts(where: str, shape: Any, **tensors: Any) -> None:
    """Raises: TypeError if a part is no Tensor, or the shape no tuple."""
    for name, x in tensors.items():
        if not isinstance(x, Tensor):
            problem = f"'{name}' must be a Tensor"
            raise ElementTypeError(where, problem, got=str(type(x)))
        if name != "values" and x.dtype not in INDEX_TYPES:
            expected = ", ".join(d.name for d in INDEX_TYPES)
            problem = f"'{name}' has the wrong element type"
            raise ElementTypeError(where, problem, got=x.dtype.name, expected=expected)
    if not isinstance(shape, tuple):
        raise ElementTypeError(where, "'shape' must be a tuple", got=str(type(shape)))


def check_shape(where: str, values: Tensor, shape: tuple[int, ...]) -> None:
    """Raises: ValueError for sizes that are not positive, or too few for the values."""
    if any(not isinstance(n, int) for n in shape):
        raise ElementTypeError(where, "'shape' must hold ints", got=str(shape))
    if any(n <= 0 for n in shape):
        raise ShapeError(where, "the sizes in 'shape' must be positive", got=str(shape))
    if int(np.prod(shape)) < values.size:
        got = f"{shape} for {values.size} values"
        raise ShapeError(where, "'shape' is too small to hold all values", got=got)


def require(where: str, fits: bool, problem: str, *tensors: Tensor) -> None:
    """Raises: ValueError unless `fits`."""
    if not fits:
        raise ShapeError(where, problem, got=", ".join(str(x.shape) for x in tensors))


class COOTensor(Parts):
    """A matrix given by the places (n, 2) of its values (n,), as `mindspore.COOTensor`."""

    __slots__ = ()
    _fields = ("indices", "values", "shape")

    def __new__(
        cls, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None
    ) -> COOTensor:
        if coo_tensor is not None:
            copied(cls, coo_tensor, indices, values, shape)
            return tuple.__new__(cls, coo_tensor)
        where = "COOTensor"
        check_parts(where, shape, indices=indices, values=values)
        if len(shape) != 2:
            raise ShapeError(where, "'shape' must have two sizes", got=str(shape))
        if indices.shape != (0,) or values.shape != (0,):
            check_shape(where, values, shape)
            require(where, indices.ndim == 2, "'indices' must have two axes", indices)
            require(where, values.ndim == 1, "'values' must have one axis", values)
            counts = indices.shape[0] == values.shape[0]
            require(where, counts, "an index for every value is needed", indices, values)
            require(where, indices.shape[1] == 2, "'indices' must be of two numbers each", indices)
        return tuple.__new__(cls, (indices, values, shape))

    def to_dense(self) -> Tensor:
        return ops.scatter_nd(self.indices, self.values, self.shape)  # type: ignore[no-any-return]

    def to_csr(self) -> CSRTensor:
        indices = self.indices.asnumpy()
        order = np.argsort(indices[:, 0], kind="stable")
        values = ops.gather(self.values, wrap(order), 0)
        return csr_of(indices[order], values, self.shape)

    def coalesce(self) -> COOTensor:
        """Values at the same place are added; the places are sorted."""
        return merged([self], self.shape, self.indices.dtype)

    def add(self, other: COOTensor, thresh: Tensor) -> COOTensor:
        return coo_sum(self, other, thresh)

    def __add__(self, other: Any) -> Any:
        self.require_shape_of(other)
        if isinstance(other, COOTensor):
            return coo_sum(self, other, Tensor(0, self.dtype))
        if isinstance(other, Tensor):
            return other + self.to_dense()
        raise self.cannot("add", other)

    def __sub__(self, other: Any) -> Any:
        self.require_shape_of(other)
        if isinstance(other, COOTensor):
            return coo_sum(self, -other, Tensor(0, self.dtype))
        if isinstance(other, Tensor):
            return -other + self.to_dense()
        raise self.cannot("subtract", other)

    def __mul__(self, other: Any) -> COOTensor:
        self.require_shape_of(other)
        if not isinstance(other, Tensor):
            raise self.cannot("multiply", other)
        return self.with_values(self.values * ops.gather_nd(other, self.indices))  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> COOTensor:
        self.require_shape_of(other)
        if not isinstance(other, Tensor):
            raise self.cannot("divide", other)
        return self.with_values(self.values / ops.gather_nd(other, self.indices))  # type: ignore[no-any-return]


class CSRTensor(Parts):
    """A matrix given row by row, as `mindspore.CSRTensor`: columns `indices` of `values`.

    Shapes: indptr (n + 1,), indices (k,), values (k, ...), shape (n, m, ...)
    """

    __slots__ = ()
    _fields = ("indptr", "indices", "values", "shape")

    def __new__(
        cls,
        indptr: Any = None,
        indices: Any = None,
        values: Any = None,
        shape: Any = None,
        csr_tensor: Any = None,
    ) -> CSRTensor:
        if csr_tensor is not None:
            copied(cls, csr_tensor, indptr, indices, values, shape)
            return tuple.__new__(cls, csr_tensor)
        where = "CSRTensor"
        check_parts(where, shape, indptr=indptr, indices=indices, values=values)
        if not indptr.shape == indices.shape == values.shape == (0,):
            check_shape(where, values, shape)
            require(where, indices.ndim == 1, "'indices' must have one axis", indices)
            require(where, indptr.ndim == 1, "'indptr' must have one axis", indptr)
            rows = shape[0] + 1 == indptr.shape[0]
            require(where, rows, "'indptr' must be one longer than there are rows", indptr)
            counts = indices.shape[0] == values.shape[0]
            require(where, counts, "an index for every value is needed", indices, values)
            inner = len(shape) >= 2 and shape[2:] == values.shape[1:]
            require(where, inner, f"'values' do not fit the shape {shape}", values)
        return tuple.__new__(cls, (indptr, indices, values, shape))

    @property
    def indptr(self) -> Tensor:
        return self[0]  # type: ignore[no-any-return]

    def rows(self) -> Tensor:
        """The row of every value."""
        if self.indptr.is_traced:
            place = wrap(np.arange(self.indices.shape[0])[:, None])
            ends = convert(self.indptr[1:], dtypes.int64)
            passed = ops.less_equal(ops.expand_dims(ends, 0), place)
            found: Tensor = ops.sum(convert(passed, dtypes.int64), 1)
            return convert(found, self.indptr.dtype)
        counts = np.diff(self.indptr.asnumpy())
        rows = np.repeat(np.arange(self.shape[0]), counts)
        return wrap(rows.astype(self.indptr.content.dtype))

    def places(self) -> Tensor:
        """Row and column (n, 2) of every value."""
        return ops.stack((self.rows(), convert(self.indices, self.indptr.dtype)), 1)  # type: ignore[no-any-return]

    def to_coo(self) -> COOTensor:
        if self.ndim != 2:
            raise ShapeError("CSRTensor.to_coo", "it needs two axes", got=str(self.shape))
        return COOTensor(self.places(), self.values, self.shape)

    def to_dense(self) -> Tensor:
        return ops.scatter_nd(self.places(), self.values, self.shape)  # type: ignore[no-any-return]

    def row_sums(self, values: Tensor) -> Tensor:
        """The sum of `values` in each row."""
        shape = (self.shape[0], *values.shape[1:])
        return ops.scatter_nd(ops.expand_dims(self.rows(), 1), values, shape)  # type: ignore[no-any-return]

    def mv(self, dense_vector: Tensor) -> Tensor:
        """The product with a vector (m, 1). Raises: TypeError if it is no Tensor"""
        return self.product(dense_vector, "CSRTensor.mv")

    def mm(self, matrix: Any) -> Any:
        """The product with a Tensor (m, k), or with a CSRTensor as one."""
        if isinstance(matrix, CSRTensor):
            return csr_product(self, matrix)
        return self.product(matrix, "CSRTensor.mm")

    def product(self, matrix: Any, where: str) -> Tensor:
        if not isinstance(matrix, Tensor):
            raise ElementTypeError(where, "it needs a Tensor", got=str(type(matrix)))
        if matrix.ndim != 2 or matrix.shape[0] != self.shape[1]:
            got = f"{self.shape} and {matrix.shape}"
            raise ShapeError(where, "the shapes do not fit", got=got)
        values, dense = promote(self.values, matrix)
        columns = ops.gather(dense, self.indices, 0)
        return self.row_sums(ops.expand_dims(values, 1) * columns)

    def sum(self, axis: int) -> Tensor:
        """The sums of the rows (n, 1); `axis` must be 1."""
        if axis not in (1, -1):
            raise ShapeError("CSRTensor.sum", "the axis must be 1", got=str(axis))
        return self.row_sums(ops.expand_dims(self.values, 1))

    def add(self, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
        return csr_sum(self, b, alpha, beta)

    def __add__(self, other: Any) -> CSRTensor:
        self.require_shape_of(other)
        if not isinstance(other, CSRTensor):
            raise self.cannot("add", other)
        return csr_sum(self, other, Tensor(1, self.dtype), Tensor(1, self.dtype))

    def __sub__(self, other: Any) -> CSRTensor:
        self.require_shape_of(other)
        if not isinstance(other, CSRTensor):
            raise self.cannot("subtract", other)
        return csr_sum(self, other, Tensor(1, self.dtype), Tensor(-1, self.dtype))

    def __mul__(self, other: Any) -> Any:
        return self.times(other, ops.mul)

    def __truediv__(self, other: Any) -> Any:
        return self.times(other, ops.div)

    def times(self, other: Any, function: Any) -> Any:
        """Elementwise with a Tensor; with one number, MindSpore gives the values alone."""
        y = other if isinstance(other, Tensor) else Tensor(other)
        if y.size == 1 and y.ndim <= 2:
            if y.ndim > self.ndim:
                raise ShapeError("CSRTensor", "the Tensor has more axes", got=str(y.shape))
            return ops.reshape(function(self.values, ops.reshape(y, ())), self.values.shape)
        whole = ops.broadcast_to(y, self.shape)
        return self.with_values(function(self.values, ops.gather_nd(whole, self.places())))


class SparseTensor(COOTensor):
    """The older name of COOTensor."""

    __slots__ = ()


class RowTensor(Parts):
    """Some rows of a Tensor, as `mindspore.RowTensor`."""

    __slots__ = ()
    _fields = ("indices", "values", "shape")

    def __new__(
        cls, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None
    ) -> RowTensor:
        if row_tensor is not None:
            copied(cls, row_tensor, indices, values, shape)
            return tuple.__new__(cls, row_tensor)
        check_parts("RowTensor", shape, indices=indices, values=values)
        return tuple.__new__(cls, (indices, values, shape))

    @property
    def dense_shape(self) -> tuple[int, ...]:
        return self.shape


def copied(cls: type, given: Any, *parts: Any) -> None:
    """Raises: TypeError if `given` is no `cls`, or parts are given beside it."""
    if not isinstance(given, cls):
        raise ElementTypeError(cls.__name__, f"it needs a {cls.__name__}", got=str(type(given)))
    if any(part is not None for part in parts):
        raise ElementTypeError(cls.__name__, "either another one, or its parts")


def csr_of(places: Array, values: Tensor, shape: tuple[int, ...]) -> CSRTensor:
    """The rows of `values`, which are sorted by row, at `places` (n, 2)."""
    counts = np.bincount(places[:, 0], minlength=shape[0])
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(places.dtype)
    return CSRTensor(wrap(indptr), wrap(np.ascontiguousarray(places[:, 1])), values, shape)


def merged(parts: list[COOTensor], shape: tuple[int, ...], kind: DType) -> COOTensor:
    """All values of `parts`; those at the same place are added, the places are sorted."""
    places = np.concatenate([part.indices.asnumpy() for part in parts]).astype(np.int64)
    flat, inverse = np.unique(places[:, 0] * shape[1] + places[:, 1], return_inverse=True)
    values = ops.concat([part.values for part in parts], 0)
    added = ops.scatter_nd(wrap(inverse.reshape(-1, 1).astype(np.int64)), values, (len(flat),))
    found = np.stack((flat // shape[1], flat % shape[1]), 1).astype(kind.numpy)
    return COOTensor(wrap(found), added, shape)


def coo_sum(a: COOTensor, b: COOTensor, thresh: Tensor) -> COOTensor:
    """The sum of two matrices, without what is smaller than `thresh`."""
    require_int64("coo_add", a, b)
    x, y = promote(a.values, b.values)
    whole = merged([a.with_values(x), b.with_values(y)], a.shape, dtypes.int64)
    large = np.abs(whole.values.asnumpy()) >= thresh.asnumpy()
    if large.all():
        return whole
    kept = np.flatnonzero(large)
    places = wrap(whole.indices.asnumpy()[kept])
    return COOTensor(places, ops.gather(whole.values, wrap(kept), 0), a.shape)


def require_int64(where: str, *given: COOTensor) -> None:
    """Raises: TypeError for narrower indices, which MindSpore's kernels do not take."""
    for x in given:
        if x.indices.dtype is not dtypes.int64:
            got = x.indices.dtype.name
            raise ElementTypeError(where, "'indices' must be int64", got=got, expected="Int64")


def csr_sum(a: CSRTensor, b: CSRTensor, alpha: Tensor, beta: Tensor) -> CSRTensor:
    """alpha * a + beta * b."""
    x, y = promote(a.values, b.values)
    both = [
        COOTensor(a.places(), x * convert(alpha, x.dtype), a.shape),
        COOTensor(b.places(), y * convert(beta, y.dtype), b.shape),
    ]
    whole = merged(both, a.shape, a.indptr.dtype)
    return csr_of(whole.indices.asnumpy(), whole.values, a.shape)


def csr_product(a: CSRTensor, b: CSRTensor) -> CSRTensor:
    """The product of two matrices; what is stored are the places that can differ from 0."""
    if a.shape[1] != b.shape[0]:
        raise ShapeError("csr_mm", "the shapes do not fit", got=f"{a.shape} and {b.shape}")
    left, right = (np.zeros(x.shape, bool) for x in (a, b))
    for found, x in ((left, a), (right, b)):
        found[tuple(x.places().asnumpy().T)] = True
    places = np.argwhere(left @ right).astype(a.indptr.content.dtype)
    dense = ops.matmul(a.to_dense(), b.to_dense())
    return csr_of(places, ops.gather_nd(dense, wrap(places)), (a.shape[0], b.shape[1]))
