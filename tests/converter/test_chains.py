"""Chains of layers that a module calls several times, and what is left out of a layer's call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest

from msconvert.converter.code.layers import nn, shown_arguments
from msconvert.tests.converter.hand_graphs import W, graph, inputs_for, node
from msconvert.tests.converter.in_process import assert_agrees

Convert = Callable[[onnx.ModelProto], str]


@pytest.fixture
def agreed(tmp_path: Path) -> Convert:
    """Converts a model, asserts that the script agrees with ONNX Runtime, returns its text."""
    return lambda model: assert_agrees(model, tmp_path, inputs_for(model))


def levels(*chains: str) -> onnx.ModelProto:
    """A head that calls its list `conv` on x, on what came out, and so on; all are added up.

    A chain is the numbers of the elements that it calls: 0 and 2 are layers, 1 is an activation.
    """
    nodes, value, ends = [], "x", []
    for turn, chain in enumerate(chains):
        for number in chain:
            place, made = f"h.conv.{number}", f"{turn}{number}"
            if number == "1":
                nodes.append(node("Relu", value, made, place))
            else:
                nodes.append(node("MatMul", f"{value} h.conv.{number}.weight", made, place))
            value = made
        nodes.append(node("Neg", value, f"n{turn}", "h"))
        value, ends = f"n{turn}", [*ends, f"n{turn}"]
    nodes.append(node("Sum", " ".join(ends), "y", "h"))
    return graph(nodes, weights={"h.conv.0.weight": W, "h.conv.2.weight": W + 1})


def test_a_chain_that_is_called_again_is_one_sequence(agreed: Convert) -> None:
    text = agreed(levels("012", "012", "012"))
    assert text.count("(nn.SequentialCell):") == 1
    assert text.count("self.conv(") == 3
    assert text.count("nn.Dense") == 2


@pytest.mark.parametrize("chains", [("012", "01"), ("012", "02"), ("01", "2", "01", "2")])
def test_a_list_that_is_called_in_other_ways_is_no_sequence(
    agreed: Convert, chains: tuple[str, ...]
) -> None:
    text = agreed(levels(*chains))
    assert "self.conv(" not in text
    assert text.count("nn.Dense") == 2, "each layer is there once"


@pytest.mark.parametrize(
    ("kind", "kernel", "mode", "is_said"),
    [
        ("Conv2d", 1, "valid", False),
        ("Conv1d", 1, "valid", False),
        ("Conv2d", 3, "valid", True),
        ("Conv2d", 1, "pad", True),
        ("Conv2dTranspose", 1, "valid", True),
    ],
)
def test_the_padding_of_a_kernel_of_one_is_not_said(
    kind: str, kernel: int, mode: str, is_said: bool
) -> None:
    layer = getattr(nn, kind)(3, 4, kernel, 2, pad_mode=mode)
    _, named = shown_arguments(kind, layer.arguments)
    assert ("pad_mode" in dict(named)) == is_said


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_kernel_of_one_moves_as_without_padding(size: int, stride: int) -> None:
    import msconvert.runtime as ms

    x = ms.Tensor(np.arange(2 * size * size, dtype=np.float32).reshape(1, 2, size, size))
    plain, same = (
        ms.nn.Conv2d(2, 3, 1, stride, pad_mode=mode, weight_init="ones")
        for mode in ("valid", "same")
    )
    assert np.array_equal(plain(x).asnumpy(), same(x).asnumpy())
