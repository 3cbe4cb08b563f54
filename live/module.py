"""What a live module is, and what keeps it from being exported."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ..errors import MsconvertError, UsageError

Module = Any
"""A torch.nn.Module, which is imported only where there is one."""


def network_of(module: Any) -> Module:
    """The module, without what torch.compile or DataParallel put around it.

    Raises: MS903 without PyTorch, MS111 for what is no module
    """
    if find_spec("torch") is None:
        problem, advice = "it is not installed, and the module is PyTorch's", "pip install torch"
        raise MsconvertError("MS903", "torch", problem, advice=advice)
    import torch

    if isinstance(
        module, torch.nn.parallel.DataParallel | torch.nn.parallel.DistributedDataParallel
    ):
        return network_of(module.module)
    if isinstance(module, torch.nn.Module):
        inside = getattr(module, "_orig_mod", None)
        return inside if isinstance(inside, torch.nn.Module) else module
    raise UsageError("MS111", "module", "it is no PyTorch module", **_described(module))


def _described(module: Any) -> dict[str, str]:
    """What was given, and what to give."""
    expected = "an instance of torch.nn.Module"
    if isinstance(module, type):
        advice = f"make one: {module.__name__}(...)"
        return {"got": f"the class {module.__name__}", "expected": expected, "advice": advice}
    advice = "msconvert.convert takes files and ONNX models"
    if isinstance(module, dict):
        advice = "load the weights into the module: module.load_state_dict(...)"
    return {"got": type(module).__name__, "expected": expected, "advice": advice}


def checked(module: Module) -> None:
    """Raises: MS111 for weights that have no values, or are not in this machine's memory"""
    from torch.nn.parameter import is_lazy

    where = type(module).__name__
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        if is_lazy(tensor):
            advice = "run the module once on its inputs, so that it gets its shapes"
            raise UsageError("MS111", where, f"{name} has no shape yet", advice=advice)
        if tensor.is_meta:
            advice = "load its weights: module.to_empty(device='cpu'), then load_state_dict"
            problem = f"{name} is on the meta device, and has no values"
            raise UsageError("MS111", where, problem, advice=advice)
        if tensor.device.type != "cpu":
            problem, advice = f"{name} is on {tensor.device}", "module.cpu()"
            raise UsageError("MS111", where, problem, expected="all on the CPU", advice=advice)


def class_name(module: Module) -> str:
    """The name of the module's class, as a file's name."""
    word = getattr(module, "original_name", type(module).__name__)
    return "".join(c for c in str(word) if c.isalnum() or c == "_")[:64] or "model"
