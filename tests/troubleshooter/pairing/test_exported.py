"""PyTorch's own exporter: its ONNX file pairs with the .pth, what it computed included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from msconvert.formats import read_weights
from msconvert.formats.stored import StoredTensor
from msconvert.troubleshooter.pairing import Pair, pair_up

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")

Tensors = dict[str, StoredTensor]


def network() -> object:
    nn = torch.nn

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8))
            self.second = nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8, eps=1e-3))
            self.up = nn.Sequential(nn.ConvTranspose2d(8, 6, 2), nn.BatchNorm2d(6))
            self.r = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True)
            self.g = nn.GRU(10, 7, batch_first=True)
            self.p = nn.RNN(7, 4, batch_first=True)
            self.norm = nn.LayerNorm(4)
            self.head = nn.Linear(4, 4)
            self.last = nn.Linear(4, 4, bias=False)

        def forward(self, x):  # type: ignore[no-untyped-def]
            x = self.up(self.second(self.first(x)).relu()).flatten(2).transpose(1, 2)
            x = self.p(self.g(self.r(x)[0])[0])[0]
            return self.last(self.head(self.norm(x)).relu())

    return Network()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tensors, Tensors]:
    """The .pth and the ONNX file of one network."""
    folder: Path = tmp_path_factory.mktemp("exported")
    torch.manual_seed(0)
    made = network()
    with torch.no_grad():
        for value in made.state_dict().values():
            if value.is_floating_point():
                value.add_(torch.rand_like(value))
    made.eval()
    torch.save(made.state_dict(), folder / "m.pth")
    torch.onnx.export(made, torch.ones(1, 3, 7, 7), folder / "m.onnx", dynamo=False)
    return (
        read_weights(folder / "m.pth").tensors(),
        read_weights(folder / "m.onnx").tensors(),
    )


@pytest.mark.parametrize("back", [False, True], ids=["there", "back"])
def test_every_tensor_has_its_pair(files: tuple[Tensors, Tensors], back: bool) -> None:
    a, b = files[::-1] if back else files
    found = pair_up(a, b)
    assert [pair for pair in found if pair.how in ("none", "shape")] == []
    for pair in (pair for pair in found if pair.is_whole):
        np.testing.assert_allclose(*pair.arrays(a, b), rtol=1e-5, atol=1e-6)
        assert pair.confidence > 0.9
    used = {name for pair in found for name in names_of(pair, back)}
    assert used == set(files[0])


def names_of(pair: Pair, back: bool) -> tuple[str, ...]:
    """The names in the .pth that a pair is about."""
    if pair.fold is not None:
        return pair.fold.sources
    name = pair.b if back else pair.a
    return () if name is None else (name,)


def test_what_is_computed(files: tuple[Tensors, Tensors]) -> None:
    a, b = files
    kinds = {p.a: p.fold.kind for p in pair_up(a, b) if p.fold is not None}
    assert kinds["first.0.weight"] == "BatchNorm folded, eps 1e-05"
    assert kinds["second.0.bias"] == "BatchNorm folded, eps 0.001"
    assert kinds["r.weight_ih_l1"] == "gates as in ONNX"
    assert kinds["g.bias_ih_l0"] == "gates as in ONNX"


def stored(arrays: dict[str, np.ndarray]) -> Tensors:
    return {
        name: StoredTensor(name, "Float64", array.shape, array.dtype, lambda array=array: array)
        for name, array in arrays.items()
    }


def test_joined_projections() -> None:
    numbers = np.random.RandomState(0)
    parts = {f"a.{part}.weight": numbers.randn(4, 6) for part in ("query", "key", "value")}
    whole = np.concatenate(list(parts.values()))
    ours = {
        n: StoredTensor(n, "Float64", v.shape, v.dtype, lambda v=v: v) for n, v in parts.items()
    }
    name = "layer.in_proj_weight"
    theirs = {name: StoredTensor(name, "Float64", whole.shape, whole.dtype, lambda: whole)}
    (pair,) = pair_up(ours, theirs)
    assert (pair.a, pair.b, pair.folded) == ("a.query.weight", name, "a")
    np.testing.assert_array_equal(*pair.arrays(ours, theirs))
    (pair,) = pair_up(theirs, ours)
    assert (pair.a, pair.b, pair.folded) == (name, "a.query.weight", "b")
