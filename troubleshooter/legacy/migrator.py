"""The names and arguments of MindSpore's former migration tool, as calls of what msconvert has.

They print what they find, as that tool did, and return it, too. `atol` is relative to each tensor's
root mean square, so that small gradients are compared as well as large ones.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from ...errors import harmless
from ...formats.names.weight_map import read_weight_map
from ...formats.storage.atomic import Path, Transaction
from ..diff import Comparison, Settings
from ..diff.as_csv import to_csv
from ..diff.interface import compare, is_path
from ..diff.names import naming_in
from ..diff.values import framework_of
from ..weights import Outcome, WeightSettings, convert_weights
from .losses import LossComparison, compare_losses
from .migrator_networks import NetDifferenceFinder
from .module_names import MappedName, mapped_names, weight_map_text

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

NameMap = Sequence[tuple[str | None, str | None]]
"""Files in pairs; with None those that are in one folder only."""

MOST_ROWS = 50
"""So many rows are printed, the gravest."""


def compare_npy_dir(
    orig_dir: Path,
    target_dir: Path,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    compare_shape: bool = False,
    *,
    name_map_list: NameMap | None = None,
    output_file: Path | None = None,
    num_processes: int | None = None,
) -> Comparison:
    """The .npy files of two folders; `name_map_list` pairs their names, `output_file` is a CSV.

    `compare_shape` and `num_processes` make no difference: shapes are always compared, and one
    process is quick enough.
    """
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), name_map_list, output_file)


def compare_list_dir(
    orig_dir: Any,
    target_dir: Any,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    compare_shape: bool = False,
    output_file: Path | None = None,
    num_processes: int | None = None,
) -> Comparison:
    """Two lists of tensors, or the folders that they were saved in.

    Files are paired by the last numbers in their names.
    """
    names = None
    if is_path(orig_dir) and is_path(target_dir):
        names = by_last_number(os.fspath(orig_dir), os.fspath(target_dir))
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), names, output_file)


def compare_dict_dir(
    orig_dir: Any,
    target_dir: Any,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    compare_shape: bool = False,
    output_file: Path | None = None,
    num_processes: int | None = None,
    *,
    name_map_list: NameMap | None = None,
) -> Comparison:
    """Two dictionaries of tensors, or the folders that they were saved in."""
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), name_map_list, output_file)


def compare_grads_dir(
    orig_dir: Path,
    target_dir: Path,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    compare_shape: bool = True,
    output_file: Path | None = None,
    num_processes: int | None = None,
) -> Comparison:
    """The gradients in two folders; where one of the two is all zeros, they differ."""
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), None, output_file)


def by_last_number(a: str, b: str) -> NameMap | None:
    """The files of two folders by the last number in their names; None if these are no such."""
    ours, theirs = [
        {number[-1]: name for name in names_in(folder) if (number := re.findall(r"\d+", name))}
        for folder in (a, b)
    ]
    if set(ours) != set(theirs) or [len(ours), len(theirs)] != [len(names_in(x)) for x in (a, b)]:
        return None
    return [(name, theirs[number]) for number, name in ours.items()]


def names_in(folder: str) -> list[str]:
    found = os.listdir(folder) if os.path.isdir(folder) else []
    return [name.removesuffix(".npy") for name in found if name.endswith(".npy")]


def arrays(
    a: Any,
    b: Any,
    close: tuple[float, float, bool],
    names: NameMap | None,
    output_file: Path | None,
) -> Comparison:
    """Compares and tells; another element type is no difference, as it was for the former tool."""
    rtol, atol, equal_nan = close
    settings = Settings("activations", rtol, atol, equal_nan=equal_nan, any_dtype=True, record=True)
    both = [(x, y) for x, y in names or () if x is not None and y is not None]
    naming = None if names is None else {without_ending(x): without_ending(y) for x, y in both}
    return told(compare(a, b, naming=naming, settings=settings), output_file)


def without_ending(name: str) -> str:
    return name.removesuffix(".npy")


def compare_pth_and_ckpt(
    weight_map_path: Path | None,
    pt_file_path: Path,
    ms_file_path: Path,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    print_level: int = 1,
    *,
    compare_value: bool = True,
    print_conv_info: bool = False,
) -> Comparison:
    """A PyTorch file and a .ckpt, paired by a weight map, or by the naming rules if it is None.

    Values are always compared, whatever `compare_value` is; nothing is converted for it.
    """
    naming = None if weight_map_path is None else naming_in(weight_map_path)
    settings = Settings("weights", rtol, atol, equal_nan=equal_nan, record=True)
    found = compare(pt_file_path, ms_file_path, naming=naming, settings=settings)
    return told(found) if print_level else found


def compare_ms_ckpt(
    orig_file_path: Path | None = None,
    target_file_path: Path | None = None,
    *,
    compare_value: bool = True,
    orig_ckpt_dict: Mapping[str, Any] | None = None,
    target_ckpt_dict: Mapping[str, Any] | None = None,
    weight_map_path: Path | None = None,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    print_level: int = 1,
) -> Comparison:
    """Two files of MindSpore's, or what `load_checkpoint` gave of them.

    Values are always compared, whatever `compare_value` is; both have MindSpore's names, so that
    `weight_map_path` tells nothing more.
    """
    settings = Settings("weights", rtol, atol, equal_nan=equal_nan, record=True)
    a, b = orig_file_path or orig_ckpt_dict, target_file_path or target_ckpt_dict
    if a is None or b is None:
        raise TypeError("a path or a dictionary is needed for each of the two")
    found = compare(a, b, settings=settings)
    return told(found) if print_level else found


# weights


class WeightNames(dict[str, str]):
    """MindSpore's names by PyTorch's, as `convert_weight` takes them for its `weight_map`."""

    def __init__(self, names: Mapping[str, str], held: Sequence[MappedName]) -> None:
        super().__init__(names)
        self.held = tuple(held)


def get_weight_map(
    pt_net: Any,
    weight_map_save_path: Path | None = None,
    weight_name_prefix: str | None = None,
    custom_name_func: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None,
    print_map: bool = False,
) -> WeightNames:
    """What a PyTorch network's parameters are called in MindSpore: PyTorch's name -> MindSpore's.

    `weight_name_prefix` is put before each new name, and `custom_name_func` may change the names.
    The file of `weight_map_save_path` is a weight map for `convert_weight` and `--map`.
    """
    if not hasattr(pt_net, "named_modules"):
        raise TypeError(f"pt_net is a network of PyTorch's, not {type(pt_net).__name__}")
    names = mapped_names(pt_net)
    if weight_name_prefix:
        names = [held.named(f"{weight_name_prefix}.{held.new}") for held in names]
    if custom_name_func is not None:
        chosen = custom_name_func({held.old: held.new for held in names})
        names = [held.named(chosen.get(held.old, held.new)) for held in names]
    if weight_map_save_path is not None:
        with Transaction(force=True) as files:
            files.write_text(weight_map_save_path, weight_map_text(names))
    found = WeightNames({held.old: held.new for held in names}, names)
    if print_map:
        say("\n".join(f"{old} -> {new}" for old, new in found.items()))
    return found


def convert_weight(
    weight_map_path: Path | None = None,
    pt_file_path: Path | None = None,
    ms_file_save_path: Path | None = None,
    *,
    print_conv_info: bool = True,
    print_save_path: bool = True,
    pt_param_dict: Mapping[str, Any] | None = None,
    weight_map: WeightNames | None = None,
) -> Outcome:
    """Writes a PyTorch file as MindSpore's .ckpt or .safetensors, and compares what was written.

    `pt_param_dict`: a state dict in the place of the file; `weight_map`: what `get_weight_map` gave
    in the place of its file. Without a map, layers are known by the names and shapes of their
    parameters. The path is printed with the rest.
    Raises: MS310 if a name cannot be told; nothing is written then
    """
    from ..weights.as_text import asked, summary

    if (pt_file_path is None) == (pt_param_dict is None) or ms_file_save_path is None:
        raise TypeError("pt_file_path or pt_param_dict, and ms_file_save_path are needed")
    with TemporaryDirectory() as folder:
        if weight_map is not None:
            weight_map_path = written_map(folder, weight_map)
        if pt_param_dict is not None:
            pt_file_path = os.path.join(folder, "parameters.pth")
            import_module("torch").save(dict(pt_param_dict), pt_file_path)
        assert pt_file_path is not None
        known = None if weight_map_path is None else read_weight_map(weight_map_path)
        settings = WeightSettings(known=known, force=True)
        outcome = convert_weights(os.fspath(pt_file_path), os.fspath(ms_file_save_path), settings)
        for question in asked(outcome.conversion.source.path, outcome.conversion.plan.questions):
            raise question
        if print_conv_info:
            say("\n".join(summary(outcome)))
        return outcome


def written_map(folder: str, names: WeightNames) -> str:
    """The file of a weight map. Raises: TypeError for a dictionary that says no shapes"""
    if not isinstance(names, WeightNames):
        raise TypeError("weight_map is what get_weight_map gives; of your own, use weight_map_path")
    path = os.path.join(folder, "weight_map.json")
    with Transaction(force=True) as files:
        files.write_text(path, weight_map_text(names.held))
    return path


def convert_weight_and_load(weight_map_path: Path | None, pt_file_path: Path, net: Any) -> Any:
    """Converts a PyTorch file and loads it into a network of MindSpore's or the runtime's.

    What `mindspore.load_param_into_net` gives: the parameters that were not loaded.
    """
    if not hasattr(net, "parameters_and_names"):
        raise TypeError(f"net is a Cell of MindSpore's or the runtime's, not {type(net).__name__}")
    framework = framework_of(net)
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, "weights.ckpt")
        convert_weight(weight_map_path, pt_file_path, file, print_conv_info=False)
        return framework.load_param_into_net(net, framework.load_checkpoint(file))


def loss_compare(
    left_file: Path | Mapping[str, str],
    right_file: Path | Mapping[str, str],
    title: str = "Loss Compare",
    *,
    rtol: float = 1e-4,
    atol: float = 0.0,
) -> LossComparison:
    """The losses in two training logs, and the step where they part; see `compare_losses`.

    Each is a path, or {"path": ..., "loss_tag": "loss:", "label": ...}. `title` stands before what
    is printed; no pictures are drawn.
    """
    (left, left_tag), (right, right_tag) = map(log_of, (left_file, right_file))
    found = compare_losses(left, right, rtol, atol, tags=(left_tag, right_tag))
    say(f"{title}: {found.summary}")
    return found


def log_of(file: Path | Mapping[str, str]) -> tuple[Path, str]:
    """The path of a log, and what stands before each loss in it."""
    if not isinstance(file, Mapping):
        return file, "loss"
    return file["path"], file.get("loss_tag", "loss").rstrip(":= ") or "loss"


# what is told


def told(found: Comparison, output_file: Path | None = None) -> Comparison:
    """Prints the comparison, writes it as CSV if that is wanted, and gives it."""
    from ..diff.as_text import to_text

    rows = found.by_gravity
    say(to_text(found, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)))
    if output_file is not None:
        with Transaction(force=True) as files:
            files.write_text(output_file, harmless(to_csv(found)))
    return found


def say(text: str) -> None:
    """Prints: these functions are the rim, and their former namesakes printed."""
    sys.stdout.write(harmless(text + "\n"))
