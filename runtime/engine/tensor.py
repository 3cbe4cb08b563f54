"""Tensor: an array, or, while a graph is traced, a symbol that stands for one.

Methods and operators that compute are added by `tensor_methods.py`: they need the ops, which
need this class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtype as dtypes
from .dtype import Array, DType
from .failure import ElementTypeError, ShapeError, TracedValueError, is_asked_by_user
from .printing import elements, numpy_elements

if TYPE_CHECKING:
    from .trace import Symbol


class Changes:
    """Counts changes of variables and cells: a compiled graph looks again when it has moved."""

    count = 0
    reshaped = 0
    """How often a variable has got another shape: graphs are traced anew."""


class Tensor:
    """An n-dimensional array of one element type, as `mindspore.Tensor`.

    Args: `input_data` a number, nested list, array or Tensor; `dtype` to convert to (Python
    floats become float32, integers int64, arrays keep theirs); or `shape` and `init`, an
    initialiser, instead of data.
    Raises: TypeError, ValueError (MS304) for arguments that do not go together.
    """

    content: Array | Symbol
    version = 0
    """Grows with every change in place."""
    is_numpy = False
    """Whether its memory is an array's that somebody has given: NumPy writes it then."""
    const_arg = False
    device = "CPU"
    view_of: tuple[Tensor, Any, int] | None = None
    """What this is a part of: the Tensor, the index, and the Tensor's version when it was read."""
    variable = False
    """Graphs read it anew whenever `version` has grown (parameters and buffers)."""

    def __init__(
        self,
        input_data: Any = None,
        dtype: DType | None = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        check_settings(input_data is not None, dtype, shape, init, const_arg, device)
        check_data(input_data, dtype)
        if const_arg:
            self.const_arg = True
        if isinstance(input_data, Tensor) and not isinstance(input_data.content, np.ndarray):
            self.content = input_data.content
        elif input_data is None and init is None:
            self.content = Unsized.of(shape, dtype)  # type: ignore[assignment]  # never computed with
        elif init is not None:
            sizes = (shape,) if isinstance(shape, int) else tuple([int(n) for n in shape])
            self.content = init.array(sizes, dtype)
        else:
            self.content = array_of(input_data, dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.content.shape

    @property
    def dtype(self) -> DType:
        return dtypes.from_numpy(self.content.dtype)

    @property
    def ndim(self) -> int:
        return len(self.content.shape)

    @property
    def size(self) -> int:
        """The number of elements (a property in MindSpore, not a method)."""
        return int(np.prod(self.content.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        return int(self.content.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, per axis."""
        sizes = (*self.shape[1:], 1)
        return tuple(math.prod(sizes[k:]) * self.itemsize for k in range(self.ndim))

    @property
    def is_traced(self) -> bool:
        return not isinstance(self.content, np.ndarray)

    def asnumpy(self) -> Array:
        """The array itself, not a copy. Raises: MS306 while a graph is traced."""
        if not isinstance(self.content, np.ndarray):
            raise TracedValueError(f"Tensor of shape {self.content.shape}", self.content.name)
        return self.content

    def numpy(self) -> Array:
        return self.asnumpy()

    def item(self) -> Any:
        """The one element as a Python number. Raises: ValueError if there are others."""
        return self.asnumpy().item()

    def tolist(self) -> Any:
        return self.asnumpy().tolist()

    def assign_value(self, value: Array | Symbol | Tensor) -> Tensor:
        """Replaces what the tensor holds, in place."""
        self.content = value.content if isinstance(value, Tensor) else value
        self.version += 1
        self.is_numpy = False
        Changes.count += 1
        return self

    @staticmethod
    def from_numpy(array: Array) -> Tensor:
        """A Tensor that shares memory with `array`. Raises: TypeError if it is no NumPy array"""
        if not isinstance(array, np.ndarray):
            raise ElementTypeError("from_numpy", "it needs a NumPy array", got=str(type(array)))
        dtypes.from_numpy(array.dtype)
        made = wrap(array)
        made.is_numpy = True
        return made

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        array = self.asnumpy()
        return array if dtype is None else array.astype(dtype)

    def __bool__(self) -> bool:
        return bool(self.asnumpy())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        """Raises: ValueError unless it is one integer."""
        array = self.asnumpy()
        if array.size != 1 or array.dtype.kind not in "biu":
            raise ValueError(
                "Only integer tensors of a single element can be converted to an index."
            )
        return int(array.item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("Not support len of a 0-D tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return iter([self[i] for i in range(len(self))])

    def __hash__(self) -> int:
        return id(self)

    def __contains__(self, element: Any) -> bool:
        return bool((self.asnumpy() == np.asarray(element)).any())

    def __str__(self) -> str:
        if isinstance(self.content, np.ndarray):
            return str(self.content)
        if is_asked_by_user():
            raise TracedValueError("a text", self.content.name)
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, traced)"

    def __repr__(self) -> str:
        if not isinstance(self.content, np.ndarray):
            return str(self)
        value = (numpy_elements if self.is_numpy else elements)(self.content)
        return f"Tensor(shape={list(self.shape)}, dtype={self.dtype}, value={value})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "view_of"}

    def __deepcopy__(self, memo: Any) -> Tensor:
        fresh = object.__new__(type(self))
        fresh.__dict__.update(self.__dict__)
        fresh.__dict__.pop("view_of", None)
        held = self.content
        fresh.content = held.copy() if isinstance(held, np.ndarray) else held
        return fresh

    if TYPE_CHECKING:  # what tensor_methods.py adds

        def __add__(self, other: Any) -> Tensor: ...

        def __sub__(self, other: Any) -> Tensor: ...

        def __mul__(self, other: Any) -> Tensor: ...

        def __truediv__(self, other: Any) -> Tensor: ...

        def __matmul__(self, other: Any) -> Tensor: ...

        def __pow__(self, other: Any) -> Tensor: ...

        def __radd__(self, other: Any) -> Tensor: ...

        def __rsub__(self, other: Any) -> Tensor: ...

        def __rmul__(self, other: Any) -> Tensor: ...

        def __rtruediv__(self, other: Any) -> Tensor: ...

        def __rpow__(self, other: Any) -> Tensor: ...

        def __gt__(self, other: Any) -> Tensor: ...

        def __lt__(self, other: Any) -> Tensor: ...

        def __ge__(self, other: Any) -> Tensor: ...

        def __le__(self, other: Any) -> Tensor: ...

        def __neg__(self) -> Tensor: ...

        def __getitem__(self, index: Any) -> Tensor: ...

        def __getattr__(self, name: str) -> Any: ...


@dataclass(frozen=True)
class Unsized:
    """The shape and element type of a Tensor without data; sizes that are open are -1."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @staticmethod
    def of(shape: Any, dtype: DType | None) -> Unsized:
        known = -2 if shape is None else shape  # -2: even the number of axes is open
        sizes = (known,) if isinstance(known, int) else tuple(known)
        kind = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
        return Unsized(tuple([n if isinstance(n, int) else -1 for n in sizes]), kind.numpy)


@dataclass(frozen=True)
class Pending:
    """An array that is made when it is first needed: most initial weights are loaded over."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    make: Callable[[], Array]

    def begun(self) -> Pending:
        """What a parameter holds of it."""
        return self


@dataclass(frozen=True)
class Unbegun(Pending):
    """One whose random numbers are not chosen yet; `begin` chooses them, and gives `make`.

    MindSpore chooses them when a Parameter is made of it, or when it is read.
    """

    begin: Callable[[], Callable[[], Array]]

    def begun(self) -> Pending:
        return Pending(self.shape, self.dtype, self.begin())


class LazyTensor(Tensor):
    """A Tensor whose array may still be pending."""

    def __init__(self, pending: Pending) -> None:
        self.held: Array | Symbol | Pending = pending

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"held": self.content}

    @property
    def content(self) -> Array | Symbol:
        held = self.begun()
        if isinstance(held, Pending):
            held = self.held = held.make()
        return held

    @content.setter
    def content(self, content: Array | Symbol) -> None:
        self.held = content

    def begun(self) -> Array | Symbol | Pending:
        """What is held; which random numbers it will be, if any, is certain from now on."""
        if isinstance(self.held, Unbegun):
            self.held = self.held.begun()
        return self.held

    @property
    def has_init(self) -> bool:
        return isinstance(self.held, Unbegun)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.held.shape

    @property
    def dtype(self) -> DType:
        return dtypes.from_numpy(self.held.dtype)


def array_of(data: Any, dtype: DType | None = None) -> Array:
    """A fresh array of `data` with MindSpore's default types (Python floats become float32)."""
    target = None if dtype is None else dtypes.as_dtype(dtype).numpy
    if isinstance(data, Tensor):
        return np.array(data.asnumpy(), dtype=target)
    if not isinstance(data, (np.ndarray, np.generic)):
        data = listed(data) if isinstance(data, (list, tuple)) else np.array(data)
        if target is None:
            narrow = {"f": np.float32, "i": np.int64}
            target = narrow.get(data.dtype.kind, data.dtype)
    array = np.array(data, dtype=target)
    dtypes.from_numpy(array.dtype)
    return array


def wrap(value: Array | Symbol) -> Tensor:
    """A Tensor around `value`, which is not copied."""
    made = Tensor.__new__(Tensor)
    made.content = value
    return made


def listed(data: Any) -> Array:
    """A list or tuple as an array. Raises: TypeError (MS304) if its rows are of unequal length."""
    try:
        return np.array([x.asnumpy() if isinstance(x, Tensor) else x for x in data])
    except ValueError as fault:
        raise ElementTypeError("Tensor", "rows of unequal length", got=repr(data)) from fault


def check_data(data: Any, dtype: Any) -> None:
    """Raises: TypeError (MS304) for what no Tensor is made of, or no element type."""
    kinds = (Tensor, np.ndarray, np.generic, list, tuple, float, int, complex)
    if not (isinstance(data, kinds) or (data is None and dtype is not None)):
        raise ElementTypeError("Tensor", "input_data is of a wrong type", got=str(type(data)))
    if not (dtype is None or isinstance(dtype, DType)):
        advice = "give one of mindspore's, as mindspore.float32"
        raise ElementTypeError("Tensor", "dtype is no element type", got=repr(dtype), advice=advice)


def check_settings(
    given: bool, dtype: Any, shape: Any, init: Any, const_arg: Any, device: Any
) -> None:
    """Raises: ValueError, TypeError (MS304) for arguments beside the data that are wrong."""
    if not isinstance(const_arg, bool):
        raise ElementTypeError("Tensor", "const_arg is no bool", got=repr(const_arg))
    if device not in (None, "CPU", "meta"):
        raise ShapeError("Tensor", "no such device", got=repr(device), expected="CPU or meta")
    if given and shape is not None:
        raise ShapeError("Tensor", "shape beside input_data", got=repr(shape), expected="None")
    if init is not None and (shape is None or dtype is None):
        raise ShapeError("Tensor", "init needs shape and dtype", got=f"{shape}, {dtype}")


def tensor(
    input_data: Any = None,
    dtype: DType | None = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Tensor:
    """A Tensor with a copy of `input_data`, as `mindspore.tensor`."""
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)
