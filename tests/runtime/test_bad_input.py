"""Bad input: damaged checkpoints, shapes and element types that do not fit, numbers that overflow.

What is refused is refused with a code and a class of MindSpore's, and nothing is half done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import read_ckpt
from msconvert.runtime import nn, ops

ROOT = Path(__file__).parents[2]


class LeNet(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(400, 20)
        self.fc2 = nn.Dense(20, 10)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """LeNet's checkpoint in both formats."""
    folder = tmp_path_factory.mktemp("saved")
    net = LeNet()
    for format in ("ckpt", "safetensors"):
        ms.save_checkpoint(net, str(folder / f"x.{format}"), format=format)
    return {path.suffix[1:]: path.read_bytes() for path in folder.iterdir()}


def state(net: nn.Cell) -> dict[str, bytes]:
    return {p.name: p.asnumpy().tobytes() for p in net.get_parameters()}


def loads(path: Path, net: nn.Cell) -> str:
    """The code with which loading into `net` is refused, "" if it is loaded."""
    before, refusal = state(net), None
    try:
        ms.load_checkpoint(str(path), net, format=path.suffix[1:])
    except MsconvertError as error:
        refusal = error
    if refusal is None:
        return ""
    assert isinstance(refusal, ValueError if refusal.code == "MS302" else RuntimeError)
    assert "\n  try:" in str(refusal)
    assert state(net) == before
    return refusal.code


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_cut_at_every_kilobyte_is_told(
    tmp_path: Path, saved: dict[str, bytes], format: str
) -> None:
    net, path, content = LeNet(), tmp_path / f"x.{format}", saved[format]
    for size in range(0, len(content), 1024):
        path.write_bytes(content[:size])
        assert loads(path, net) == "MS302", size
    path.write_bytes(content)
    assert loads(path, net) == ""


def structure(path: Path, content: bytes, format: str) -> Iterator[int]:
    """The places of all bytes that are not the numbers of a parameter."""
    if format == "safetensors":
        return iter(range(8 + int.from_bytes(content[:8], "little")))
    data: set[int] = set()
    for stored in read_ckpt(path).tensors().values():
        start = content.index(stored.array().tobytes())
        data.update(range(start, start + stored.nbytes))
    return (place for place in range(len(content)) if place not in data)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_every_changed_byte_of_the_structure_is_told(
    tmp_path: Path, saved: dict[str, bytes], format: str
) -> None:
    """But what changes nothing: padding, and texts that nobody reads."""
    net, path, content = LeNet(), tmp_path / f"x.{format}", saved[format]
    path.write_bytes(content)
    whole = meaning(path)
    for place in structure(path, content, format):
        for change in (1, 0x20, 0xFF):
            damaged = bytearray(content)
            damaged[place] ^= change
            path.write_bytes(damaged)
            assert loads(path, net) in ("MS302", "MS303") or meaning(path) == whole, place


def meaning(path: Path) -> dict[str, object]:
    found = ms.load_checkpoint(str(path), format=path.suffix[1:])
    return {name: (p.shape, p.dtype, p.asnumpy().tobytes()) for name, p in found.items()}


def test_a_header_of_safetensors_says_nothing_twice(saved: dict[str, bytes]) -> None:
    """What the test above may leave alone is small: the metadata, and blanks."""
    content = saved["safetensors"]
    text = content[8 : 8 + int.from_bytes(content[:8], "little")]
    assert len(json.loads(text)) == 1 + len(state(LeNet()))
    assert len(text) - len(text.rstrip()) < 8
    assert json.loads(text)["__metadata__"] == {"format": "ms"}


def x(*shape: int, dtype: Any = np.float32) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, dtype))


def ints(*shape: int) -> ms.Tensor:
    return x(*shape, dtype=np.int32)


@dataclass(frozen=True)
class Bad:
    """A call that is refused with MS304, in both modes; `place` is what the error names.

    Whether its class is MindSpore's is compared by the parity rows.
    """

    name: str
    call: Callable[[], Any]
    place: str


