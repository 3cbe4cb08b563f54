"""The models that the onnx package ships, with weights that make their outputs mean something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NAMES = sorted(path.stem for path in LIGHT.glob("light_*.onnx"))


def revived(name: str, folder: Path) -> Path:
    """The model with random weights and without its last Softmax, as a file in `folder`.

    As shipped, all weights of a tensor are equal (ConstantOfShape), and so are all outputs,
    whatever the input: almost any wrong script would pass. Softmax would make one 1 and many 0.
    """
    model = onnx.load(LIGHT / f"{name}.onnx")
    graph = model.graph
    shapes = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    used = {x: (node.op_type, i) for node in graph.node for i, x in enumerate(node.input)}
    rng = np.random.default_rng(0)
    for node in [n for n in graph.node if n.op_type == "ConstantOfShape"]:
        shape = tuple(int(size) for size in shapes[node.input[0]])
        array = _random(rng, shape, used.get(node.output[0], ("", 0)))
        graph.initializer.append(numpy_helper.from_array(array, node.output[0]))
        graph.node.remove(node)
    if graph.node[-1].op_type == "Softmax":
        graph.output[0].name = graph.node.pop().input[0]
    path = folder / f"{name}_revived.onnx"
    onnx.save(model, path)
    return path


def _random(
    rng: np.random.Generator, shape: tuple[int, ...], use: tuple[str, int]
) -> np.ndarray[Any, Any]:
    """Weights that keep activations of size one; positive where they scale or are variances."""
    op, position = use
    if op in ("Mul", "Unsqueeze") or (op == "BatchNormalization" and position in (1, 4)):
        return rng.uniform(0.5, 1.0, shape).astype(np.float32)
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 100
    return rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / fan_in))
