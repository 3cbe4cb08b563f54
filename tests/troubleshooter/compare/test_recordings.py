"""Recordings as a side: dumps of both frameworks, traces, saved arrays, against networks here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from msconvert.errors import MsconvertError, UsageError
from msconvert.formats.folder import read_folder
from msconvert.formats.stored import StoredTensor
from msconvert.tests.troubleshooter.compare.test_trace import run
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings

torch = pytest.importorskip("torch")

HERE = Path(__file__).parent / "recorded"
TORCH = (HERE / "in_torch.py").read_text()
FAULTS = {
    "norm": ("nn.LayerNorm([8])", "nn.LayerNorm([8], eps=1e-2)", "epsilon"),
    "att": ("torch.softmax(scores, -1)", "torch.softmax(scores, -2)", ""),
    "stem.1": ("False), nn.BatchNorm2d(3)", "False), nn.BatchNorm2d(3, eps=0.1)", "epsilon"),
    "stem.0": ("nn.Conv2d(3, 3, 1, bias=False)", "Doubled(3, 3, 1, bias=False)", ""),
    "emb": ("nn.Embedding(7, 8)", "nn.Embedding(7, 8, max_norm=0.1)", ""),
    "fc": ("self.fc(self.flat(y))", "self.fc(self.flat(y.transpose(2, 3)))", ""),
}  # fmt: skip
"""What is changed, by the layer that is to be named; the word in the cause, if one is known."""
DOUBLED = """
class Doubled(nn.Conv2d):
    def forward(self, x):
        return super().forward(x) * 2
"""
SETTINGS = NetworkSettings(call="Net()")


def dump_of(folder: Path, mode: str, what: str, python: str = "") -> Path:
    """A dump of the network in a folder of its own."""
    where = folder / f"dump-{mode}-{what}"
    settings = {
        "dump_mode": 0, "path": str(where), "net_name": "Net", "iteration": "all",
        "saved_data": "tensor", "input_output": 0, "kernels": [], "support_device": [0],
        "op_debug_mode": 0,
    }  # fmt: skip
    file = folder / "dump.json"
    whole = {"common_dump_settings": settings, "e2e_dump_settings": {"enable": True}}
    file.write_text(json.dumps(whole))
    runner = [python] if python else [sys.executable, "-m", "msconvert.runtime"]
    done = subprocess.run(
        [*runner, str(HERE / "in_mindspore.py"), mode, what], capture_output=True, text=True,
        env={**os.environ, "MINDSPORE_DUMP_CONFIG": str(file)}, timeout=900, check=False,
        cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return where


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    folder = tmp_path_factory.mktemp("dumps")
    made: dict[tuple[str, str], Path] = {}

    def of(mode: str, what: str) -> Path:
        if (mode, what) not in made:
            made[mode, what] = dump_of(folder, mode, what)
        return made[mode, what]

    return of


@pytest.fixture(scope="module")
def comparer() -> NetworkComparer:
    with NetworkComparer() as found:
        yield found


def network(folder: Path, layer: str = "") -> Path:
    """The network's file, changed in the layer."""
    file = folder / "net.py"
    text = TORCH
    if layer:
        before, after, _ = FAULTS[layer]
        assert before in text
        text = text.replace(before, after)
        text = text.replace("class Block", f"{DOUBLED}\n\nclass Block", 1)
    file.write_text(text)
    return file


def first(found: NetworkComparison) -> str:
    return found.first_difference.path if found.first_difference is not None else ""


NAMED = {layer: layer for layer in FAULTS} | {"fc": ""}
"""The layer that is named: what is handed on by the network's own code is the network's."""


@pytest.mark.parametrize(("mode", "what"), [("graph", "call"), ("pynative", "train")])
def test_a_dump_beside_the_same_network(
    mode: str, what: str, dump: Callable[[str, str], Path], comparer: NetworkComparer,
    tmp_path: Path,
) -> None:  # fmt: skip
    found = comparer.compare(dump(mode, what), network(tmp_path), SETTINGS)
    assert found.ok, str(found)
    same = {row.path for row in found.rows if row.verdict == "same"}
    assert {"stem.0", "stem.1", "blocks.1.relu", "emb", "flat", "fc", "att.q", "norm"} <= same


