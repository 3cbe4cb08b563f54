"""ONNX files against scripts: layers found by what they compute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparer

pytestmark = pytest.mark.usefixtures("warm")

SCRIPT = """
from pathlib import Path
from typing import Any
import msconvert.runtime as ms
from msconvert.runtime import nn, ops

class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, x):
        return ops.relu(self.conv(x) + x)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.one = Block()
        self.norm = nn.LayerNorm((6,), epsilon=1e-5)
        self.fc = nn.Dense(6, 2)

    def construct(self, x):
        return self.fc(self.norm(self.one(x)))

def load():
    net = Net()
    weights = ms.load_checkpoint(str(Path(__file__).with_name("net.ckpt")))
    ms.load_param_into_net(net, weights, strict_load=True)
    return net.set_train(False)
"""


def write_model(folder: Path, names: bool) -> None:
    """Conv, Add, Relu, LayerNorm of nine nodes, MatMul, Add; with or without useful names."""
    numbers = np.random.default_rng(0)
    weights = {
        "w": numbers.standard_normal((3, 3, 3, 3)),
        "b": numbers.standard_normal(3),
        "g": numbers.standard_normal(6),
        "beta": numbers.standard_normal(6),
        "m": numbers.standard_normal((6, 2)),
        "c": numbers.standard_normal(2),
        "eps": np.array(1e-5),
        "two": np.array(2.0),
    }
    nodes = [
        ("Conv", ["x", "w", "b"], "y0", "/one/conv/Conv", {"pads": [1, 1, 1, 1]}),
        ("Add", ["y0", "x"], "y1", "/one/Add", {}),
        ("Relu", ["y1"], "y2", "/one/Relu", {}),
        ("ReduceMean", ["y2"], "y3", "/norm/ReduceMean", {"axes": [-1]}),
        ("Sub", ["y2", "y3"], "y4", "/norm/Sub", {}),
        ("Pow", ["y4", "two"], "y5", "/norm/Pow", {}),
        ("ReduceMean", ["y5"], "y6", "/norm/ReduceMean_1", {"axes": [-1]}),
        ("Add", ["y6", "eps"], "y7", "/norm/Add", {}),
        ("Sqrt", ["y7"], "y8", "/norm/Sqrt", {}),
        ("Div", ["y4", "y8"], "y9", "/norm/Div", {}),
        ("Mul", ["y9", "g"], "y10", "/norm/Mul", {}),
        ("Add", ["y10", "beta"], "y11", "/norm/Add_1", {}),
        ("MatMul", ["y11", "m"], "y12", "/fc/MatMul", {}),
        ("Add", ["y12", "c"], "y", "/fc/Add", {}),
    ]
    graph = helper.make_graph(
        [
            helper.make_node(kind, taken, [given], name=name if names else "", **more)
            for kind, taken, given, name, more in nodes
        ],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, (2, 3, 5, 6))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3, 5, 2))],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "net.onnx")
    from msconvert.formats import write_weights

    values = [
        ("one.conv.weight", weights["w"]),
        ("one.conv.bias", weights["b"]),
        ("norm.gamma", weights["g"]),
        ("norm.beta", weights["beta"]),
        ("fc.weight", weights["m"].T),
        ("fc.bias", weights["c"]),
    ]
    items = [(name, np.ascontiguousarray(x, np.float32)) for name, x in values]
    write_weights(folder / "net.ckpt", items, format="ckpt", force=True)


@pytest.mark.sweep
@pytest.mark.parametrize("names", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize(
    ("text", "fault", "path", "part"),
    [
        ("", "", None, ""),
        ("epsilon=1e-5", "epsilon=1e-3", "norm", "output"),
        ("ops.relu(self.conv(x) + x)", "ops.relu(self.conv(x) - x)", "one", "inside"),
        ("ops.relu(self.conv(x) + x)", "self.conv(x) + x", "one", "inside"),
        ("return net.set", "net.fc.bias += 1; return net.set", "fc", "output"),
        ("return net.set", "net.one.conv.weight *= 1.01; return net.set", "one.conv", "output"),
    ],
    ids=str,
)
def test_a_script_against_its_file(
    names: bool,
    text: str,
    fault: str,
    path: str | None,
    part: str,
    comparer: NetworkComparer,
    tmp_path: Path,
) -> None:
    write_model(tmp_path, names)
    (tmp_path / "net.py").write_text(SCRIPT.replace(text, fault))
    found = comparer.compare(tmp_path / "net.onnx", tmp_path / "net.py")
    first = found.first_difference
    assert (None if first is None else first.path) == path
    assert first is None or first.part == part
    assert found.ok == (path is None)


BY_HAND = SCRIPT.replace("def load():", "def build():\n    return Net()\n\ndef unused():")
BY_HAND = BY_HAND.replace(
    "def construct(self, x):\n        return self.fc(",
    RENAMED := ("def construct(self, image):\n        x = image\n        return self.fc("),
)


@pytest.mark.parametrize("names", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize(
    ("text", "fault", "path"),
    [
        ("", "", None),
        ("self.one", "self.first", None),
        ("epsilon=1e-5", "epsilon=1e-3", "norm"),
        ("ops.relu(self.conv(x) + x)", "ops.relu(self.conv(x) - x)", "one"),
    ],
    ids=str,
)
def test_a_port_by_hand_is_given_the_weights_of_the_file(
    names: bool, text: str, fault: str, path: str | None, comparer: NetworkComparer, tmp_path: Path
) -> None:
    write_model(tmp_path, names)
    (tmp_path / "net.ckpt").unlink()
    assert RENAMED in BY_HAND
    (tmp_path / "net.py").write_text(BY_HAND.replace(text, fault))
    x = np.random.default_rng(1).standard_normal((2, 3, 5, 6)).astype(np.float32)
    found = comparer.compare(tmp_path / "net.onnx", tmp_path / "net.py", inputs={"x": x})
    first = found.first_difference
    assert (None if first is None else first.path) == path, str(found)
    assert found.ok == (path is None)
    assert not [text for text in found.remarks if "do not fit" in text]


def test_weights_that_the_file_has_not_are_refused_and_not_accused(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    write_model(tmp_path, True)
    text = BY_HAND.replace(
        "        self.fc =", "        self.more = nn.Dense(7, 9)\n        self.fc ="
    )
    (tmp_path / "net.py").write_text(text)
    with pytest.raises(MsconvertError, match=r"(?s)MS403.*more.weight") as caught:
        comparer.compare(tmp_path / "net.onnx", tmp_path / "net.py")
    assert "--weights-b" in str(caught.value)


@pytest.mark.parametrize("names", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("net.fc.weight *= 0; return net.set", "weight is the reference's"),
        ("net.fc.bias[0] += 1; return net.set", "bias is the reference's"),
    ],
)
def test_weights_of_a_product_and_a_sum_are_those_of_a_layer(
    names: bool, fault: str, cause: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    write_model(tmp_path, names)
    (tmp_path / "net.py").write_text(SCRIPT.replace("return net.set", fault))
    found = comparer.compare(tmp_path / "net.onnx", tmp_path / "net.py")
    assert found.first_difference is not None
    assert found.first_difference.path == "fc"
    assert cause in str(found)


OWN = """
import torch
from torch import nn

