"""Weight maps of sources: each parameter finds its name and shape in the converted network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.source.state_map import (
    file_classes,
    naming_of,
    naming_of_layer,
    weight_map_of,
)
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.formats.names.naming import BATCH_NORM, EMBEDDING, LINE, VOLUME_NORM
from msconvert.formats.names.renaming import Plan, Wishes, plan_of
from msconvert.formats.names.weight_map import ClassMap, read_weight_map
from msconvert.formats.transfer.conversion import Conversion, open_weights

from .running import loaded, weights_of

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
"""PyTorch warns of its older weight_norm, and of slow paths."""

MODELS = sorted((Path(__file__).parent / "models").glob("[!_]*.py"))
BUILT = [path for path in MODELS if path.stem not in ("mamba_minimal", "nn_transformer")]
"""One must be in sys.modules when it is built; the oracle knows nothing of the other's inside."""


def map_of(folder: Path, *sources: Path) -> ClassMap:
    """The weight map of the first source, written and read again."""
    project = Project(sources, [sources[0].parent])
    text = weight_map_of(sources[0], [file_classes(project.analyse(path)) for path in sources])
    assert text is not None
    file = folder / f"weight_map_of_{sources[0].stem}.json"
    file.write_text(text)
    found = read_weight_map(file)
    assert isinstance(found, ClassMap)
    return found


def networks(built: Any) -> list[Any]:
    """What `build` gives: one network, or several."""
    return list(built) if isinstance(built, tuple | list) else [built]


def plan_for(net: Any, known: ClassMap, several: bool = False) -> Plan:
    """The renaming of a network's state dict, tied weights under their first name."""
    seen: dict[Any, str] = {}
    shapes = {}
    for name, value in net.state_dict().items():
        place = (value.data_ptr(), value.shape, value.stride()) if value.numel() else name
        if seen.setdefault(place, name) == name:
            shapes[name] = tuple(value.shape)
    wishes = Wishes(root=type(net).__name__) if several else Wishes()
    return plan_of(shapes, known, wishes)


@pytest.mark.parametrize("path", BUILT, ids=lambda path: path.stem)
def test_every_parameter_gets_the_name_of_its_layer(tmp_path: Path, path: Path) -> None:
    """The oracle are the classes of the modules that PyTorch has really built."""
    known = map_of(tmp_path, path)
    nets = networks(loaded(path).build())
    for net in nets:
        plan = plan_for(net, known, len(nets) > 1)
        assert plan.questions == ()
        saved = {name for name, _value in net.state_dict(keep_vars=True).items()}
        persistent = {id(value) for name, value in net.state_dict(keep_vars=True).items()}
        expected = {name for name, value in weights_of(net) if id(value) in persistent}
        found = {step.new for step in plan.steps if step.new}
        assert found <= expected
        assert len(saved) >= len(plan.steps)
        ids = {name: id(value) for name, value in weights_of(net)}
        missing = {id_ for id_ in ids.values() if id_ in persistent} - {ids[n] for n in found}
        assert missing == set()


CONVERTED = [
    *("attention_unet", "bilstm_attention", "char_rnn", "dcgan", "deepfm", "densenet"),
    *("dueling_dqn", "googlenet", "lstm_tagger", "mobilenet_v2", "squeezenet"),
    *("swin", "tcn", "text_cnn", "vae_mnist", "vit"),
]


@pytest.mark.parametrize("name", CONVERTED)
def test_converted_networks_load_converted_weights(tmp_path: Path, name: str) -> None:
    """.pth -> .ckpt -> the converted network: nothing missing, nothing left, equal outputs."""
    import msconvert.runtime as ms

    path = Path(__file__).parent / "models" / f"{name}.py"
    known = map_of(tmp_path, path)
    original, converted = loaded(path), converted_to(tmp_path, path)
    for number, (net, cell) in enumerate(
        zip(networks(original.build()), networks(converted.build()), strict=True)
    ):
        saved, written = tmp_path / f"{number}.pth", tmp_path / f"{number}.ckpt"
        torch.save(net.state_dict(), saved)
        source = open_weights(saved)
        plan = plan_for(net, known, isinstance(original.build(), tuple | list))
        Conversion(source, plan, {}).write(written, False, str)
        parameters = ms.load_checkpoint(str(written))
        missing, unused = cell.load_state_dict(parameters, strict=False)
        assert [key for key in missing if key in dict(cell.parameters_and_names())] == []
        assert list(unused) == []
        for place, array in dict(cell.parameters_and_names()).items():
            assert array.asnumpy().tobytes() == parameters[place].asnumpy().tobytes()
        if number == 0 and not isinstance(original.build(), tuple | list):
            compare(net, cell, original.inputs())


def converted_to(folder: Path, path: Path) -> Any:
    """The module that a source is converted to, for the bundled runtime."""
    found = migrate_file(Project([path], [path.parent]), path, path.name, Settings(Target.BUNDLED))
    target = folder / "converted"
    target.mkdir()
    (target / path.name).write_text(found.text, encoding="utf-8")
    (target / NAME).write_text(compat_module(found.needed, Target.BUNDLED), encoding="utf-8")
    return loaded(target / path.name)


