"""A live PyTorch module, exported by PyTorch itself and converted.

The exporter runs in a fork: the module's mode, statistics and hooks stay as they are.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..child_process import Bounds, Ended, Tell, confined
from ..converter.conversion_report import ConversionReport
from ..converter.convert import Options
from ..errors import MsconvertError, UsageError
from ..reporting.report import Finding
from .conversion import named
from .converted import Converted, kept
from .folder import Folder
from .module import Module, checked, class_name, network_of
from .module_inputs import Arguments, Tensor, arguments_of, axes_of
from .proof import compared

Array = np.ndarray[Any, Any]
Dynamic = Mapping[str, Mapping[int, str]]

EXPORTERS = ("dynamo", "torchscript")

EXPORTING = Bounds(memory=1 << 36, cpu_s=3600)
"""What the exporter may take: the module is the user's own, and trusted."""

SMALL = 16
"""The exporter computes with arrays of up to so many elements, and leaves weights alone."""

EXPECTED = "expected.npz"

FIRST_LINES = 4

RUNNING, EXPORTED = "running the module", "exporting it"
PROBLEMS = {
    RUNNING: ("it does not run on the inputs", "call it on them, and see"),
    EXPORTED: (
        "PyTorch's exporter does not take it",
        f"the other exporter may: {' or '.join(EXPORTERS)}",
    ),
}
"""The last step that was reached -> what is wrong, what to try."""

IN_TRAINING = "the module is in training mode; it is converted as in inference"


@dataclass(frozen=True)
class Export:
    """How a module is exported: by which exporter, in which mode, with which free axes."""

    exporter: str
    training: bool
    dynamic: dict[str, dict[int, str]]


def convert_module(
    module: Module,
    inputs: Any,
    *,
    name: str | None = None,
    dynamic: Dynamic | None = None,
    exporter: str = "dynamo",
    training: bool = False,
    options: Options | None = None,
) -> Converted:
    """Converts a PyTorch module, run on `inputs`: a tensor, a tuple, or a dictionary by name.

    `dynamic` names axes that stay free, {"x": {0: "batch"}}; `training` keeps Dropout and
    BatchNorm as in training; `options` are the command's flags. The network that is built is
    also compared with the module itself, on these inputs.
    Raises: MsconvertError, MS111 for a module that cannot be exported, MS105 for inputs that do
    not fit it, MS903 without PyTorch, MS101 to MS110
    """
    network = network_of(module)
    checked(network)
    given = arguments_of(network, inputs)
    how = Export(_exporter(exporter, network), training, axes_of(given, dynamic))
    folder = Folder()
    file = folder.path / f"{named(name or class_name(network))}.onnx"
    _in_fork(partial(_exported, network, given, how, file), type(network).__name__)
    wanted = replace(options or Options(), model_file=file)
    converted = replace(kept(wanted, folder), original=partial(arrays_of, network))
    report = _with_remarks(converted.report, network, training=training)
    converted = replace(converted, report=report)
    expected = folder.path / EXPECTED
    wants = wanted.verify and wanted.target == "bundled" and not training
    if report.ok and wants and expected.is_file():
        return replace(converted, report=compared(converted, given.arrays(), expected))
    return converted


def pytorch2mindspore(
    model: Module, dummy_inputs: Any, output_dir: str | os.PathLike[str] | None = None
) -> ConversionReport:
    """As MindConverter's function of this name: the files of the model in `output_dir`."""
    folder = "output" if output_dir is None else output_dir
    return convert_module(model, dummy_inputs).write(folder)


def arrays_of(module: Module) -> dict[str, Array]:
    """The module's parameters and buffers by name, without a copy; those on a CPU."""
    named_tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    return {
        name: tensor.detach().numpy()
        for name, tensor in named_tensors.items()
        if tensor.device.type == "cpu" and _has_array(tensor)
    }


