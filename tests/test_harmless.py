"""Names from files, in whatever is printed or written about them: nothing that a terminal obeys."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from msconvert.commands import main as cli
from msconvert.errors import harmless, printable
from msconvert.formats import write_weights

NASTY = (
    "\x1b]0;own\x07",
    "\x1b[2J",
    "\x9b31m",
    "\u202emoc.live",
    "a\u2028b\u2029c\x85d",
    "\x00\x08\x7f",
    "\u200b\ufeff\u2066",
)
"""Title, clearing, C1 sequence, right-to-left, line ends, NUL and backspace, zero width."""

KEPT = "\n\t"
REPORTS = (".txt", ".json", ".md", ".csv", ".html", ".sarif", ".xml")


@pytest.mark.parametrize("text", NASTY)
def test_every_way_to_obey_is_escaped(text: str) -> None:
    assert printable(text).isprintable()
    assert harmless(text).isprintable()
    assert harmless(f"a\n\tb{text}") == f"a\n\tb{harmless(text)}"


def test_harmless_text_stays() -> None:
    text = "x = 1  # ü, 模型, 🙂\n\ty\n"
    assert harmless(text) is text or harmless(text) == text
    assert harmless("plain\n") == "plain\n"


def dangerous(text: str) -> list[str]:
    return sorted({c for c in text if not c.isprintable() and c not in KEPT})


def named_model(folder: Path, nasty: str) -> Path:
    """Names of inputs, outputs, nodes, weights, sizes, domains and documentation."""
    weight = numpy_helper.from_array(np.ones(3, "f"), f"w{nasty}")
    size = f"n{nasty}"
    graph = helper.make_graph(
        [
            helper.make_node("Mul", [f"x{nasty}", f"w{nasty}"], [f"v{nasty}"], name=f"a/{nasty}/b"),
            helper.make_node("Unknown", [f"v{nasty}"], ["u"], domain="my", name=nasty),
            helper.make_node("Relu", [f"v{nasty}"], [f"y{nasty}"], name=nasty),
        ],
        f"g{nasty}",
        [helper.make_tensor_value_info(f"x{nasty}", TensorProto.FLOAT, [size, 3])],
        [helper.make_tensor_value_info(f"y{nasty}", TensorProto.FLOAT, [size, 3])],
        [weight],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name=nasty)
    model.ir_version = 8
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def differing_model(folder: Path, nasty: str) -> Path:
    """One that ONNX Runtime refuses at a size, with the name of the input in the reason."""
    path = named_model(folder, nasty)
    model = onnx.load(path)
    del model.graph.node[1]
    onnx.save(model, path)
    return path


def named_project(folder: Path, nasty: str) -> Path:
    """Names in strings, comments and file names; `repr` would hide what is tested."""
    text = "\n".join(line for line in nasty.splitlines() if "\x00" not in line) or "\x1b[2J"
    source = (
        "import torch\nfrom torch import nn\n"
        f"a = getattr(torch, '{text}foo')\n"
        f"b = getattr(nn, 'Lin{text}ear')\n"
        f"c = torch.tensor([1]).foo  # {text}\n"
        f"d = torch.load('{text}', mmap='{text}')\n"
        f"e = torch.sparse.sampled_addmm('{text}')\n"
        "class Net(nn.Module):\n"
        f'    """{text}"""\n'
        "    def forward(self, x):\n"
        f"        return torch.special.nothing(x, '{text}')\n"
    )
    project = folder / "project"
    project.mkdir()
    (project / "net.py").write_text(source, encoding="utf-8")
    odd = "".join(c for c in nasty if c not in "\x00/") or "odd"
    (project / f"odd{odd}.py").write_text("import torch\nx = torch.nothing\ny = (\n")
    return project


def weights(folder: Path, nasty: str) -> tuple[Path, Path]:
    for name, factor in (("a", 1.0), ("b", 1.5)):
        arrays = [(f"layer{nasty}.weight", np.full((2, 2), factor, "f")), (nasty, np.ones(1, "f"))]
        write_weights(folder / f"{name}.safetensors", iter(arrays), "safetensors")
    return folder / "a.safetensors", folder / "b.safetensors"


@dataclass(frozen=True)
class Command:
    """A command over what `make` put into a folder."""

    make: Callable[[Path, str], object]
    arguments: Sequence[str]


COMMANDS = {
    "convert": Command(named_model, ("--model_file", "model.onnx")),
    "convert, json": Command(named_model, ("--model_file", "model.onnx", "--json")),
    "convert, compared": Command(differing_model, ("--model_file", "model.onnx")),
    "convert, names": Command(
        named_model, ("--model_file", "model.onnx", "--input_nodes", "\x1b[2J", "--shape", "1")
    ),
    "convert, no file": Command(named_model, ("--model_file", "\x1b[2J\u202e.onnx")),
    "scan": Command(named_project, ("scan", "project", "--show", "all", "--notes")),
    "scan, reports": Command(
        named_project,
        "scan project --json s.json --csv s.csv --sarif s.sarif --html s.html".split(),
    ),
    "scan, csv": Command(named_project, ("scan", "project", "--csv")),
    "scan, json": Command(named_project, ("scan", "project", "--json")),
    "scan, option": Command(named_project, ("scan", "project", "--ignore", "\x1b[2J")),
    "source": Command(
        named_project, ("source", "project", "--output", "converted", "--report", "r.md")
    ),
    "source, json": Command(
        named_project, ("source", "project", "--output", "converted", "--json")
    ),
    "source, html": Command(
        named_project, ("source", "project", "--output", "converted", "--report", "r.html")
    ),
    "diff": Command(weights, ("diff", "a.safetensors", "b.safetensors")),
    "diff, reports": Command(
        weights, "diff a.safetensors b.safetensors --json d.json --csv d.csv --html d.html".split()
    ),
    "diff, junit": Command(weights, "diff a.safetensors b.safetensors --junit d.xml".split()),
    "weights": Command(weights, ("weights", "a.safetensors", "-o", "c.ckpt")),
    "weights, json": Command(weights, ("weights", "a.safetensors", "-o", "c.pth", "--json")),
    "api": Command(weights, ("api", "\x1b[2J\u202e")),
    "no command": Command(weights, ("\x1b[2J\u202e",)),
}


def said(folder: Path, captured: pytest.CaptureResult[str]) -> Iterator[tuple[str, str]]:
    yield "stdout", captured.out
    yield "stderr", captured.err
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in REPORTS:
            yield path.name, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_passes_on_what_a_terminal_obeys(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = COMMANDS[name]
    for nasty in NASTY:
        folder = tmp_path / "folder"
        folder.mkdir()
        monkeypatch.chdir(folder)
        command.make(folder, nasty)
        cli.main(list(command.arguments))
        captured = capsys.readouterr()
        assert captured.out + captured.err
        assert "MS901" not in captured.err
        found = {place: dangerous(text) for place, text in said(folder, captured)}
        assert {place: bad for place, bad in found.items() if bad} == {}
        for path in (*folder.rglob("*.json"), *folder.rglob("*.sarif")):
            json.loads(path.read_bytes())
        shutil.rmtree(folder)