def compare(net: Any, cell: Any, inputs: Any) -> None:
    """Equal outputs, where the network takes tensors and gives one."""
    import msconvert.runtime as ms

    if not all(isinstance(x, torch.Tensor) for x in inputs):
        return
    net.eval()
    cell.set_train(False)
    with torch.no_grad():
        wanted = net(*inputs)
    found = cell(*(ms.Tensor(x.numpy()) for x in inputs))
    if isinstance(wanted, torch.Tensor):
        np.testing.assert_allclose(found.asnumpy(), wanted.numpy(), rtol=1e-3, atol=1e-4)


SOURCE = """
from collections import OrderedDict
from functools import partial
import torch
from torch import nn
from torch.nn.utils import weight_norm
from other import Helper

def conv_bn(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3), nn.BatchNorm2d(o), nn.ReLU())

class Block(nn.Module):
    def __init__(self, c, norm_layer=None):
        super().__init__()
        if norm_layer is None:
            norm_layer = nn.BatchNorm2d
        self.conv1 = nn.Conv2d(c, c, 3)
        self.bn1 = norm_layer(c)
        self.norm = nn.LayerNorm(c, bias=False) if c > 3 else nn.Identity()
        self.act = nn.PReLU() if c > 3 else nn.ReLU()

def pair():
    return nn.Identity(), nn.Linear(2, 3)

class Own(nn.LayerNorm):
    pass

class Stack(nn.Sequential):
    def __init__(self):
        layers = [nn.Linear(2, 3, bias=False)]
        layers.append(nn.PReLU())
        super().__init__(*layers)

class Net(nn.Module):
    def __init__(self, n=3, norm=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.stem = conv_bn(3, 8)
        self.helper = Helper()
        layers = []
        for i in range(n):
            layers.append(Block(8))
        self.layer1 = nn.Sequential(*layers)
        self.layer2 = self._make(8)
        self.blocks = nn.ModuleList([Block(3) for _ in range(n)])
        self.d = nn.ModuleDict({"a": nn.Linear(2, 3, bias=False), "b": Block(3)})
        self.e = nn.ModuleDict(dict(wte=nn.Embedding(3, 4), ln=nn.LayerNorm(3)))
        self.od = nn.Sequential(
            OrderedDict([("conv", nn.Conv2d(3, 4, 3)), ("bn", nn.BatchNorm2d(4, affine=False))])
        )
        self.cls_token = nn.Parameter(torch.zeros(1, 1, 8))
        self.register_buffer("pe", torch.zeros(3))
        self.register_parameter("scale", nn.Parameter(torch.ones(1)))
        self.wn = weight_norm(nn.Conv1d(3, 4, 3))
        self.normf = norm(8)
        self.emb = nn.Embedding(3, 4)
        self.pl = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(3)])
        for i in range(3):
            self.add_module(f"fc{i}", nn.Linear(3, 4, bias=False))
            setattr(self, "gc%d" % i, nn.Embedding(3, 4))
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 2)
        self.down = None
        if n > 2:
            self.down = nn.Sequential(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(2))
        self.ml = nn.ModuleList()
        for i in range(2):
            self.ml.append(nn.ModuleList([Block(3), nn.Linear(3, 3, bias=False)]))
        self.sq = nn.Sequential()
        self.sq.add_module("conv", nn.ConvTranspose1d(1, 2, 3))
        self.sq.add_module("norm", nn.BatchNorm3d(2))
        self.own = Own(4)
        self.stack = Stack()
        self.lstm = nn.LSTM(3, 4)
        self.bag = nn.EmbeddingBag(3, 4)
        self.pool, self.last = pair()
        self.g1, self.g2 = nn.GroupNorm(1, 4), nn.Embedding(3, 4)
        self.h1, self.h2 = (nn.LayerNorm(3) for _ in range(2))
        one, two = nn.LayerNorm(2), nn.Linear(2, 2)
        self.one, (self.two, self.three) = one, [two, nn.Embedding(2, 2)]

    def _make(self, c):
        layers = [Block(c)]
        layers += [nn.Conv2d(1, 1, 1)]
        return nn.Sequential(*layers)
"""
OTHER = """
import torch.nn as nn
class Helper(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
"""


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    (tmp_path / "net.py").write_text(SOURCE)
    (tmp_path / "other.py").write_text(OTHER)
    return [tmp_path / "net.py", tmp_path / "other.py"]


