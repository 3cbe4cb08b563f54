"""The names of MindSpore's former tool, where its programs import them from."""

from __future__ import annotations

from .legacy.migrator import (
    NetDifferenceFinder,
    compare_dict_dir,
    compare_grads_dir,
    compare_list_dir,
    compare_ms_ckpt,
    compare_npy_dir,
    compare_pth_and_ckpt,
    convert_weight,
    convert_weight_and_load,
    get_weight_map,
    loss_compare,
)

__all__ = [
    "NetDifferenceFinder",
    "compare_dict_dir",
    "compare_grads_dir",
    "compare_list_dir",
    "compare_ms_ckpt",
    "compare_npy_dir",
    "compare_pth_and_ckpt",
    "convert_weight",
    "convert_weight_and_load",
    "get_weight_map",
    "loss_compare",
]
