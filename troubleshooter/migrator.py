"""The names and arguments of MindSpore's former migration tool, as calls of what msconvert has.

They print what they find, as that tool did, and return it, too. `atol` is relative to each tensor's
root mean square, so that small gradients are compared as well as large ones.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..formats.atomic import Path, Transaction
from ..formats.weight_map import read_weight_map
from .diff import Comparison, Settings
from .diff.as_csv import to_csv
from .diff.interface import compare
from .diff.values import framework_of
from .losses import LossComparison, compare_losses
from .module_names import mapped_names, weight_map_text
from .weights import Outcome, WeightSettings, convert_weights

NameMap = Sequence[tuple[str, str]]

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
) -> Comparison:
    """The .npy files of two folders; `name_map_list` pairs their names, `output_file` is a CSV.

    `compare_shape` makes no difference: shapes are always compared.
    """
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), name_map_list, output_file)


def compare_list_dir(
    orig_dir: Any,
    target_dir: Any,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    *,
    output_file: Path | None = None,
) -> Comparison:
    """Two lists of tensors, or the folders that they were saved in."""
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), None, output_file)


def compare_dict_dir(
    orig_dir: Any,
    target_dir: Any,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    *,
    name_map_list: NameMap | None = None,
    output_file: Path | None = None,
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
    *,
    output_file: Path | None = None,
) -> Comparison:
    """The gradients in two folders; where one of the two is all zeros, they differ."""
    return arrays(orig_dir, target_dir, (rtol, atol, equal_nan), None, output_file)


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
    naming = None if names is None else {without_ending(x): without_ending(y) for x, y in names}
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
) -> Comparison:
    """A PyTorch file and a .ckpt, paired by a weight map, or by the naming rules if it is None."""
    naming = None if weight_map_path is None else read_weight_map(weight_map_path)
    settings = Settings("weights", rtol, atol, equal_nan=equal_nan, record=True)
    found = compare(pt_file_path, ms_file_path, naming=naming, settings=settings)
    return told(found) if print_level else found


def compare_ms_ckpt(
    orig_file_path: Path,
    target_file_path: Path,
    *,
    compare_value: bool = False,
    rtol: float = 1e-4,
    atol: float = 1e-4,
    equal_nan: bool = False,
    print_level: int = 1,
) -> Comparison:
    """Two files of MindSpore's; values are always compared, with or without `compare_value`."""
    return compare_pth_and_ckpt(
        None, orig_file_path, target_file_path, rtol, atol, equal_nan, print_level
    )


# weights


def get_weight_map(
    pt_net: Any,
    weight_map_save_path: Path | None = None,
    weight_name_prefix: str | None = None,
    custom_name_func: Callable[[Mapping[str, str]], Mapping[str, str]] | None = None,
    print_map: bool = False,
) -> dict[str, str]:
    """What a PyTorch network's parameters are called in MindSpore: PyTorch's name -> MindSpore's.

    `weight_name_prefix` is put before each new name, and `custom_name_func` may change the names.
    The file of `weight_map_save_path` is a weight map for `convert_weight` and `--map`.
    """
    names = mapped_names(pt_net)
    if weight_name_prefix:
        names = [held.named(f"{weight_name_prefix}.{held.new}") for held in names]
    if custom_name_func is not None:
        chosen = custom_name_func({held.old: held.new for held in names})
        names = [held.named(chosen.get(held.old, held.new)) for held in names]
    if weight_map_save_path is not None:
        with Transaction(force=True) as files:
            files.write_text(weight_map_save_path, weight_map_text(names))
    found = {held.old: held.new for held in names}
    if print_map:
        say("\n".join(f"{old} -> {new}" for old, new in found.items()))
    return found


def convert_weight(
    weight_map_path: Path | None = None,
    pt_file_path: Path | None = None,
    ms_file_save_path: Path | None = None,
    *,
    print_conv_info: bool = True,
) -> Outcome:
    """Writes a PyTorch file as MindSpore's .ckpt or .safetensors, and compares what was written.

    Without a map, layers are known by the names and shapes of their parameters.
    Raises: MS310 if a name cannot be told; nothing is written then
    """
    from .weights.as_text import asked, summary

    if pt_file_path is None or ms_file_save_path is None:
        raise TypeError("pt_file_path and ms_file_save_path are needed")
    known = None if weight_map_path is None else read_weight_map(weight_map_path)
    settings = WeightSettings(known=known, force=True)
    outcome = convert_weights(os.fspath(pt_file_path), os.fspath(ms_file_save_path), settings)
    for question in asked(outcome.conversion.source.path, outcome.conversion.plan.questions):
        raise question
    if print_conv_info:
        say("\n".join(summary(outcome)))
    return outcome


def convert_weight_and_load(weight_map_path: Path | None, pt_file_path: Path, net: Any) -> Any:
    """Converts a PyTorch file and loads it into a network of MindSpore's or the runtime's.

    What `mindspore.load_param_into_net` gives: the parameters that were not loaded.
    """
    from tempfile import TemporaryDirectory

    framework = framework_of(net)
    with TemporaryDirectory() as folder:
        file = os.path.join(folder, "weights.ckpt")
        convert_weight(weight_map_path, pt_file_path, file, print_conv_info=False)
        return framework.load_param_into_net(net, framework.load_checkpoint(file))


def loss_compare(
    left_file: Path,
    right_file: Path,
    rtol: float = 1e-4,
    atol: float = 0.0,
    *,
    left_tag: str = "loss",
    right_tag: str = "loss",
) -> LossComparison:
    """The losses in two training logs, and the step where they part; see `compare_losses`."""
    found = compare_losses(left_file, right_file, rtol, atol, tags=(left_tag, right_tag))
    say(found.summary)
    return found


# what is told


def told(found: Comparison, output_file: Path | None = None) -> Comparison:
    """Prints the comparison, writes it as CSV if that is wanted, and gives it."""
    from .diff.as_text import to_text

    rows = found.by_gravity
    say(to_text(found, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)))
    if output_file is not None:
        with Transaction(force=True) as files:
            files.write_text(output_file, to_csv(found))
    return found


def say(text: str) -> None:
    """Prints: these functions are the rim, and their former namesakes printed."""
    sys.stdout.write(text + "\n")