def test_each_way_to_build_a_network(tmp_path: Path, sources: list[Path]) -> None:
    known = map_of(tmp_path, *sources)
    assert known.roots == ("net.Own", "net.Stack", "net.Net") or known.roots == ("net.Net",)
    net = loaded(sources[0]).Net()
    plan = plan_for(net, known)
    assert plan.questions == ()
    assert plan.root == "net.Net"
    by_map = {step.old for step in plan.of("map")}
    rest = {step.old for step in plan.steps if ".bn1." not in step.old} - by_map
    assert rest == {"normf.weight", "normf.bias", "last.weight", "last.bias"}
    assert known.classes["net.Net"].modules["last"] == ()
    new = {step.old: step.new for step in plan.steps}
    expected = {
        "stem.1.weight": "stem.1.gamma",
        "helper.table.weight": "helper.table.embedding_table",
        "layer1.2.act.weight": "layer1.2.act.w",
        "layer1.0.norm.weight": "layer1.0.norm.gamma",
        "layer2.1.weight": "layer2.1.weight",
        "d.a.weight": "d.a.weight",
        "e.wte.weight": "e.wte.embedding_table",
        "od.bn.running_mean": "od.bn.moving_mean",
        "wn.weight_v": "wn.weight_v",
        "normf.weight": "normf.gamma",
        "g1.weight": "g1.gamma",
        "g2.weight": "g2.embedding_table",
        "h2.bias": "h2.beta",
        "one.weight": "one.gamma",
        "two.weight": "two.weight",
        "three.weight": "three.embedding_table",
        "pl.1": "pl.1",
        "fc2.weight": "fc2.weight",
        "gc1.weight": "gc1.embedding_table",
        "enc.layers.1.linear2.bias": "enc.layers.1.dense2.bias",
        "enc.layers.0.norm1.weight": "enc.layers.0.norm1.gamma",
        "ml.1.1.weight": "ml.1.1.weight",
        "sq.norm.running_var": "sq.norm.bn2d.moving_variance",
        "own.weight": "own.gamma",
        "stack.1.weight": "stack.1.w",
        "lstm.weight_ih_l0": "lstm.weight_ih_l0",
        "bag.weight": "bag.embedding.embedding_table",
        "down.1.num_batches_tracked": "",
    }
    assert {name: new[name] for name in expected} == expected
    shapes = {step.old: step.shape for step in plan.steps}
    assert shapes["wn.weight_v"] == (4, 3, 1, 3)
    assert shapes["wn.weight_g"] == (4, 1, 1, 1)
    assert shapes["down.0.weight"] == (2, 1, 1, 3)
    assert shapes["sq.conv.weight"] == (1, 2, 1, 3)
    assert [added.name for added in plan.added] == ["od.bn.gamma", "od.bn.beta"]
    kept = {step.new: step.shape for step in plan.steps if step.new}
    back = plan_of(kept, known, back=True)
    assert back.questions == ()
    state = {n: tuple(v.shape) for n, v in net.state_dict().items() if "tracked" not in n}
    assert {step.new: step.shape for step in back.steps} == state


def test_a_map_can_be_read_by_people(tmp_path: Path, sources: list[Path]) -> None:
    map_of(tmp_path, *sources)
    found = json.loads((tmp_path / "weight_map_of_net.json").read_text())
    assert (found["kind"], found["version"], found["source"]) == ("layers of classes", 1, "net.py")
    assert found["classes"]["net.Block"] == {
        "bases": ["torch.nn.Module"],
        "modules": {
            "conv1": ["torch.nn.Conv2d"],
            "bn1": [],
            "norm": ["torch.nn.LayerNorm", "torch.nn.Identity"],
            "act": ["torch.nn.PReLU", "torch.nn.ReLU"],
        },
    }
    assert found["classes"]["net.Net"]["tensors"] == ["cls_token", "pe", "scale", "pl.*"]
    assert found["layers"]["torch.nn.Conv1d"] == {"line": True}
    assert found["layers"]["torch.nn.PReLU"] == {"names": {"weight": "w"}}


def test_a_source_without_networks_has_no_map(tmp_path: Path) -> None:
    path = tmp_path / "plain.py"
    path.write_text("import torch\nx = torch.ones(3)\n")
    project = Project([path], [tmp_path])
    assert weight_map_of(path, [file_classes(project.analyse(path))]) is None


def test_namings_come_from_the_table() -> None:
    assert naming_of_layer("BatchNorm2d") == BATCH_NORM
    assert naming_of_layer("nn.BatchNorm3d") == VOLUME_NORM
    assert naming_of_layer("torch.nn.Embedding") == EMBEDDING
    assert naming_of_layer("Conv1d") == LINE
    assert naming_of_layer("Nothing") is None
    assert naming_of("torch.nn.GroupNorm", mint=True).names == {}


def test_layers_that_keep_their_names_are_not_taken_for_others(tmp_path: Path) -> None:
    """compat.FrozenBatchNorm2d has PyTorch's names; its statistics look like a BatchNorm's."""
    path = tmp_path / "net.py"
    path.write_text(
        "from torch import nn\nfrom torchvision.ops import FrozenBatchNorm2d\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.norm = FrozenBatchNorm2d(3)\n        self.other = nn.BatchNorm2d(3)\n"
    )
    known = map_of(tmp_path, path)
    names = ("weight", "bias", "running_mean", "running_var")
    shapes = {f"{layer}.{name}": (3,) for layer in ("norm", "other") for name in names}
    new = [step.new for step in plan_of(shapes, known).steps]
    assert new[:4] == [f"norm.{name}" for name in names]
    assert new[4:] == ["other.gamma", "other.beta", "other.moving_mean", "other.moving_variance"]
