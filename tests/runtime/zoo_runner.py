"""Runs the networks of `zoo/` with one framework; as a script, with MindSpore's Python.

    python zoo_runner.py RESULTS.pickle

Needs nothing but NumPy and `mindspore`, so that both sides run this very code.
"""

from __future__ import annotations

import importlib
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "zoo"
ZOO = sorted(FOLDER.glob("*.py"))
sys.path.insert(0, str(FOLDER))  # as users do: MindSpore compiles only what it can import


def fill(parameters: list[Any], ms: Any) -> None:
    """Reproducible numbers, variances positive."""
    for k, p in enumerate(parameters):
        state = np.random.RandomState(k)
        array = state.rand(*p.shape) - (0.0 if "var" in p.name else 0.5)
        p.set_data(ms.Tensor(array.astype(np.float32)))


def run(path: Path) -> dict[str, Any]:
    """Names and shapes of the parameters, what is printed, and the numbers in both modes."""
    import mindspore as ms

    ms.set_context(mode=ms.PYNATIVE_MODE)
    module = importlib.import_module(path.stem)
    net = module.network()
    weights = net.trainable_params()
    fill(weights, ms)
    x = ms.Tensor(np.random.RandomState(0).rand(*module.SHAPE).astype(np.float32))
    found: dict[str, Any] = {"parameters": [(p.name, p.shape) for p in net.get_parameters()]}
    found["printed"] = str(net)
    found["pynative"] = net(x).asnumpy()
    loss_and_gradients = ms.value_and_grad(lambda v: (net(v) ** 2).mean(), None, weights)
    loss, gradients = loss_and_gradients(x)
    found["loss"] = loss.asnumpy()
    found["gradients"] = {p.name: g.asnumpy() for p, g in zip(weights, gradients, strict=True)}
    ms.set_context(mode=ms.GRAPH_MODE)
    found["graph"] = net(x).asnumpy()
    return found


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as stream:
        pickle.dump({path.stem: run(path) for path in ZOO}, stream)
