"""nn.LSTM, GRU and RNN from both of PyTorch's exporters: the same modules, names and numbers."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from msconvert.formats import read_weights
from msconvert.tests.converter.conversion import (
    Conversion,
    converted,
    error,
    imported,
    outputs_of_original,
    outputs_of_script,
    remarks_of_ruff,
)
from msconvert.tests.converter.test_parity import RECURRENT, differences, prepared

torch = pytest.importorskip("torch", reason="the models are written in PyTorch")
nn = torch.nn

CHANNELS, HIDDEN = 5, 4
TOLERANCE = 1e-5
READ = ("sequence", "last", "both")


@dataclass(frozen=True)
class Form:
    """How a module is made and called; `read` says which of its results."""

    layers: int
    both_ways: bool
    batch_first: bool
    given: bool
    read: str
    bias: bool = True

    @property
    def name(self) -> str:
        words = [f"{self.layers}"]
        words += ["both"] if self.both_ways else []
        words += ["first"] if self.batch_first else []
        words += ["given"] if self.given else []
        return "_".join(["layer", *words, self.read])

    @property
    def states(self) -> int:
        return self.layers * (2 if self.both_ways else 1)


CHOICES = list(product((1, 2), (False, True), (False, True), (False, True)))
FORMS = [Form(*choice, READ[i % 3], bias=i != 3) for i, choice in enumerate(CHOICES)]
FORMS += [Form(3, True, True, False, read) for read in READ]
FEW = [form for form in FORMS if form.layers > 1 or form.read == "last"]


class Net(nn.Module):
    """Every form of one kind, each on the same x (batch, seq, CHANNELS) and its own states."""

    def __init__(self, kind: str, forms: list[Form]) -> None:
        super().__init__()
        self.forms = forms
        for form in self.forms:
            made = getattr(nn, kind)(
                CHANNELS,
                HIDDEN,
                form.layers,
                bias=form.bias,
                batch_first=form.batch_first,
                bidirectional=form.both_ways,
            )
            self.add_module(form.name, made)

    def forward(self, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor) -> list[torch.Tensor]:
        results = [c * 3]
        for number, form in enumerate(self.forms):
            module = getattr(self, form.name)
            h0, c0 = h[: form.states], c[: form.states]
            hx = (h0, c0) if isinstance(module, nn.LSTM) else h0
            y = x * (number + 1)  # no two have the same input: exporters would merge transposes
            y = y if form.batch_first else y.transpose(0, 1)
            y, last = module(y, hx) if form.given else module(y)
            states = list(last) if isinstance(last, tuple) else [last]
            results += [y * 2] if form.read != "last" else []
            results += [state * 2 for state in states] if form.read == "both" else []
            results += [states[0][-1] * 2] if form.read == "last" else []
        return tuple(results)


def example(batch: int, steps: int) -> list[np.ndarray]:
    rng = np.random.default_rng(batch)
    shapes = [(batch, steps, CHANNELS), (6, batch, HIDDEN), (6, batch, HIDDEN)]
    return [rng.standard_normal(shape, np.float32) for shape in shapes]


@dataclass(frozen=True)
class Case:
    kind: str
    exporter: str
    dynamic: bool

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.exporter}" + ("-dynamic" if self.dynamic else "")

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Batch and length to export and to run it with, first the ones to export it with.

        The newer exporter traces each step by itself, and freezes the length of most forms.
        """
        first, *others = [(3, 2), (1, 2)] if self.exporter == "dynamo" else [(3, 6), (2, 9), (1, 1)]
        return [first, *others] if self.dynamic else [first]

    @property
    def forms(self) -> list[Form]:
        """The newer exporter is slow."""
        if self.exporter == "dynamo" and self.dynamic:
            return [form for form in FEW if form.layers == 2 and form.batch_first]
        return FORMS if self.exporter == "torchscript" else FEW

    def module(self) -> Net:
        with torch.random.fork_rng():
            torch.manual_seed(7)
            return Net(self.kind, self.forms).eval()

    def export(self, folder: Path) -> Path:
        """The ONNX file, written once."""
        path = folder / f"{self.name}.onnx".replace("-", "_")
        if path.exists():
            return path
        inputs = tuple(torch.from_numpy(array) for array in example(*self.sizes[0]))
        names = ["x", "h", "c"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # exporters warn of their own future
            if self.exporter == "dynamo":
                n = torch.export.Dim("batch")
                sizes = ({0: n}, {1: n}, {1: n}) if self.dynamic else None
                options = {"dynamo": True, "verbose": False, "external_data": False}
                torch.onnx.export(
                    self.module(), inputs, path, input_names=names, dynamic_shapes=sizes, **options
                )
            else:
                axes = {"x": {0: "batch", 1: "seq"}, "h": {1: "batch"}, "c": {1: "batch"}}
                torch.onnx.export(
                    self.module(),
                    inputs,
                    path,
                    dynamo=False,
                    opset_version=17,
                    input_names=names,
                    dynamic_axes=axes if self.dynamic else None,
                )
        return path


CASES = [
    Case(kind, exporter, dynamic)
    for kind in ("LSTM", "GRU", "RNN")
    for exporter in ("torchscript", "dynamo")
    for dynamic in (False, True)
    if (kind, exporter) != ("RNN", "dynamo")  # it unrolls nn.RNN: there is no layer to find
]


@dataclass(frozen=True)
class Exported:
    case: Case
    conversion: Conversion

    @property
    def script(self) -> str:
        return self.conversion.script.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def exported(
    request: pytest.FixtureRequest, models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Exported:
    path = request.param.export(models)
    done = converted(path, tmp_path_factory.mktemp("out"), verify=False)
    return Exported(request.param, done)


def test_numbers_are_the_originals(exported: Exported) -> None:
    conversion = exported.conversion
    assert conversion.report.rate == 1
    with imported(conversion.script) as module:
        for batch, steps in exported.case.sizes:
            inputs = example(batch, steps)
            with torch.no_grad():
                made = exported.case.module()(*map(torch.from_numpy, inputs))
            wanted = [tensor.numpy() for tensor in made]
            original = outputs_of_original(conversion.model, inputs)
            for outputs in outputs_of_script(module, conversion.checkpoint, inputs):
                for got, pytorch, onnx in zip(outputs, wanted, original, strict=True):
                    assert error(got, pytorch) <= TOLERANCE
                    assert error(got, onnx) <= TOLERANCE


def test_parameters_are_the_originals(exported: Exported) -> None:
    """PyTorch's names and, since the order of gates is the same, its numbers to the bit."""
    original = exported.case.module().state_dict()
    stored = read_weights(exported.conversion.checkpoint).tensors()
    assert stored.keys() == original.keys()
    for name, tensor in original.items():
        assert np.array_equal(stored[name].array(), tensor.numpy()), name


def test_layers_are_written_as_in_the_original(exported: Exported) -> None:
    """One class: `self.NAME = nn.LSTM(5, 4, 2, batch_first=True)`, one call each."""
    script = exported.script
    on_one_line = re.sub(r",?\s*\)", ")", re.sub(r"\(\s*", "(", re.sub(r",\s+", ", ", script)))
    assert script.count("nn.Cell)") == 1
    for form in exported.case.forms:
        options = [str(CHANNELS), str(HIDDEN), str(form.layers)][: 2 + (form.layers > 1)]
        options += [] if form.bias else ["has_bias=False"]
        options += ["batch_first=True"] if form.batch_first else []
        options += ["bidirectional=True"] if form.both_ways else []
        line = f"self.{form.name} = nn.{exported.case.kind}({', '.join(options)})"
        assert line in on_one_line
        assert script.count(f"self.{form.name}(") == 1
    assert "concat" not in script


def test_the_script_is_as_ruff_wants_it(exported: Exported) -> None:
    assert remarks_of_ruff(exported.conversion.script) == ""


def test_the_weight_map_tells_the_part_and_the_order(exported: Exported) -> None:
    path = next(exported.conversion.folder.glob("weight_map*.json"))
    entries = json.loads(path.read_text(encoding="utf-8"))
    told = {e["converted_weight"]["name"]: e["transformation"] for e in entries}
    orders = {"LSTM": "i o f c reordered to i f c o", "GRU": "z r h reordered to r z h"}
    rows = {"LSTM": 16, "GRU": 12, "RNN": 4}[exported.case.kind]
    order = orders.get(exported.case.kind)
    moved = "" if order is None else f", gates {order}"
    bias = f"part [0, {rows}:{2 * rows}]{moved}"
    assert told["layer_2_first_given_both.bias_hh_l1"].endswith(bias)
    name = "layer_2_both_first_both.weight_ih_l1_reverse"
    assert told[name].endswith(f"part [1]{moved}")


def test_mindspore_says_the_same(
    run_mindspore: Callable[..., str], models: Path, tmp_path: Path
) -> None:
    expected = {}
    for case in CASES:
        path = case.export(models)
        expected[case.name] = prepared(path, example(*case.sizes[0]), tmp_path / case.name)
    assert differences(run_mindspore, tmp_path, expected, tolerance=RECURRENT) == {}
