"""What PyTorch's networks share, both exporters: one Parameter, whose gradient is the sum."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the networks are PyTorch's")

import msconvert
import msconvert.runtime as ms
from msconvert.tests.models.catalog import EXPORTERS
from msconvert.tests.models.sharing import ROWS, Row, torch

CASES = [(row, exporter) for row in ROWS for exporter in EXPORTERS]


@pytest.fixture(params=CASES, ids=[f"{row.name}-{exporter}" for row, exporter in CASES])
def exported(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Row, Path]:
    row, exporter = request.param
    path = tmp_path / f"{row.name}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            row.module(), row.inputs(), path, dynamo=exporter == "dynamo", verbose=False
        )
    return row, path


def test_each_weight_is_there_once_and_trains_as_in_pytorch(exported: tuple[Row, Path]) -> None:
    row, path = exported
    module, inputs = row.module(), row.inputs()
    found = msconvert.convert(path)
    assert found.ok, found.report.to_text()
    network = found.build()
    held = list(network.get_parameters())
    assert len({id(p) for p in held}) == len(held) == found.report.parameters
    assert sum(p.size for p in held) <= 1.02 * sum(p.numel() for p in module.parameters())
    for text, times in row.lines:
        assert found.script.count(text) == times, found.script
    assert gradients(network, inputs) == approximately(module, inputs)


def gradients(network: Any, inputs: tuple[Any, ...]) -> list[float]:
    """The size of the gradient of each weight, in order: sums over all of its uses."""
    weights = ms.ParameterTuple(network.trainable_params())
    arrays = [ms.Tensor(x.numpy()) for x in inputs]
    made = ms.grad(lambda *x: (network(*x) ** 2).sum(), None, weights)(*arrays)
    return sorted(float(np.square(g.asnumpy(), dtype=np.float64).sum()) for g in made)


def approximately(module: Any, inputs: tuple[Any, ...]) -> Any:
    (module(*inputs) ** 2).sum().backward()
    squares = [float(p.grad.double().square().sum()) for p in module.parameters()]
    return pytest.approx(sorted(squares), rel=1e-3)


def test_ties_are_told(exported: tuple[Row, Path]) -> None:
    row, path = exported
    found = msconvert.convert(path, options=msconvert.Options(verify=False))
    told = [f.message for f in found.report.findings if "one Parameter" in f.message]
    assert len(told) == ("weight = self." in found.script)
    assert not [f for f in found.report.findings if "train apart" in f.message] or row.name in (
        "twins",  # its norms are equal, and apart
    )
