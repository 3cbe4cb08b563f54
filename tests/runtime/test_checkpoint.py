"""Checkpoints: what is saved, loaded, left over, refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime import nn
from msconvert.runtime.checkpoint import CheckpointMismatchError


def small() -> nn.Cell:
    return nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2))


def arrays(net: nn.Cell) -> dict[str, np.ndarray]:
    return {p.name: p.asnumpy().copy() for p in net.get_parameters()}


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_what_is_saved_is_loaded(tmp_path: Path, format: str) -> None:
    first, second = small(), small()
    target = tmp_path / f"net.{format}"
    ms.save_checkpoint(first, str(target), format=format)
    loaded = ms.load_checkpoint(str(target), format=format)
    assert all(isinstance(p, ms.Parameter) and p.name == name for name, p in loaded.items())
    assert ms.load_param_into_net(second, loaded, strict_load=True) == ([], [])
    expected, got = arrays(first), arrays(second)
    assert expected.keys() == got.keys()
    assert all((expected[name] == got[name]).all() for name in expected)


def test_mindspore_reads_ours_and_we_read_its(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    net = small()
    ms.save_checkpoint(net, str(tmp_path / "ours"), append_dict={"epoch": 3})
    run_mindspore(
        tmp_path,
        "-c",
        "import mindspore as ms; from mindspore import nn\n"
        "net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2))\n"
        "loaded = ms.load_checkpoint('ours.ckpt'); assert int(loaded.pop('epoch')) == 3\n"
        "assert ms.load_param_into_net(net, loaded, strict_load=True) == ([], [])\n"
        "ms.save_checkpoint(net, 'theirs.ckpt')",
    )
    again = small()
    left = ms.load_param_into_net(again, ms.load_checkpoint(str(tmp_path / "theirs.ckpt")))
    assert left == ([], [])
    expected, got = arrays(net), arrays(again)
    assert all((expected[name] == got[name]).all() for name in expected)


def test_what_is_left_over_is_named(caplog: pytest.LogCaptureFixture) -> None:
    given = {"0.weight": ms.Parameter(ms.Tensor(np.ones((2, 1, 3, 3), np.float32))), "extra": 1}
    with caplog.at_level(logging.WARNING):
        missing, unused = ms.load_param_into_net(small(), given, strict_load=True)
    assert unused == ["extra"]
    assert "0.bias" in missing
    assert "1.gamma" in missing
    assert "5 parameters in the 'net' are not loaded" in caplog.text


def test_a_prefix_before_all_names_is_ignored_unless_strict() -> None:
    net, other = small(), small()
    given = {f"network.{name}": p for name, p in net.parameters_dict().items()}
    missing, _ = ms.load_param_into_net(other, given)
    assert missing == []
    missing, _ = ms.load_param_into_net(small(), given, strict_load=True)
    assert len(missing) == 6


def test_another_shape_is_refused_and_nothing_is_loaded() -> None:
    net = small()
    before = arrays(net)
    given = dict(small().parameters_dict()) | {"1.beta": ms.Tensor([1.0, 2.0, 3.0])}
    with pytest.raises(CheckpointMismatchError, match=r"(?s)MS303 parameter '1.beta'.*\(3,\)"):
        ms.load_param_into_net(net, given)
    assert all((before[name] == array).all() for name, array in arrays(net).items())


def test_element_types_are_converted_unless_strict() -> None:
    given = {"1.beta": ms.Tensor([1.5, 2.5], ms.float16)}
    net = small()
    ms.load_param_into_net(net, given)
    assert net[1].beta.dtype is ms.float32
    assert net[1].beta.asnumpy().tolist() == [1.5, 2.5]
    with pytest.raises(RuntimeError, match="MS303"):
        ms.load_param_into_net(net, given, strict_load=True)
    with pytest.raises(RuntimeError, match="MS303"):
        ms.load_param_into_net(net, {"1.beta": ms.Tensor([1, 2])})


def test_names_are_chosen(tmp_path: Path) -> None:
    path = str(tmp_path / "net.ckpt")
    ms.save_checkpoint(small(), path, choice_func=lambda name: not name.startswith("1.moving"))
    assert sorted(ms.load_checkpoint(path)) == ["0.bias", "0.weight", "1.beta", "1.gamma"]
    assert sorted(ms.load_checkpoint(path, filter_prefix="0.")) == ["1.beta", "1.gamma"]
    assert sorted(ms.load_checkpoint(path, specify_prefix=["0."])) == ["0.bias", "0.weight"]
    with pytest.raises(ValueError, match="no parameter is left"):
        ms.load_checkpoint(path, choice_func=lambda name: False)


def test_damaged_and_missing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.ckpt"
    ms.save_checkpoint(small(), str(path))
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(MsconvertError, match="MS302"):
        ms.load_checkpoint(str(path))
    with pytest.raises(MsconvertError, match="MS302"):
        ms.load_checkpoint(str(tmp_path / "none.ckpt"))


def test_only_networks_and_dictionaries(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="save_obj"):
        ms.save_checkpoint(3, str(tmp_path / "x.ckpt"))
    with pytest.raises(TypeError, match="'net' should be a Cell"):
        ms.load_param_into_net({}, small())
