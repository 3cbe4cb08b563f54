"""The command `msconvert weights`: what it writes, says and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.formats import write_weights
from msconvert.formats.pytorch.pth_writer import write_pth
from msconvert.formats.transfer.conversion import open_weights

PLAIN = {
    "conv.weight": np.ones((2, 3, 1, 1), "f4"),
    "bn.weight": np.ones(2, "f4"),
    "bn.bias": np.zeros(2, "f4"),
    "bn.running_mean": np.zeros(2, "f4"),
    "bn.running_var": np.ones(2, "f4"),
    "bn.num_batches_tracked": np.array(3),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, items: dict[str, np.ndarray], **options: object) -> None:
    write_weights(name, items.items(), name.rpartition(".")[2], **options)  # type: ignore[arg-type]


def run(*arguments: str) -> int:
    return main(["weights", *arguments])


def names(path: str) -> list[str]:
    return list(open_weights(path))


def test_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    write("m.pth", PLAIN)
    assert run("m.pth", "-o", "out/m.ckpt") == 0
    assert capsys.readouterr() == (
        "m.pth: 5 Float32, 1 Int64\n"
        "out/m.ckpt: 5 tensors, 0.0 MB, each compared with its source after writing\n"
        "  renamed   4: bn.weight -> bn.gamma; bn.bias -> bn.beta; "
        "bn.running_mean -> bn.moving_mean; ...\n"
        "  taken for 1: BatchNorm (5)\n"
        "  left out  1: bn.num_batches_tracked\n",
        "",
    )
    assert run("out/m.ckpt", "-o", "back.bin") == 0
    assert names("back.bin") == [name for name in PLAIN if "tracked" not in name]


def test_a_safetensors_is_of_the_side_that_it_says() -> None:
    write("theirs.safetensors", PLAIN, metadata={"format": "pt"})
    assert run("theirs.safetensors", "-o", "m.ckpt") == 0
    assert "bn.gamma" in names("m.ckpt")
    assert run("m.ckpt", "-o", "back.safetensors") == 0
    assert open_weights("back.safetensors").metadata == {"format": "pt"}
    assert "bn.weight" in names("back.safetensors")
    assert run("back.safetensors", "-o", "again.safetensors") == 0
    assert open_weights("again.safetensors").metadata == {"format": "ms"}
    assert "bn.gamma" in names("again.safetensors")
    assert run("again.safetensors", "-o", "m2.ckpt") == 0
    assert sorted(names("m2.ckpt")) == sorted(names("m.ckpt"))
    assert run("m.ckpt", "-o", "same.pth", "--names", "same") == 0
    assert names("same.pth") == names("m.ckpt")


def test_what_is_ambiguous_is_told_with_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    write("m.pth", {f"h.{n}.norm.weight": np.ones(2, "f4") for n in range(3)} | PLAIN)
    assert run("m.pth", "-o", "m.ckpt") == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(
        "MS310 m.pth: 'h.0.norm.weight' and 2 more could be of LayerNorm or PReLU or RMSNorm, "
        "which are renamed differently\n"
    )
    assert "try:      --map FILE, or --layer 'h.0.norm=RMSNorm', or --rename OLD=NEW" in err
    assert not Path("m.ckpt").exists()
    assert run("m.pth", "-o", "m.ckpt", "--layer", "h.*.norm=LayerNorm", "--drop", "conv.*") == 0
    assert names("m.ckpt")[:3] == [f"h.{n}.norm.gamma" for n in range(3)]
    assert "conv.weight" not in names("m.ckpt")
    renames = [f"--rename=h.{n}.norm.weight=h.{n}.norm.w" for n in range(3)]
    assert run("m.pth", "-o", "m2.ckpt", *renames) == 0
    assert names("m2.ckpt")[:3] == [f"h.{n}.norm.w" for n in range(3)]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    write("m.pth", PLAIN)
    assert run("m.pth", "-o", "m.ckpt", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["output"], found["bytes"]) == (True, "m.ckpt", 56)
    assert found["tensors"][1] == {
        "from": "bn.weight",
        "name": "bn.gamma",
        "shape": [2],
        "type": "Float32",
        "by": "structure",
        "layer": "BatchNorm",
    }
    assert found["tensors"][5]["name"] is None
    write("q.pth", {"a.weight": np.ones(2, "f4")})
    assert run("q.pth", "-o", "q.ckpt", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["output"]) == (False, None)
    assert found["questions"][0]["layers"] == ["LayerNorm", "PReLU", "RMSNorm"]


def test_tied_weights(capsys: pytest.CaptureFixture[str]) -> None:
    write_pth("m.pth", [("e.table", np.ones((3, 2), "f4"))], tied={"head.table": "e.table"})
    assert run("m.pth", "-o", "m.ckpt") == 0
    assert "  tied      1: head.table is e.table, written once\n" in capsys.readouterr().out
    assert names("m.ckpt") == ["e.table"]
    assert run("m.pth", "-o", "both.ckpt", "--keep-tied") == 0
    assert names("both.ckpt") == ["e.table", "head.table"]
    assert run("m.pth", "-o", "copy.pth") == 0
    assert open_weights("copy.pth").tied == {"head.table": "e.table"}  # type: ignore[attr-defined]


def test_weights_under_weight_norm_are_computed(capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"weight_g": np.full((2, 1, 1), 3, "f4"), "weight_v": np.ones((2, 3, 3), "f4")}
    write("m.pth", {f"c.{name}": value for name, value in parts.items()} | PLAIN)
    assert run("m.pth", "-o", "m.ckpt", "--fold") == 0
    assert "  computed  1: c.weight of c.weight_v, c.weight_g\n" in capsys.readouterr().out
    assert [name for name in names("m.ckpt") if name.startswith("c.")] == ["c.weight"]
    weight = open_weights("m.ckpt").tensors()["c.weight"].array()
    assert weight.shape == (2, 3, 1, 3)
    assert (weight == np.float32(1)).all()
    assert run("m.pth", "-o", "m.json.ckpt", "--fold", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["computed"] == {"c.weight": ["c.weight_v", "c.weight_g"]}
    write("bad.pth", parts | {"weight_g": np.ones((3, 1, 1), "f4")})
    assert run("bad.pth", "-o", "bad.ckpt", "--fold") == 1
    assert "MS312" in capsys.readouterr().err
    assert not Path("bad.ckpt").exists()
    assert run("m.ckpt", "-o", "x.pth", "--fold") == 2
    assert "--fold is of no use for m.ckpt" in capsys.readouterr().err


def test_the_map_of_a_converted_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    map_file = "demo/weight_map_of_demo.json"
    assert run("demo/demo.ckpt", "--map", map_file, "-o", "demo.pth") == 0
    assert "features.bn1.weight" in names("demo.pth")
    assert run("demo.pth", "--map", map_file, "-o", "again.ckpt") == 0
    assert Path("again.ckpt").read_bytes() == Path("demo/demo.ckpt").read_bytes()
    capsys.readouterr()
    write("short.pth", {"features.bn1.weight": np.ones(8, "f4")})
    assert run("short.pth", "--map", map_file, "-o", "short.ckpt") == 1
    assert "more has no new name: the map names it, and the file has it not" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("m.pth", "-o", "m.h5"), 2, "a weight file ends in .ckpt, .safetensors, .pth"),
        (("m.pth", "-o", "m.pth"), 2, "the output is the source itself"),
        (("m.pth",), 2, "Missing option"),
        (("m.pth", "-o", "x.ckpt", "--rename", "a"), 2, "'a' is not of the form OLD=NEW"),
        (("m.pth", "-o", "x.ckpt", "--layer", "a=Nothing"), 2, "torch.nn has no layer 'Nothing'"),
        (("m.pth", "-o", "x.ckpt", "--rename", "a=b"), 1, "MS310 --rename: there is no 'a'"),
        (("m.pth", "-o", "x.ckpt", "--map", "m.pth"), 1, "MS310 m.pth: not a weight map"),
        (("m.pth", "-o", "x.ckpt", "--key", "ema"), 1, "no dictionary of tensors under 'ema'"),
        (
            ("m.pth", "-o", "x.pt", "--map", "net.py"),
            2,
            "--map is of no use for m.pth: the names in it are pytorch's already",
        ),
        (("absent.pth", "-o", "x.ckpt"), 1, "MS302 absent.pth: no such file"),
        (("m.pth", "-o", "taken.ckpt"), 1, "MS107"),
    ],
)
def test_refusals(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int, told: str
) -> None:
    write("m.pth", PLAIN)
    Path("taken.ckpt").write_text("taken")
    Path("net.py").write_text("from torch import nn\nclass Net(nn.Module):\n    pass\n")
    assert run(*arguments) == status
    assert told in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["m.pth", "net.py", "taken.ckpt"]
    assert Path("taken.ckpt").read_text() == "taken"


def test_the_source_itself_is_a_map(capsys: pytest.CaptureFixture[str]) -> None:
    Path("part.py").write_text(
        "from torch import nn\nclass Part(nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.table = nn.Embedding(3, 2)\n"
    )
    Path("net.py").write_text(
        "from torch import nn\nfrom part import Part\n\nraise SystemExit('not to be run')\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.part = Part()\n        self.fc = nn.Linear(2, 3, bias=False)\n"
    )
    items = {"part.table.weight": np.ones((3, 2), "f4"), "fc.weight": np.ones((3, 2), "f4")}
    write("m.pth", items)
    assert run("m.pth", "-o", "m.ckpt") == 1
    assert run("m.pth", "-o", "m.ckpt", "--map", "net.py") == 0
    assert names("m.ckpt") == ["part.table.embedding_table", "fc.weight"]
    capsys.readouterr()
    Path("plain.py").write_text("x = 1\n")
    assert run("m.pth", "-o", "n.ckpt", "--map", "plain.py") == 1
    assert "MS310 plain.py: no class in it derives from nn.Module" in capsys.readouterr().err
    Path("broken.py").write_text("import torch\ndef (:\n")
    assert run("m.pth", "-o", "n.ckpt", "--map", "broken.py") == 1
    assert "MS209" in capsys.readouterr().err


def test_bits_that_changed_are_noticed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    write("m.pth", PLAIN)
    assert run("m.pth", "-o", "m.ckpt", "--check") == 0
    data = bytearray(Path("m.pth").read_bytes())
    data[data.index(np.ones(6, "f4").tobytes()) + 5] ^= 1
    Path("bad.pth").write_bytes(data)
    assert run("bad.pth", "-o", "bad.ckpt", "--check") == 1
    assert "MS302 bad.pth: the data of 'archive/data/0' does not fit its CRC-32" in (
        capsys.readouterr().err
    )
    assert run("bad.pth", "-o", "bad.ckpt") == 0


def test_what_can_be_chosen_is_what_there_is() -> None:
    from msconvert.commands import weights as cli_weights
    from msconvert.formats.names.optimizer_state import OPTIMIZERS
    from msconvert.formats.transfer.casting import SAME, TYPES

    assert tuple(OPTIMIZERS) == cli_weights.OPTIMIZERS
    assert (*TYPES, SAME) == cli_weights.TYPES
