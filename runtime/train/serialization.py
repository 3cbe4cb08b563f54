"""`mindspore.train.serialization`: checkpoints and exported networks."""

from __future__ import annotations

from ..checkpoint import (
    ParamDictFuture,
    async_ckpt_thread_status,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    save_checkpoint,
)
from ..checkpoint_formats import ckpt_to_safetensors, safetensors_to_ckpt
from ..engine.failure import missing_names
from ..exchange import load
from ..export import export
from .elsewhere import (
    build_searched_strategy,
    export_split_mindir,
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    merge_sliced_parameter,
    restore_group_info_list,
)

__all__ = [
    "ParamDictFuture",
    "async_ckpt_thread_status",
    "build_searched_strategy",
    "ckpt_to_safetensors",
    "export",
    "export_split_mindir",
    "get_ckpt_path_with_strategy",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_param_into_net",
    "merge_sliced_parameter",
    "restore_group_info_list",
    "safetensors_to_ckpt",
    "save_checkpoint",
]

__getattr__ = missing_names("mindspore.train.serialization", __all__)
