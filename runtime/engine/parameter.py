"""Parameter: a Tensor with a name, that training changes and graphs read anew."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np

from . import dtype as dtypes
from . import trace as tracing
from .dtype import Array, DType
from .failure import ShapeError
from .primitive import REGISTRY, convert
from .tape import detached, follow, is_watched, recording
from .tensor import Changes, LazyTensor, Tensor, array_of, wrap
from .trace import Symbol

GENERATED = "Parameter#"
"""How the name of a parameter begins that no cell has named yet."""
NAME_LIMIT = 1024
"""Characters of a name."""
WORD = re.compile(r"^\w*[0-9a-zA-Z_.\-]*$", re.ASCII)
"""What MindSpore allows as a prefix of names."""

_counter = itertools.count(1)


class Setting:
    """An attribute of a parameter that only takes values of the given types."""

    def __init__(self, default: Any, *kinds: type) -> None:
        self.default, self.kinds = default, kinds

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.place = name, f"_{name}"

    def __get__(self, parameter: Parameter | None, owner: type) -> Any:
        return self if parameter is None else parameter.__dict__.get(self.place, self.default)

    def __set__(self, parameter: Parameter, value: Any) -> None:
        fits = isinstance(value, self.kinds) and (bool in self.kinds or not isinstance(value, bool))
        if not fits:
            kinds = " or ".join(kind.__name__ for kind in self.kinds)
            raise TypeError(f"The argument `{self.name}` must be {kinds} type.")
        if self.name == "comm_fusion" and value < 0:
            raise ValueError(f"The input value must be int and must >= 0, but got '{value}'.")
        parameter.__dict__[self.place] = value


def checked_prefix(prefix: Any) -> str:
    """`prefix`. Raises: TypeError if it is no text, ValueError if it is no word."""
    if not isinstance(prefix, str):
        raise TypeError(f"expected string or bytes-like object, got '{type(prefix).__name__}'")
    if WORD.match(prefix) is None:
        raise ValueError(f"The '{prefix}' is illegal, it must be match regular '{WORD.pattern}'.")
    return prefix


def initial_value(data: Any) -> Any:
    """What a new parameter holds. Raises: TypeError, ValueError as MindSpore."""
    if isinstance(data, LazyTensor):
        return data.begun()
    if isinstance(data, Tensor):
        return data.content
    if isinstance(data, bool):
        raise ValueError("Parameter data can not be `bool`")
    if not isinstance(data, (int, float, list, np.ndarray)):
        raise TypeError(
            "The type of the argument 'default_input' must be in ['Tensor', 'int', 'float', "
            f"'numpy.ndarray', 'list']. But got type {type(data)}."
        )
    numbers = {int: dtypes.int32, float: dtypes.float32}
    return array_of(data, next((d for kind, d in numbers.items() if isinstance(data, kind)), None))


class Parameter(LazyTensor):
    """A Tensor that belongs to a cell, as `mindspore.Parameter`.

    A cell gives it the name of its attribute, with the path of the cells around it as prefix.
    """

    variable = True
    requires_grad = Setting(True, bool)
    layerwise_parallel = Setting(False, bool)
    parallel_optimizer = Setting(True, bool)
    parallel_optimizer_comm_recompute = Setting(False, bool)
    cache_enable = Setting(False, bool)
    cache_shape = Setting([], tuple, list)
    comm_fusion = Setting(1, int)
    key = Setting(-1, int)
    sliced = False
    unique = False
    is_init = False
    inited_param = None

    def __init__(
        self,
        default_input: Any = None,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        self.held = initial_value(default_input)
        self.name = name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        if device not in (None, "CPU", "Remote"):
            raise ValueError(f"Only 'CPU' and 'Remote' is supported for device, but got {device}.")

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if name is not None and not isinstance(name, str):
            raise ValueError(
                "The type of the Parameter's name should be 'string' or 'None', "
                f"but got {type(name)}."
            )
        wanted = "" if name is None else name.strip()
        if len(wanted) > NAME_LIMIT:
            raise ValueError(f"The length of the '{wanted}' name should be less than {NAME_LIMIT}.")
        self._name = wanted if wanted else f"{GENERATED}{next(_counter)}"

    @property
    def is_named(self) -> bool:
        return not self.name.startswith(GENERATED)

    def asnumpy(self) -> Array:
        """The array itself, not a copy; a graph that looks at it is traced anew if it changes.

        Raises: MS306 if the graph that is traced has set it.
        """
        trace = tracing.active()
        if trace is not None:
            trace.look_at(self)
        return super().asnumpy()

    @property
    def data(self) -> Tensor:
        """The Parameter itself; where gradients flow, its values without them."""
        return Data(self) if is_watched((self,)) else self

    @data.setter
    def data(self, data: Tensor) -> None:
        self.set_data(data)

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Replaces the values; the element type stays the parameter's own.

        Raises: MS304 if the shapes differ and `slice_shape` is False.
        """
        if not isinstance(data, (Tensor, int, float)):
            raise TypeError(
                "Parameter data must be [`Tensor`, `int`, `float`] or a kind of `Tensor` "
                f"(like `Tensor`). But with type {type(data)}."
            )
        if isinstance(data, float) and self.dtype in dtypes.INTEGERS:
            raise TypeError(
                "Incoming Parameter dtype can not be converted to current dtype implicitly. "
                f"Current dtype is {self.dtype}, and incoming is Float32. "
                "Use .set_dtype(xxx) to change the dtype."
            )
        new = data if isinstance(data, Tensor) else Tensor(data, self.dtype)
        if new.shape != self.shape:
            if not slice_shape or tracing.active() is not None:
                raise ShapeError(
                    f"Parameter '{self.name}'",
                    "set_data got another shape",
                    got=str(new.shape),
                    expected=str(self.shape),
                    advice="slice_shape=True allows it, outside of graphs",
                )
            Changes.reshaped += 1
        assign(self, new)
        self.sliced = slice_shape
        return self

    def value(self) -> Tensor:
        """What it holds now, as a Tensor through which gradients flow."""
        held: Tensor = REGISTRY["Identity"](self)
        return held

    def clone(self, init: Any = "same") -> Parameter:
        """A copy of the same name; `init`, if not "same", is an initialiser for the values."""
        from .initializer import initializer  # it makes parameters' values of classes of its own

        if isinstance(init, str) and init == "same":
            array = self.asnumpy().copy()
        else:
            array = initializer(init, self.shape, self.dtype).asnumpy()
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.held = array
        made.__dict__.pop("hooks_of_gradient", None)
        return made

    def copy(self) -> Parameter:
        return self.clone()

    def set_dtype(self, dtype: DType) -> Parameter:
        """Converts the parameter in place."""
        self.assign_value(self.asnumpy().astype(dtype.numpy))
        return self

    def init_data(self, layout: Any = None, set_sliced: bool = False) -> Parameter:
        self.sliced = set_sliced
        return self

    def add_pipeline_stage(self, stage: int) -> None:
        """Accepted: there is one machine."""
        if not isinstance(stage, int) or stage < 0:
            raise TypeError("`stage` must be a positive number of int type")

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    __repr__ = __str__


