"""What `set_context` sets: the mode, the device, the seed."""

from __future__ import annotations

import difflib
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .failure import ElementTypeError, SettingError

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT = 0
COMPATIBLE = 1
LAX = 2


@dataclass(frozen=True)
class Setting:
    """One argument of `set_context`: its default, the types and values that it takes."""

    default: Any
    kinds: tuple[type, ...] = ()
    values: tuple[Any, ...] = ()
    least: int | None = None

    def check(self, name: str, value: Any) -> None:
        """Raises: TypeError, ValueError (MS301) as MindSpore."""
        kinds = self.kinds if self.kinds else (type(self.default),)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            got = f"{value!r}, a {type(value).__name__}"
            raise ElementTypeError("set_context", f"{name} is of a wrong type", got=got,
                                   expected=wanted)  # fmt: skip
        if self.values and value not in self.values:
            expected = ", ".join(map(repr, self.values))
            raise SettingError("set_context", f"there is no {name} {value!r}", expected=expected)
        if self.least is not None and isinstance(value, int) and value < self.least:
            raise SettingError("set_context", f"{name} is {value}, less than {self.least}")


SETTINGS: dict[str, Setting] = {
    "mode": Setting(PYNATIVE_MODE, values=(GRAPH_MODE, PYNATIVE_MODE)),
    "device_target": Setting("CPU", values=("CPU", "GPU", "Ascend")),
    "device_id": Setting(0, values=tuple(range(4096))),
    "max_call_depth": Setting(1000, least=1),
    "enable_graph_kernel": Setting(False),
    "graph_kernel_flags": Setting(""),
    "save_graphs": Setting(0, (bool, int), values=(0, 1, 2, 3)),
    "save_graphs_path": Setting("."),
    "pynative_synchronize": Setting(False),
    "jit_level": Setting("", values=("", "O0", "O1", "O2")),
    "jit_config": Setting({}),
    "jit_syntax_level": Setting(LAX, values=(STRICT, COMPATIBLE, LAX)),
    "memory_optimize_level": Setting("O0", values=("O0", "O1")),
    "max_device_memory": Setting("1024GB"),
    "variable_memory_max_size": Setting("30GB"),
    "mempool_block_size": Setting("1GB"),
    "runtime_num_threads": Setting(0, least=0),
    "enable_compile_cache": Setting(False),
    "compile_cache_path": Setting(""),
    "deterministic": Setting("OFF", values=("ON", "OFF")),
    "ascend_config": Setting({}),
    "gpu_config": Setting({}),
    "inter_op_parallel_num": Setting(1, least=0),
    "check_bprop": Setting(False),
    "reserve_class_name_in_scope": Setting(True),
    "enable_reduce_precision": Setting(True),
    "debug_level": Setting(0, values=(0, 1)),
    "print_file_path": Setting(""),
    "env_config_path": Setting(""),
    "exec_order": Setting("", values=("bfs", "dfs")),
    "op_timeout": Setting(900),
    "aoe_tune_mode": Setting(""),
    "aoe_config": Setting({}),
    "auto_tune_mode": Setting(""),
    "support_binary": Setting(False),
    "enable_sparse": Setting(False),
    "enable_profiling": Setting(False),
    "disable_format_transform": Setting(False),
}
"""The arguments of `mindspore.set_context`; most have no meaning here."""

REMOVED = frozenset({"precompile_only", "grad_for_scalar", "exception_dump"})
"""Those that MindSpore 2.10 takes no more."""

