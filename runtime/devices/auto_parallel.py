"""Settings for many machines: accepted and kept, for there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ParallelMode:
    """How a network is spread over machines, as `mindspore.ParallelMode`."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


DEFAULTS: dict[str, Any] = {
    "device_num": 1,
    "global_rank": 0,
    "gradients_mean": False,
    "gradient_fp32_sync": True,
    "loss_repeated_mean": True,
    "parallel_mode": ParallelMode.STAND_ALONE,
    "auto_parallel_search_mode": "recursive_programming",
    "search_mode": "recursive_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "full_batch": False,
    "dataset_strategy": "data_parallel",
    "enable_parallel_optimizer": False,
    "force_fp32_communication": False,
    "enable_alltoall": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
    "pipeline_segments": 1,
    "pipeline_result_broadcast": False,
    "parallel_optimizer_config": {},
    "pipeline_config": {},
    "comm_fusion": {},
    "strategy_ckpt_config": {},
    "group_ckpt_save_file": "",
}
"""The arguments of `mindspore.set_auto_parallel_context`."""

_settings = dict(DEFAULTS)


def check_name(function: str, name: str) -> None:
    if name not in DEFAULTS:
        raise ValueError(f"For '{function}', the keyword argument {name} is not recognized!")


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Keeps the settings. Raises: TypeError, ValueError for what MindSpore does not know."""
    for name, value in kwargs.items():
        check_name("context.set_auto_parallel_context", name)
        kind = type(DEFAULTS[name])
        if kind is bool and not isinstance(value, bool):
            raise TypeError(f"The parameter '{name}' must be {kind}, but got {type(value)}")
        if name == "device_num" and value < 1:
            raise ValueError(
                "The context configuration parameter 'device_num' must be a positive integer, "
                f"but got the value of device_num : {value}."
            )
        if name == "parallel_mode" and value not in ParallelMode.MODE_LIST:
            raise ValueError(
                "For 'context.set_auto_parallel_context', the argument 'parallel_mode' must be "
                f"one of {list(ParallelMode.MODE_LIST)}, but got {value}."
            )
        _settings[name] = value


def get_auto_parallel_context(attr_key: str) -> Any:
    check_name("context.get_auto_parallel_context", attr_key)
    return _settings[attr_key]


def reset_auto_parallel_context() -> None:
    _settings.update(DEFAULTS)


def reader(name: str) -> Callable[[], Any]:
    """A function of `mindspore.parallel._utils` that tells a setting."""
    return lambda: _settings[name]


_get_parallel_mode, _get_gradients_mean = reader("parallel_mode"), reader("gradients_mean")
_get_full_batch, _get_pipeline_stages = reader("full_batch"), reader("pipeline_stages")
_get_parameter_broadcast = reader("parameter_broadcast")
_get_enable_parallel_optimizer = reader("enable_parallel_optimizer")


def _get_device_num() -> int:
    """What was set, which counts in the parallel modes only."""
    alone = _get_parallel_mode() == ParallelMode.STAND_ALONE
    return 1 if alone else int(_settings["device_num"])


def _get_global_rank() -> int:
    alone = _get_parallel_mode() == ParallelMode.STAND_ALONE
    return 0 if alone else int(_settings["global_rank"])


def _is_in_auto_parallel_mode() -> bool:
    modes = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)
    return _get_parallel_mode() in modes


def _is_in_data_parallel_mode() -> bool:
    return bool(_get_parallel_mode() == ParallelMode.DATA_PARALLEL)


SERVER: dict[str, Any] = {
    "enable_ps": False,
    "config_file_path": "",
    "scheduler_manage_port": 11202,
    "enable_ssl": False,
    "client_password": "",
    "server_password": "",
}
"""The arguments of `mindspore.set_ps_context`."""

_server = dict(SERVER)


def set_ps_context(**kwargs: Any) -> None:
    """Keeps the settings of parameter servers. Raises: ValueError for others."""
    for name, value in kwargs.items():
        if name not in SERVER:
            raise ValueError(f"For 'context.set_ps_context', there is no argument {name!r}.")
        _server[name] = value


def get_ps_context(attr_key: str) -> Any:
    if attr_key not in SERVER:
        raise ValueError(f"For 'context.get_ps_context', there is no setting {attr_key!r}.")
    return _server[attr_key]


def reset_ps_context() -> None:
    _server.update(SERVER)