class Data(Tensor):
    """The values of a Parameter that a tape watches: no gradient flows through them.

    What is written to them is written to the Parameter.
    """

    def __init__(self, owner: Parameter) -> None:
        self.owner = owner
        self.content = detached(owner).content

    def assign_value(self, value: Array | Symbol | Tensor) -> Tensor:
        assign(self.owner, value if isinstance(value, Tensor) else wrap(value))
        return super().assign_value(detached(self.owner))


class ParameterTuple(tuple[Parameter, ...]):
    """A tuple of parameters, as `mindspore.ParameterTuple`."""

    __slots__ = ()

    def __new__(cls, iterable: Any) -> ParameterTuple:
        """Raises: TypeError for what is no Parameter, ValueError for two of one name."""
        items = tuple(iterable)
        owners: dict[str, Parameter] = {}
        for item in items:
            if not isinstance(item, Parameter):
                raise TypeError(
                    "For ParameterTuple initialization, ParameterTuple input should be "
                    f"'Parameter' collection, but got a {type(item)}."
                )
            if owners.setdefault(item.name, item) is not item:
                raise ValueError(
                    f"The value {item} , its name '{item.name}' already exists. "
                    "Please set a unique name for the parameter."
                )
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Copies, with `prefix` before each name."""
        checked_prefix(prefix)
        copies = [x.clone(init) for x in self]
        for copy in copies:
            copy.name = f"{prefix}.{copy.name}"
        return ParameterTuple(copies)


def assign(variable: Tensor, value: Tensor) -> Tensor:
    """Sets `variable` to `value`, converted to its element type; inside a graph, after the run.

    In a differentiated function the value of a Parameter is written as a constant is: what is
    computed of the Parameter behind it counts for the Parameter, and nothing for the value.
    """
    new = convert(value, variable.dtype)
    trace = tracing.active()
    if trace is not None and variable.variable:
        trace.assign(variable, new)
    else:
        fresh = new.content
        is_apart = variable.variable and bool(recording.tapes)
        shared = fresh is value.content and not is_watched((value,))
        if isinstance(fresh, np.ndarray) and (is_apart or shared):
            fresh = fresh.copy()
        tracing.remember(variable)
        follow(variable.content, fresh, recording.tapes if is_apart else ())
        variable.assign_value(fresh)
    return variable
