"""What is read from the gradient of a loss of classes, against PyTorch's own losses."""

from __future__ import annotations

import numpy as np
import pytest

from msconvert.troubleshooter.training.causes.classes import Rows, classes_of, found

torch = pytest.importorskip("torch", reason="whose losses they are")

COUNT = 5
WEIGHTS = (0.5, 1.0, 2.0, 1.5, 0.8)
SIZES = ((12, COUNT), (3, COUNT, 4), (2, COUNT, 3, 3))


def batches(size: tuple[int, ...], **options: object) -> list[Rows]:
    """The output's gradient in four batches."""
    numbers = torch.Generator().manual_seed(3)
    rows = []
    for _ in range(4):
        x = torch.randn(size, generator=numbers, requires_grad=True)
        target = torch.randint(0, COUNT, (size[0], *size[2:]), generator=numbers)
        torch.nn.functional.cross_entropy(x, target, **options).backward()
        one = classes_of(x.detach().numpy(), x.grad.numpy(), target.numpy())
        assert one is not None
        rows.append(one)
    return rows


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.07, 0.3])
@pytest.mark.parametrize("ignored", [-100, 1])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_weights_smoothing_and_what_is_ignored_are_read(
    size: tuple[int, ...], reduction: str, smoothing: float, ignored: int, is_weighted: bool
) -> None:
    weights = torch.tensor(WEIGHTS) if is_weighted else None
    told = found(batches(size, weight=weights, reduction=reduction, label_smoothing=smoothing,
                         ignore_index=ignored))  # fmt: skip
    assert told is not None
    assert told.smoothing == pytest.approx(smoothing, abs=2e-4)
    assert told.ignored == ((ignored,) if ignored >= 0 else ())
    kept = [k for k in range(COUNT) if k != ignored]
    wanted = np.array(WEIGHTS if is_weighted else np.ones(COUNT))[kept]
    own = np.array(told.weights)[kept]
    np.testing.assert_allclose(own / own.max(), wanted / wanted.max(), rtol=2e-3)
    assert told.are_even is not is_weighted


def test_another_loss_is_none_of_these() -> None:
    x = torch.randn(8, COUNT, requires_grad=True)
    target = torch.randint(0, COUNT, (8,))
    torch.nn.functional.multi_margin_loss(x, target).backward()
    rows = classes_of(x.detach().numpy(), x.grad.numpy(), target.numpy())
    assert rows is not None
    assert found([rows]) is None


def test_what_is_no_gradient_of_the_output_is_none() -> None:
    x = np.zeros((4, COUNT), np.float32)
    assert classes_of(x, x[:2], np.zeros(4)) is None
    assert classes_of(x[:, 0], x[:, 0], np.zeros(4)) is None
    assert found([]) is None
