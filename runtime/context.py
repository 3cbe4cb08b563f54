"""What `set_context` sets: the mode, the device, the seed."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .failure import MissingNameError

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT = 0
COMPATIBLE = 1
LAX = 2

_ACCEPTED = {
    "mode": PYNATIVE_MODE,
    "device_target": "CPU",
    "device_id": 0,
    "max_call_depth": 1000,
    "enable_graph_kernel": False,
    "graph_kernel_flags": "",
    "save_graphs": False,
    "save_graphs_path": ".",
    "precompile_only": False,
    "pynative_synchronize": False,
    "jit_level": "",
    "jit_config": {},
    "jit_syntax_level": 2,
    "memory_optimize_level": "O0",
    "max_device_memory": "1024GB",
    "variable_memory_max_size": "30GB",
    "mempool_block_size": "1GB",
    "runtime_num_threads": 0,
    "enable_compile_cache": False,
    "compile_cache_path": "",
    "deterministic": "OFF",
    "ascend_config": {},
    "gpu_config": {},
    "inter_op_parallel_num": 1,
    "check_bprop": False,
    "reserve_class_name_in_scope": True,
    "grad_for_scalar": False,
    "enable_reduce_precision": True,
    "debug_level": 0,
    "print_file_path": "",
    "env_config_path": "",
    "exec_order": "",
}
"""The arguments of `mindspore.set_context` and their defaults; most have no meaning here."""

_settings: dict[str, Any] = dict(_ACCEPTED)
_chosen: dict[str, bool] = {}
"""What only counts once it is set: MindSpore's default is LAX, that of this runtime is not."""
_seed: int | None = None
generator = np.random.Generator(np.random.PCG64())
"""Where random numbers come from: initial weights, Dropout, `ops.randn`."""


def set_context(**kwargs: Any) -> None:
    """Sets the mode, the device and the rest of `mindspore.set_context`'s arguments.

    Raises: MS301 for an argument or a mode that MindSpore does not have.
    """
    for name, value in kwargs.items():
        if name not in _ACCEPTED:
            raise MissingNameError("set_context", f"there is no argument {name!r}")
        if name == "mode" and value not in (GRAPH_MODE, PYNATIVE_MODE):
            raise MissingNameError("set_context", f"there is no mode {value!r}")
        if name == "device_target" and value not in ("CPU", "GPU", "Ascend"):
            raise MissingNameError("set_context", f"there is no device_target {value!r}")
        _settings[name] = value
        if name == "jit_syntax_level":
            _chosen["lax"] = value == LAX


def get_context(attr_key: str) -> Any:
    """The setting `attr_key`. Raises: MS301 if there is none of that name."""
    if attr_key not in _settings:
        raise MissingNameError("get_context", f"there is no setting {attr_key!r}")
    return _settings[attr_key]


def reset_context() -> None:
    """Puts every setting back to its default."""
    _chosen.clear()
    _settings.update(_ACCEPTED)


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Chooses the device, as `mindspore.set_device`."""
    set_context(device_target=device_target, device_id=0 if device_id is None else device_id)


def is_lax() -> bool:
    """Whether the user has set jit_syntax_level to LAX: what cannot be compiled is interpreted."""
    return _chosen.get("lax", False)


def in_graph_mode() -> bool:
    return bool(_settings["mode"] == GRAPH_MODE)


_generators: dict[int, np.random.Generator] = {}
"""Those of operators that are given a seed, since the last `set_seed`."""


def generator_of(seed: int) -> np.random.Generator:
    """The generator that belongs to an operator's seed; it goes on from call to call."""
    if seed not in _generators:
        own = seed % 2**64 if _seed is None else [_seed, seed % 2**64]
        _generators[seed] = np.random.Generator(np.random.PCG64(own))
    return _generators[seed]


def set_seed(seed: int) -> None:
    """Seeds the runtime, NumPy and Python's random, as `mindspore.set_seed` does.

    Raises: MS304 if `seed` is not a whole number in [0, 2**32).
    """
    global _seed, generator
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"The seed must be type of int, but got {type(seed).__name__}.")
    if seed < 0:
        raise ValueError(f"The seed must be greater or equal to 0, but got {seed}.")
    _seed = seed
    _generators.clear()
    generator = np.random.Generator(np.random.PCG64(seed))
    np.random.seed(seed)
    random.seed(seed)


def get_seed() -> int | None:
    """The seed given to `set_seed`, or None."""
    return _seed
