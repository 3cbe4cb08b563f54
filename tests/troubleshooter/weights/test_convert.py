"""Weight files of every kind into others, against the libraries that own them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.errors import MsconvertError, UsageError
from msconvert.formats import read_weights, write_weights
from msconvert.formats.names.renaming import Wishes
from msconvert.formats.transfer.conversion import open_weights
from msconvert.formats.transfer.sharding import MAX_FILES, names_of_shards, split
from msconvert.troubleshooter.weights import WeightSettings, convert_weights

torch = pytest.importorskip("torch")

NET = {
    "conv.weight": np.arange(48, dtype="f4").reshape(4, 3, 2, 2),
    "norm.weight": np.ones(4, "f4"),
    "norm.bias": np.arange(4, dtype="f4"),
    "norm.running_mean": np.arange(4, dtype="f4"),
    "norm.running_var": np.ones(4, "f4"),
    "norm.num_batches_tracked": np.array(7),
    "fc.weight": np.arange(8, dtype="f4").reshape(2, 4),
    "fc.bias": np.arange(2, dtype="f4"),
}
NEW = {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arrays(path: str) -> dict[str, np.ndarray]:
    return {name: value.array() for name, value in open_weights(path).tensors().items()}


# element types

HARD = [
    *(0.0, -0.0, 1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 1 + 3 * 2**-11, 65504.0, -65504.0),
    *(2**-24, 2**-25, 1.5 * 2**-25, 1e-8, 2**-133, 3.3e38, np.inf, -np.inf, np.nan),
]


@pytest.mark.parametrize("target", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("source", ["float32", "float16", "bfloat16", "float64"])
def test_numbers_are_rounded_as_pytorch_does(source: str, target: str) -> None:
    random = np.random.default_rng(0).standard_normal(1 << 18)
    values = torch.from_numpy(np.concatenate([HARD, random])).to(getattr(torch, source))
    lost = values.to(getattr(torch, target)).isinf() & ~values.isinf()
    values = values[~lost]
    torch.save({"a.b": values, "whole": torch.arange(3)}, "in.pth")
    convert_weights("in.pth", "out.pth", WeightSettings(types=[("*", target)]))
    found = torch.load("out.pth", weights_only=True)
    expected = values.to(getattr(torch, target))
    assert found["a.b"].dtype == expected.dtype
    assert torch.equal(found["a.b"].isnan(), expected.isnan())
    kept = ~expected.isnan()
    ours, theirs, exact = found["a.b"][kept], expected[kept], values[kept].double()
    assert torch.equal(ours.signbit(), theirs.signbit())
    other = ours != theirs  # PyTorch rounds float64 to float32 first
    assert not other.any() or source == "float64"
    assert ((ours.double() - exact).abs() <= (theirs.double() - exact).abs())[other].all()
    assert other.sum() < 20
    assert found["whole"].dtype == torch.int64


def test_what_would_become_infinite_is_refused() -> None:
    values = np.ones(300_000, "f4")
    values[-1] = 1e6
    write_weights("in.pth", [("mask", values), ("other.x", values[:2])], "pth")
    with pytest.raises(MsconvertError, match=r"MS305 .*'mask'.* 1e\+06 is beyond .* float16"):
        convert_weights("in.pth", "out.ckpt", WeightSettings(types=[("*", "float16")]))
    assert not Path("out.ckpt").exists()
    rules = ["--dtype", "float16", "--dtype", "mask=same"]
    assert main(["weights", "in.pth", "-o", "out.ckpt", *rules]) == 0
    assert [value.type_name for value in read_weights("out.ckpt").tensors().values()] == [
        "Float32",
        "Float16",
    ]
    convert_weights("in.pth", "out.safetensors", WeightSettings(types=[("*", "bfloat16")]))
    assert {v.type_name for v in read_weights("out.safetensors").tensors().values()} == {"BFloat16"}


def test_float8_becomes_what_mindspore_reads() -> None:
    values = torch.arange(8.0).to(torch.float8_e4m3fn)
    names = ("a.w", "n.running_mean", "n.running_var")
    torch.save({name: values.clone() for name in names}, "in.pth")
    with pytest.raises(MsconvertError, match=r"(?s)MS305 .*cast it to float32"):
        convert_weights("in.pth", "out.ckpt")
    convert_weights("in.pth", "out.ckpt", WeightSettings(types=[("*", "float32")]))
    found = arrays("out.ckpt")
    assert {array.dtype for array in found.values()} == {np.dtype("f4")}
    assert found["a.w"].tolist() == list(range(8))
    assert found["n.gamma"].tolist() == [1.0] * 8


def test_a_cast_of_what_does_not_lie_in_a_row() -> None:
    torch.save({"a.b": torch.arange(6.0, dtype=torch.float64).reshape(2, 3).T}, "in.pth")
    convert_weights("in.pth", "out.ckpt", WeightSettings(types=[("a.*", "float16")]))
    assert arrays("out.ckpt")["a.b"].tolist() == [[0, 3], [1, 4], [2, 5]]


# several files


@pytest.mark.parametrize("kind", ["ckpt", "safetensors", "pth"])
def test_several_files_and_back(kind: str) -> None:
    write_weights("in.pth", NET.items(), "pth")
    outcome = convert_weights("in.pth", f"out/net.{kind}", WeightSettings(shard_bytes=100))
    assert outcome.written is not None
    files = outcome.written.files
    assert [Path(file).name for file in files] == [
        *(f"net-0000{number}-of-00003.{kind}" for number in (1, 2, 3)),
        f"net.{kind}.index.json",
    ]
    index = json.loads(Path(files[-1]).read_text())
    assert index["metadata"]["total_size"] == outcome.written.bytes
    for name, file in index["weight_map"].items():
        assert name in read_weights(f"out/{file}")
    convert_weights(files[-1], "back.pth")
    found = torch.load("back.pth", weights_only=True)
    kept = {name: array for name, array in NET.items() if kind == "pth" or "batches" not in name}
    assert set(found) == set(kept)
    assert all(np.array_equal(found[name].numpy(), array) for name, array in kept.items())


def test_several_safetensors_are_those_of_the_library() -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    write_weights("in.pth", NET.items(), "pth")
    settings = WeightSettings(shard_bytes=100, names="pytorch")
    outcome = convert_weights("in.pth", "model.safetensors", settings)
    assert outcome.written is not None
    found: dict[str, Any] = {}
    for file in outcome.written.files[:-1]:
        found |= safetensors.load_file(file)
    assert set(found) == set(NET)
    assert all(np.array_equal(found[name], array) for name, array in NET.items())


def test_mindspore_loads_several_files(run_mindspore: Callable[..., str], folder: Path) -> None:
    write_weights("in.pth", NET.items(), "pth")
    convert_weights(
        "in.pth", "net.ckpt", WeightSettings(shard_bytes=100, types=[("fc.*", "bfloat16")])
    )
    program = (
        "import glob, mindspore as ms\n"
        "held = {}\n"
        "for file in sorted(glob.glob('net-*.ckpt')): held |= ms.load_checkpoint(file)\n"
        "print({n: (str(p.dtype), p.astype(ms.float32).asnumpy().sum()) for n, p in held.items()})"
    )
    printed = run_mindspore(folder, "-c", program)
    for told in ("'norm.gamma': ('Float32', 4.0)", "'fc.weight': ('BFloat16', 28.0)"):
        assert told in printed.replace("np.float32(4.0)", "4.0").replace("np.float32(28.0)", "28.0")


def test_tied_weights_stay_together() -> None:
    shared = torch.arange(12.0).reshape(3, 4)
    torch.save({"a.x": shared, "b.x": torch.ones(30), "c.x": shared}, "in.pth")
    outcome = convert_weights("in.pth", "out.pth", WeightSettings(shard_bytes=60))
    assert outcome.written is not None
    places = json.loads(Path("out.pth.index.json").read_text())["weight_map"]
    assert places["a.x"] == places["c.x"] != places["b.x"]
    first = torch.load(places["a.x"], weights_only=True)
    assert first["a.x"].data_ptr() == first["c.x"].data_ptr()


def test_splitting() -> None:
    sizes = {"a": 5, "b": 5, "c": 20, "d": 1}
    assert split(sizes, None) == [["a", "b", "c", "d"]]
    assert split(sizes, 10) == [["a", "b"], ["c"], ["d"]]
    assert split(sizes, 31) == [["a", "b", "c", "d"]]
    assert split(sizes, 1) == [["a"], ["b"], ["c"], ["d"]]
    assert split({}, 1) == [[]]
    assert names_of_shards("a.b.pth", 1) == ("a.b.pth",)
    assert names_of_shards("a.b.pth", 2) == ("a.b-00001-of-00002.pth", "a.b-00002-of-00002.pth")
    with pytest.raises(MsconvertError, match=rf"MS305 .*more than {MAX_FILES} files"):
        split(dict.fromkeys(map(str, range(MAX_FILES + 1)), 1), 1)


def test_a_file_that_is_there_stops_all() -> None:
    write_weights("in.pth", NET.items(), "pth")
    Path("net-00002-of-00003.ckpt").write_text("mine")
    with pytest.raises(MsconvertError, match=r"MS107 .*exists already"):
        convert_weights("in.pth", "net.ckpt", WeightSettings(shard_bytes=100))
    assert sorted(path.name for path in Path().iterdir()) == ["in.pth", "net-00002-of-00003.ckpt"]
    convert_weights("in.pth", "net.ckpt", WeightSettings(shard_bytes=100, force=True))
    assert len(list(Path().iterdir())) == 5


# other sources


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_numpy(save: Callable[..., None]) -> None:
    big_endian = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in NET.items()}
    save("in.npz", **big_endian)
    convert_weights("in.npz", "out.ckpt")
    found = arrays("out.ckpt")
    for name, array in NET.items():
        path, last = name.split(".")
        new = f"{path}.{NEW.get(last, last)}" if path == "norm" else name
        if last != "num_batches_tracked" and last != "running_var":
            assert np.array_equal(found[new], array)
    save("theirs.npz", **found)  # MindSpore's names: they go the other way
    convert_weights("theirs.npz", "back.pth")
    assert "norm.running_mean" in arrays("back.pth")


def test_weights_of_an_onnx_model(capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper

    def write(path: str, tensors: dict[str, np.ndarray]) -> None:
        held = [numpy_helper.from_array(array, name) for name, array in tensors.items()]
        x = helper.make_tensor_value_info("x", 1, [1])
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [x], held)
        onnx.save(helper.make_model(graph), path)

    write("in.onnx", {**NET, "/Constant_output_0": np.array([1, 2])})
    assert main(["weights", "in.onnx", "-o", "out.ckpt"]) == 0
    assert "left out  2: norm.num_batches_tracked; /Constant_output_0" in capsys.readouterr().out
    assert np.array_equal(arrays("out.ckpt")["norm.beta"], NET["norm.bias"])
    write("made.onnx", {**NET, "onnx::MatMul_7": np.ones((2, 2), "f4")})
    assert main(["weights", "made.onnx", "-o", "made.ckpt"]) == 1
    told = capsys.readouterr().err
    assert "MS310 made.onnx: 'onnx::MatMul_7' has no new name: an exporter to ONNX has made" in told
    assert main(["weights", "made.onnx", "-o", "made.ckpt", "--drop", "onnx::*"]) == 0


def test_the_weights_of_a_converted_onnx_model_by_its_map() -> None:
    assert main(["demo"]) == 0
    model, known = str(Path("demo.onnx")), "demo/weight_map_of_demo.json"
    Path(model).write_bytes((Path(__file__).parents[3] / "examples/demo.onnx").read_bytes())
    assert main(["weights", model, "--map", known, "-o", "again.ckpt"]) == 0
    assert Path("again.ckpt").read_bytes() == Path("demo/demo.ckpt").read_bytes()


# wrapped state dicts

STATE = {name: torch.from_numpy(array.copy()) for name, array in NET.items()}


@pytest.mark.parametrize(
    "wrapped",
    [
        {"state_dict": STATE, "epoch": 3},
        {"model": STATE, "optimizer": {"state": {}, "param_groups": []}},
        {"model": {f"module.{name}": x for name, x in STATE.items()}},
        {"net": {f"_orig_mod.module.{name}": x for name, x in STATE.items()}, "ema": {"d": 1}},
        {f"module._orig_mod.{name}": x for name, x in STATE.items()},
        {"a": {"b": STATE}, "args": {"lr": 0.1, "name": "x"}},
    ],
)
def test_wrapped(wrapped: dict[str, Any]) -> None:
    torch.save(wrapped, "in.pth")
    torch.save(STATE, "plain.pth")
    convert_weights("in.pth", "out.ckpt")
    convert_weights("plain.pth", "plain.ckpt")
    plain = Path("plain.ckpt").read_bytes()
    assert Path("out.ckpt").read_bytes()[: len(plain)] == plain
    around = read_weights("out.ckpt").keys() - read_weights("plain.ckpt").keys()
    is_beside = len(wrapped) > 1 and bool(set(wrapped) & {"state_dict", "model", "net", "a"})
    assert around == ({"structure"} if is_beside else set())
    convert_weights("in.pth", "tensors.safetensors")
    convert_weights("plain.pth", "plain.safetensors")
    assert Path("tensors.safetensors").read_bytes() == Path("plain.safetensors").read_bytes()


# wrong wishes


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            WeightSettings(types=[("nothing.*", "float16")]),
            "--dtype nothing.*=float16: no ",
        ),
        (WeightSettings(types=[("norm.num*", "float16")]), "no floating-point tensor is called"),
        (WeightSettings(fold=True), "--fold is of no use for in.pth"),
    ],
)
def test_flags_of_no_use(settings: WeightSettings, told: str) -> None:
    write_weights("in.pth", NET.items(), "pth")
    with pytest.raises(UsageError) as error:
        convert_weights("in.pth", "out.ckpt", settings)
    assert told in error.value.text()


def test_flags_of_a_pth() -> None:
    write_weights("in.ckpt", [("a", NET["fc.bias"])], "ckpt")
    for settings in (WeightSettings(key="a"), WeightSettings(optimizer="nn.Adam")):
        with pytest.raises(UsageError, match=r"is of no use for in.ckpt: only a .pth has more"):
            convert_weights("in.ckpt", "out.pth", settings)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--dtype", "float8"), "'float8' is none of the types float32, float16, bfloat16, same"),
        (("--dtype", "a=int8"), "'int8' is none of the types"),
        (("--shard-size", "0"), "'0' is no size such as 4GB or 500MB"),
        (("--shard-size", "-1"), "'-1' is no size"),
        (("--shard-size", "4TB"), "'4TB' is no size"),
        (("--shard-size", "1.5GB"), "'1.5GB' is no size"),
        (("--optimizer", "Adam"), "'Adam' is not one of 'nn.Adam'"),
    ],
)
def test_wrong_usage(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    write_weights("in.pth", NET.items(), "pth")
    assert main(["weights", "in.pth", "-o", "out.ckpt", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_wishes_of_names_reach_the_plan() -> None:
    write_weights("in.pth", NET.items(), "pth")
    wishes = Wishes({"fc.bias": "fc.b"}, (), ("conv.*",))
    outcome = convert_weights("in.pth", "out.ckpt", WeightSettings(wishes=wishes))
    assert outcome.is_done
    assert "fc.b" in arrays("out.ckpt")
    assert "conv.weight" not in arrays("out.ckpt")
