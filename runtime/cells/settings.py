"""What a Cell can be told: flags and names for compilers, and settings for many machines."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from typing import Any

from ..engine import context
from ..engine.jit_options import JitConfig
from ..engine.tensor import Changes, Tensor

RECOMPUTE = frozenset(
    {"mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation"}
)
"""What `Cell.recompute` may be told beside its own arguments."""


class Kept:
    """An attribute that is kept for whoever reads it, of the given type."""

    def __init__(self, default: Callable[[], Any], kind: type) -> None:
        self.default, self.kind = default, kind

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, cell: Any, owner: type) -> Any:
        return self if cell is None else cell.__dict__.setdefault(f"_{self.name}", self.default())

    def __set__(self, cell: Any, value: Any) -> None:
        fits = isinstance(value, self.kind) and (self.kind is bool or not isinstance(value, bool))
        if not fits:
            raise TypeError(
                f"For 'Cell', the property '{self.name}' must be {self.kind.__name__} type, "
                f"but got type {type(value)}."
            )
        if self.kind is int and value < 0:
            raise ValueError(f"For 'Cell', the property '{self.name}' can not be less than 0.")
        cell.__dict__[f"_{self.name}"] = value


class Settings:
    """The part of Cell that keeps settings; `self` is the Cell."""

    phase = Kept(lambda: "train", str)
    compile_phase = Kept(str, str)
    bprop_debug = Kept(bool, bool)
    cell_init_args = Kept(str, str)
    pipeline_stage = Kept(int, int)
    pipeline_segment = Kept(int, int)
    parameter_layout_dict = Kept(dict, dict)
    parallel_parameter_name_list = Kept(list, list)
    parallel_parameter_merge_net_dict = Kept(dict, dict)
    create_time = Kept(time.time_ns, int)
    cell_type: Any = None

    # flags

    def add_flags(self: Any, **flags: Any) -> Any:
        self._flags.update(flags)
        self.__dict__.update(flags)
        if flags.keys() == {"training"}:
            Changes.count += 1  # it is in the state that graphs are compiled for
        else:
            self._changed()
        return self

    def add_flags_recursive(self: Any, **flags: Any) -> Any:
        """Sets flags here and below: each cell is asked by the one around it."""
        self.add_flags(**flags)
        for cell in filter(None, self._cells.values()):
            cell.add_flags_recursive(**flags)
        return self

    def get_flags(self: Any) -> dict[str, Any]:
        flags: dict[str, Any] = self._flags
        return flags

    def set_boost(self: Any, boost_type: str) -> Any:
        """Accepted: no layer has a boosted form."""
        if boost_type != "less_bn":
            raise ValueError(
                "For 'set_boost', the argument 'boost_type' must be 'less_bn', "
                f"but got {boost_type}."
            )
        return self.add_flags_recursive(less_bn=True)

    def set_broadcast_flag(self: Any, mode: bool = True) -> Any:
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_jit_config(self: Any, jit_config: JitConfig) -> None:
        """With jit_syntax_level "LAX", what cannot be compiled runs in PyNative mode."""
        if not self._jit_config_dict:
            self.__dict__["_jit_config_dict"] = jit_config.jit_config_dict
            self._changed()

    @property
    def jit_config_dict(self: Any) -> dict[str, Any]:
        options: dict[str, Any] = self._jit_config_dict
        return options

    # inputs

    def set_inputs(self: Any, *inputs: Any, **kwargs: Any) -> None:
        """What the inputs will be; sizes that are None may be any.

        Graphs are compiled for each shape anyway, but other inputs are refused in graph mode.
        Raises: ValueError for both kinds of arguments, and for names that construct lacks.
        """
        if inputs and kwargs:
            raise ValueError(
                "For Cell, set_inputs should only set inputs or kwargs"
                f"(inputs: {inputs}, kwargs: {kwargs})!"
            )
        names = [*inspect.signature(self.construct).parameters]
        for name in kwargs:
            if name not in names:
                raise ValueError(f"For dict mode, valid key is {names}, but got {name}!")
        if context.in_graph_mode():
            self._check_count(len(inputs) if inputs else len(kwargs))
        known = [kwargs[name] for name in names if name in kwargs]
        self.__dict__["_inputs"] = inputs if inputs else tuple(known)
        self.__dict__["_places"] = [k for k, n in enumerate(names) if inputs or n in kwargs]

    def get_inputs(self: Any) -> tuple[Any, ...] | None:
        inputs: tuple[Any, ...] | None = self.__dict__.get("_inputs")
        return inputs

    def _check_count(self: Any, count: int) -> None:
        """Raises: TypeError if construct does not take that many inputs."""
        parameters = [*inspect.signature(self.construct).parameters.values()]
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            return
        if count > len(parameters):
            raise TypeError(
                f"For 'Cell', the function construct takes {len(parameters)} arguments, "
                f"but got {count}."
            )

    def _check_inputs(self: Any, args: tuple[Any, ...]) -> None:
        """Raises: TypeError, ValueError if the inputs are not what `set_inputs` said."""
        inputs = self.__dict__.get("_inputs")
        if inputs is None:
            return
        for place, wanted in zip(self._places, inputs, strict=False):
            if place < len(args):
                check_input(place + 1, wanted, args[place])

    # names

    def update_cell_prefix(self: Any) -> None:
        for name, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = name

    @property
    def param_prefix(self: Any) -> str:
        return str(self.__dict__.get("_param_prefix", ""))

    def update_cell_type(self: Any, cell_type: Any) -> None:
        self.__dict__["cell_type"] = cell_type

    def get_scope(self: Any) -> str | None:
        scope: str | None = self.__dict__.get("_scope")
        return scope

    def generate_scope(self: Any) -> None:
        for scope, cell in scopes(self, "Default"):
            cell.__dict__.setdefault("_scope", scope)

    # accepted: there is one machine, and ONNX Runtime decides what is kept in memory

    def set_comm_fusion(self: Any, fusion_type: int, recurse: bool = True) -> Any:
        for parameter in self.trainable_params(recurse):
            parameter.comm_fusion = fusion_type
        return self

    def recompute(
        self: Any,
        *,
        use_reentrant: bool = True,
        output_recompute: bool = False,
        early_stop: bool = True,
        context_fn: Any = None,
        **kwargs: Any,
    ) -> None:
        """Accepted. Raises: ValueError for a keyword that MindSpore does not have."""
        for key in kwargs:
            if key not in RECOMPUTE:
                raise ValueError(f"For 'recompute', keyword '{key}' is not recognized!")

    def accepted(self, *args: Any, **kwargs: Any) -> None:
        """Accepted without an effect on one machine."""

    set_data_parallel = offload = shard = remove_redundant_parameters = accepted
    get_func_graph_proto = register_saved_tensors_hooks = accepted

    def cast_inputs(self: Any, inputs: Any, dst_type: Any) -> Any:
        """The inputs' Tensors converted to `dst_type`."""
        return tuple([x.astype(dst_type) if isinstance(x, Tensor) else x for x in inputs])