CALLS = [
    Bad("add of (2, 3) and (4,)", lambda: x(2, 3) + x(4), "Add"),
    Bad("matmul of (2, 3) and (2, 3)", lambda: ops.matmul(x(2, 3), x(2, 3)), "MatMul"),
    Bad("concat of unequal sizes", lambda: ops.concat((x(2, 3), x(3, 2)), 1), "Concat"),
    Bad("reshape to more elements", lambda: x(2, 3).reshape(4, 2), "reshape"),
    Bad("split into too few", lambda: ops.split(x(5), [2, 2]), "split"),
    Bad("transpose with an axis twice", lambda: ops.transpose(x(2, 3), (0, 0)), "transpose"),
    Bad("sum along an axis too many", lambda: ops.sum(x(2), 2), "reduce_sum"),
    Bad("softmax of integers", lambda: ops.softmax(ints(2, 3)), "softmax"),
    Bad("softmax along axis 5", lambda: ops.softmax(x(2, 3), axis=5), "softmax"),
    Bad("gather with fractions", lambda: ops.gather(x(2, 3), x(2), 0), "Gather"),
    Bad("relu of None", lambda: ops.relu(None), "relu"),
    Bad("relu of an array", lambda: ops.relu(np.ones(3)), "relu"),
    Bad("a Tensor and a text", lambda: x(2) + "a", "add"),
    Bad("assign of another shape", lambda: ops.assign(ms.Parameter(x(2)), x(3)), "assign"),
    Bad(
        "assign_add of another shape",
        lambda: ops.assign_add(ms.Parameter(x(2)), x(3)),
        "assign_add",
    ),
    Bad("fractions into whole numbers", lambda: ops.assign(ms.Parameter(ints(2)), x(2)), "assign"),
    Bad("Dense of the wrong size", lambda: nn.Dense(3, 4)(x(2, 5)), "Gemm"),
    Bad("Dense of integers", lambda: nn.Dense(3, 4)(ints(2, 3)), "Dense"),
    Bad("Dense of a list", lambda: nn.Dense(3, 4)([1, 2, 3]), "Dense"),
    Bad("Conv2d of three axes", lambda: nn.Conv2d(3, 4, 3)(x(3, 8, 8)), "Conv2d"),
    Bad("Conv2d of integers", lambda: nn.Conv2d(3, 4, 3)(ints(1, 3, 8, 8)), "Conv"),
    Bad(
        "BatchNorm2d of the wrong channels", lambda: nn.BatchNorm2d(3)(x(1, 2, 8, 8)), "batch_norm"
    ),
    Bad("BatchNorm2d of two axes", lambda: nn.BatchNorm2d(3)(x(2, 3)), "BatchNorm2d"),
    Bad("LayerNorm of another size", lambda: nn.LayerNorm((3,))(x(2, 4)), "LayerNorm"),
    Bad("Embedding of fractions", lambda: nn.Embedding(10, 3)(x(2)), "Gather"),
    Bad("LSTM of the wrong size", lambda: nn.LSTM(3, 4)(x(2, 5, 7)), "LSTM"),
    Bad("MSELoss of two shapes", lambda: nn.MSELoss()(x(2, 3), x(2, 4)), "Sub"),
    Bad(
        "CrossEntropyLoss with fractions",
        lambda: nn.CrossEntropyLoss()(x(2, 3), x(2)),
        "CrossEntropyLoss",
    ),
    Bad(
        "set_data of another shape",
        lambda: ms.Parameter(x(2), name="w").set_data(x(3)),
        "Parameter 'w'",
    ),
    Bad("an optimiser of nothing", lambda: nn.SGD([], 0.1), "SGD"),
]


@pytest.fixture
def graph_mode() -> Iterator[None]:
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def refusal_of(bad: Bad) -> MsconvertError:
    """What is raised. Raises: AssertionError if it is not refused as the table says"""
    with pytest.raises(MsconvertError) as caught:
        bad.call()
    assert isinstance(caught.value, CLASSES)
    assert caught.value.code == "MS304"
    assert bad.place.lower() in caught.value.where.lower()
    return caught.value


CLASSES = (TypeError, ValueError, RuntimeError)
"""What scripts catch."""


@pytest.mark.parametrize("bad", CALLS, ids=lambda bad: bad.name)
def test_what_does_not_fit_is_named(bad: Bad) -> None:
    assert "onnxruntime" not in str(refusal_of(bad))


@pytest.mark.parametrize("bad", CALLS, ids=lambda bad: bad.name)
def test_what_does_not_fit_is_named_in_graph_mode(bad: Bad, graph_mode: None) -> None:
    refusal_of(bad)


