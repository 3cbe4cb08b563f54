"""mindspore.dataset.config: the seed of random orders, and how data are read."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from ..engine import context
from ..engine.argument import check_choice, check_range, check_type
from ..engine.failure import missing_names
from . import debug
from .chance import SHARED

DEFAULT = 5489
"""The seed that MindSpore has unless one is set: orders are then different each time."""


class ErrorSamplesMode(IntEnum):
    """What is done with a row that cannot be made."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


@dataclass
class Settings:
    """What has been set; most of it changes nothing on one CPU."""

    seed: int = DEFAULT
    prefetch_size: int = 16
    num_parallel_workers: int = min(8, os.cpu_count() or 1)
    monitor_sampling_interval: int = 1000
    callback_timeout: int = 60
    multiprocessing_timeout_interval: int = 300
    autotune_interval: int = 0
    numa_enable: bool = False
    auto_num_workers: bool = False
    enable_shared_mem: bool = True
    enable_autotune: bool = False
    auto_offload: bool = False
    enable_watchdog: bool = True
    fast_recovery: bool = True
    debug_mode: bool = False
    debug_hooks: list[debug.DebugHook] = field(default_factory=list)
    dynamic_shape: bool = False
    error_samples_mode: ErrorSamplesMode = ErrorSamplesMode.RETURN
    do_copy: bool = False
    parallel_convert: bool = False
    start_method: str = "fork"


SETTINGS = Settings()


def set_seed(seed: int) -> None:
    """Makes the random orders of data sets that are read from now on repeatable."""
    check_range("set_seed", "seed", check_type("set_seed", "seed", seed, int), 0, 2**32 - 1)
    follow(seed)
    random.seed(seed)
    np.random.seed(seed)


def follow(seed: int) -> None:
    """Orders by a seed; that of `mindspore.set_seed` holds for data sets, too."""
    SETTINGS.seed = seed
    SHARED.seed(seed)


context.followers.append(follow)
if (already := context.get_seed()) is not None:
    follow(already)


def get_seed() -> int:
    """The seed that was set last."""
    return SETTINGS.seed


def new_seed() -> int:
    """The seed of an order that begins now: that which was set, or another each time."""
    if SETTINGS.seed != DEFAULT:
        return SETTINGS.seed
    return int.from_bytes(os.urandom(4), "little")


def set_number(name: str, value: Any, low: int = 1) -> None:
    check_range(f"set_{name}", name, check_type(f"set_{name}", name, value, int), low, 2**31 - 1)
    setattr(SETTINGS, name, value)


def set_switch(name: str, value: Any) -> None:
    setattr(SETTINGS, name, check_type(f"set_{name}", name, value, bool))


def set_prefetch_size(size: int) -> None:
    """How many rows are made before they are asked for."""
    set_number("prefetch_size", size)


def get_prefetch_size() -> int:
    return SETTINGS.prefetch_size


def set_num_parallel_workers(num: int) -> None:
    """How many threads `map` uses for the operations of this package."""
    set_number("num_parallel_workers", num)


def get_num_parallel_workers() -> int:
    return SETTINGS.num_parallel_workers


def set_monitor_sampling_interval(interval: int) -> None:
    """Kept; nothing is monitored."""
    set_number("monitor_sampling_interval", interval)


def get_monitor_sampling_interval() -> int:
    return SETTINGS.monitor_sampling_interval


def set_callback_timeout(timeout: int) -> None:
    """After how many seconds `sync_wait` gives up."""
    set_number("callback_timeout", timeout)


def get_callback_timeout() -> int:
    return SETTINGS.callback_timeout


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Kept; a process that is dead is told at once."""
    set_number("multiprocessing_timeout_interval", interval)


def get_multiprocessing_timeout_interval() -> int:
    return SETTINGS.multiprocessing_timeout_interval


def set_autotune_interval(interval: int) -> None:
    """Kept; nothing is tuned."""
    set_number("autotune_interval", interval, 0)


def get_autotune_interval() -> int:
    return SETTINGS.autotune_interval


def set_numa_enable(numa_enable: bool) -> None:
    """Kept."""
    set_switch("numa_enable", numa_enable)


def get_numa_enable() -> bool:
    return SETTINGS.numa_enable


def set_auto_num_workers(enable: bool) -> None:
    """Kept."""
    set_switch("auto_num_workers", enable)


def get_auto_num_workers() -> bool:
    return SETTINGS.auto_num_workers


def set_enable_shared_mem(enable: bool) -> None:
    """Kept."""
    set_switch("enable_shared_mem", enable)


def get_enable_shared_mem() -> bool:
    return SETTINGS.enable_shared_mem


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Kept; nothing is tuned."""
    set_switch("enable_autotune", enable)


def get_enable_autotune() -> bool:
    return SETTINGS.enable_autotune


def set_auto_offload(offload: bool) -> None:
    """Kept; there is nothing to offload to."""
    set_switch("auto_offload", offload)


def get_auto_offload() -> bool:
    return SETTINGS.auto_offload


def set_enable_watchdog(enable: bool) -> None:
    """Kept."""
    set_switch("enable_watchdog", enable)


def get_enable_watchdog() -> bool:
    return SETTINGS.enable_watchdog


def set_fast_recovery(fast_recovery: bool) -> None:
    """Kept."""
    set_switch("fast_recovery", fast_recovery)


def get_fast_recovery() -> bool:
    return SETTINGS.fast_recovery


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: Any = None) -> None:
    """With True, all rows are made in the thread that asks for them, and hooks look on."""
    hooks = [debug.PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    check_type("set_debug_mode", "debug_hook_list", hooks, list)
    for hook in hooks:
        check_type("set_debug_mode", "debug_hook_list", hook, debug.DebugHook)
    set_switch("debug_mode", debug_mode_flag)
    SETTINGS.debug_hooks = hooks or SETTINGS.debug_hooks


def get_debug_mode() -> bool:
    return SETTINGS.debug_mode


def debug_hooks() -> list[debug.DebugHook]:
    """What looks on, in debug mode."""
    return SETTINGS.debug_hooks if SETTINGS.debug_mode else []


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Kept; shapes may differ anyway."""
    set_switch("dynamic_shape", is_dynamic)


def get_dynamic_shape() -> bool:
    return SETTINGS.dynamic_shape


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """What is done with a row that cannot be made: told, replaced by another, or left out."""
    SETTINGS.error_samples_mode = check_type(
        "set_error_samples_mode", "error_samples_mode", error_samples_mode, ErrorSamplesMode
    )


def get_error_samples_mode() -> ErrorSamplesMode:
    return SETTINGS.error_samples_mode


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Kept; rows are the reader's own anyway."""
    set_switch("do_copy", do_copy)
    set_switch("parallel_convert", parallel_convert)


def get_iterator_mode() -> dict[str, bool]:
    return {"do_copy": SETTINGS.do_copy, "parallel_convert": SETTINGS.parallel_convert}


def set_multiprocessing_start_method(start_method: str = "fork") -> None:
    """How the processes of `map` are started."""
    where = "set_multiprocessing_start_method"
    check_type(where, "start_method", start_method, str)
    check_choice(where, "start_method", start_method, ("fork", "spawn"))
    SETTINGS.start_method = start_method


def get_multiprocessing_start_method() -> str:
    return SETTINGS.start_method


__getattr__ = missing_names("mindspore.dataset.config", [n for n in globals() if "et_" in n])