def scopes(cell: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every cell below with its place, as MindSpore names it in graphs."""
    for name, below in cell.name_cells().items():
        place = f"{path}/{name}-{below.cls_name}"
        yield place, below
        yield from scopes(below, place)


def check_input(position: int, wanted: Any, given: Any) -> None:
    """Raises: TypeError, ValueError if `given` is not of the kind `wanted`."""
    where = f"For set_inputs and tuple(list) in set_inputs, the {position}th input"
    if isinstance(wanted, (tuple, list)):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"{where} must be tuple or list, but got {type(given)}.")
        for one, other in zip(wanted, given, strict=False):
            check_input(position, one, other)
        return
    if not isinstance(wanted, Tensor):
        return
    if not isinstance(given, Tensor):
        raise TypeError(f"{where} must be Tensor, but got {type(given)}.")
    if wanted.dtype is not given.dtype:
        raise TypeError(f"{where} should be Tensor[{wanted.dtype}], but got Tensor[{given.dtype}]!")
    if -2 in wanted.shape:
        return
    if len(wanted.shape) != len(given.shape):
        raise ValueError(
            f"{where} must have the same dims as expected, but got expected: "
            f"{len(wanted.shape)}, and input: {len(given.shape)}!"
        )
    for n, m in zip(wanted.shape, given.shape, strict=True):
        if n not in (-1, m):
            raise ValueError(
                f"{where} must have the same shape as expected, but got expected: {n}, "
                f"and input: {m}!"
            )


TORCH_NAMES = {
    "forward": "construct",
    "train": "set_train()",
    "eval": "set_train(False)",
    "parameters": "get_parameters()",
    "named_parameters": "parameters_and_names()",
    "children": "cells()",
    "named_children": "name_cells()",
    "modules": "cells_and_names()",
    "named_modules": "cells_and_names()",
}
"""Names of PyTorch's Module, and what a Cell has instead."""


def missing_hint(name: str) -> str:
    return f" MindSpore calls it {TORCH_NAMES[name]}." if name in TORCH_NAMES else ""
