"""Functions of many steps: what their last step gives is what PyTorch gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msconvert.troubleshooter.diagnosis.functions import FunctionPair  # has the models made
from msconvert.troubleshooter.diagnosis.functions.composites import EXPANSIONS
from msconvert.troubleshooter.diagnosis.functions.model import MODELS
from msconvert.troubleshooter.diagnosis.functions.steps import Steps

torch = pytest.importorskip("torch", reason="the oracle")

assert FunctionPair
NUMBERS = np.random.RandomState(0)
X = NUMBERS.standard_normal((2, 3, 4))
LOGITS, LABELS = NUMBERS.standard_normal((5, 4)), np.array([0, 3, 1, 2, 0])
PIXELS, CLASSES = NUMBERS.standard_normal((2, 4, 5)), NUMBERS.randint(0, 4, (2, 5))
WEIGHT = np.array([1.0, 2.0, 0.5, 3.0])
SHARES = np.array([[0.0, 0.5, 0.25, 0.25]] * 5)
BINARY = np.array([1.0, 0.0, 1.0])
FAR = np.array([900.0, 900.0, -900.0])
Q, K, V = (NUMBERS.standard_normal((2, n, 4)) for n in (5, 6, 6))

LOSSES = tuple(
    ("cross_entropy", (x, target), {"reduction": reduction, **options})
    for x, target in ((LOGITS, LABELS), (PIXELS, CLASSES))
    for reduction in ("mean", "sum", "none")
    for options in (
        {},
        {"weight": WEIGHT},
        {"weight": WEIGHT, "ignore_index": 2, "label_smoothing": 0.1},
        {"ignore_index": 0, "label_smoothing": 0.2},
    )
)
ROWS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    *LOSSES,
    ("cross_entropy", (LOGITS, SHARES), {"weight": WEIGHT, "label_smoothing": 0.1}),
    ("nll_loss", (LOGITS, LABELS), {"weight": WEIGHT, "ignore_index": 0}),
    ("binary_cross_entropy_with_logits", (FAR, BINARY), {"reduction": "none"}),
    ("binary_cross_entropy_with_logits", (FAR / 300, BINARY), {"weight": np.array([1.0, 2, 3])}),
    ("kl_div", (LOGITS, SHARES), {"reduction": "batchmean"}),
    ("smooth_l1_loss", (LOGITS, SHARES), {"beta": 0.0}),
    ("smooth_l1_loss", (LOGITS, SHARES), {"beta": 0.5, "reduction": "sum"}),
    ("huber_loss", (LOGITS, SHARES), {"delta": 0.5}),
    ("cosine_similarity", (X, X[::-1] + 1), {"dim": 2}),
    ("glu", (X,), {"dim": -1}),
    ("scaled_dot_product_attention", (Q, K, V), {"scale": 0.3}),
    ("scaled_dot_product_attention", (Q, Q, Q), {"is_causal": True}),
)
KINDS = {
    "binary_cross_entropy_with_logits": "bce_logits",
    "smooth_l1_loss": "smooth_l1",
    "huber_loss": "huber",
    "scaled_dot_product_attention": "attention",
}
NAMES = {"dim": "axis"}


def tensors(value: Any) -> Any:
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize(
    ("name", "operands", "options"), ROWS, ids=[f"{i}-{row[0]}" for i, row in enumerate(ROWS)]
)
def test_the_model_gives_what_pytorch_gives(
    name: str, operands: tuple[Any, ...], options: dict[str, Any]
) -> None:
    told = {key: tensors(value) for key, value in options.items()}
    wanted = getattr(torch.nn.functional, name)(*map(tensors, operands), **told).numpy()
    own = {NAMES.get(key, key): value for key, value in options.items()}
    kind = KINDS.get(name, name)
    with np.errstate(all="ignore"):  # as its callers have it
        found = MODELS[kind](*operands, **own)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    steps = Steps(frozenset({"log", "square", "rsqrt"}))
    if np.abs(operands[0]).max() < 100:  # the logarithm of what is written out is infinite there
        with np.errstate(all="ignore"):
            EXPANSIONS[kind](steps, *operands, **own)
        np.testing.assert_allclose(steps.done[-1].result, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0])
def test_distances_of_any_order(order: float) -> None:
    other = NUMBERS.standard_normal((2, 5, 4))
    wanted = torch.cdist(tensors(X), tensors(other), p=order).numpy()
    np.testing.assert_allclose(MODELS["cdist"](X, other, ord=order), wanted, rtol=1e-6)