@pytest.mark.sweep(each=("layer", "mode"))
@pytest.mark.parametrize("layer", NAMED)
@pytest.mark.parametrize(("mode", "what"), [("graph", "call"), ("pynative", "train")])
def test_the_layer_that_differs_is_named(
    mode: str, what: str, layer: str, dump: Callable[[str, str], Path], comparer: NetworkComparer,
    tmp_path: Path,
) -> None:  # fmt: skip
    one, other = dump(mode, what), network(tmp_path, layer)
    found = comparer.compare(one, other, SETTINGS)
    assert first(found) == NAMED[layer], str(found)
    if what == "train":
        return
    assert FAULTS[layer][2] in str(found)
    turned = comparer.compare(other, one, SETTINGS)  # the dump as B
    assert first(turned) == NAMED[layer], str(turned)
    assert turned.names == (found.names[1], found.names[0])


@pytest.mark.parametrize("layer", ["", "norm", "att", "stem.1"])
def test_a_dump_that_mindspore_wrote(
    layer: str, mindspore_python: Path, comparer: NetworkComparer,
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path,
) -> None:  # fmt: skip
    where = tmp_path_factory.getbasetemp() / "real-dump"
    if not where.exists():
        where.mkdir()
        dump_of(where, "graph", "call", str(mindspore_python))
    found = comparer.compare(where / "dump-graph-call", network(tmp_path, layer), SETTINGS)
    assert first(found) == layer, str(found)


def test_mindspores_dump_beside_ours(
    mindspore_python: Path, dump: Callable[[str, str], Path], comparer: NetworkComparer,
    tmp_path: Path,
) -> None:  # fmt: skip
    real = dump_of(tmp_path, "graph", "call", str(mindspore_python))
    found = comparer.compare(real, dump("graph", "call"), SETTINGS)
    assert found.ok, str(found)
    assert len([row for row in found.rows if row.verdict == "same"]) > 10


def test_operators_without_scopes_are_refused(mindspore_python: Path, tmp_path: Path) -> None:
    real = dump_of(tmp_path, "graph", "train", str(mindspore_python))
    status, text = run("compare", str(real), f"{network(tmp_path)}:Net()")
    assert status == 2
    assert "MS401" in text
    assert "no scopes" in text


# traces and saved arrays


def held(dump_folder: Path) -> dict[str, np.ndarray]:
    return {
        name.rpartition("/")[2].split(".")[1]: entry.load()
        for name, entry in read_folder(dump_folder).items()
        if "/0/0/Parameter." in name and isinstance(entry, StoredTensor)
    }


@pytest.fixture
def settings(dump: Callable[[str, str], Path], tmp_path: Path) -> NetworkSettings:
    """Weights and inputs as the dump has them, as files."""
    names: dict = {}
    exec(TORCH, names)
    values = held(dump("graph", "call"))
    leaves = {"running_mean": "moving_mean", "running_var": "moving_variance"}
    state = {}
    for name, tensor in names["Net"]().state_dict().items():
        path, _, leaf = name.rpartition(".")
        norm = any(part in path for part in ("bn", "stem.1", "norm"))
        other = {"weight": "gamma", "bias": "beta"}.get(leaf, leaf) if norm else leaf
        other = "embedding_table" if path == "emb" else leaves.get(other, other)
        found = values.get(f"{path}.{other}".replace(".", "_"))
        state[name] = tensor if found is None else torch.tensor(found).reshape(tensor.shape)
    torch.save(state, tmp_path / "net.pth")
    np.savez(tmp_path / "inputs.npz", x=values["x"], ids=values["ids"])
    weights, inputs = tmp_path / "net.pth", tmp_path / "inputs.npz"
    return NetworkSettings(call="Net()", weights_a=weights, weights_b=weights, inputs=inputs)


@pytest.mark.parametrize("layer", ["", "norm", "att", "stem.0", "emb"])
def test_a_trace_as_a_side(
    layer: str, settings: NetworkSettings, dump: Callable[[str, str], Path],
    comparer: NetworkComparer, tmp_path: Path,
) -> None:  # fmt: skip
    trace = tmp_path / "trace.safetensors"
    flags = ["--weights-a", str(settings.weights_a), "--inputs", str(settings.inputs)]
    status, text = run("compare", f"{network(tmp_path)}:Net()", *flags, "--trace", str(trace))
    assert status == 0, text
    net = network(tmp_path, layer)
    assert first(comparer.compare(trace, net, settings)) == layer
    assert first(comparer.compare(net, trace, settings)) == layer
    assert comparer.compare(trace, dump("graph", "call"), settings).ok


