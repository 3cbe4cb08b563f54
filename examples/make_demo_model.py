"""Makes demo.onnx: a small residual network that tells five drawn shapes apart.

`python examples/make_demo_model.py` trains it anew (PyTorch, half a minute) and prints how many
of 2,000 fresh drawings it names right. The file in this folder was made so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]

LABELS = ("circle", "square", "triangle", "cross", "ring")
SIZE = 32
BLOCKS = 2

SHAPES: tuple[Callable[[Array, Array], Array], ...] = (
    lambda u, v: np.hypot(u, v) < 1,
    lambda u, v: np.maximum(abs(u), abs(v)) < 0.85,
    lambda u, v: (v > -0.6) & (2 * abs(u) + v < 1.2),
    lambda u, v: (np.minimum(abs(u), abs(v)) < 0.3) & (np.maximum(abs(u), abs(v)) < 1),
    lambda u, v: abs(np.hypot(u, v) - 0.8) < 0.25,
)
"""For each label, whether a point is inside, in coordinates of the shape: about -1 to 1."""


def draw(labels: Array, seed: int) -> Array:
    """Drawings of `labels`, each somewhere, of some size, turned, and noisy.

    Shapes: labels (n,) -> (n, 1, 32, 32) float32
    """
    rng = np.random.default_rng(seed)
    n = len(labels)
    x, y = rng.uniform(11, SIZE - 11, (2, n))
    radius = rng.uniform(6, 10, n)
    angle = rng.uniform(0, 2 * np.pi, n)
    noise = rng.normal(0, 0.6, (n, 1, SIZE, SIZE))
    rows, columns = np.mgrid[:SIZE, :SIZE]
    images = np.zeros((n, 1, SIZE, SIZE))
    for i, label in enumerate(labels):
        right, down = (columns - x[i]) / radius[i], (rows - y[i]) / radius[i]
        cos, sin = np.cos(angle[i]), np.sin(angle[i])
        images[i, 0] = SHAPES[label](cos * right + sin * down, cos * down - sin * right)
    return (images + noise).astype(np.float32)


def drawings(n: int, seed: int) -> tuple[Array, Array]:
    """`n` drawings and their labels, all labels equally often."""
    labels = np.arange(n) % len(LABELS)
    return draw(labels, seed), labels


@dataclass(frozen=True)
class Layer:
    """One node: `name` is its place in the network, `weights` the last parts of their names."""

    op: str
    name: str
    inputs: tuple[str, ...]
    output: str
    weights: tuple[str, ...] = ()
    attributes: tuple[tuple[str, Any], ...] = ()

    def node(self) -> onnx.NodeProto:
        inputs = [*self.inputs, *(f"{self.name}.{weight}" for weight in self.weights)]
        name = "/".join(["", *self.name.split("."), self.op])
        return helper.make_node(self.op, inputs, [self.output], name, **dict(self.attributes))


def layers() -> Iterator[Layer]:
    """The network from `image` to `logits`."""
    yield from conv_bn("features.conv1", "features.bn1", "image")
    yield Layer("Relu", "features.relu1", ("features.bn1_out",), "features.relu1_out")
    yield from conv_bn("features.conv2", "features.bn2", "features.relu1_out", stride=2)
    yield Layer("Relu", "features.relu2", ("features.bn2_out",), "features_out")
    x = "features_out"
    for i in range(BLOCKS):
        yield from residual_block(f"blocks.{i}", x)
        x = f"blocks.{i}_out"
    pool = (("kernel_shape", (2, 2)), ("strides", (2, 2)))
    yield Layer("MaxPool", "pool", (x,), "pool_out", attributes=pool)
    yield Layer("GlobalAveragePool", "average", ("pool_out",), "average_out")
    yield Layer("Flatten", "flatten", ("average_out",), "flatten_out")
    gemm = (("transB", 1),)
    yield Layer("Gemm", "classifier", ("flatten_out",), "logits", ("weight", "bias"), gemm)


def residual_block(name: str, x: str) -> Iterator[Layer]:
    """Two convolutions and the way around them."""
    yield from conv_bn(f"{name}.conv1", f"{name}.bn1", x)
    yield Layer("Relu", f"{name}.relu1", (f"{name}.bn1_out",), f"{name}.relu1_out")
    yield from conv_bn(f"{name}.conv2", f"{name}.bn2", f"{name}.relu1_out")
    yield Layer("Add", f"{name}.add", (f"{name}.bn2_out", x), f"{name}.add_out")
    yield Layer("Relu", f"{name}.relu2", (f"{name}.add_out",), f"{name}_out")


def conv_bn(conv: str, bn: str, x: str, stride: int = 1) -> Iterator[Layer]:
    geometry = (("kernel_shape", (3, 3)), ("pads", (1, 1, 1, 1)), ("strides", (stride, stride)))
    yield Layer("Conv", conv, (x,), f"{conv}_out", ("weight",), geometry)
    statistics = ("weight", "bias", "running_mean", "running_var")
    yield Layer("BatchNormalization", bn, (f"{conv}_out",), f"{bn}_out", statistics)


def build(weights: dict[str, Array]) -> onnx.ModelProto:
    """The network with `weights`, named as the layers name them."""
    graph = helper.make_graph(
        [layer.node() for layer in layers()],
        "shapes",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ("batch", 1, SIZE, SIZE))],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ("batch", len(LABELS)))],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    model.producer_name = "msconvert-example"
    onnx.checker.check_model(model, full_check=True)
    return model


def trained(epochs: int = 4) -> dict[str, Array]:
    """The weights after training on 20,000 drawings, the same at every call."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = _torch_network()
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.005)
    images, labels = (torch.from_numpy(array) for array in drawings(20_000, seed=1))
    steps = epochs * len(images) // 100
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, total_steps=steps)
    for _ in range(epochs):
        for chosen in torch.randperm(len(images)).reshape(-1, 100):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(network(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            schedule.step()
    state = network.state_dict()
    return {name: tensor.numpy() for name, tensor in state.items() if "num_batches" not in name}


def _torch_network() -> Any:
    """The same network as `layers`, to be trained."""
    from torch import nn

    def conv(c_in: int, c_out: int, stride: int = 1) -> nn.Conv2d:
        return nn.Conv2d(c_in, c_out, 3, stride, padding=1, bias=False)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.bn1 = conv(16, 16), nn.BatchNorm2d(16)
            self.conv2, self.bn2 = conv(16, 16), nn.BatchNorm2d(16)

        def forward(self, x: Any) -> Any:
            out = self.bn1(self.conv1(x)).relu()
            return (self.bn2(self.conv2(out)) + x).relu()

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.features = nn.ModuleDict(
                {
                    "conv1": conv(1, 8),
                    "bn1": nn.BatchNorm2d(8),
                    "conv2": conv(8, 16, 2),
                    "bn2": nn.BatchNorm2d(16),
                }
            )
            self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])
            self.pool = nn.MaxPool2d(2)
            self.classifier = nn.Linear(16, len(LABELS))

        def forward(self, x: Any) -> Any:
            f = self.features
            x = f["bn1"](f["conv1"](x)).relu()
            x = f["bn2"](f["conv2"](x)).relu()
            return self.classifier(self.pool(self.blocks(x)).mean((2, 3)))

    return Network()


def accuracy(path: Path, n: int = 2000, seed: int = 2) -> float:
    """The part of `n` fresh drawings that the model in `path` names right."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    images, labels = drawings(n, seed)
    (logits,) = session.run(None, {"image": images})
    return float(np.mean(np.argmax(logits, 1) == labels))


def main() -> None:
    path = Path(__file__).with_name("demo.onnx")
    onnx.save(build(trained()), path)
    sys.stdout.write(f"{path.name}: {path.stat().st_size:,} bytes, accuracy {accuracy(path):.1%}\n")


if __name__ == "__main__":
    main()
