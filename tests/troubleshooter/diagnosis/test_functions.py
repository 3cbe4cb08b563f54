"""One argument of a function changed at a time: what is said of pairs of recorded operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msconvert.troubleshooter.compare.operators.kinds import kind_of
from msconvert.troubleshooter.compare.records import FunctionRecord
from msconvert.troubleshooter.diagnosis.functions import FunctionPair, diagnose_function
from msconvert.troubleshooter.diagnosis.functions.model import MODELS
from msconvert.troubleshooter.diagnosis.functions.named import CAUSES
from msconvert.troubleshooter.diagnosis.functions.reading import call_of

NUMBERS = np.random.RandomState(0)
X = NUMBERS.standard_normal((2, 3, 4))
IMAGE = NUMBERS.standard_normal((1, 2, 4, 4))
MASK = NUMBERS.standard_normal((2, 3, 4)) > 0
LABELS = np.array([0, 2, 1, 2])
LOGITS = NUMBERS.standard_normal((4, 3))
WEIGHTS = np.array([1.0, 2.0, 0.5])
RESIZED = {"input": "#0", "size": 7, "mode": "bilinear", "align_corners": True}

Told = tuple[str, dict[str, Any]]

PAIRS: tuple[tuple[Told, Told, tuple[Any, ...], str, str], ...] = (
    (("torch.softmax", {"input": "#0", "dim": -1}), ("ops.softmax", {"input": "#0", "axis": 1}),
     (X,), "function-axis", "axis is 2 (here: 1)"),
    (("Tensor.sum", {"self": "#0", "dim": (1,), "keepdim": False}),
     ("Tensor.sum", {"self": "#0", "axis": 0, "keepdims": False}),
     (X,), "function-axis", "axis is 1 (here: 0)"),
    (("Tensor.permute", {"self": "#0", "dims": (1, 0, 2)}),
     ("ops.transpose", {"input": "#0", "input_perm": (2, 0, 1)}),
     (X,), "function-axis", "perm is (1, 0, 2) (here: (2, 0, 1))"),
    (("Tensor.__truediv__", {"0": "#0", "1": 0.7}),
     ("Tensor.__truediv__", {"self": "#0", "other": 0.9}),
     (X,), "function-constant", "the divisor is 0.7 (here: 0.9)"),
    (("torch.roll", {"input": "#0", "shifts": 1, "dims": 2}),
     ("ops.roll", {"input": "#0", "shifts": -1, "dims": 2}),
     (X,), "function-roll", "shifts is 1 (here: -1)"),
    (("nn.functional.pad", {"input": "#0", "pad": (2, 0)}),
     ("ops.pad", {"input_x": "#0", "padding": (0, 2)}),
     (X,), "", "pad is (2, 0) (here: (0, 2))"),
    (("torch.triu", {"input": "#0", "diagonal": 1}), ("ops.triu", {"input": "#0", "diagonal": 0}),
     (X,), "function-mask-shifted", "diagonal is 1 (here: 0)"),
    (("nn.functional.leaky_relu", {"input": "#0", "negative_slope": 0.1}),
     ("ops.leaky_relu", {"input": "#0", "alpha": 0.2}),
     (X,), "", "0.1"),
    (("nn.functional.gelu", {"input": "#0", "approximate": "none"}),
     ("ops.gelu", {"input": "#0", "approximate": "tanh"}),
     (X,), "function-option", "approximate is none (here: tanh)"),
    (("nn.functional.cross_entropy", {"input": "#0", "target": "#1", "ignore_index": 2}),
     ("ops.cross_entropy", {"input": "#0", "target": "#1", "ignore_index": -100}),
     (LOGITS, LABELS), "function-ignore-index", "ignore_index is 2 (here: -100)"),
    (("nn.functional.cross_entropy", {"input": "#0", "target": "#1", "label_smoothing": 0.1}),
     ("ops.cross_entropy", {"input": "#0", "target": "#1", "label_smoothing": 0.0}),
     (LOGITS, LABELS), "function-label-smoothing", "label_smoothing is 0.1 (here: 0)"),
    (("nn.functional.cross_entropy", {"input": "#0", "target": "#1", "weight": "#2"}),
     ("ops.cross_entropy", {"input": "#0", "target": "#1", "weight": None}),
     (LOGITS, LABELS, WEIGHTS), "function-class-weights", "(here: None)"),
    (("nn.functional.interpolate", RESIZED),
     ("ops.interpolate", {**RESIZED, "align_corners": False}),
     (IMAGE,), "function-interpolate", "align_corners is True (here: False)"),
    (("torch.where", {"condition": "#0", "input": "#1", "other": 0.0}),
     ("ops.where", {"condition": "#0", "input": 0.0, "other": "#1"}),
     (MASK, X), "function-order", "order"),
    (("torch.functional.einsum", {"equation": "bij,bkj->bik", "operands": ("#0", "#1")}),
     ("ops.einsum", {"equation": "bij,bkj->bki", "1": "#0", "2": "#1"}),
     (X, X[:, ::-1] * 2), "function-axis", "equation is bij,bkj->bik (here: bij,bkj->bki)"),
    (("torch.functional.einsum", {"equation": "b i j, b k j -> b i k", "operands": ("#0", "#1")}),
     ("ops.einsum", {"equation": "xyz,xwz->xy", "1": "#0", "2": "#1"}),
     (X, X[:, ::-1] * 2), "function-axis", "(here: xyz,xwz->xy)"),
    (("Tensor.lt", {"self": "#0", "other": 0.5}), ("Tensor.__gt__", {"self": "#0", "other": 0.5}),
     (X,), "operator-other", "lt"),
    (("torch.relu", {"input": "#0"}), ("ops.gelu", {"input": "#0"}),
     (X,), "operator-other", "relu"),
)  # fmt: skip


def record(told: Told, inputs: tuple[Any, ...]) -> FunctionRecord:
    """As it would be recorded: the outputs are what the model gives."""
    name, arguments = told
    side = "torch" if "torch" in name or "functional" in name else "runtime"
    empty = FunctionRecord(name, side, arguments, inputs, (), name)  # type: ignore[arg-type]
    call = call_of(empty)
    return FunctionRecord(
        name, empty.side, arguments, inputs, (np.asarray(call.compute(), np.float32),), name
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0][0]}: {pair[4]}")
def test_the_argument_that_differs_is_named(
    pair: tuple[Told, Told, tuple[Any, ...], str, str],
) -> None:
    ours, theirs, inputs, cause, text = pair
    told = diagnose_function(FunctionPair("differs", record(ours, inputs), record(theirs, inputs)))
    assert told
    assert told[0].text.startswith("agrees if")
    assert text in told[0].text
    assert not cause or told[0].cause == cause


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0][0])
def test_all_that_is_told_has_a_name_on_the_page(
    pair: tuple[Told, Told, tuple[Any, ...], str, str],
) -> None:
    ours, theirs, inputs, _, _ = pair
    told = diagnose_function(FunctionPair("differs", record(ours, inputs), record(theirs, inputs)))
    assert {one.cause for one in told} <= set(CAUSES)


def test_letters_of_an_equation_mean_nothing() -> None:
    """Where something else differs, other letters are not told for it."""
    one = record(("torch.einsum", {"equation": "ij,jk->ik", "1": "#0", "2": "#1"}), (X[0], X[1].T))
    arguments = {"equation": "ab,bc->ac", "operands": ("#0", "#1")}
    other = record(("ops.einsum", arguments), (X[1], X[0].T))
    told = diagnose_function(FunctionPair("differs", one, other))
    assert not any("equation" in found.text for found in told)


@pytest.mark.parametrize("shift", ["inverted", "rolled", "left out"])
def test_what_became_of_a_mask_is_found_by_its_effect(shift: str) -> None:
    became = {"inverted": ~MASK, "rolled": np.roll(MASK, 1, 2), "left out": np.zeros_like(MASK)}
    arguments = {"self": "#0", "mask": "#1", "value": -9.0}
    one = record(("Tensor.masked_fill", arguments), (X, MASK))
    other = record(("ops.masked_fill", arguments), (X, became[shift]))
    causes = {"inverted": "inverted", "rolled": "shifted", "left out": "missing"}
    told = diagnose_function(FunctionPair("differs", one, other))
    assert told[0].cause == f"function-mask-{causes[shift]}"


def test_nothing_is_a_multiple_of_what_is_not_a_number() -> None:
    arguments = {"input": "#0"}
    nothing = np.full((2, 3), np.nan, np.float32)
    one, other = (
        FunctionRecord(name, side, arguments, (-np.ones((2, 3)),), (nothing,), name)
        for name, side in (("torch.log", "torch"), ("ops.log", "runtime"))
    )
    assert not any(
        "nan" in told.text for told in diagnose_function(FunctionPair("differs", one, other))
    )


@pytest.mark.parametrize("name", ["torch.softmax", "ops.softmax", "mint.nn.functional.softmax"])
def test_a_kind_has_many_names(name: str) -> None:
    assert kind_of(name) == "softmax"
    assert kind_of("Tensor.__radd__") == kind_of("onnx.Add") == kind_of("ops.TensorAdd") == "add"
    assert kind_of("Tensor.permute") == kind_of("ops.swapaxes") == kind_of("onnx.Transpose")


def test_models_are_plenty() -> None:
    assert len(MODELS) >= 100
