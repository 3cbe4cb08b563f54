"""Checkpoints: what is saved, loaded, left over, refused."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.formats.ckpt import write_ckpt
from msconvert.runtime import nn
from msconvert.runtime.checkpoint import CheckpointMismatchError


def small() -> nn.Cell:
    return nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2))


def parameter(*data: object) -> ms.Parameter:
    return ms.Parameter(ms.Tensor(*data))


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


SAVE_AND_LOAD = """
import sys, json
import numpy as np, mindspore as ms
from mindspore import nn
from mindspore.train import serialization

net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True), nn.BatchNorm2d(2))
for crc in (False, True):
    loaded = ms.load_checkpoint("ours.ckpt" if not crc else "ours_crc.ckpt", crc_check=crc)
    assert int(loaded.pop("epoch")) == 3 and loaded.pop("note") == "grüße"
    assert loaded.pop("rate").dtype == ms.float32 and bool(loaded.pop("on")) is True
    assert ms.load_param_into_net(net, loaded, strict_load=True) == ([], [])
loaded = ms.load_checkpoint("ours.safetensors", format="safetensors", crc_check=True)
assert ms.load_param_into_net(net, loaded, strict_load=True) == ([], [])
chunked = ms.load_checkpoint("chunked.ckpt")["big"]
assert (chunked.asnumpy() == np.arange(3000, dtype="f4").reshape(3, 1000)).all()
ms.save_checkpoint(net, "theirs.ckpt", crc_check=True, append_dict={"epoch": 3, "rate": 0.1})
ms.save_checkpoint(net, "theirs.safetensors", format="safetensors", remove_redundancy=False)
serialization.SLICE_SIZE = 4
big = [{"name": "big", "data": ms.Tensor(np.arange(3000, dtype="f4").reshape(3, 1000))}]
ms.save_checkpoint(big, "by_bytes.ckpt")
ms.save_checkpoint(big, "by_axis.ckpt", async_save=True)
"""


def test_mindspore_reads_ours_and_we_read_its(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    net = small()
    more = {"epoch": 3, "note": "grüße", "rate": 0.1, "on": True}
    ours = str(tmp_path / "ours")
    ms.save_checkpoint(net, ours, append_dict=more)
    ms.save_checkpoint(net, f"{ours}_crc", append_dict=more, crc_check=True)
    ms.save_checkpoint(net, ours, format="safetensors", crc_check=True, remove_redundancy=False)
    big = np.arange(3000, dtype="f4").reshape(3, 1000)
    write_ckpt(tmp_path / "chunked.ckpt", [("big", big)], chunk_bytes=4096)
    run_mindspore(tmp_path, "-c", SAVE_AND_LOAD)
    for name, crc in (("theirs.ckpt", True), ("theirs.safetensors", False)):
        again = small()
        format = name.split(".")[1]
        found = ms.load_checkpoint(str(tmp_path / name), again, format=format, crc_check=crc)
        expected, got = arrays(net), arrays(again)
        assert found.keys() - {"epoch", "rate"} == expected.keys()
        assert all((expected[name] == got[name]).all() for name in expected)
    for name in ("by_bytes.ckpt", "by_axis.ckpt"):
        held = ms.load_checkpoint(str(tmp_path / name))["big"]
        assert (held.asnumpy() == big).all()


def test_what_append_dict_takes(tmp_path: Path) -> None:
    path = str(tmp_path / "x.ckpt")
    half = ms.Tensor([1.0, 2.0], ms.bfloat16)
    more = {"i": 2**40, "f": 0.1, "b": True, "s": "text", "t": half, "p": parameter([1])}
    ms.save_checkpoint([], path, append_dict=more)
    found = ms.load_checkpoint(path)
    kinds = {name: str(v.dtype) for name, v in found.items() if name != "s"}
    assert kinds == {"i": "Int64", "f": "Float32", "b": "Bool", "t": "BFloat16", "p": "Int64"}
    assert (found["s"], int(found["i"]), found["i"].shape) == ("text", 2**40, ())
    for bad in ({"a": [1]}, {1: 2}, {"a": None}, [1]):
        with pytest.raises(TypeError, match=r"append_dict|must be int or"):
            ms.save_checkpoint(small(), path, append_dict=bad)


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_crc_tells_of_one_changed_number(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    ms.save_checkpoint(small(), str(path), crc_check=True, format=format)
    content = bytearray(path.read_bytes())
    content[-30] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="CRC-32"):
        ms.load_checkpoint(str(path), format=format)


def test_asking_for_a_crc_that_is_not_there_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = str(tmp_path / "x.ckpt")
    ms.save_checkpoint(small(), path)
    with caplog.at_level(logging.WARNING):
        ms.load_checkpoint(path, crc_check=True)
    assert "no CRC-32" in caplog.text


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_async_save_writes_what_the_values_were(tmp_path: Path, how: bool | str) -> None:
    path, net = str(tmp_path / "x.ckpt"), small()
    before = arrays(net)
    ms.save_checkpoint(net, path, async_save=how)
    net[1].gamma.asnumpy()[:] = 7
    ms.save_checkpoint(net, str(tmp_path / "later.ckpt"))
    assert not ms.async_ckpt_thread_status()
    found = ms.load_checkpoint_async(path).result()
    assert all((found[name].asnumpy() == array).all() for name, array in before.items())


def test_async_save_tells_of_a_failure(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    ms.save_checkpoint(small(), str(tmp_path / "file" / "x.ckpt"), async_save=True)
    ms.save_checkpoint(small(), str(tmp_path / "y.ckpt"))
    assert "MS107" in caplog.text


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"enc_key": b"0" * 16}, NotImplementedError, "MS301 save_checkpoint: enc_key"),
        ({"enc_key": "0" * 16}, TypeError, "enc_key"),
        ({"async_save": "later"}, ValueError, "async_save"),
        ({"async_save": 3}, TypeError, "async_save"),
        ({"format": "npz"}, ValueError, "format"),
        ({"crc_check": 1}, TypeError, "crc_check"),
        ({"integrated_save": "yes"}, TypeError, "integrated_save"),
    ],
)
def test_what_saving_refuses(
    tmp_path: Path, options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        ms.save_checkpoint(small(), str(tmp_path / "x.ckpt"), **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "kind", "said"),
    [
        ({"dec_key": b"0" * 16}, NotImplementedError, "MS301 load_checkpoint: dec_key"),
        ({"filter_prefix": 3}, TypeError, "prefix"),
        ({"filter_prefix": []}, ValueError, "prefix is empty"),
        ({"specify_prefix": ["", "a"]}, ValueError, "prefix is empty"),
        ({"specify_prefix": ["a", 1]}, TypeError, "a prefix"),
        ({"format": "safetensors"}, ValueError, "'format' differ"),
        ({"format": "npz"}, ValueError, "format"),
        ({"crc_check": None}, TypeError, "crc_check"),
    ],
)
def test_what_loading_refuses(
    tmp_path: Path, options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    path = str(tmp_path / "x.ckpt")
    ms.save_checkpoint(small(), path)
    with pytest.raises(kind, match=said):
        ms.load_checkpoint(path, **options)


def test_lists_of_parameters_and_streams(tmp_path: Path) -> None:
    net = small()
    ms.save_checkpoint(net.trainable_params(), str(tmp_path / "x"), format="safetensors")
    stream = io.BytesIO((tmp_path / "x.safetensors").read_bytes())
    found = ms.load_checkpoint(stream, format="safetensors")
    assert list(found) == ["0.bias", "0.weight", "1.beta", "1.gamma"]
    with pytest.raises(TypeError, match="ckpt_file_name"):
        ms.load_checkpoint(stream)
    for bad in ([{"name": "a"}], [3], [{"name": "a", "data": np.ones(2)}]):
        with pytest.raises(TypeError, match="save_checkpoint"):
            ms.save_checkpoint(bad, str(tmp_path / "y.ckpt"))


def test_training_goes_on_from_a_loaded_file(tmp_path: Path) -> None:
    """Nothing writes into the mapped file, nor into the dictionary that was loaded."""
    path, net = str(tmp_path / "x.ckpt"), nn.Dense(3, 2)
    ms.save_checkpoint(net, path)
    loaded = ms.load_checkpoint(path, net)
    first = loaded["weight"].asnumpy().copy()
    content = (tmp_path / "x.ckpt").read_bytes()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    for _ in range(3):
        ms.jit(step)(ms.Tensor(np.ones((4, 3), np.float32)), ms.Tensor(np.ones((4, 2), np.float32)))
    assert (net.weight.asnumpy() != first).any()
    assert (loaded["weight"].asnumpy() == first).all()
    assert (tmp_path / "x.ckpt").read_bytes() == content


def test_networks_that_have_no_values_yet_load_each_others() -> None:
    first, second = small(), small()
    ms.load_param_into_net(second, first.parameters_dict())
    expected, got = arrays(first), arrays(second)
    assert all((expected[name] == got[name]).all() for name in expected)
    first[1].gamma.asnumpy()[:] = 7
    assert (second[1].gamma.asnumpy() != 7).all()


def test_what_is_left_over_is_named(caplog: pytest.LogCaptureFixture) -> None:
    given = {
        "0.weight": ms.Parameter(ms.Tensor(np.ones((2, 1, 3, 3), np.float32))),
        "extra": "text",
    }
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
    given = dict(small().parameters_dict()) | {"1.beta": parameter([1.0, 2.0, 3.0])}
    with pytest.raises(CheckpointMismatchError, match=r"(?s)MS303 parameter '1.beta'.*\(3,\)"):
        ms.load_param_into_net(net, given)
    assert all((before[name] == array).all() for name, array in arrays(net).items())


def test_element_types_are_converted_unless_strict() -> None:
    given = {"1.beta": parameter([1.5, 2.5], ms.float16)}
    net = small()
    ms.load_param_into_net(net, given)
    assert net[1].beta.dtype is ms.float32
    assert net[1].beta.asnumpy().tolist() == [1.5, 2.5]
    with pytest.raises(RuntimeError, match="MS303"):
        ms.load_param_into_net(net, given, strict_load=True)
    with pytest.raises(RuntimeError, match="MS303"):
        ms.load_param_into_net(net, {"1.beta": parameter([1, 2])})


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
    with pytest.raises(TypeError, match="'net' must be Cell"):
        ms.load_param_into_net({}, small())
    with pytest.raises(TypeError, match="must be Parameter or str"):
        ms.load_param_into_net(small(), {"1.beta": ms.Tensor([1.0, 2.0])})
