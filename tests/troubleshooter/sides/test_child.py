"""What runs in the other processes: values on their way, imports, results taken apart."""

from __future__ import annotations

import subprocess
import sys
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from msconvert.troubleshooter.sides.child import wire
from msconvert.troubleshooter.sides.child.caught import Caught
from msconvert.troubleshooter.sides.child.dropping import without_dropout
from msconvert.troubleshooter.sides.child.importing import Imports
from msconvert.troubleshooter.sides.child.leaves import leaves
from msconvert.troubleshooter.sides.child.messages import Inputs, Leaf, Tensor
from msconvert.troubleshooter.sides.places import roots_of, source_of, target_of
from msconvert.troubleshooter.sides.workers import CHILD

VALUES = [
    *(None, True, -7, 0.1, float("-inf"), 2 - 0.5j, "Größe\n", [1, (2, [])], {"a": {3: None}}),
    Inputs((Tensor("float32", np.ones(2)),), {"x": (1.5,)}),
    Leaf("[0]", 1e-300, 0.1, 0.0, np.array([True])),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values_arrive_as_they_were(value: object, tmp_path: Path) -> None:
    wire.write(str(tmp_path / "x"), value)
    assert str(wire.read(str(tmp_path / "x"))) == str(value)
    assert list(tmp_path.iterdir()) == []


def test_other_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a object cannot be handed to another process"):
        wire.write(str(tmp_path / "x"), [object()])
    np.savez(tmp_path / "x.npz", np.array([object()]))
    (tmp_path / "x.json").write_text('{"array": 0}')
    with pytest.raises(ValueError, match="allow_pickle=False"):
        wire.read(str(tmp_path / "x"))


@dataclass
class Both:
    one: object
    other: object


def test_results_are_taken_apart() -> None:
    pair = namedtuple("pair", "a b")
    value = [
        pair(np.ones(1), 2),
        OrderedDict(b=None, a=Both("t", [np.float32(3)])),
        SimpleNamespace(x=1),
    ]
    found = list(leaves(value, lambda x: False))
    assert [place for place, _ in found] == [
        *("[0][0]", "[0][1]", "[1]['b']", "[1]['a'].one", "[1]['a'].other[0]", "[2]"),
    ]
    assert found[-1][1] == "an object of SimpleNamespace, which is not compared"


def test_dropout_is_found_by_its_names() -> None:
    made = {"p": 0.5, "dropout": 0.3, "drop_prob": 0.2, "keep_prob": 0.9, "rate": 0.4, "eps": 1e-5}
    layers = [type(kind, (), {})() for kind in ("Dropout2d", "DropPath", "Attention")]
    for layer in layers:
        vars(layer).update(made)
    without_dropout(layers, is_active=False)
    dropping = {"p": 0.0, "dropout": 0.0, "drop_prob": 0.0, "keep_prob": 1.0}
    assert vars(layers[0]) == vars(layers[1]) == made | dropping
    assert vars(layers[2]) == made | {"dropout": 0.0, "drop_prob": 0.0}


def test_only_what_draws_by_itself_is_off_where_dropout_is_active() -> None:
    kinds = {
        "torch.nn.modules.rnn": "LSTM",
        "msconvert.runtime.nn.basic": "Dropout",
        "theirs": "DropPath",
        "theirs.too": "Attention",
    }
    layers = [type(kind, (), {"__module__": place})() for place, kind in kinds.items()]
    for layer in layers:
        vars(layer).update(dropout=0.3)
    without_dropout(layers, is_active=True)
    assert [layer.dropout for layer in layers] == [0.0, 0.3, 0.0, 0.3]  # type: ignore[attr-defined]


def test_errors_are_caught_with_the_users_line(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text("def f():\n    raise SystemExit('one\\n\\n----\\ntwo')\n")
    names: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    with Caught(lambda: (str(tmp_path),)) as caught:
        names["f"]()
    assert caught.failure is not None
    assert (caught.failure.kind, caught.failure.message) == ("SystemExit", "one")
    assert (caught.failure.file, caught.failure.line) == (str(file), 2)
    with pytest.raises(KeyboardInterrupt), Caught():
        raise KeyboardInterrupt


def test_the_child_needs_nothing_of_msconvert() -> None:
    imports = "import sys; sys.path = [p for p in sys.path if p]; sys.modules['msconvert'] = None\n"
    begin = f"folder = {str(CHILD)!r}\n"
    rest = (
        "import importlib.util, importlib\n"
        "spec = importlib.util.spec_from_file_location('_child', folder + '/__init__.py', "
        "submodule_search_locations=[folder])\n"
        "sys.modules['_child'] = importlib.util.module_from_spec(spec)\n"
        "for name in ('serve', 'torch_side', 'mindspore_side', 'kernels'):\n"
        "    importlib.import_module('_child.' + name)\n"
        "print(sorted({'torch', 'mindspore', 'onnx'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", imports + begin + rest], capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


# which files


def test_files_are_imported_as_in_their_project(tmp_path: Path) -> None:
    package = tmp_path / "project" / "models" / "parts"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    root = tmp_path / "project"
    source = source_of(package / "net.py", root)
    assert (source.module, source.paths) == ("models.parts.net", (str(root),))
    plain = source_of(root / "scripts" / "net.py", root)
    assert (plain.module, plain.paths) == ("net", (str(root / "scripts"), str(root)))
    assert source_of(package / "__init__.py", root).module == "models.parts"


def test_nothing_is_put_beside_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text("import part")
    (tmp_path / "part.py").write_text("")
    imports = Imports()
    imports.load(source_of(tmp_path / "net.py", tmp_path))
    imports.forget()
    assert sorted(x.name for x in tmp_path.iterdir()) == ["net.py", "part.py"]
    assert not sys.dont_write_bytecode


def test_roots_are_what_paths_do_not_share(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "models" / "net.py", tmp_path / "b" / "models" / "net.py"
    assert roots_of(one, other) == (tmp_path / "a", tmp_path / "b")
    assert roots_of(tmp_path / "net.py", other) == (tmp_path, tmp_path / "b" / "models")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("import mindspore as ms", "mindspore"),
        ("from mindspore.common import initializer", "mindspore"),
        ("from msconvert.runtime import nn", "bundled"),
        ("def f():\n    import msconvert.runtime as ms", "bundled"),
        ("from .beside import Net", "mindspore"),
        ("import numpy", "mindspore"),
    ],
)
def test_the_target_is_what_is_imported(text: str, target: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text("import torch")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "net.py").write_text(text)
    (tmp_path / "out" / "beside.py").write_text("from mindspore import nn")
    assert target_of(tmp_path / "out" / "net.py") == target