JIT_CONFIG = {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")}
"""What `jit_config` may say."""

_settings: dict[str, Any] = {name: setting.default for name, setting in SETTINGS.items()}
_chosen: dict[str, bool] = {}
"""Whether what cannot be compiled is interpreted, once it is set."""
_seed: int | None = None
generator = np.random.Generator(np.random.PCG64())
"""Where random numbers come from: initial weights, Dropout, `ops.randn`."""


def set_context(**kwargs: Any) -> None:
    """Sets the mode, the device and the rest of `mindspore.set_context`'s arguments.

    Raises: ValueError (MS301) for an argument that MindSpore does not have, TypeError and
    ValueError for values that it does not take.
    """
    for name, value in kwargs.items():
        if name in REMOVED:
            raise SettingError("set_context", f"{name!r} has been removed from MindSpore 2.10")
        if name not in SETTINGS:
            near = difflib.get_close_matches(name, SETTINGS, 1)
            advice = f"the nearest name is {near[0]}" if near else ""
            raise SettingError("set_context", f"there is no argument {name!r}", advice=advice)
        SETTINGS[name].check(name, value)
        if name == "env_config_path" and not Path(value).is_file():
            raise SettingError("set_context", f"there is no file {value!r}")
        if name == "jit_config":
            check_jit_config(value)
        _settings[name] = int(value) if name == "save_graphs" else value
        if name == "jit_syntax_level":
            _chosen["lax"] = value == LAX


def check_jit_config(options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in JIT_CONFIG or value not in JIT_CONFIG[name]:
            raise SettingError(
                "set_context", f"jit_config takes no {name}={value!r}", expected=str(JIT_CONFIG)
            )


def get_context(attr_key: str) -> Any:
    """The setting `attr_key`. Raises: ValueError (MS301) if there is none of that name."""
    if attr_key not in _settings:
        raise SettingError("get_context", f"there is no setting {attr_key!r}")
    return _settings[attr_key]


def reset_context() -> None:
    """Puts every setting back to its default."""
    _chosen.clear()
    _settings.update({name: setting.default for name, setting in SETTINGS.items()})


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Chooses the device, as `mindspore.set_device`."""
    if device_target not in ("CPU", "GPU", "Ascend"):
        raise SettingError("set_device", f"there is no device_target {device_target!r}")
    set_context(device_target=device_target, device_id=0 if device_id is None else device_id)


class DeviceInfo(NamedTuple):
    """A device by its kind and number."""

    device_target: str
    device_id: int


def get_current_device() -> DeviceInfo:
    """The device and its number."""
    return DeviceInfo(_settings["device_target"], _settings["device_id"])


def set_deterministic(deterministic: bool) -> None:
    """Accepted: the CPU's kernels give the same numbers each time."""
    if not isinstance(deterministic, bool):
        got = type(deterministic)
        raise TypeError(f"The parameter 'deterministic' must be <class 'bool'>, but got {got}")
    _settings["deterministic"] = "ON" if deterministic else "OFF"


def is_lax() -> bool:
    """Whether what cannot be compiled is interpreted: with jit_syntax_level LAX, the default."""
    return _chosen.get("lax", True)


@contextmanager
def interpreting() -> Iterator[None]:
    """What cannot be compiled is interpreted inside, whatever the user has set."""
    before = is_lax()
    _chosen["lax"] = True
    try:
        yield
    finally:
        _chosen["lax"] = before


def in_graph_mode() -> bool:
    return bool(_settings["mode"] == GRAPH_MODE)


def may_compile() -> bool:
    """Whether graphs are made at all: not with MS_JIT=0 in the environment, as of MindSpore's."""
    return os.environ.get("MS_JIT") != "0"


_generators: dict[int, np.random.Generator] = {}
"""Those of operators that are given a seed, since the last `set_seed`."""


def generator_of(seed: int) -> np.random.Generator:
    """The generator that belongs to an operator's seed; it goes on from call to call."""
    if seed not in _generators:
        own = seed % 2**64 if _seed is None else [_seed, seed % 2**64]
        _generators[seed] = np.random.Generator(np.random.PCG64(own))
    return _generators[seed]


followers: list[Callable[[int], None]] = []
"""What has orders of its own that `set_seed` holds for, too."""


def set_seed(seed: int) -> None:
    """Seeds the runtime, NumPy and Python's random, as `mindspore.set_seed` does.

    Raises: MS304 if `seed` is not a whole number in [0, 2**32).
    """
    global _seed, generator
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"The seed must be type of int, but got {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"The seed must be greater or equal to 0, but got {seed}.")
    if seed >= 2**32:
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    _seed = seed
    _generators.clear()
    generator = np.random.Generator(np.random.PCG64(seed))
    np.random.seed(seed)
    random.seed(seed)
    for follow in followers:
        follow(seed)


def get_seed() -> int | None:
    """The seed given to `set_seed`, or None."""
    return _seed
