"""What of `mindspore.train` needs several devices or MindIR: it is refused."""

from __future__ import annotations

from typing import Any, NoReturn

from .failure import SingleProcessError

WHOLE = "leave it out: one process writes whole checkpoints, which load_checkpoint reads"


def refuse(name: str, problem: str, advice: str) -> NoReturn:
    """Raises: RuntimeError (MS301)."""
    raise SingleProcessError("MS301", f"mindspore.train.{name}", problem, advice=advice)


def refuse_slices(name: str) -> NoReturn:
    """Raises: RuntimeError (MS301), for what puts slices of parameters together."""
    refuse(name, "the runtime is one process, which holds each parameter whole", WHOLE)


class FlopsUtilizationCollector:
    """Refused: MS301."""

    def __init__(
        self,
        data_size: Any,
        computility: Any = 1,
        full_flops: Any = True,
        enable_ma_collector: Any = False,
    ) -> None:
        refuse("FlopsUtilizationCollector", "it measures Ascend only", "TimeMonitor prints times")


class TrainFaultTolerance:
    """Refused: MS301."""

    def __init__(self, ckpt_save_path: Any = None, **kwargs: Any) -> None:
        refuse("TrainFaultTolerance", "it serves Ascend only", "BackupAndRestore resumes a run")


class ConvertNetUtils:
    """Refused: MS301."""

    def __init__(self) -> None:
        refuse("ConvertNetUtils", "there is no THOR here", "take another optimizer of mindspore.nn")


class ConvertModelUtils:
    """Refused: MS301."""

    def __init__(self) -> None:
        refuse("ConvertModelUtils", "there is no THOR here", "take another optimizer")


def build_searched_strategy(strategy_filename: Any) -> Any:
    """Refused: MS301."""
    refuse_slices("build_searched_strategy")


def get_ckpt_path_with_strategy(cur_ckpt_path: Any, cur_strategy_path: Any) -> Any:
    """Refused: MS301."""
    refuse_slices("get_ckpt_path_with_strategy")


def load_distributed_checkpoint(
    network: Any,
    checkpoint_filenames: Any = None,
    predict_strategy: Any = None,
    train_strategy_filename: Any = None,
    strict_load: Any = False,
    dec_key: Any = None,
    dec_mode: Any = "AES-GCM",
    format: Any = "ckpt",
    unified_safetensors_dir: Any = None,
    dst_safetensors_dir: Any = None,
    rank_id: Any = None,
    output_format: Any = "safetensors",
    name_map: Any = None,
    max_process_num: Any = 64,
    return_param_dict: Any = False,
) -> Any:
    """Refused: MS301."""
    refuse_slices("load_distributed_checkpoint")


def merge_sliced_parameter(sliced_parameters: Any, strategy: Any = None) -> Any:
    """Refused: MS301."""
    refuse_slices("merge_sliced_parameter")


def restore_group_info_list(group_info_file_name: Any) -> Any:
    """Refused: MS301."""
    refuse_slices("restore_group_info_list")


def export_split_mindir(
    file_name: Any,
    device_num: Any = 8,
    rank_id: Any = 0,
    dynamic: Any = True,
    sapp: Any = True,
) -> Any:
    """Refused: MS301."""
    refuse(
        "export_split_mindir", "the runtime writes no MindIR",
        "mindspore.export(..., file_format='ONNX') writes the network",
    )  # fmt: skip


NAMES = (
    "ConvertModelUtils",
    "ConvertNetUtils",
    "build_searched_strategy",
    "export_split_mindir",
    "get_ckpt_path_with_strategy",
    "load_distributed_checkpoint",
    "merge_sliced_parameter",
    "restore_group_info_list",
)
"""What `mindspore.train` has of them beside its callbacks."""
