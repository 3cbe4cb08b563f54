"""Tensors from and for NumPy, DLPack, pickle and copy; weight files in the other format."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn


def test_from_numpy_shares_memory() -> None:
    array = np.arange(3, dtype=np.float32)
    x, y = ms.from_numpy(array), ms.Tensor.from_numpy(array)
    array[0] = 9
    assert x.asnumpy().tolist() == y.asnumpy().tolist() == [9, 1, 2]
    with pytest.raises(TypeError, match="MS304 from_numpy"):
        ms.from_numpy([1, 2])


def test_buffers_are_read_as_numbers() -> None:
    held = bytearray(np.arange(6, dtype=np.int16).tobytes())
    x = ms.frombuffer(held, ms.int16, count=2, offset=4)
    held[4] = 9
    assert (x.dtype, x.asnumpy().tolist()) == (ms.int16, [9, 3])


def test_tensors_change_places() -> None:
    a, b = ms.Tensor([1.0]), ms.Parameter(ms.Tensor([2, 3]), name="b")
    ms.swap_tensors(a, b)
    assert (type(a), a.name, a.asnumpy().tolist()) == (ms.Parameter, "b", [2, 3])
    assert (type(b), b.asnumpy().tolist()) == (ms.Tensor, [1.0])


def test_symbols_of_open_sizes() -> None:
    size = ms.Symbol(max=32, divisor=8, remainder=1, unique=True)
    assert ms.Tensor(shape=(None, size, 3), dtype=ms.float32).shape == (-1, -1, 3)
    assert size.to_dict() == {"max": 32, "divisor": 8, "remainder": 1, "id": id(size)}
    assert str(ms.Symbol(min=4)) == "{'min': 4}"
    for options in ({"min": 0}, {"divisor": -1}, {"divisor": 2, "remainder": 2}):
        with pytest.raises(ValueError, match="MS304 Symbol"):
            ms.Symbol(**options)
    for options in ({"max": 1.5}, {"unique": 1}):
        with pytest.raises(TypeError, match="MS304 Symbol"):
            ms.Symbol(**options)


def test_dlpack_shares_memory_both_ways() -> None:
    x = ms.Tensor([1.0, 2.0])
    y = ms.from_dlpack(ms.to_dlpack(x))
    x.asnumpy()[0] = 7
    assert y.asnumpy().tolist() == [7, 2]
    z = ms.Tensor.from_dlpack(np.arange(3))
    assert z.dtype is ms.int64
    assert ms.from_dlpack(z.to_dlpack()).asnumpy().tolist() == [0, 1, 2]
    for bad in (3, [1.0], None):
        with pytest.raises(RuntimeError, match="MS304"):
            ms.from_dlpack(bad)
        with pytest.raises(TypeError, match="MS304"):
            ms.to_dlpack(bad)


@pytest.mark.parametrize("through", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_and_pickles_are_independent(through: Any) -> None:
    dense = nn.Dense(3, 2)
    for x in (
        ms.Tensor([1.0, 2.0]),
        ms.Tensor([1.0, 2.0], ms.bfloat16),
        ms.Parameter(ms.Tensor([1.0, 2.0]), name="w", requires_grad=False),
        dense.weight,
    ):
        y = through(x)
        assert (type(y), y.dtype, y.shape) == (type(x), x.dtype, x.shape)
        assert (y.asnumpy() == x.asnumpy()).all()
        assert getattr(y, "name", "") == getattr(x, "name", "")
        assert getattr(y, "requires_grad", None) == getattr(x, "requires_grad", None)
        y.asnumpy()[...] = 5
        assert (x.asnumpy() != 5).any()
    coo = through(ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (2, 2)))
    assert coo.to_dense().asnumpy().tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize("through", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_networks_are_copied_after_they_have_run_as_graphs(through: Any) -> None:
    shared = nn.Dense(3, 3)
    net = nn.SequentialCell(shared, nn.ReLU(), shared)
    x = ms.Tensor(np.ones((2, 3), np.float32))
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        before = net(x).asnumpy()
        other = through(net)
        assert other[0] is other[2]
        assert (other(x).asnumpy() == before).all()
        other[0].bias.set_data(other[0].bias + 1)
        assert (other(x).asnumpy() != before).any()
        assert (net(x).asnumpy() == before).all()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_mindir_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.mindir"
    path.write_bytes(b"")
    with pytest.raises(NotImplementedError, match="MS301 load"):
        ms.load(str(path))
    for bad in (3, "net.ckpt", str(tmp_path / "none.mindir")):
        with pytest.raises(ValueError, match="MS304 load"):
            ms.load(bad)


def test_weight_files_in_the_other_format(tmp_path: Path) -> None:
    net = nn.Dense(3, 2)
    for rank in ("rank_0", "rank_1"):
        (tmp_path / rank).mkdir()
        ms.save_checkpoint(net, str(tmp_path / rank / "a.ckpt"))
    ms.ckpt_to_safetensors(str(tmp_path), str(tmp_path / "out"), name_map={"weight": "w"})
    found = ms.load_checkpoint(
        str(tmp_path / "out" / "rank_1" / "a.safetensors"), format="safetensors"
    )
    assert sorted(found) == ["bias", "w"]
    assert (found["w"].asnumpy() == net.weight.asnumpy()).all()
    one = str(tmp_path / "out" / "rank_0" / "a.safetensors")
    ms.safetensors_to_ckpt(one, str(tmp_path / "back"))
    back = ms.load_checkpoint(str(tmp_path / "back" / "a.ckpt"))
    assert (back["bias"].asnumpy() == net.bias.asnumpy()).all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none",), "no such file"),
        (("rank_0/a.ckpt", "out.dir"), "must be a folder"),
        (("rank_0/a.txt",), "must be a .ckpt"),
        (("rank_0",), "no folder rank"),
        (("rank_0/a.ckpt", None, [1]), "name_map"),
        (("rank_0/a.ckpt", None, None, "b$"), "file_name_regex"),
    ],
)
def test_what_rewriting_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[Any, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rank_0").mkdir()
    ms.save_checkpoint(nn.Dense(3, 2), "rank_0/a.ckpt")
    Path("rank_0/a.txt").write_text("")
    with pytest.raises(ValueError, match=f"MS304 .*{said}"):
        ms.ckpt_to_safetensors(*arguments)
    assert sorted(p.name for p in Path("rank_0").iterdir()) == ["a.ckpt", "a.txt"]
