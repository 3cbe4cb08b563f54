"""Where a Tensor is, and what other builds of MindSpore keep about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from ..engine import dtype as dtypes
from ..engine.parameter import assign
from ..engine.tape import is_watched
from ..engine.tensor import Tensor, wrap
from ..tensor_methods import method, methods


def constant(value: Any) -> Any:
    """A method that takes anything and gives `value`."""
    return lambda self, *args, **kwargs: value


ANSWERS = {
    "is_init": False,
    "is_pinned": False,
    "is_shared": False,
    "flush_from_cache": None,
    "data_sync": None,
    "wait_pipeline": None,
    "set_cast_dtype": None,
    "set_init_flag": None,
    "offload_file_path": "",
}
"""Methods that say the same of every Tensor here."""

PROPERTIES = {
    "device": "CPU",
    "is_meta": False,
    "init": None,
    "init_flag": False,
    "init_finished": True,
    "param_info": None,
    "symbolic_shape": None,
    "virtual_flag": False,
}
"""Properties that say the same of every Tensor here."""

for _name, _answer in ANSWERS.items():
    method(_name, constant(_answer))
for _name, _value in PROPERTIES.items():
    method(_name, property(constant(_value)))


@methods
class Memory:
    @property
    def data(self: Any) -> Any:
        """The Tensor itself, so that writing reaches it; where gradients flow, without them."""
        return ops.stop_gradient(self) if is_watched((self,)) else self

    @data.setter
    def data(self: Any, data: Tensor) -> None:
        """Gives the Tensor other values, of another shape perhaps, for all who hold it."""
        self.assign_value(data)

    def value(self: Any) -> Any:
        """The Tensor itself, as in MindSpore; the array that it holds is `asnumpy()`."""
        return self

    def data_ptr(self: Any) -> int:
        """The address of the first element."""
        return int(self.asnumpy().ctypes.data)

    def get_bytes(self: Any) -> bytes:
        return bytes(self.asnumpy().tobytes())

    @staticmethod
    def convert_bytes_to_tensor(bytes_str: bytes, shape: Any, dtype: dtypes.DType) -> Tensor:
        """The Tensor whose `get_bytes` are these."""
        return wrap(np.frombuffer(bytes_str, dtype.numpy).reshape(shape).copy())

    def move_to(self: Any, to: str, blocking: bool = True) -> Any:
        return self

    def set_const_arg(self: Any, const_arg: bool = True) -> Any:
        return self

    def set_(self: Any, source: Tensor) -> Any:
        """Holds what `source` holds, of the same element type."""
        if source.dtype is not self.dtype:
            raise RuntimeError(f"cannot set a Tensor of {self.dtype} to one of {source.dtype}")
        return assign(self, source)
