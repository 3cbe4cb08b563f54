"""How the primitive classes are made: constructors, calls, and what goes wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import operations as P
from msconvert.runtime import ops

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_the_constructor_takes_the_attributes() -> None:
    product = P.MatMul(False, transpose_b=True)
    assert (product.transpose_a, product.transpose_b, product.name) == (False, True, "MatMul")
    assert product(X, X).asnumpy().tolist() == [[5.0, 14.0], [14.0, 50.0]]
    assert ops.MatMul is P.MatMul


def test_an_unknown_attribute_is_refused() -> None:
    with pytest.raises(TypeError, match="transpose_c"):
        P.MatMul(transpose_c=True)


def test_an_unknown_class_names_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"MS301[\s\S]*MatMul"):
        P.MatMull()


def test_a_class_of_the_user() -> None:
    class Twice(ops.Primitive):
        def __call__(self, x: ms.Tensor) -> ms.Tensor:
            return x * 2

    assert Twice("Twice")(X).asnumpy().max() == 10.0


def test_the_constructor_refuses_what_its_annotations_do_not_say() -> None:
    with pytest.raises(TypeError, match=r"MS304 LRN: depth_radius[\s\S]*expected: int"):
        P.LRN("5")
    with pytest.raises(ValueError, match=r"MS304 KLDivLoss: reduction[\s\S]*'batchmean'"):
        P.KLDivLoss("middle")


def test_a_gradient_is_written_on_the_way_back(tmp_path: Path) -> None:
    file = tmp_path / "gradient.npy"
    found = ms.grad(lambda x: P.DumpGradient()(str(file), x, "out") * 3)(ms.Tensor(2.0))
    assert np.load(file) == found.asnumpy() == 3.0


def test_gradients_are_no_names_of_ops() -> None:
    assert P._grad_ops.TanhGrad()(X, X).shape == X.shape
    assert not hasattr(ops, "TanhGrad")
    with pytest.raises(AttributeError, match=r"MS301[\s\S]*TanhGrad"):
        P._grad_ops.TanGrad()


@pytest.mark.parametrize("compiled", [False, True])
def test_an_optimisers_step_changes_its_parameters(compiled: bool) -> None:
    w, m = (ms.Parameter(ms.Tensor([1.0, 2.0]) * k, name=f"p{k}") for k in (1, 0))
    momentum = P.ApplyMomentum()

    def step(g: ms.Tensor) -> ms.Tensor:
        return momentum(w, m, 0.5, g, 0.9)

    run = ms.jit(step) if compiled else step
    for _ in range(3):
        y = run(ms.Tensor([0.1, -0.1]))
    moments = [0.1, 0.19, 0.271]
    assert np.allclose(m.asnumpy(), [moments[-1], -moments[-1]])
    assert np.allclose(w.asnumpy(), [1 - 0.5 * sum(moments), 2 + 0.5 * sum(moments)])
    assert np.array_equal(y.asnumpy(), w.asnumpy())
    assert type(y) is ms.Tensor


def test_dropped_channels_are_whole() -> None:
    ms.set_seed(3)
    y, mask = P.Dropout2D(0.4)(ops.ones((40, 50, 2, 2)))
    sums = y.asnumpy().sum((2, 3))
    assert set(np.unique(sums.round(4))) == {0.0, 10.0}
    assert abs((sums > 0).mean() - 0.4) < 0.04
    assert np.array_equal(mask.asnumpy(), y.asnumpy() > 0)


BOX, SIZE = ms.Tensor([[0.1, 0.2, 0.8, 0.9]]), ms.Tensor([2, 3], ms.int32)
MOVE = (ms.Tensor([1.2, 0.6]), ms.Tensor([0.1, 0.2]))
WITHOUT_GRADIENT_THERE = {
    "crop_and_resize": lambda x: ops.crop_and_resize(x, BOX, ms.Tensor([0], ms.int32), (3, 2)),
    "bilinear_v2": lambda x: P.CropAndResize("bilinear_v2")(
        x, BOX, ms.Tensor([0], ms.int32), (3, 2)
    ),
    "scale_and_translate": lambda x: P.ScaleAndTranslate("triangle")(x, SIZE, *MOVE),
    "resize_area": lambda x: P.ResizeArea()(x, SIZE),
    "rgb_to_hsv": lambda x: P.RGBToHSV()(x),
    "hsv_to_rgb": lambda x: P.HSVToRGB()(x),
}
"""What MindSpore's CPU build does not differentiate, of images (1, 4, 5, 3)."""


@pytest.mark.parametrize("name", WITHOUT_GRADIENT_THERE)
def test_gradients_by_finite_differences(name: str) -> None:
    function = WITHOUT_GRADIENT_THERE[name]
    state = np.random.RandomState(1)
    x = (0.1 + 0.8 * state.rand(1, 4, 5, 3)).astype(np.float32)
    weights = state.randn(*function(ms.Tensor(x)).shape).astype(np.float32)

    def total(v: ms.Tensor) -> ms.Tensor:
        return ops.sum(function(v) * ms.Tensor(weights))

    found = ms.grad(total)(ms.Tensor(x)).asnumpy()
    step = 1e-3
    for place in [(0, 0, 0, 0), (0, 1, 2, 1), (0, 2, 3, 2), (0, 3, 4, 0)]:
        moved = [x.copy(), x.copy()]
        for sign, array in zip((1, -1), moved, strict=True):
            array[place] += sign * step
        up, down = (float((function(ms.Tensor(v)).asnumpy() * weights).sum()) for v in moved)
        assert found[place] == pytest.approx((up - down) / (2 * step), rel=1e-2, abs=5e-3)