class Scaled:
    """A linear network under loss scaling; `steps` are all that happens to it."""

    def __init__(self) -> None:
        self.net = nn.Dense(3, 2)
        self.optimizer = nn.Adam(self.net.trainable_params(), 0.1)
        self.scaler = ms.amp.DynamicLossScaler(1024, 2, 50)
        self.gradients = ms.value_and_grad(self.loss, None, self.net.trainable_params())

    def loss(self, data: Any) -> Any:
        return self.scaler.scale((self.net(data) ** 2).sum())

    def step(self, data: Any) -> bool:
        _, gradients = self.gradients(data)
        gradients = self.scaler.unscale(gradients)
        finite = ms.amp.all_finite(gradients)
        if finite:
            self.optimizer(gradients)
        self.scaler.adjust(finite)
        return bool(finite)

    def state(self) -> dict[str, bytes]:
        held = [*self.net.get_parameters(), *self.optimizer.get_parameters()]
        return {f"{k} {p.name}": p.asnumpy().tobytes() for k, p in enumerate(held)}


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e38])
@pytest.mark.parametrize("graph", [False, True])
def test_an_overflow_skips_the_step_and_halves_the_scale(
    bad: float, graph: bool, request: pytest.FixtureRequest
) -> None:
    if graph:
        request.getfixturevalue("graph_mode")
    scaled, good = Scaled(), x(4, 3)
    assert scaled.step(good)
    before = scaled.state()
    assert not scaled.step(ms.Tensor(np.float32([[1, bad, 1]])))
    assert scaled.state() == before
    assert float(scaled.scaler.scale_value.asnumpy()) == 512
    assert scaled.step(good)
    assert scaled.state() != before


@pytest.mark.parametrize("graph", [False, True])
def test_the_cell_of_a_scaled_step_skips_it_too(
    graph: bool, request: pytest.FixtureRequest
) -> None:
    if graph:
        request.getfixturevalue("graph_mode")
    net = nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss())
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    update = nn.DynamicLossScaleUpdateCell(loss_scale_value=1024, scale_factor=2, scale_window=50)
    step = nn.TrainOneStepWithLossScaleCell(net, optimizer, update)
    step.set_train()

    def state_now() -> dict[str, bytes]:
        return {p.name: p.asnumpy().tobytes() for p in optimizer.get_parameters()}

    assert not bool(step(x(4, 3), x(4, 2))[1].asnumpy())
    before = state_now()
    assert bool(step(ms.Tensor(np.float32([[1, np.nan, 1]])), x(1, 2))[1].asnumpy())
    assert state_now() == before
    assert float(step.scale_sense.asnumpy()) == 512
    step(x(4, 3), x(4, 2))
    assert state_now() != before


PAGE_HEAD = """# Bad input to the runtime

What the runtime says to each bad call that its tests know, in PyNative mode. Every error is an
`MsconvertError`, and one of Python's, which `except` in MindSpore's scripts may name.

Generated by `pytest tests/runtime/test_bad_input.py --renew-golden`.

| call | also a | message |
|---|---|---|
"""


def test_the_page_shows_the_messages(golden: Callable[[Path, str], None]) -> None:
    page = PAGE_HEAD
    for bad in CALLS:
        refusal = refusal_of(bad)
        kind = next(kind.__name__ for kind in CLASSES if isinstance(refusal, kind))
        lines = [" ".join(line.split()) for line in str(refusal).split("\n")]
        shown = "<br>".join(f"`{line}`".replace("|", "\\|") for line in lines)
        page += f"| {bad.name} | {kind} | {shown} |\n"
    golden(ROOT / "docs" / "runtime-bad-input.md", page)


def test_what_onnx_runtime_refuses_is_told_without_its_own_code() -> None:
    with pytest.raises(RuntimeError, match=r"^MS304 GatherElements: [^:]*: Out of range") as told:
        nn.CrossEntropyLoss()(ms.ops.ones((2, 3)), ms.Tensor([1, 5], ms.int32))
    assert "onnxruntime::" not in str(told.value)
    with pytest.raises(ValueError, match=r"^MS304 Expand: Failed to allocate memory"):
        ops.broadcast_to(ops.ones((1,)), (10**12,))
