"""PyTorch's files without PyTorch: we read what torch.save writes, torch.load what we write."""

from __future__ import annotations

import collections
import os
import subprocess
import sys
import warnings
import zipfile
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights, write_weights
from msconvert.formats.blocks import Content
from msconvert.formats.pytorch.pth import TorchCheckpoint, is_pth, load_pth, read_pth
from msconvert.formats.pytorch.pth_writer import write_pth
from msconvert.formats.pytorch.torch_types import TORCH_TYPES
from msconvert.formats.stored import StoredTensor
from msconvert.formats.transfer.casting import cast

torch = pytest.importorskip("torch")
FORMS = pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
TYPES = [row.name for row in TORCH_TYPES]


def save(value: object, path: Path, zipped: bool = True) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of old forms and quantised tensors
        torch.save(value, path, _use_new_zipfile_serialization=zipped)
    return path


def content(tensor: object) -> bytes:
    """The bytes of a tensor of PyTorch's, of whatever type and strides."""
    flat = tensor.detach().contiguous().reshape(-1)  # type: ignore[attr-defined]
    return bytes(flat.view(torch.uint8).numpy().tobytes())


def stored(found: object) -> StoredTensor:
    assert isinstance(found, StoredTensor)
    return found


def equal(found: TorchCheckpoint, expected: dict[str, object]) -> bool:
    """Whether names, order, shapes and bytes are those of PyTorch's tensors."""
    assert list(found) == list(expected)
    for name, tensor in expected.items():
        array = stored(found[name]).array()
        assert array.shape == tuple(tensor.shape), name  # type: ignore[attr-defined]
        assert array.tobytes() == content(tensor), name
    return True


@FORMS
@pytest.mark.parametrize("name", TYPES)
def test_every_element_type(tmp_path: Path, name: str, zipped: bool) -> None:
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    found = read_pth(save({"x": tensor, "s": tensor[0, 0]}, tmp_path / "x.pth", zipped))
    assert equal(found, {"x": tensor, "s": tensor[0, 0]})


@FORMS
def test_views_share_a_storage_and_have_their_own_values(tmp_path: Path, zipped: bool) -> None:
    base = torch.arange(24.0).reshape(4, 6)
    state = collections.OrderedDict(
        whole=base,
        rows=base[1:3],
        steps=base[::2, 1::2],
        turned=base.T,
        spread=torch.ones(1).expand(5, 3),
        scalar=torch.tensor(3.0),
        empty=torch.zeros(0, 4),
        weight=torch.nn.Parameter(base[3]),
    )
    assert equal(read_pth(save(state, tmp_path / "x.pth", zipped)), state)


@FORMS
def test_a_network_with_its_optimizer(tmp_path: Path, zipped: bool) -> None:
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1)
    net(torch.ones(2, 3, 8, 8)).sum().backward()
    optimizer.step()
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 4])
    saved = {
        "epoch": 3,
        "state_dict": torch.nn.DataParallel(net).state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "best": np.float32(2.5),
        "names": {"a", "b"},
        "history": [1.5, None, (True, "text", 1 << 70)],
        "size": torch.Size([2, 3]),
        "device": torch.device("cuda", 1),
        "arr": np.arange(6).reshape(2, 3, order="F"),
    }
    path = save(saved, tmp_path / "x.pth", zipped)
    found = read_pth(path)
    assert equal(found, net.state_dict())
    assert (found.key, found.prefix) == ("state_dict", "module.")
    assert found.others == [f"optimizer.state.{number}" for number in range(4)]
    moments = read_pth(path, "optimizer.state.0")
    assert equal(moments, optimizer.state_dict()["state"][0])
    values = load_pth(path).content
    plain = ("epoch", "best", "names", "history", "size")
    assert {key: values[key] for key in plain} == {key: saved[key] for key in plain}
    assert values["device"] == "cuda"
    assert values["arr"].array.tolist() == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(
    ("wrap", "key"),
    [
        (lambda s: s, ""),
        (lambda s: {"model": s, "args": {"lr": 0.1}}, "model"),
        (lambda s: {"model": s, "model_ema": s}, "model"),
        (lambda s: {"teacher": s, "optimizer": {"state": {0: {"m": torch.ones(2)}}}}, "teacher"),
        (lambda s: {"outer": {"inner": s}}, "outer.inner"),
        (lambda s: list(s.values()), ""),
    ],
)
def test_the_state_dict_is_found(tmp_path: Path, wrap: object, key: str) -> None:
    state = {"0": torch.ones(2), "1": torch.zeros(3)}
    found = read_pth(save(wrap(state), tmp_path / "x.pth"))  # type: ignore[operator]
    assert found.key == key
    assert equal(found, state)