def _has_array(tensor: Tensor) -> bool:
    """Whether NumPy has the element type, and the tensor is a plain one."""
    import torch

    without = (torch.bfloat16, torch.complex32)
    small = tensor.element_size() == 1 and tensor.is_floating_point()
    return tensor.layout == torch.strided and tensor.dtype not in without and not small


def _exporter(name: str, module: Module) -> str:
    """The exporter; of what was scripted, the older one. Raises: MS105 for one there is not"""
    import torch

    if name not in EXPORTERS:
        expected = " or ".join(EXPORTERS)
        raise UsageError("MS105", "exporter", "no such exporter", got=name, expected=expected)
    return "torchscript" if isinstance(module, torch.jit.ScriptModule) else name


def _in_fork(work: Callable[[Tell], None], what: str) -> None:
    """Runs the exporter. Raises: MS111 with what the module or the exporter says last"""
    reached = ["starting"]
    try:
        confined(work, EXPORTING, reached.append, is_users=True)
    except Ended as end:
        problem, advice = PROBLEMS.get(reached[-1], ("the exporter does not start", ""))
        got = end.words.rsplit(" | ", 1)[-1] or end.how
        raise MsconvertError("MS111", what, problem, got=got, advice=advice) from end


def _exported(module: Module, given: Arguments, how: Export, file: Path, tell: Tell) -> None:
    """Writes the module as ONNX, and what it makes of its inputs. Raises: what PyTorch raises"""
    import torch

    warnings.simplefilter("ignore")  # PyTorch's own of itself, where they would be errors
    torch.set_num_threads(1)  # threads of the parent are not there
    torch.backends.mha.set_fastpath_enabled(False)  # an operator that no exporter knows
    module.train(how.training)
    with torch.no_grad():
        tell(RUNNING)
        _keep_outputs(module(*given.args, **given.named), file.with_name(EXPECTED))
        tell(EXPORTED)
        export = _by_dynamo if how.exporter == "dynamo" else _by_torchscript
        try:
            export(module, given, how, file)
        except torch.onnx.OnnxExporterError as error:
            raise RuntimeError(_first_cause(error)) from None  # what is around it is advice


def _keep_outputs(outputs: Any, file: Path) -> None:
    """Writes what the module makes of its inputs, if NumPy can hold it."""
    import torch

    leaves = [x for x in torch.utils._pytree.tree_leaves(outputs) if x is not None]
    if all(isinstance(x, torch.Tensor) and _has_array(x) for x in leaves):
        np.savez(file, *[x.numpy() for x in leaves])


def _first_cause(error: BaseException) -> str:
    """The error that others were raised from, in its first lines."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:FIRST_LINES])}"


def _by_dynamo(module: Module, given: Arguments, how: Export, file: Path) -> None:
    """Not optimised by PyTorch: it would fold BatchNorm away, and merge weights that are equal."""
    import torch
    from onnxscript.optimizer import fold_constants

    shapes = {name: how.dynamic.get(name) for name in given.parameters} if how.dynamic else None
    program = torch.onnx.export(
        module,
        given.args,
        kwargs=given.named,
        dynamo=True,
        dynamic_shapes=shapes,
        verbose=False,
        optimize=False,
    )
    assert program is not None
    fold_constants(program.model, input_size_limit=SMALL)
    program.save(file)


def _by_torchscript(module: Module, given: Arguments, how: Export, file: Path) -> None:
    import torch

    mode = torch.onnx.TrainingMode
    torch.onnx.export(
        module,
        given.args,
        file,
        kwargs=given.named,
        dynamo=False,
        input_names=list(given.tensors),
        dynamic_axes=how.dynamic,
        training=mode.PRESERVE,
        do_constant_folding=not how.training,
    )


def _with_remarks(report: ConversionReport, module: Module, *, training: bool) -> ConversionReport:
    """The report, with a remark if the module's own mode is another one."""
    if training or not any(part.training for part in module.modules()):
        return report
    advice = "module.eval() before, or training=True to keep what it does in training"
    remark = Finding("MS109", report.source, IN_TRAINING, advice, "note")
    return replace(report, findings=(*report.findings, remark))
