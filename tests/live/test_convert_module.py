"""Live PyTorch modules: converted, built, trained on, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the modules are PyTorch's")

import msconvert
import msconvert.runtime as ms
from msconvert.live.pytorch import EXPORTERS
from msconvert.tests.models import live as modules
from msconvert.tests.models.live import ROWS, Row, torch

QUICK = msconvert.Options(verify=False)
CASES = [(row, exporter) for row in ROWS for exporter in EXPORTERS]


@pytest.mark.sweep
@pytest.mark.parametrize(("row", "exporter"), CASES, ids=[f"{r.name}-{e}" for r, e in CASES])
def test_the_network_is_pytorchs(row: Row, exporter: str) -> None:
    module = row.module()
    found = msconvert.convert_module(module, row.inputs(), dynamic=row.dynamic, exporter=exporter)
    assert found.ok, found.report.to_text()
    assert found.report.rate == 1
    verification = found.report.verification
    assert verification is not None
    assert "against PyTorch" in {item.mode for item in verification.differences}
    network = found.build()
    for inputs in (row.inputs(seed=1), row.inputs(seed=2, batch=5 if row.dynamic else 2)):
        with torch.no_grad():
            expected = module(*inputs).numpy()
        got = network(*[ms.Tensor(x.numpy()) for x in inputs]).asnumpy()
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def quickly() -> Callable[[int], tuple[Any, Any]]:
    """The module of a row, and what it is converted to; each once for all tests."""

    @cache
    def of(number: int) -> tuple[Any, Any]:
        module = ROWS[number].module()
        return module, msconvert.convert_module(module, ROWS[number].inputs(), options=QUICK)

    return of


@pytest.mark.parametrize("number", range(len(ROWS)), ids=[row.name for row in ROWS])
def test_names_classes_and_weights_are_the_originals(
    number: int, quickly: Callable[[int], tuple[Any, Any]]
) -> None:
    row = ROWS[number]
    module, found = quickly(number)
    network = found.build()
    state = {name: tensor for name, tensor in module.state_dict().items() if tensor.ndim}
    assert {type(cell).__name__ for _, cell in network.cells_and_names()} >= row.classes
    own = {tensor.data_ptr() for tensor in state.values()}
    held = [p for p in network.get_parameters() if p.asnumpy().ctypes.data in own]
    assert len(held) >= row.shared
    copied = found.build(copy=True)
    assert not [p for p in copied.get_parameters() if p.asnumpy().ctypes.data in own]


def test_floats_of_the_network_are_those_of_the_module(
    quickly: Callable[[int], tuple[Any, Any]],
) -> None:
    for number, row in enumerate(ROWS):
        module, found = quickly(number)
        network = found.build()
        floats = sum(t.numel() for t in module.state_dict().values() if t.is_floating_point())
        assert sum(p.size for p in network.get_parameters()) <= 1.02 * floats + 1, row.name


def test_the_module_stays_as_it_is() -> None:
    module = modules.Residual(4).train()
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    calls: list[int] = []
    module.register_forward_hook(lambda *_: calls.append(1))
    torch.manual_seed(3)
    state = torch.random.get_rng_state()
    for training in (False, True):
        msconvert.convert_module(module, torch.ones(2, 4, 5, 5), training=training)
    assert module.training
    assert calls == []
    assert torch.equal(state, torch.random.get_rng_state())
    after = module.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_training_in_the_runtime_leaves_the_module_alone() -> None:
    module = torch.nn.Linear(3, 2).eval()
    before = module.weight.detach().clone()
    network = msconvert.convert_module(module, torch.ones(2, 3), options=QUICK).build()
    step = ms.nn.TrainOneStepCell(
        ms.nn.WithLossCell(network, ms.nn.MSELoss()), ms.nn.SGD(network.trainable_params(), 0.1)
    )
    step(ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.zeros((2, 2), np.float32)))
    assert torch.equal(before, module.weight)
    weight = next(iter(network.get_parameters()))
    assert weight.shape == (2, 3)
    assert not np.array_equal(weight.asnumpy(), before.numpy())


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_training_mode_keeps_dropout_and_statistics(exporter: str) -> None:
    module = modules.with_dropout()
    found = msconvert.convert_module(
        module, torch.randn(2, 3, 6, 6), training=True, exporter=exporter
    )
    assert found.ok, found.report.to_text()
    assert "nn.Dropout(p=0.3)" in found.script
    assert "nn.BatchNorm2d(4)" in found.script


def test_a_module_in_training_mode_is_told() -> None:
    row = ROWS[0]
    told = [
        [
            f.message
            for f in msconvert.convert_module(m, row.inputs(), options=QUICK).report.findings
        ]
        for m in (row.module().train(), row.module())
    ]
    assert [any("in training mode" in text for text in texts) for texts in told] == [True, False]


def test_pytorch2mindspore_writes_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module, x = torch.nn.Linear(3, 2).eval(), torch.ones(1, 3)
    names = {
        *("Linear.py", "Linear.ckpt", "weight_map_of_Linear.json"),
        *("report_of_Linear.txt", "report_of_Linear.json"),
    }
    for folder in (None, "elsewhere"):
        report = msconvert.pytorch2mindspore(module, (x,), folder)
        assert report.ok
        assert {path.name for path in (tmp_path / (folder or "output")).iterdir()} == names
        assert {Path(path).name for path in report.files} == names


def _meta() -> Any:
    with torch.device("meta"):
        return torch.nn.Linear(3, 2)


X = torch.ones(1, 3)
REFUSED: dict[str, tuple[Callable[[], Any], Any, str, str]] = {
    "a class": (lambda: torch.nn.Linear, X, "MS111", "it is no PyTorch module"),
    "weights": (lambda: torch.nn.Linear(3, 2).state_dict(), X, "MS111", "no PyTorch module"),
    "a function": (lambda: torch.relu, X, "MS111", "it is no PyTorch module"),
    "nothing": (lambda: None, X, "MS111", "it is no PyTorch module"),
    "a path": (lambda: "model.onnx", X, "MS111", "it is no PyTorch module"),
    "on meta": (_meta, X, "MS111", "weight is on the meta device"),
    "lazy": (lambda: torch.nn.LazyLinear(3), X, "MS111", "weight has no shape yet"),
    "no input": (lambda: torch.nn.Linear(3, 2), (), "MS105", "not those of its forward"),
    "inputs of None": (lambda: torch.nn.Linear(3, 2), None, "MS105", "these are no inputs"),
    "two inputs": (lambda: torch.nn.Linear(3, 2), (X, X), "MS105", "not those of its forward"),
    "a dictionary inside": (modules.TakesDict, ({"a": X},), "MS105", "neither a tensor nor plain"),
    "a wrong name": (lambda: torch.nn.Linear(3, 2), {"x": X}, "MS105", "not those of its forward"),
    "text": (lambda: torch.nn.Linear(3, 2), "x", "MS105", "these are no inputs"),
    "numbers alone": (modules.AddsNumber, (3, 4), "MS105", "no tensor among the inputs"),
    "meta inputs": (lambda: torch.nn.Linear(3, 2), X.to("meta"), "MS105", "input 0 is on meta"),
    "a wrong shape": (lambda: torch.nn.Linear(4, 2), X, "MS111", "does not run on the inputs"),
    "raises": (modules.Raises, X, "MS111", "it does not run on the inputs"),
    "leaves": (modules.Leaves, X, "MS111", "it does not run on the inputs"),
    "branches": (modules.Branches, X, "MS111", "PyTorch's exporter does not take it"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_exported_is_refused(case: str) -> None:
    make, inputs, code, problem = REFUSED[case]
    with pytest.raises(msconvert.MsconvertError) as caught:
        msconvert.convert_module(make(), inputs)
    assert caught.value.code == code
    assert problem in caught.value.problem
    assert "Traceback" not in caught.value.text()


def test_what_a_module_says_is_in_the_refusal() -> None:
    with pytest.raises(msconvert.MsconvertError) as caught:
        msconvert.convert_module(modules.Raises(), X)
    assert caught.value.got == "RuntimeError: it does not like ones"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"dynamic": {"y": {0: "n"}}}, "no such input"),
        ({"dynamic": {"input": {2: "n"}}}, "no axis"),
        ({"dynamic": {"input": {"0": "n"}}}, "no axis"),
        ({"dynamic": {"input": {0: 3}}}, "no axis"),
        ({"exporter": "onnx"}, "no such exporter"),
        ({"name": "a/b"}, "it is no name for a model"),
    ],
)
def test_wrong_arguments_are_refused(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(msconvert.MsconvertError, match=problem) as caught:
        msconvert.convert_module(torch.nn.Linear(3, 2), X, **settings)
    assert caught.value.code == "MS105"


TAKEN: dict[str, tuple[Callable[[], Any], Any]] = {
    "an array": (lambda: torch.nn.Linear(3, 2), np.ones((1, 3), np.float32)),
    "by name": (modules.Masked, {"x": X, "mask": X}),
    "without what is optional": (modules.Masked, X),
    "None": (modules.Masked, (X, None)),
    "a number": (modules.AddsNumber, (X, 3)),
    "a list": (modules.AddsList, ([X, X],)),
    "scripted": (lambda: modules.wrapped(torch.jit.script), X),
    "compiled": (lambda: modules.wrapped(torch.compile), X),
    "in parallel": (lambda: torch.nn.DataParallel(torch.nn.Linear(3, 2)), X),
}


@pytest.mark.parametrize("case", TAKEN)
def test_inputs_and_wrappers_that_are_taken(case: str) -> None:
    make, inputs = TAKEN[case]
    found = msconvert.convert_module(make().eval(), inputs)
    assert found.ok
    verification = found.report.verification
    assert verification is not None
    assert verification.differences[-1].mode == "against PyTorch"


def test_another_network_than_the_module_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = modules.Lies()
    found = msconvert.convert_module(module, X)
    assert not found.ok
    assert found.report.findings[-1].code == "MS108"
    assert "differs from PyTorch's" in found.report.findings[-1].message


def test_without_pytorch_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("msconvert.live.module.find_spec", lambda name: None)
    with pytest.raises(msconvert.MsconvertError) as caught:
        msconvert.convert_module(object(), X)  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.where) == ("MS903", "torch")