@pytest.mark.parametrize("layer", ["", "norm", "stem.0", "emb"])
def test_saved_arrays_as_a_side(
    layer: str, settings: NetworkSettings, comparer: NetworkComparer, tmp_path: Path
) -> None:
    """As TroubleShooter's `save` names them, called in hooks of each layer."""
    names: dict = {}
    exec(TORCH, names)
    net = names["Net"]()
    net.load_state_dict(torch.load(settings.weights_a))
    folder = tmp_path / "saved"
    folder.mkdir()
    for path, module in net.named_modules():
        module.register_forward_hook(
            lambda _m, _i, y, at=path: np.save(
                folder / f"{len(list(folder.iterdir()))}_{at}.npy", y.detach()
            ) if at else None
        )  # fmt: skip
    inputs = np.load(settings.inputs)
    net.eval()(torch.tensor(inputs["x"]), torch.tensor(inputs["ids"]))
    changed = network(tmp_path, layer)
    assert first(comparer.compare(folder, changed, settings)) == layer
    assert first(comparer.compare(changed, folder, settings)) == layer


# what is no recording


def test_weights_and_inputs_that_are_nowhere(
    settings: NetworkSettings, comparer: NetworkComparer, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    np.save(folder / "0_fc.npy", np.zeros((2, 8), np.float32))
    with pytest.raises(MsconvertError, match=r"MS403.*weights") as caught:
        comparer.compare(folder, network(tmp_path), SETTINGS)
    assert "--weights-b" in caught.value.advice
    with pytest.raises(UsageError, match="MS401 the inputs"):
        comparer.compare(folder, network(tmp_path), NetworkSettings(
            call="Net()", weights_b=settings.weights_b
        ))  # fmt: skip


BAD = ["nothing", "empty", "weights", "cut", "statistics", "other names", "a manifest of junk",
       "outputs of Gradients"]  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_recording(
    kind: str, settings: NetworkSettings, dump: Callable[[str, str], Path], tmp_path: Path
) -> None:
    from safetensors.numpy import save_file

    path = tmp_path / "side"
    if kind == "empty":
        path.mkdir()
    elif kind == "other names":
        path.mkdir()
        np.save(path / "0_zzz.npy", np.zeros((2, 8), np.float32))
    elif kind == "statistics":
        path.mkdir()
        (path / "statistic.csv").write_text(
            "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
            "Max Value\n"
            'MatMul,Default_fc-Dense_MatMul-op0,0,0,1795465316230647,output,0,32,Float32,"(2,4)",1\n'
        )
    elif kind == "outputs of Gradients":
        shutil.copytree(dump("graph", "call"), path)
        for file in path.rglob("*.npy"):
            file.rename(file.with_name(file.name.replace(".Default_", ".Gradients_Default_")))
    else:
        path = tmp_path / "side.safetensors"
        text = {"a manifest of junk": '{"calls": [{"layer": 3}]}', "weights": "3", "cut": "3"}
        if kind != "nothing":
            save_file({"fc": np.zeros(3)}, path, {"msconvert_trace": text[kind]}
                      if kind != "weights" else None)  # fmt: skip
        if kind == "cut":
            path.write_bytes(path.read_bytes()[:-9])
    flags = ["--weights-b", str(settings.weights_b), "--inputs", str(settings.inputs)]
    status, told = run("compare", str(path), f"{network(tmp_path)}:Net()", *flags)
    assert status in (1, 2), told
    assert told.startswith(("MS401", "MS302")), told
    assert "MS901" not in told


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda file: os.truncate(file, 100),
    "empty": lambda file: os.truncate(file, 0),
    "grown": lambda file: os.truncate(file, 1 << 40),
    "text": lambda file: file.write_text("no array"),
    "objects": lambda file: np.save(file, np.array([{}], dtype=object)),
    "a pipe": lambda file: (file.unlink(), os.mkfifo(file)),
    "a circle": lambda file: (file.unlink(), file.symlink_to(file)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_read_of_a_dump_is_told(
    damage: str, dump: Callable[[str, str], Path], comparer: NetworkComparer, tmp_path: Path
) -> None:
    folder = tmp_path / "dump"
    shutil.copytree(dump("graph", "call"), folder)
    (file,) = folder.glob("rank_0/Net/0/0/*Default_fc-Dense*output.0*")
    DAMAGE[damage](file)
    found = comparer.compare(folder, network(tmp_path), SETTINGS)
    assert not found.ok
    assert found.first_difference is None
    assert any("left out, as it cannot be read (1 of " in remark for remark in found.remarks)
    assert "Not known: what was compared is the same" in str(found)


def test_a_folder_is_told_as_such(tmp_path: Path) -> None:
    status, told = run("compare", str(tmp_path), "--trace", str(tmp_path / "x.safetensors"))
    assert status == 2
    assert "is a folder, and no network" in told
