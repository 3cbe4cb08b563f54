"""What a run was made with and what came of it, as a file beside its summaries."""

from __future__ import annotations

import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...formats.storage.atomic import whole_or_none
from .. import log
from ..engine.context import get_context, get_seed, in_graph_mode
from ..engine.tensor import Tensor

ENDING = ".run.json"
FORMAT = 1
PATIENCE_S = 5
"""For each question to git."""


@dataclass(eq=False)
class Lineage:
    """The file of one run: written at its beginning, and again with what came of it."""

    path: Path
    settings: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    started: float = field(default_factory=time.time)

    def write(self, status: str) -> None:
        """Writes the file anew; says so if it cannot be, the run goes on."""
        whole = {
            "format": FORMAT,
            "status": status,
            "started": self.started,
            "seconds": round(time.time() - self.started, 3),
            "settings": self.settings,
            "results": self.results,
        }
        beside = self.path.with_name(f".{self.path.name}.new")
        text = json.dumps(plain(whole), indent=1)
        try:
            whole_or_none(beside, lambda: beside.write_text(text, encoding="utf-8"))
            beside.replace(self.path)
        except OSError as error:
            log.warning("The run's settings cannot be written to %s: %s", self.path, error)


def plain(value: Any) -> Any:
    """`value` as JSON has it: numbers that it has no word for, and objects, as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Tensor):
        value = value.asnumpy()
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
        return plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, bool | int | float | str | type(None)) else str(value)


def settings_of(told: Any) -> dict[str, Any]:
    """The settings of a training, as its callbacks are told of it."""
    optimizer, dataset = told.get("optimizer"), told.get("train_dataset")
    found = {
        "command": " ".join(sys.argv),
        "network": type(told.get("network")).__name__,
        "loss": type(told.get("loss_fn")).__name__ if told.get("loss_fn") is not None else "",
        "epochs": told.get("epoch_num"),
        "steps of an epoch": told.get("batch_num"),
        "mode": "graph" if in_graph_mode() else "pynative",
        "device": get_context("device_target"),
        "seed": get_seed(),
    }
    return found | of_optimizer(optimizer) | of_dataset(dataset) | surroundings()


def of_optimizer(optimizer: Any) -> dict[str, Any]:
    """Its class, rates, decay and numbers."""
    if optimizer is None:
        return {}
    found: dict[str, Any] = {"optimizer": type(optimizer).__name__}
    rate = getattr(optimizer, "learning_rate", None)
    found["learning rate"] = (
        float(rate.asnumpy()) if isinstance(rate, Tensor) and rate.size == 1 else str(rate)
    )
    for name in ("weight_decay", "momentum", "beta1", "beta2", "eps", "loss_scale"):
        value = getattr(optimizer, name, None)
        if isinstance(value, Tensor) and value.size == 1:
            value = value.asnumpy().item()
        if isinstance(value, int | float):
            found[name.replace("_", " ")] = value
    count = sum(int(p.size) for p in getattr(optimizer, "parameters", ()))
    return found | {"trained numbers": count}


def of_dataset(dataset: Any) -> dict[str, Any]:
    if dataset is None:
        return {}
    found: dict[str, Any] = {"data set": type(dataset).__name__}
    for name in ("get_batch_size", "get_dataset_size"):
        method = getattr(dataset, name, None)
        if method is not None:
            label = "batch size" if name == "get_batch_size" else "rows of the data set"
            found[label] = method()
    return found


def surroundings() -> dict[str, Any]:
    """Versions, and the state of git."""
    import onnxruntime

    found = {
        "msconvert": sys.modules[__name__.partition(".")[0]].__version__,
        "onnxruntime": onnxruntime.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    commit = git("rev-parse", "--short=12", "HEAD")
    if commit is None:
        return found
    changed = git("status", "--porcelain", "--untracked-files=no")
    return found | {"git": commit, "git has changes": bool(changed)}


def git(*arguments: str) -> str | None:
    """What git says of the current folder; None if it says nothing."""
    try:
        done = subprocess.run(
            ["git", *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
