"""Every naming rule: the layer with converted weights gives PyTorch's numbers, on both targets.

One file with a class for each rule is converted by msconvert, its state dicts by the weight map;
real MindSpore and the bundled runtime load what was written and run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.api_mapping.source.outcome import migrate_tree
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.formats.names.renaming import Wishes, plan_of
from msconvert.formats.names.weight_map import read_weight_map
from msconvert.formats.transfer.conversion import Conversion, open_weights

from .running import loaded

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")


@dataclass(frozen=True)
class Row:
    """A rule: PyTorch's layer, the shape of its input, how it is called."""

    name: str
    layer: str
    shape: tuple[int, ...]
    call: str = "self.layer(x)"
    before: str = ""


NORM = "nn.utils.parametrizations.weight_norm"
ROWS = (
    Row("Linear", "nn.Linear(4, 3)", (2, 4)),
    Row("LinearWithoutBias", "nn.Linear(4, 3, bias=False)", (2, 4)),
    Row("Bilinear", "nn.Bilinear(4, 4, 3)", (2, 4), "self.layer(x, x)"),
    Row("Conv1d", "nn.Conv1d(3, 4, 3, padding=1)", (2, 3, 8)),
    Row("Conv1dReflected", 'nn.Conv1d(3, 4, 3, padding=1, padding_mode="reflect")', (2, 3, 8)),
    Row("Conv2d", "nn.Conv2d(3, 4, 3, padding=1)", (2, 3, 8, 8)),
    Row("Conv3d", "nn.Conv3d(2, 4, 3)", (1, 2, 4, 4, 4)),
    Row("ConvTranspose1d", "nn.ConvTranspose1d(3, 4, 4, stride=2, padding=1)", (2, 3, 8)),
    Row("ConvTranspose2d", "nn.ConvTranspose2d(3, 4, 4, stride=2, padding=1)", (2, 3, 4, 4)),
    Row("BatchNorm1d", "nn.BatchNorm1d(3)", (4, 3)),
    Row("BatchNorm2d", "nn.BatchNorm2d(3)", (2, 3, 4, 4)),
    Row("BatchNorm2dPlain", "nn.BatchNorm2d(3, affine=False)", (2, 3, 4, 4)),
    Row("BatchNorm3d", "nn.BatchNorm3d(2)", (1, 2, 4, 4, 4)),
    Row("InstanceNorm1d", "nn.InstanceNorm1d(3, affine=True)", (2, 3, 8)),
    Row("InstanceNorm2d", "nn.InstanceNorm2d(3, affine=True)", (2, 3, 4, 4)),
    Row("InstanceNorm3d", "nn.InstanceNorm3d(2, affine=True)", (1, 2, 4, 4, 4)),
    Row("GroupNorm", "nn.GroupNorm(2, 4)", (2, 4, 3, 3)),
    Row("LayerNorm", "nn.LayerNorm(4)", (2, 4)),
    Row("LayerNormOfPlanes", "nn.LayerNorm((3, 4))", (2, 3, 4)),
    Row("LayerNormWithoutBias", "nn.LayerNorm(4, bias=False)", (2, 4)),
    Row("RMSNorm", "nn.RMSNorm(4)", (2, 4)),
    Row("PReLU", "nn.PReLU(3)", (2, 3, 4, 4)),
    Row("Embedding", "nn.Embedding(5, 4)", (2, 4), "self.layer((x > 0).long())"),
    Row(
        "EmbeddingPadded", "nn.Embedding(5, 4, padding_idx=0)", (2, 4), "self.layer((x > 0).long())"
    ),
    Row("EmbeddingBag", "nn.EmbeddingBag(5, 4)", (2, 4), "self.layer((x > 0).long())"),
    Row(
        "LSTM",
        "nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True)",
        (2, 3, 4),
        "self.layer(x)[0]",
    ),
    Row("GRU", "nn.GRU(4, 5, batch_first=True)", (2, 3, 4), "self.layer(x)[0]"),
    Row("RNN", "nn.RNN(4, 5, batch_first=True)", (2, 3, 4), "self.layer(x)[0]"),
    Row("LSTMCell", "nn.LSTMCell(4, 4)", (2, 4), "self.layer(x, (x, x))[0]"),
    Row("GRUCell", "nn.GRUCell(4, 4)", (2, 4), "self.layer(x, x)"),
    Row("MultiheadAttention", "nn.MultiheadAttention(4, 2)", (3, 2, 4), "self.layer(x, x, x)[0]"),
    Row("TransformerEncoderLayer", "nn.TransformerEncoderLayer(4, 2, 8, 0.0)", (3, 2, 4)),
    Row(
        "TransformerDecoderLayer",
        "nn.TransformerDecoderLayer(4, 2, 8, 0.0)",
        (3, 2, 4),
        "self.layer(x, x)",
    ),
    Row(
        "TransformerEncoder",
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 2)",
        (3, 2, 4),
    ),
    Row("WeightNorm", f"{NORM}(nn.Linear(4, 3))", (2, 4)),
    Row("WeightNormOfConv1d", f"{NORM}(nn.Conv1d(3, 4, 3))", (2, 3, 8)),
    Row("OlderWeightNorm", "nn.utils.weight_norm(nn.Conv1d(3, 4, 3))", (2, 3, 8)),
    Row("SpectralNorm", "nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))", (2, 4)),
    Row("OlderSpectralNorm", "nn.utils.spectral_norm(nn.Conv2d(3, 4, 3))", (2, 3, 6, 6)),
    Row(
        "SequentialOfAll",
        "nn.Sequential(nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4), nn.PReLU(4))",
        (2, 3, 8),
    ),
    Row(
        "ListOfLayers",
        "nn.ModuleList([nn.Linear(4, 4), nn.LayerNorm(4)])",
        (2, 4),
        "self.layer[1](self.layer[0](x))",
    ),
    Row(
        "DictOfLayers",
        'nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.PReLU()})',
        (2, 4),
        'self.layer["b"](self.layer["a"](x))',
    ),
    Row("Parameter", "nn.Parameter(torch.zeros(4))", (2, 4), "x + self.layer"),
    Row(
        "Tied",
        "nn.Embedding(4, 4)",
        (2, 4),
        "self.head(self.layer((x > 0).long()))",
        "self.head = nn.Linear(4, 4, bias=False)\n        self.head.weight = self.layer.weight",
    ),
)