def test_of_several_none_is_guessed(tmp_path: Path) -> None:
    state = {"w": torch.ones(2)}
    path = save({"generator": state, "critic": {"w": torch.zeros(2)}}, tmp_path / "x.pth")
    with pytest.raises(MsconvertError, match=r"several(.|\n)*'generator', 'critic'(.|\n)*--key"):
        read_pth(path)
    assert equal(read_pth(path, "critic"), {"w": torch.zeros(2)})
    with pytest.raises(MsconvertError, match=r"no dictionary of tensors under 'x'"):
        read_pth(path, "x")
    with pytest.raises(MsconvertError, match="holds no tensors"):
        read_pth(save({"epoch": 3}, tmp_path / "y.pth"))


@FORMS
def test_tied_weights_are_noticed_and_equal_ones_are_not(tmp_path: Path, zipped: bool) -> None:
    table = torch.nn.Parameter(torch.ones(5, 3))
    state = {"embed": table, "copy": table.detach().clone(), "head": table, "part": table[:2]}
    found = read_pth(save(state, tmp_path / "x.pth", zipped))
    assert found.tied == {"head": "embed"}


def test_a_prefix_that_only_some_names_have_stays(tmp_path: Path) -> None:
    state = {"module.a": torch.ones(1), "b": torch.ones(1)}
    assert list(read_pth(save(state, tmp_path / "x.pth"))) == ["module.a", "b"]
    both = {"_orig_mod.module.a": torch.ones(1)}
    assert list(read_pth(save(both, tmp_path / "y.pth"))) == ["a"]


def test_files_of_other_protocols_and_without_crc(tmp_path: Path) -> None:
    state = {"x": torch.arange(3), "long name " * 30: torch.ones(2)}
    for protocol in (2, 3, 4, 5):
        torch.save(state, tmp_path / "x.pth", pickle_protocol=protocol)
        assert equal(read_pth(tmp_path / "x.pth"), state)
    torch.serialization.set_crc32_options(False)
    torch.save(state, tmp_path / "x.pth")
    torch.serialization.set_crc32_options(True)
    assert equal(read_pth(tmp_path / "x.pth"), state)
    load_pth(tmp_path / "x.pth").check()
    load_pth(save(state, tmp_path / "y.pth")).check()


def test_a_file_of_a_big_endian_machine(tmp_path: Path) -> None:
    state = {"x": torch.arange(6.0).reshape(2, 3), "h": torch.arange(3).bfloat16()}
    save(state, tmp_path / "x.pth")
    with (
        zipfile.ZipFile(tmp_path / "x.pth") as old,
        zipfile.ZipFile(tmp_path / "y.pth", "w") as new,
    ):
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith("byteorder"):
                data = b"big"
            elif "/data/" in info.filename:
                data = np.frombuffer(data, "u4" if len(data) == 24 else "u2").byteswap().tobytes()
            new.writestr(info.filename, data)
    assert equal(read_pth(tmp_path / "y.pth"), state)


def test_memory_is_mapped_and_read_only(tmp_path: Path) -> None:
    found = read_pth(save({"x": torch.ones(1000)}, tmp_path / "x.pth"))
    array = stored(found["x"]).array()
    assert not array.flags.writeable
    assert not array.flags.owndata


def test_read_weights_and_names_of_files(tmp_path: Path) -> None:
    for name in ("a.pth", "a.pt", "pytorch_model.bin", "checkpoint.pth.tar"):
        path = save({"x": torch.ones(2)}, tmp_path / name)
        assert stored(read_weights(path)["x"]).array().tolist() == [1, 1]
        assert is_pth(path)
    write_weights(tmp_path / "x.ckpt", [("a", np.ones(1))], "ckpt")
    assert not is_pth(tmp_path / "x.ckpt")
    assert not is_pth(tmp_path / "missing")


# what PyTorch makes of ours


