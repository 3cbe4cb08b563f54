"""What a PyTorch file may name: tensors, their storages, and plain values around them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from ...errors import MsconvertError
from ..parts import tensor_in
from ..stored import MAX_RANK, StoredTensor, array_at, damage, is_possible, let_go
from .pickle_machine import Global, PickleMachine, refusal
from .torch_types import ALIASES, BY_NAME, BY_STORAGE, TorchType


@dataclass(eq=False)
class Storage:
    """Elements in a row, in the mapped file: `start` is the first byte, `count` the elements.

    In files of the older format `start` is known only when the last pickle has been read.
    """

    key: str
    kind: TorchType
    source: Any
    start: int
    count: int
    swapped: bool = False

    @property
    def nbytes(self) -> int:
        return self.count * self.kind.dtype.itemsize


@dataclass(frozen=True, eq=False)
class SavedTensor:
    """A tensor of a PyTorch file: a view of a storage, checked to lie within it."""

    storage: Storage
    kind: TorchType
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * self.kind.dtype.itemsize

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for tensors that are the same elements of the same storage."""
        return (self.storage.key, self.offset, self.kind.name, self.shape, self.strides)

    def array(self) -> np.ndarray[Any, Any]:
        """The tensor, read-only, as a view of the mapped file wherever its bytes allow that."""
        if 0 in self.shape:
            return frozen(np.empty(self.shape, self.kind.dtype))
        dtype = self.kind.dtype
        steps = [step * dtype.itemsize for step in self.strides]
        first = self.storage.start + self.offset * dtype.itemsize
        row = array_at(self.storage.source, first, dtype, (self.extent,))
        found: np.ndarray[Any, Any] = np.ndarray(self.shape, dtype, row.view(np.uint8), 0, steps)
        return frozen(found.byteswap()) if self.storage.swapped else found

    @property
    def extent(self) -> int:
        """How many elements of the storage lie between the first and the last."""
        reach = zip(self.shape, self.strides, strict=True)
        return 1 + sum((size - 1) * step for size, step in reach)

    def stored(self, name: str) -> StoredTensor:
        """The tensor as other weight files have it."""
        first = self.storage.start + self.offset * self.kind.dtype.itemsize
        what = (name, self.kind.shown, self.shape, self.kind.dtype)
        if self.is_contiguous and not self.storage.swapped and 0 not in self.shape:
            return tensor_in(self.storage.source, [(first, self.nbytes)], *what)
        size = self.extent * self.kind.dtype.itemsize if 0 not in self.shape else 0
        release = partial(let_go, self.storage.source, first, size)
        return StoredTensor(*what, self.array, release=release)

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in the storage in C order, without gaps."""
        step = 1
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != step:
                return False
            step *= size
        return True


def frozen(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


class NumpyType:
    """`numpy.dtype`, whose byte order comes as its state."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    def set_state(self, machine: PickleMachine, state: Any) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.dtype = self.dtype.newbyteorder(state[1])
            return
        raise machine.damage("an element type of NumPy's has an unknown state")


