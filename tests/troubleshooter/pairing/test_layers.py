"""Every rule of names: both layers built, weights converted and loaded, equal outputs.

PyTorch's layer gets random weights and statistics and is saved; `msconvert weights` converts the
file; the bundled runtime and the real MindSpore load it and run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.formats.names.naming import WITH_PARAMETERS
from msconvert.formats.transfer.conversion import open_weights
from msconvert.troubleshooter.pairing import pair_up

from .layer_rows import MINDSPORE_CLASSES, ROWS, TORCH_CLASSES, Row
from .layer_runner import run

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
RUNNER = Path(__file__).with_name("layer_runner.py")


@dataclass(frozen=True)
class Case:
    """The converted weights in `folder`, and PyTorch's outputs by the row's name."""

    folder: Path
    outputs: dict[str, np.ndarray]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("layers")
    numbers, inputs, outputs = np.random.RandomState(0), {}, {}
    names: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(TORCH_CLASSES, names)
    for row in ROWS:
        layer = eval(row.torch, names)
        shake(layer, numbers)
        x = numbers.randn(*row.shape).astype("f4")
        with torch.no_grad():
            found = eval(row.calls[0], names, {"layer": layer, "x": torch.tensor(x)})
        inputs[place(row)], outputs[row.name] = x, found.numpy()
        state = {f"layer.{name}": value for name, value in layer.state_dict().items()}
        torch.save(eval(row.saved, {"state": state}), folder / f"{place(row)}.pth")
        convert(row, folder)
    np.savez(folder / "inputs.npz", **inputs)
    (folder / "rows.json").write_text(json.dumps(rows_json()))
    return Case(folder, outputs)


def place(row: Row) -> str:
    return f"row{ROWS.index(row)}"


def rows_json() -> dict[str, Any]:
    rows = [{"place": place(row), "mindspore": row.mindspore, "call": row.calls[1]} for row in ROWS]
    return {"classes": MINDSPORE_CLASSES, "rows": rows}


def shake(layer: Any, numbers: np.random.RandomState) -> None:
    """Gives every parameter and statistic a value of its own; statistics stay positive."""
    with torch.no_grad():
        for name, value in layer.state_dict().items():
            if value.is_floating_point() and not name.endswith(("_u", "_v")):
                value.copy_(torch.tensor(numbers.rand(*value.shape) + 0.1, dtype=value.dtype))
    layer.eval()


def convert(row: Row, folder: Path) -> None:
    """Runs `msconvert weights` as somebody would who knows which layer it is."""
    source, target = folder / f"{place(row)}.pth", folder / f"{place(row)}.ckpt"
    told = ("--layer", f"layer={row.layer}") if row.layer else ()
    assert main(["weights", str(source), "-o", str(target), *told, *row.flags]) == 0


@dataclass(frozen=True)
class Outcome:
    """What a target has told of each row, and its arrays: outputs and parameters."""

    target: str
    told: dict[str, Any]
    arrays: dict[str, np.ndarray]

    def assert_equal(self, case: Case, row: Row) -> None:
        left, failure = self.told[place(row)].values()
        assert row.lacking.get(self.target, "") in failure
        if self.target not in row.lacking:
            assert failure == ""
            found, expected = self.arrays[place(row)], case.outputs[row.name]
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        if not failure.startswith("MissingNameError"):
            assert left == [list(row.untouched), []]
            self.assert_loaded(case, row)

    def assert_loaded(self, case: Case, row: Row) -> None:
        """Every parameter in the layer has the value of the file."""
        written = open_weights(case.folder / f"{place(row)}.ckpt").tensors()
        assert written
        for name, tensor in written.items():
            np.testing.assert_array_equal(self.arrays[f"{place(row)}.{name}"], tensor.array())


def outcome(target: str, folder: Path, told: dict[str, Any]) -> Outcome:
    with np.load(folder / "outputs.npz") as arrays:
        return Outcome(target, told, dict(arrays))


@pytest.fixture(scope="module")
def on_runtime(case: Case) -> Outcome:
    import msconvert.runtime as ms
    from msconvert.runtime import mint, nn, ops

    return outcome("runtime", case.folder, run(case.folder, ms, nn, mint, ops))


@pytest.fixture(scope="module")
def on_mindspore(case: Case, on_runtime: Outcome, run_mindspore: Callable[..., str]) -> Outcome:
    output = run_mindspore(case.folder, str(RUNNER), str(case.folder))
    return outcome("mindspore", case.folder, json.loads(output[output.index("TOLD") + 4 :]))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_on_the_runtime(case: Case, on_runtime: Outcome, row: Row) -> None:
    on_runtime.assert_equal(case, row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_on_real_mindspore(case: Case, on_mindspore: Outcome, row: Row) -> None:
    on_mindspore.assert_equal(case, row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_both_files_pair_by_names(case: Case, row: Row) -> None:
    """Nothing but names is needed, and the tensors are the same."""
    a = open_weights(case.folder / f"{place(row)}.pth").tensors()
    b = open_weights(case.folder / f"{place(row)}.ckpt").tensors()
    for pair in pair_up(a, b):
        assert pair.how in ("name", "rule")
        if pair.is_whole:
            np.testing.assert_array_equal(*pair.arrays(a, b))


def test_every_layer_with_parameters_has_a_row() -> None:
    layers = {row.layer for row in ROWS}
    assert WITH_PARAMETERS - layers == set()
