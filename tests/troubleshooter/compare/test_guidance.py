"""What a user is told to do next, and what is taken in more forms than one."""

from __future__ import annotations

import pickle
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from msconvert.commands.next_step import command
from msconvert.errors import MsconvertError
from msconvert.formats import read_weights
from msconvert.tests.troubleshooter.compare.test_layers import CONVERTED, ORIGINAL, SETTINGS
from msconvert.tests.troubleshooter.compare.two_files import compared
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides.inputs import shape_of

pytestmark = pytest.mark.usefixtures("warm")

torch = pytest.importorskip("torch")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command prints."""
    return subprocess.run(
        [sys.executable, "-m", "msconvert", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
    )


FOLDERS = ["plain", "with space", "it's", "$HOME", "a;b", "ä*?"]


@pytest.mark.parametrize("name", FOLDERS)
def test_what_is_printed_can_be_pasted(name: str, tmp_path: Path) -> None:
    """`verify` ends with the command that finds where, quoted for any shell."""
    for side, text in (("a", ORIGINAL), ("b", CONVERTED.replace("4, 1e-5", "4, 1e-3"))):
        (tmp_path / name / side).mkdir(parents=True)
        (tmp_path / name / side / "net.py").write_text(text)
    files = [str(tmp_path / name / side / "net.py") for side in ("a", "b")]
    given = ["--call", "Net()", "--shape", "2,3,8,8", "--no-train"]
    told = run("verify", *files, *given)
    line = next(x for x in told.stdout.splitlines() if x.startswith("Next: "))
    words = shlex.split(line.removeprefix("Next: "))
    assert words[:4] == ["msconvert", "compare", *files]
    again = run(*words[1:])
    assert again.returncode == 1
    assert "First difference: blocks.1.bn" in again.stdout


def test_nothing_follows_what_is_equal(tmp_path: Path) -> None:
    for side, text in (("a", ORIGINAL), ("b", CONVERTED)):
        (tmp_path / f"{side}.py").write_text(text)
    files = [str(tmp_path / f"{side}.py") for side in ("a", "b")]
    told = run("verify", *files, "--call", "Net()", "--shape", "2,3,8,8")
    assert told.returncode == 0
    assert "Next" not in told.stdout


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ({}, "msconvert x 'a b'"),
        ({"call": 'Net("x")'}, """msconvert x 'a b' --call 'Net("x")'"""),
        ({"shape": ("1,2", "3:int64<9")}, "msconvert x 'a b' --shape 1,2 --shape '3:int64<9'"),
        ({"python_a": None, "seed": 3}, "msconvert x 'a b' --seed 3"),
        ({"force": False, "map": Path("m.json")}, "msconvert x 'a b' --map m.json"),
    ],
)
def test_commands_are_quoted(flags: dict[str, object], text: str) -> None:
    assert command("x", "a b", **flags) == text


def test_weights_that_differ_lead_to_diff(tmp_path: Path) -> None:
    for side, text in (("a", ORIGINAL), ("b", ORIGINAL)):
        (tmp_path / f"{side}.py").write_text(text)
    names: dict = {}
    exec(ORIGINAL, names)
    state = names["Net"]().state_dict()
    torch.save(state, tmp_path / "a.pth")
    torch.save({**state, "fc.weight": state["fc.weight"].flip(0)}, tmp_path / "b.pth")
    flags = ["--call", "Net()", "--shape", "2,3,8,8", "--mode", "eval"]
    files = [str(tmp_path / f"{side}.pth") for side in ("a", "b")]
    sides = [str(tmp_path / f"{side}.py") for side in ("a", "b")]
    more = ["--weights-a", files[0], "--weights-b", files[1]]
    told = run("compare", *sides, *flags, *more)
    line = told.stdout.splitlines()[-1]
    assert line == f"Next: msconvert diff {shlex.quote(files[0])} {shlex.quote(files[1])}"
    assert "flip" in run(*shlex.split(line)[2:]).stdout


def test_distinct_causes_gravest_first(comparer: NetworkComparer, tmp_path: Path) -> None:
    text = CONVERTED.replace("eps=eps", "eps=1e-3").replace("nn.ReLU()", "nn.LeakyReLU(0.3)")
    found = compared(comparer, tmp_path, ORIGINAL, text, replace(SETTINGS, mode="eval"))
    lines = str(found).splitlines()
    start = next(i for i, line in enumerate(lines) if line == "2 causes, the gravest first:")
    assert lines[start + 1].startswith("  blocks.0.relu, blocks.1.relu: ")
    assert lines[start + 2].startswith("  blocks.0.bn, blocks.1.bn: agrees if epsilon is 1e-05")


def test_a_result_in_a_notebook(comparer: NetworkComparer, tmp_path: Path) -> None:
    text = CONVERTED.replace("Block(4, 1e-5)", "Block(4, 1e-3)")
    for converted, verdict in ((CONVERTED, "The same"), (text, "Not the same")):
        found = compared(comparer, tmp_path, ORIGINAL, converted, replace(SETTINGS, mode="eval"))
        assert "\n" not in repr(found)
        assert verdict in repr(found)
        shown = found._repr_html_()
        assert shown.startswith("<iframe")
        assert not re.search("<script|<style", shown)
        assert "&lt;html" in shown


INPUTS = {
    "an array": lambda x: x,
    "a tuple": lambda x: (x,),
    "by name": lambda x: {"x": x},
    "of float32": lambda x: x.astype(np.float32),
    "a tensor": lambda x: torch.from_numpy(x),
}


@pytest.mark.parametrize("case", INPUTS)
def test_inputs_of_float64_are_cast_with_a_word(
    case: str, comparer: NetworkComparer, tmp_path: Path
) -> None:
    for side, text in (("a", ORIGINAL), ("b", CONVERTED)):
        (tmp_path / f"{side}.py").write_text(text)
    x = INPUTS[case](np.random.default_rng(0).normal(size=(2, 3, 8, 8)))
    settings = NetworkSettings(call="Net()", mode="eval")
    found = comparer.compare(tmp_path / "a.py", tmp_path / "b.py", settings, inputs=x)
    assert found.ok
    assert any("cast to float32" in text for text in found.remarks) == (case != "of float32")


def test_a_network_of_float64_keeps_its_inputs(comparer: NetworkComparer, tmp_path: Path) -> None:
    text = ORIGINAL + "\ndef build():\n    return Net().double()\n"
    for side in ("a", "b"):
        (tmp_path / f"{side}.py").write_text(text)
    settings = NetworkSettings(shapes=(shape_of("2,3,8,8:float64"),), mode="eval")
    found = comparer.compare(tmp_path / "a.py", tmp_path / "b.py", settings)
    assert found.ok
    assert not any("cast" in text for text in found.remarks)


def weights(folder: Path, prefix: str, more: dict[str, object], wrapped: bool) -> Path:
    names: dict = {}
    exec(ORIGINAL, names)
    torch.manual_seed(0)
    state = {prefix + name: x for name, x in names["Net"]().state_dict().items()} | more
    torch.save({"state_dict": state, "epoch": 1, "callbacks": {}} if wrapped else state,
               folder / "a.ckpt")  # fmt: skip
    return folder / "a.ckpt"


@pytest.mark.parametrize(
    ("prefix", "more", "wrapped", "unplaced"),
    [
        ("model.", {}, True, ""),
        ("net.", {}, True, ""),
        ("model.backbone.", {}, True, ""),
        ("model.", {"loss.weight": torch.ones(3)}, True, ""),
        ("module.", {}, False, ""),
        ("", {}, True, ""),
        ("model.", {"model.other.weight": torch.ones(3)}, True, "other.weight"),
    ],
)
def test_checkpoints_of_lightning(
    prefix: str,
    more: dict[str, object],
    wrapped: bool,
    unplaced: str,
    comparer: NetworkComparer,
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text(ORIGINAL)
    (tmp_path / "b.py").write_text(CONVERTED)
    file = weights(tmp_path, prefix, more, wrapped)
    settings = replace(SETTINGS, mode="eval", weights_a=file)
    found = comparer.compare(tmp_path / "a.py", tmp_path / "b.py", settings)
    assert found.ok
    told = [remark for remark in found.remarks if "do not fit" in remark]
    own = [f"weights do not fit: a.ckpt has what is not in {tmp_path / 'a.py'}: {unplaced}"]
    assert told == (own if unplaced else [])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_file_that_is_no_source_is_said_to_be_what_it_is(
    comparer: NetworkComparer, tmp_path: Path
) -> None:
    net = torch.nn.Linear(2, 2)
    torch.jit.save(torch.jit.script(net), tmp_path / "script.pt")
    torch.jit.save(torch.jit.trace(net, torch.ones(1, 2)), tmp_path / "traced.pth")
    torch.save(net, tmp_path / "whole.pt")
    torch.save(net.state_dict(), tmp_path / "state.pth")
    np.save(tmp_path / "x.npy", np.ones(3))
    (tmp_path / "x.txt").write_text("no network")
    told = {"script.pt": "TorchScript", "traced.pth": "TorchScript", "whole.pt": "asks for",
            "state.pth": "holds weights", "x.npy": "holds weights", "x.txt": "neither"}  # fmt: skip
    for name, text in told.items():
        with pytest.raises(MsconvertError) as error:
            comparer.compare(tmp_path / name, tmp_path / name, SETTINGS)
        assert error.value.code == "MS401"
        assert text in str(error.value), name


class Bomb:
    def __reduce__(self) -> tuple[object, ...]:
        return (exec, ("raise SystemExit('run')",))


PICKLED = {
    "an array": (np.arange(6.0).reshape(2, 3), {"x": (2, 3)}),
    "lists": ([[1, 2], [3, 4], [5, 6]], {"x": (3, 2)}),
    "a number": (3.5, {"x": ()}),
    "by name": ({"a": np.ones(3, np.float32), "b": {"c": [1, 2]}}, {"a": (3,), "b.c": (2,)}),
    "a list of arrays": ([np.ones(2), np.ones((2, 2))], {"0": (2,), "1": (2, 2)}),
    "numbers of NumPy's": ({"loss": np.float64(0.5), "n": np.int64(3)}, {"loss": (), "n": ()}),
    "texts among them": ({"name": "net", "w": (1.0, 2.0), "none": None}, {"w": (2,)}),
    "no numbers": ({"name": "net"}, "MS302"),
    "a bomb": ({"a": np.ones(3), "b": Bomb()}, "MS309"),
    "objects": (np.array([object()]), "MS309"),
    "deep": (eval("[" * 60 + "'x'" + "]" * 60), "MS302"),
}


@pytest.mark.parametrize("protocol", [2, 4, 5])
@pytest.mark.parametrize("case", PICKLED)
def test_pickles_of_numbers(case: str, protocol: int, tmp_path: Path) -> None:
    value, wanted = PICKLED[case]
    if case == "objects":
        value = {"a": value.__class__}
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(value, protocol))
    if isinstance(wanted, str):
        with pytest.raises(MsconvertError) as error:
            read_weights(tmp_path / "x.pkl")
        assert error.value.code in (wanted, "MS302")
        return
    found = read_weights(tmp_path / "x.pkl")
    assert {name: tensor.shape for name, tensor in found.items()} == wanted


HOSTILE = {
    "nested tuples": b"\x80\x02)" + b"\x85" * 300_000 + b".",
    "many empty tuples": b"\x80\x02(" + b")" * 300_000 + b"t.",
    "nested lists": b"\x80\x02" + b"]" * 5000 + b"a" * 4999 + b".",
    "a list in itself": b"\x80\x02]q\x00h\x00a.",
    "nothing": b"",
    "zeros": bytes(10_000),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_pickles_are_refused(case: str, tmp_path: Path) -> None:
    (tmp_path / "x.pkl").write_bytes(HOSTILE[case])
    with pytest.raises(MsconvertError) as error:
        read_weights(tmp_path / "x.pkl")
    assert error.value.code == "MS302"