def source() -> str:
    """A class for each row."""
    classes = [
        f"\n\nclass {row.name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.layer = {row.layer}\n"
        + (f"        {row.before}\n" if row.before else "")
        + f"\n    def forward(self, x):\n        return {row.call}\n"
        for row in ROWS
    ]
    return "import torch\nfrom torch import nn\n" + "".join(classes)


RUN = """
import importlib, json, sys, numpy as np, mindspore as ms
sys.path.insert(0, "mindspore")
rules = importlib.import_module("rules")
inputs, outputs, told = np.load("inputs.npz"), {}, {}
for name in inputs.files:
    try:
        net = getattr(rules, name)()
        net.set_train(False)
        found = ms.load_param_into_net(net, ms.load_checkpoint(f"{name}.ckpt"), strict_load=True)
        told[name] = [list(part) for part in found]
        outputs[name] = net(ms.Tensor(inputs[name])).asnumpy()
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"[:300]
np.savez("outputs.npz", **outputs)
print("TOLD" + json.dumps(told))
"""


@dataclass(frozen=True)
class Case:
    """The converted classes and weights in `folder`, with inputs and PyTorch's outputs."""

    folder: Path
    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("rules")
    path = folder / "rules.py"
    path.write_text(source())
    for target in Target:
        outcome = migrate_tree([path], folder / target.value, Settings(target))
        assert [use.api for file in outcome.tree.files for use in file.left] == []
    known = read_weight_map(folder / "mindspore" / "weight_map_of_rules.json")
    module, numbers = loaded(path), np.random.RandomState(0)
    inputs, outputs = {}, {}
    for row in ROWS:
        net = getattr(module, row.name)()
        shake(net, numbers)
        net.eval()
        inputs[row.name] = numbers.randn(*row.shape).astype("f4")
        outputs[row.name] = net(torch.tensor(inputs[row.name])).detach().numpy()
        torch.save(net.state_dict(), folder / f"{row.name}.pth")
        found = open_weights(folder / f"{row.name}.pth")
        tied = getattr(found, "tied", {})
        shapes = {n: v.shape for n, v in found.tensors().items() if n not in tied}
        plan = plan_of(shapes, known, Wishes(root=row.name))  # type: ignore[arg-type]
        assert plan.questions == ()
        Conversion(found, plan, {}).write(folder / f"{row.name}.ckpt", False, str)
    np.savez(folder / "inputs.npz", **inputs)
    return Case(folder, inputs, outputs)


def shake(net: Any, numbers: np.random.RandomState) -> None:
    """Gives every parameter and statistic a value of its own; statistics stay positive."""
    with torch.no_grad():
        for name, value in net.state_dict().items():
            if value.is_floating_point() and not name.endswith(("_u", "_v")):
                value.copy_(torch.tensor(numbers.rand(*value.shape) + 0.1, dtype=value.dtype))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_on_the_runtime(case: Case, row: Row) -> None:
    import msconvert.runtime as ms

    net = getattr(loaded(case.folder / "bundled" / "rules.py"), row.name)()
    net.set_train(False)
    parameters = ms.load_checkpoint(str(case.folder / f"{row.name}.ckpt"))
    missing, unused = ms.load_param_into_net(net, parameters, strict_load=True)
    assert (missing, unused) == ([], [])
    found = net(ms.Tensor(case.inputs[row.name])).asnumpy()
    np.testing.assert_allclose(found, case.outputs[row.name], rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def told(case: Case, run_mindspore: Callable[..., str]) -> dict[str, Any]:
    """What loading the weights told on real MindSpore, of every row."""
    output = run_mindspore(case.folder, "-c", RUN)
    return dict(json.loads(output[output.index("TOLD") + 4 :]))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_on_real_mindspore(case: Case, told: dict[str, Any], row: Row) -> None:
    assert told[row.name] == [[], []]
    with np.load(case.folder / "outputs.npz") as outputs:
        found = outputs[row.name]
    np.testing.assert_allclose(found, case.outputs[row.name], rtol=1e-3, atol=1e-4)