class Votes(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 1, 4, 6))

    def forward(self, u):
        votes = torch.matmul(u[:, None], self.weight.transpose(0, 1)[0])
        v = votes.sum(2)
        return torch.tanh((votes * v[:, :, None]).mean(2) + v)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(3, 4)
        self.votes = Votes()

    def forward(self, x):
        return self.votes(torch.relu(self.enter(x))).flatten(1) * 2
"""
PORT = OWN.replace("import torch\nfrom torch import nn", "from msconvert.runtime import nn, ops")
for old, new in (
    ("nn.Module", "nn.Cell"), ("forward", "construct"), ("nn.Linear", "nn.Dense"),
    ("nn.Parameter(torch.randn(5, 1, 4, 6))", "ms.Parameter(ops.randn(5, 1, 4, 6))"),
    ("transpose(0, 1)", "swapaxes(0, 1)"), ("torch.", "ops."),
    ("from msconvert", "import msconvert.runtime as ms\nfrom msconvert"),
):  # fmt: skip
    PORT = PORT.replace(old, new)


@pytest.mark.filterwarnings("ignore")
def test_own_code_goes_on_behind_its_weights(comparer: NetworkComparer, tmp_path: Path) -> None:
    """The node that takes a layer's weights does not give what the layer gives."""
    torch = pytest.importorskip("torch")
    scope: dict[str, Any] = {}
    exec(OWN, scope)
    torch.manual_seed(0)
    net = scope["Net"]().eval()
    torch.onnx.export(
        net, (torch.randn(2, 7, 3),), tmp_path / "net.onnx", input_names=["x"], dynamo=False
    )
    faulty = PORT.replace("(votes * v[:, :, None])", "votes")
    assert faulty != PORT
    (tmp_path / "net.py").write_text(faulty + "\ndef build():\n    return Net()\n")
    found = str(comparer.compare(tmp_path / "net.onnx", tmp_path / "net.py"))
    assert "First difference: votes" in found
    assert "votes.mean(2)" in found
