"""`import mindspore` answered by the runtime, for scripts that know nothing of it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .failure import MissingNameError

RUNTIME = "msconvert.runtime"

MODULES = {
    "mindspore": RUNTIME,
    "mindspore.nn": f"{RUNTIME}.nn",
    "mindspore.ops": f"{RUNTIME}.ops",
    "mindspore.ops.operations": f"{RUNTIME}.operations",
    "mindspore.ops.functional": f"{RUNTIME}.ops",
    "mindspore.ops.primitive": f"{RUNTIME}.operations.operation",
    "mindspore.amp": f"{RUNTIME}.amp",
    "mindspore.experimental": f"{RUNTIME}.experimental",
    "mindspore.experimental.optim": f"{RUNTIME}.experimental.optim",
    "mindspore.experimental.optim.lr_scheduler": f"{RUNTIME}.experimental.optim.lr_scheduler",
    "mindspore.nn.optim": f"{RUNTIME}.nn.optimizer",
    "mindspore.nn.loss": f"{RUNTIME}.nn.loss",
    "mindspore.context": f"{RUNTIME}.context",
    "mindspore.dtype": f"{RUNTIME}.dtype",
    "mindspore.common": RUNTIME,
    "mindspore.common.dtype": f"{RUNTIME}.dtype",
    "mindspore.common.initializer": f"{RUNTIME}.initializer",
    "mindspore.common.tensor": f"{RUNTIME}.tensor",
    "mindspore.common.parameter": f"{RUNTIME}.parameter",
    "mindspore.common.api": f"{RUNTIME}.compiler",
    "mindspore.nn.cell": f"{RUNTIME}.cell",
    "mindspore.train.serialization": f"{RUNTIME}.checkpoint",
    "mindspore.train": f"{RUNTIME}.checkpoint",
}
"""Which module of the runtime answers for which of MindSpore's."""


class AliasLoader(Loader):
    """Gives the runtime's module itself, so that both names mean the same classes."""

    def __init__(self, target: str) -> None:
        self.target = target

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.target)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed under its own name, to which its relative imports belong."""
        module.__spec__ = self.own_spec


class MindsporeFinder(MetaPathFinder):
    """Finds `mindspore` and what is below it. Raises: MS301 for a module that is not there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> ModuleSpec | None:
        if fullname.split(".")[0] != "mindspore":
            return None
        if fullname not in MODULES:
            parent, _, name = fullname.rpartition(".")
            below = [m.rpartition(".")[2] for m in MODULES if m.startswith(f"{parent}.")]
            raise MissingNameError.of(parent, name, below)
        return ModuleSpec(fullname, AliasLoader(MODULES[fullname]), is_package=True)


def missing_name(error: ImportError) -> MissingNameError | None:
    """MS301 for `from mindspore... import name`, where Python itself drops our reason."""
    found = re.search(r"cannot import name '(\w+)' from '([\w.]+)'", str(error))
    if found is None or not found[2].startswith(RUNTIME):
        return None
    module = importlib.import_module(found[2])
    return MissingNameError.of(found[2].replace(RUNTIME, "mindspore"), found[1], dir(module))


def answer_mindspore() -> None:
    """From now on `import mindspore` gives the runtime."""
    if not any(isinstance(finder, MindsporeFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MindsporeFinder())
        for name in [m for m in sys.modules if m.split(".")[0] == "mindspore"]:
            del sys.modules[name]