@pytest.mark.parametrize("name", TYPES)
def test_pytorch_reads_what_we_write(tmp_path: Path, name: str) -> None:
    tensor = torch.arange(6).reshape(2, 3).to(getattr(torch, name))
    array = stored(read_pth(save({"x": tensor}, tmp_path / "x.pth"))["x"]).array()
    items = {"x": array, "layer.0.t": array.T, "s": array[0, 0], "empty": array[:0]}
    write_pth(tmp_path / "y.pth", items.items(), tied={"again": "x"})
    for options in ({}, {"mmap": True}):
        loaded = torch.load(tmp_path / "y.pth", weights_only=True, **options)
        assert list(loaded) == [*items, "again"]
        assert loaded["x"].dtype == tensor.dtype
        assert content(loaded["x"]) == content(tensor)
        assert content(loaded["layer.0.t"]) == content(tensor.T)
        assert loaded["s"].shape == ()
        assert loaded["empty"].shape == (0, 3)
        assert loaded["again"].data_ptr() == loaded["x"].data_ptr()
    assert equal(read_pth(tmp_path / "y.pth"), loaded)


def test_our_archive_is_one_for_others_too(tmp_path: Path) -> None:
    items = {f"layer.{number}": np.full(number, number, "f4") for number in range(1, 40)}
    write_pth(tmp_path / "x.pth", items.items())
    with zipfile.ZipFile(tmp_path / "x.pth") as archive:
        assert archive.testzip() is None
        assert archive.read("archive/version") == b"3\n"
    raw = (tmp_path / "x.pth").read_bytes()
    assert raw.index(np.full(39, 39, "f4").tobytes()) % 64 == 0


def test_sums_stand_where_others_look(tmp_path: Path) -> None:
    whole = np.random.default_rng(0).standard_normal((600, 500), np.float32)
    items: dict[str, Content] = {}
    for number in range(5):
        items |= {f"plain.{number}": whole + number, f"turned.{number}": (whole - number).T}
        items[f"small.{number}"] = whole[number]
    items["cast"] = cast("cast", whole, np.dtype("<f2"))
    write_pth(tmp_path / "x.pth", items.items())
    raw = (tmp_path / "x.pth").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.pth") as archive:
        assert archive.testzip() is None
        for member in archive.infolist():
            at = member.header_offset + 14
            assert int.from_bytes(raw[at : at + 4], "little") == member.CRC
            assert zlib.crc32(archive.read(member)) == member.CRC
    loaded = torch.load(tmp_path / "x.pth", weights_only=True)
    assert (loaded["turned.4"].numpy() == (whole - 4).T).all()
    assert (loaded["cast"].numpy() == whole.astype("f2")).all()


def test_what_a_state_dict_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(MsconvertError, match=r"MS305 text 'note'.*tensors only"):
        write_pth(tmp_path / "x.pth", [("note", "hello")])
    with pytest.raises(MsconvertError, match=r"MS305 .*no float8_e8m0fnu elements"):
        write_pth(tmp_path / "x.pth", [("x", np.ones(2).astype(ml_dtypes.float8_e8m0fnu))])
    with pytest.raises(MsconvertError, match=r"MS305 .*no parameters"):
        write_pth(tmp_path / "x.pth", [])
    with pytest.raises(MsconvertError, match=r"MS305 .*occurs twice"):
        write_pth(tmp_path / "x.pth", [("a", np.ones(1)), ("a", np.ones(1))])
    assert os.listdir(tmp_path) == []


def test_reading_needs_no_pytorch(tmp_path: Path) -> None:
    path = save({"x": torch.ones(2)}, tmp_path / "x.pth")
    code = (
        "import sys; from msconvert.formats.pytorch.pth import read_pth; "
        "print(read_pth(sys.argv[1])['x'].array(), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout == "[1. 1.] False\n", done.stderr


def test_dictionaries_that_are_compared_together(tmp_path: Path) -> None:
    one = torch.ones(1)
    saved = {"out": one, "grads": {"w": one * 2}, "optimizer": {"s": {0: one}}, "ema": [one * 3]}
    path = save(saved, tmp_path / "x.pth", True)
    found = read_pth(path, comparing=True)
    assert {name: tensor.array().tolist() for name, tensor in found.tensors().items()} == {
        "out": [1],
        "grads.w": [2],
        "ema.0": [3],
    }
    assert found.others == ["optimizer.s"]
    path = save({"state_dict": {"w": one}, "ema": {"w": one}}, tmp_path / "y.pth", True)
    assert list(read_pth(path, comparing=True)) == ["w"]
    path = save({"a": {"b.c": one, "b": {"c": one}}}, tmp_path / "z.pth", True)
    with pytest.raises(MsconvertError, match=r"two tensors have the name 'a\.b\.c'"):
        read_pth(path, comparing=True)
