"""A converted network fine-tuned: `run(script, folder)` writes the losses of twenty steps.

Needs NumPy and the framework that the script imports; run on the bundled runtime and on MindSpore.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

STEPS, RATE = 20, 0.05


def target(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """What the first output shall become."""
    return np.random.default_rng(7).standard_normal(shape, np.float32)


def imported(script: Path) -> Any:
    sys.path.insert(0, str(script.parent))
    spec = importlib.util.spec_from_file_location(script.stem, script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[script.stem] = module  # graph mode asks for the script by its name
    spec.loader.exec_module(module)
    return module


def losses(module: Any, inputs: list[np.ndarray[Any, Any]]) -> list[float]:
    """The loss before each step of plain gradient descent on the mean squared error."""
    ms = module.ms
    nn, ops = module.nn, module.ops
    network = module.load().set_train(False)
    tensors = [ms.Tensor(x) for x in inputs]

    def first(found: Any) -> Any:
        return found[0] if isinstance(found, tuple) else found

    wanted = ms.Tensor(target(tuple(first(network(*tensors)).shape)))
    optimizer = nn.SGD(network.trainable_params(), RATE)

    def forward(*given: Any) -> Any:
        return ops.mean((first(network(*given)) - wanted) ** 2)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    found = []
    for _ in range(STEPS):
        loss, gradients = step(*tensors)
        optimizer(gradients)
        found.append(float(loss.asnumpy()))
    return found


def run(script: Path, folder: Path) -> None:
    """Writes `losses.json` beside the script, of the first inputs in `folder`."""
    with np.load(folder / "inputs_0.npz") as arrays:
        inputs = [arrays[name] for name in arrays.files]
    text = json.dumps(losses(imported(script), inputs))
    (script.parent / "losses.json").write_text(text)


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
