"""Runs training scripts on one side; for each side's own Python.

    python script_runner.py torch|runtime|mindspore FOLDER WEIGHTS NAMES.json

NAMES has, for each script in FOLDER, the names of the lists that it keeps. On the side of PyTorch
the weights of each network are kept in WEIGHTS as it is built, under the names that MindSpore
gives them; the other sides load them when they have built the same network. What is printed at
last are the lists by script, or the error that ended one.
"""

from __future__ import annotations

import json
import runpy
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


def below(cls: type) -> set[type]:
    """All classes that derive from one."""
    return {inner for sub in cls.__subclasses__() for inner in (sub, *below(sub))}


def followed(root: type, built: Callable[[Any], None]) -> None:
    """Calls `built` with each network that is no part of another one, when it is complete."""
    depth = 0

    def follow(cls: type) -> None:
        original = cls.__dict__.get("__init__")
        if original is None:
            return

        def init(self: Any, *args: Any, **kwargs: Any) -> None:
            nonlocal depth
            depth += 1
            original(self, *args, **kwargs)
            depth -= 1
            if not depth:
                built(self)

        cls.__init__ = init  # type: ignore[misc]

    for cls in below(root):
        follow(cls)
    root.__init_subclass__ = classmethod(lambda cls, **_: follow(cls))  # type: ignore[assignment]


def names_of(module: Any) -> dict[str, str]:
    """MindSpore's names of a PyTorch module's weights and buffers."""
    from msconvert.api_mapping.table import registry

    found = {}
    for path, part in module.named_modules():
        rules = registry.find(f"torch.nn.{type(part).__name__}")
        state = {old: new for rule in rules for old, new in rule.state.items()}
        own = [*part._parameters, *part._buffers]
        prefix = f"{path}." if path else ""
        found |= {prefix + name: prefix + state.get(name, name) for name in own}
    return found


class Torch:
    """PyTorch: its weights are the ones that count."""

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)
        self.begin(Path())
        followed(torch.nn.Module, self.built)

    def begin(self, weights: Path) -> None:
        self.weights, self.count = weights, 0
        self.kept: dict[str, np.ndarray] = {}

    def built(self, module: Any) -> None:
        if next(module.parameters(), None) is None:
            return
        names = names_of(module)
        for name, value in module.state_dict().items():
            self.kept[f"{self.count}:{names[name]}"] = value.detach().numpy().copy()
        self.count += 1

    def end(self) -> None:
        np.savez(self.weights, **self.kept)  # type: ignore[arg-type]


class MindSpore:
    """MindSpore, or the runtime."""

    def __init__(self, package: str) -> None:
        self.ms = import_module(package)
        self.count = 0
        self.kept: dict[str, np.ndarray] = {}
        followed(self.ms.nn.Cell, self.built)

    def begin(self, weights: Path) -> None:
        self.kept, self.count = dict(np.load(weights)), 0

    def built(self, cell: Any) -> None:
        parameters = dict(cell.parameters_and_names())
        if not parameters or hasattr(cell, "param_groups"):  # optimisers are Cells, too
            return
        for name, parameter in parameters.items():
            value = self.kept.pop(f"{self.count}:{name}").reshape(parameter.shape)
            parameter.set_data(self.ms.Tensor(value))
        self.count += 1

    def end(self) -> None:
        left = [name for name in self.kept if not name.endswith("num_batches_tracked")]
        assert not left, left


def lists_of(runner: Any, script: Path, weights: Path, names: list[str]) -> Any:
    """The lists that a script keeps, or the text of the error that ended it."""
    sys.argv = [str(script)]
    try:
        runner.begin(weights)
        known = runpy.run_path(str(script), run_name="__main__")
        runner.end()
        return {name: [float(value) for value in known[name]] for name in names}
    except Exception:  # noqa: BLE001 -- the script's own; the test shows it
        return traceback.format_exc()


def main(side: str, folder: str, weights: str, names: str) -> None:
    packages = {"runtime": "msconvert.runtime", "mindspore": "mindspore"}
    runner: Any = Torch() if side == "torch" else MindSpore(packages[side])
    sys.path.insert(0, folder)
    wanted = json.loads(Path(names).read_text(encoding="utf-8"))
    found = {
        script: lists_of(runner, Path(folder, f"{script}.py"), Path(weights, f"{script}.npz"), own)
        for script, own in wanted.items()
    }
    sys.stdout.write(f"{json.dumps(found)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