class NumpyArray:
    """`numpy.ndarray`, whose shape, type and elements come as its state."""

    array: np.ndarray[Any, Any] | None = None

    def set_state(self, machine: PickleMachine, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise machine.damage("an array of NumPy's has an unknown state")
        _version, shape, kind, fortran, data = state
        if isinstance(data, str):
            data = encoded(machine, (data, "latin1"))
        if not isinstance(kind, NumpyType) or not isinstance(data, bytes) or not is_shape(shape):
            raise machine.damage("an array of NumPy's has an unknown state")
        if math.prod(shape) * kind.dtype.itemsize != len(data):
            raise machine.damage("an array of NumPy's does not have the size of its shape")
        array = np.frombuffer(data, kind.dtype)
        self.array = array.reshape(shape, order="F" if fortran else "C")


NUMPY_TYPE = re.compile(r"[<>|=]?([?]|b1|[iu][1248]|f[248]|c8|c16)")


def numpy_type(machine: PickleMachine, arguments: tuple[Any, ...]) -> NumpyType:
    """`numpy.dtype("f8", False, True)`: numbers only, nothing that holds objects."""
    name = arguments[0] if arguments else None
    if not isinstance(name, str) or not NUMPY_TYPE.fullmatch(name):
        raise refusal(machine.where, f"numpy.dtype({name!r})")
    return NumpyType(np.dtype(name))


def numpy_scalar(machine: PickleMachine, arguments: tuple[Any, ...]) -> Any:
    """The number as Python's own."""
    kind, data = arguments if len(arguments) == 2 else (None, None)
    if not isinstance(kind, NumpyType) or not isinstance(data, bytes):
        raise machine.damage("a number of NumPy's has unknown parts")
    if len(data) != kind.dtype.itemsize:
        raise machine.damage("a number of NumPy's does not have the size of its type")
    return np.frombuffer(data, kind.dtype)[0].item()


def numpy_array(machine: PickleMachine, arguments: tuple[Any, ...]) -> NumpyArray:
    return NumpyArray()


def numpy_buffer(machine: PickleMachine, arguments: tuple[Any, ...]) -> NumpyArray:
    """`numpy._core.numeric._frombuffer(data, dtype, shape, order)`: what protocol 5 writes."""
    if len(arguments) != 4 or arguments[3] not in ("C", "F"):
        raise machine.damage("an array of NumPy's has unknown parts")
    data, kind, shape, order = arguments
    found = NumpyArray()
    found.set_state(machine, (1, shape, kind, order == "F", data))
    return found


def encoded(machine: PickleMachine, arguments: tuple[Any, ...]) -> bytes:
    """`_codecs.encode("...", "latin1")`: how older protocols write bytes."""
    if len(arguments) == 2 and isinstance(arguments[0], str) and arguments[1] == "latin1":
        machine.spend(len(arguments[0]) // 64)
        return arguments[0].encode("latin1", "replace")
    raise machine.damage("bytes in an unknown form")


# containers


def dictionary(machine: PickleMachine, arguments: tuple[Any, ...]) -> dict[Any, Any]:
    """`OrderedDict()`, `defaultdict(list)`, `Counter({...})`: a dictionary."""
    found: dict[Any, Any] = {}
    for argument in arguments:
        if isinstance(argument, dict):
            machine.spend(len(argument))
            found |= argument
        elif isinstance(argument, list):
            machine.spend(len(argument))
            found |= pairs(machine, argument)
        elif not isinstance(argument, Global):
            raise machine.damage("a dictionary made of an unknown value")
    return found


def pairs(machine: PickleMachine, items: list[Any]) -> dict[Any, Any]:
    """The dictionary that a list of pairs describes, as Python 2 wrote an OrderedDict."""
    for item in items:
        if not isinstance(item, list | tuple) or len(item) != 2:
            raise machine.damage("a dictionary made of an unknown value")
    return {machine.key(key): value for key, value in items}


def members(machine: PickleMachine, arguments: tuple[Any, ...]) -> set[Any]:
    items = arguments[0] if len(arguments) == 1 else ()
    if not isinstance(items, list | tuple | set):
        raise machine.damage("a set made of an unknown value")
    machine.spend(len(items))
    return {machine.key(item) for item in items}


def only(machine: PickleMachine, arguments: tuple[Any, ...]) -> Any:
    """The one argument: `torch.Size((2, 3))`, `torch.device("cuda")`."""
    if not arguments or not all(isinstance(part, tuple | str | int) for part in arguments):
        raise machine.damage("a value with unknown arguments")
    return arguments[0]


def complex_number(machine: PickleMachine, arguments: tuple[Any, ...]) -> complex:
    if len(arguments) != 2 or not all(isinstance(part, float | int) for part in arguments):
        raise machine.damage("a complex number with unknown parts")
    return complex(float(arguments[0]), float(arguments[1]))


# tensors


MOST_SIZE = 1 << 62


def is_shape(value: Any) -> bool:
    """Whether it is a tuple of sizes that an array can have."""
    if not isinstance(value, tuple) or len(value) > MAX_RANK:
        return False
    if not value:
        return True
    return set(map(type, value)) == {int} and min(value) >= 0 and max(value) < MOST_SIZE


def tensor(machine: PickleMachine, arguments: tuple[Any, ...]) -> SavedTensor:
    """`_rebuild_tensor(storage, offset, shape, strides, ...)`: checked to lie in its storage."""
    if len(arguments) < 4 or not isinstance(arguments[0], Storage):
        raise machine.damage("a tensor without a storage")
    storage, offset, shape, strides = arguments[:4]
    return view(machine, SavedTensor(storage, storage.kind, offset, shape, strides))


def typed_tensor(machine: PickleMachine, arguments: tuple[Any, ...]) -> SavedTensor:
    """`_rebuild_tensor_v3`: of a storage of bytes, with the element type as an argument."""
    if len(arguments) < 7 or not isinstance(arguments[0], Storage):
        raise machine.damage("a tensor without a storage")
    storage, offset, shape, strides = arguments[:4]
    kind = torch_type(machine, arguments[6])
    return view(machine, SavedTensor(storage, kind, offset, shape, strides))


def torch_type(machine: PickleMachine, value: Any) -> TorchType:
    """The element type that a global such as `torch.uint16` names."""
    name = value.name.removeprefix("torch.") if isinstance(value, Global) else ""
    found = BY_NAME.get(ALIASES.get(name, name))
    if found is None:
        shown = value.name if isinstance(value, Global) else type(value).__name__
        raise refusal(machine.where, f"elements of the type {shown}")
    return found


def view(machine: PickleMachine, found: SavedTensor) -> SavedTensor:
    """The tensor, if all its elements are in its storage. Raises: MS302"""
    if not is_shape(found.shape) or not is_shape(found.strides) or not is_shape((found.offset,)):
        raise machine.damage("a tensor whose shape or strides are impossible", str(found.shape))
    if len(found.shape) != len(found.strides):
        raise machine.damage("a tensor with as many strides as it has no dimensions")
    if 0 in found.shape:
        if not is_possible(found.shape):
            raise machine.damage("a tensor whose shape is impossible", str(found.shape))
        return found
    reach = (found.offset + found.extent) * found.kind.dtype.itemsize
    if reach > found.storage.nbytes:
        raise machine.damage(
            f"a tensor of shape {list(found.shape)} reaches beyond its storage "
            f"'{found.storage.key}'",
            f"{reach} bytes, the storage has {found.storage.nbytes}",
        )
    return found


def parameter(machine: PickleMachine, arguments: tuple[Any, ...]) -> SavedTensor:
    """`_rebuild_parameter(data, requires_grad, hooks)`: the data."""
    if not arguments or not isinstance(arguments[0], SavedTensor):
        raise machine.damage("a parameter without a tensor")
    return arguments[0]


def typed_again(machine: PickleMachine, arguments: tuple[Any, ...]) -> SavedTensor:
    """`_rebuild_from_type_v2(function, type, arguments, state)`: a tensor with attributes."""
    function, kind = arguments[:2] if len(arguments) == 4 else (None, None)
    plain = isinstance(kind, Global) and kind.name in PLAIN_TENSORS
    if not isinstance(function, Global) or not plain or function.call is None:
        raise machine.damage("a tensor of an unknown type")
    found = function.call(machine, arguments[2]) if isinstance(arguments[2], tuple) else None
    if not isinstance(found, SavedTensor):
        raise machine.damage("a tensor of an unknown type")
    return found


PLAIN_TENSORS = ("torch.Tensor", "torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer")

NO_TENSOR = {
    "torch._utils._rebuild_qtensor": "a quantised tensor",
    "torch._utils._rebuild_sparse_tensor": "a sparse tensor",
    "torch._utils._rebuild_sparse_csr_tensor": "a sparse tensor",
    "torch._utils._rebuild_nested_tensor": "a nested tensor",
    "torch._utils._rebuild_meta_tensor_no_storage": "a tensor without data (device 'meta')",
    "torch._utils._rebuild_wrapper_subclass": "a tensor of a class of its own",
    "torch.jit._pickle.restore_type_tag": "a TorchScript value",
}
"""What PyTorch makes of storages and weight files have no place for."""


def without_place(machine: PickleMachine, name: str) -> MsconvertError:
    return MsconvertError(
        "MS309",
        machine.where,
        f"the file holds {NO_TENSOR[name]} ({name}), which weight files have no place for",
        advice="in PyTorch, save it as a dense tensor: tensor.dequantize() or tensor.to_dense()",
    )


class Call(Protocol):
    """What calling a global makes."""

    def __call__(self, machine: PickleMachine, arguments: tuple[Any, ...]) -> Any: ...


CALLS: Mapping[str, Call] = {
    "torch._utils._rebuild_tensor": tensor,
    "torch._utils._rebuild_tensor_v2": tensor,
    "torch._utils._rebuild_tensor_v3": typed_tensor,
    "torch._utils._rebuild_parameter": parameter,
    "torch._utils._rebuild_parameter_with_state": parameter,
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": parameter,
    "torch._tensor._rebuild_from_type_v2": typed_again,
    "torch.nn.parameter.Parameter": parameter,
    "torch.Size": only,
    "torch.device": only,
    "torch.serialization._get_layout": only,
    "collections.OrderedDict": dictionary,
    "collections.defaultdict": dictionary,
    "collections.Counter": dictionary,
    "builtins.dict": dictionary,
    "builtins.set": members,
    "builtins.frozenset": members,
    "builtins.complex": complex_number,
    "_codecs.encode": encoded,
    "numpy.dtype": numpy_type,
    "numpy.core.multiarray.scalar": numpy_scalar,
    "numpy._core.multiarray.scalar": numpy_scalar,
    "numpy.core.multiarray._reconstruct": numpy_array,
    "numpy._core.multiarray._reconstruct": numpy_array,
    "numpy.core.numeric._frombuffer": numpy_buffer,
    "numpy._core.numeric._frombuffer": numpy_buffer,
}
ONLY_NAMED = frozenset(
    {
        *(f"builtins.{name}" for name in ("int", "float", "bool", "str", "list", "tuple")),
        *("numpy.ndarray", "torch.Tensor", "torch.nn.parameter.Buffer", "torch.strided"),
        *(f"torch.storage.{name}Storage" for name in ("_Typed", "Typed", "Untyped")),
        *(f"torch.{name}" for name in (*BY_NAME, *ALIASES)),
        *(f"torch.{prefix}{name}" for prefix in ("", "cuda.") for name in BY_STORAGE),
        *("torch.complex32", "torch.chalf"),
    }
)
"""Globals that a file may mention and must not call."""


def refused_tensor(name: str) -> Call:
    """The call that tells why such a tensor is not loaded."""

    def refuse(machine: PickleMachine, arguments: tuple[Any, ...]) -> Any:
        raise without_place(machine, name)

    return refuse


GLOBALS = {
    **{name: Global(name) for name in ONLY_NAMED},
    **{name: Global(name, call) for name, call in CALLS.items()},
    **{name: Global(name, refused_tensor(name)) for name in NO_TENSOR},
}


def known(name: str) -> Global | None:
    """The global of this name; None if a file must not ask for it."""
    return GLOBALS.get(name.replace("__builtin__.", "builtins.", 1))


def storage_type(machine_where: str, value: Any) -> TorchType:
    """The element type that a global such as `torch.FloatStorage` names. Raises: MS309"""
    name = value.name if isinstance(value, Global) else type(value).__name__
    last = name.rpartition(".")[2]
    if last == "UntypedStorage":
        return BY_NAME["uint8"]
    if last not in BY_STORAGE:
        raise refusal(machine_where, f"a storage of the type {name}")
    return BY_STORAGE[last]


def reference_of(where: str, reference: Any) -> tuple[Any, str, int]:
    """Element type, key and number of elements of `("storage", type, key, device, count)`."""
    if not isinstance(reference, tuple) or len(reference) < 5 or reference[0] != "storage":
        raise damage(where, "a reference that is none to a storage")
    kind = storage_type(where, reference[1])
    key, count = reference[2], reference[4]
    if not isinstance(key, str) or type(count) is not int or not 0 <= count < 1 << 62:
        raise damage(where, "a reference to an impossible storage")
    return kind, key, count
