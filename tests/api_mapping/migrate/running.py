"""Runs PyTorch code and what becomes of it side by side, with the same weights."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.table import registry
from msconvert.api_mapping.table.target import Settings, Target


def migrated(folder: Path, code: str, target: Target = Target.BUNDLED) -> Migrated:
    """The code as a file of its own, converted."""
    path = folder / "net.py"
    path.write_text(code, encoding="utf-8")
    return migrate_file(Project([path], [folder]), path, "net.py", Settings(target))


def both(folder: Path, code: str) -> tuple[ModuleType, ModuleType]:
    """The code as a module, and what it is converted to, for the bundled runtime."""
    found = migrated(folder, code)
    assert not found.left, [(use.api, use.refusal) for use in found.left]
    converted = folder / "converted"
    converted.mkdir(exist_ok=True)
    (converted / "net.py").write_text(found.text, encoding="utf-8")
    (converted / NAME).write_text(compat_module(found.needed, Target.BUNDLED), encoding="utf-8")
    return loaded(folder / "net.py"), loaded(converted / "net.py")


def loaded(path: Path) -> ModuleType:
    """A file as a module; the compat module beside it is its own."""
    sys.path.insert(0, str(path.parent))
    sys.modules.pop(NAME.removesuffix(".py"), None)
    try:
        spec = importlib.util.spec_from_file_location(f"run_{path.parent.name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(path.parent))


def copy_weights(left: Any, right: Any) -> None:
    """Gives a Cell the parameters, statistics and buffers of the Module that it was made of."""
    import msconvert.runtime as ms

    places = dict(right.parameters_and_names()) | dict(right.named_buffers())
    seen: set[int] = set()
    for name, value in weights_of(left):
        if id(value) in seen:
            continue  # a weight that two layers have
        seen.add(id(value))
        place = places[name]
        place.copy_(ms.Tensor(value.detach().numpy().reshape(place.shape)))


def weights_of(net: Any) -> Iterator[tuple[str, Any]]:
    """The tensors of a Module by the names that they have in MindSpore."""
    for path, module in net.named_modules():
        rows = registry.find(f"torch.nn.{type(module).__mro__[kind_of(module)].__name__}")
        state = next((row.state for row in rows if row.state), {})
        held = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
        for name, value in held:
            if name != "num_batches_tracked":
                yield f"{path}.{state.get(name, name)}".lstrip("."), value


def kind_of(module: Any) -> int:
    """The place of PyTorch's own class among the classes of a module."""
    classes = type(module).__mro__
    return next(n for n, cls in enumerate(classes) if cls.__module__.startswith("torch."))


def outputs(
    folder: Path, code: str, *shapes: tuple[int, ...], train: bool = False, name: str = "Net"
) -> tuple[Any, Any]:
    """What the class of that name gives on both sides for the same inputs and weights."""
    import torch

    import msconvert.runtime as ms

    left, right = both(folder, code)
    torch.manual_seed(0)
    net, cell = getattr(left, name)(), getattr(right, name)()
    copy_weights(net, cell)
    net.train(train)
    cell.set_train(train)
    numbers = np.random.RandomState(0)
    inputs = [numbers.randn(*shape).astype(np.float32) for shape in shapes]
    wanted = net(*(torch.tensor(x) for x in inputs))
    return wanted.detach().numpy(), cell(*(ms.Tensor(x) for x in inputs)).asnumpy()
