"""The models that the onnx package ships, with weights that make their outputs mean something."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NAMES = sorted(path.stem for path in LIGHT.glob("light_*.onnx"))

HIDDEN = {4096: 256}
NARROWED = {
    "light_bvlc_alexnet": HIDDEN,
    "light_vgg19": HIDDEN | {64: 16, 128: 32, 256: 64, 512: 128, 25088: 6272},
    "light_zfnet512": HIDDEN,
}
"""Widths, and what they become: most weights and products are more of the same."""


def revived(name: str, folder: Path) -> Path:
    """The model with random weights and without its last Softmax, as a file in `folder`.

    As shipped, all weights of a tensor are equal (ConstantOfShape), and so are all outputs,
    whatever the input: almost any wrong script would pass. A right one may fail: what goes into
    the last Softmax is up to 2e31 and equal, so its outputs are decided by the order in which a
    kernel adds. Of these weights it would make one 1 and many 0.
    """
    model = onnx.load(LIGHT / f"{name}.onnx")
    graph = model.graph
    widths = NARROWED.get(name, {})
    shapes = {item.name: _narrowed(item, widths) for item in graph.initializer}
    for dimension in (d for item in graph.input for d in item.type.tensor_type.shape.dim):
        dimension.dim_value = widths.get(dimension.dim_value, dimension.dim_value)
    used = {x: (node, i) for node in graph.node for i, x in enumerate(node.input)}
    rng = np.random.default_rng(0)
    for node in [n for n in graph.node if n.op_type == "ConstantOfShape"]:
        shape = tuple(int(size) for size in shapes[node.input[0]])
        reader, place = used[node.output[0]]
        while reader.op_type == "Unsqueeze":
            reader, place = used[reader.output[0]]
        array = _random(rng, shape, reader.op_type, place)
        graph.initializer.append(numpy_helper.from_array(array, node.output[0]))
        graph.node.remove(node)
    if graph.node[-1].op_type == "Softmax":
        graph.output[0].name = graph.node.pop().input[0]
    path = folder / f"{name}_revived.onnx"
    onnx.save(model, path)
    return path


def picture(seed: int) -> np.ndarray[Any, Any]:
    """What the nine take, coarse like a picture: of plain noise, pooling leaves little."""
    rng = np.random.default_rng(seed)
    coarse = rng.standard_normal((1, 3, 4, 4), np.float32).repeat(56, 2).repeat(56, 3)
    return coarse + rng.standard_normal(coarse.shape, np.float32) / 2


def rounded_otherwise(path: Path) -> Path:
    """The model with every weight moved by one rounding, up or down by chance, beside it.

    What a right result may be off by: another kernel adds the same numbers in another order.
    """
    model = onnx.load(path)
    rng = np.random.default_rng(1)
    for item in model.graph.initializer:
        array = numpy_helper.to_array(item)
        if array.dtype == np.float32:
            towards = rng.choice(np.array([-np.inf, np.inf], np.float32), array.shape)
            item.CopyFrom(numpy_helper.from_array(np.nextafter(array, towards), item.name))
    moved = path.with_name(f"{path.stem}_moved.onnx")
    onnx.save(model, moved)
    return moved


def _narrowed(item: onnx.TensorProto, widths: dict[int, int]) -> np.ndarray[Any, Any]:
    """The initialiser with other widths, which it is given too: a shape, or a small weight."""
    array = numpy_helper.to_array(item)
    if array.dtype == np.int64:
        array = np.array([widths.get(int(size), int(size)) for size in array], np.int64)
    else:
        array = array[tuple(slice(widths.get(size, size)) for size in array.shape)]
    item.CopyFrom(numpy_helper.from_array(array, item.name))
    return array


def _random(
    rng: np.random.Generator, shape: tuple[int, ...], op: str, place: int
) -> np.ndarray[Any, Any]:
    """Weights of an operator's input that keep activations of size one, and what comes in visible.

    So they are positive where they scale or are variances, and small where they are added.
    """
    if op == "Mul" or (op == "BatchNormalization" and place in (1, 4)):
        return rng.uniform(0.8, 1.25, shape).astype(np.float32)
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1000
    return rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / fan_in))
