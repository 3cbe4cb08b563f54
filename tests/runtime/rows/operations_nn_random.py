"""Primitive classes of random pools, unpooling, recurrence and sequences."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

SAMPLES = "ms.Tensor(np.array([[[0.8, 0.2], [0.3, 0.9]]], np.float32))"
rows(f"P.FractionalMaxPoolWithFixedKsize(2, (2, 2))(x(1, 2, 5, 5), {SAMPLES})")
rows(
    "P.FractionalMaxPool3DWithFixedKsize(2, (2, 2, 2))(x(1, 1, 4, 4, 4), "
    "ms.Tensor(np.array([[[0.8, 0.2, 0.4]]], np.float32)))",
)
rows(
    "P.FractionalMaxPool([1.0, 1.5, 1.5, 1.0])(ms.Tensor(np.arange(16).reshape(1, 4, 4, 1)))",
    "P.FractionalAvgPool([1.0, 1.5, 1.5, 1.0])(ms.Tensor(np.arange(16).reshape(1, 4, 4, 1)))",
    "P.FractionalMaxPool([1.0, 2.0, 1.5, 1.0], False, True)(x(1, 4, 4, 2))",
    "P.FractionalAvgPool([1.0, 2.0, 1.5, 1.0], False, True)(x(1, 4, 4, 2))",
    gradient=False,
    because="MindSpore draws other windows for the gradient",
)
PLACES = "ms.Tensor([[[[0, 3], [8, 13]]]])"
rows(
    f"P.MaxUnpool2D(2)(x(1, 1, 2, 2), {PLACES})",
    f"P.MaxUnpool2D(2, 2, 0, (1, 1, 5, 5))(x(1, 1, 2, 2), {PLACES})",
    "P.MaxUnpool2D(2, data_format='NHWC')(x(1, 2, 2, 1), ms.Tensor([[[[0], [3]], [[8], [13]]]]))",
    "P.MaxUnpool3D(2)(x(1, 1, 1, 2, 2), ms.Tensor([[[[[0, 3], [5, 8]]]]]))",
)
refused(f"P.MaxUnpool2D(2, 2, 0, (1, 1, 9, 9))(x(1, 1, 2, 2), {PLACES})", "P.MaxUnpool2D(0)")
refused("P.MaxUnpool2D(2)(x(1, 1, 2, 2), ms.Tensor([[[[0, 3], [8, 30]]]]))", "P.MaxUnpool2D('x')")
refused("P.FractionalMaxPool((1.0, 1.5, 1.5, 1.0))", "P.FractionalMaxPoolWithFixedKsize(0, (2, 2))")
refused("P.FractionalMaxPool([1.0, 0.5, 1.5, 1.0])(x(1, 5, 5, 1))")
rows(
    "P.LSTM(3, 4, 1, True, False, 0.0)(x(2, 1, 3), x(1, 1, 4), x(1, 1, 4), x(128, 1, 1))[:3]",
    "P.LSTM(3, 4, 1, False, False, 0.0)(x(5, 2, 3), x(1, 2, 4), x(1, 2, 4), x(112, 1, 1))[:3]",
    "P.LSTM(3, 4, 1, True, True, 0.0)(x(2, 1, 3), x(2, 1, 4), x(2, 1, 4), x(256, 1, 1))[:3]",
    "P.LSTM(4, 4, 2, True, False, 0.0)(x(2, 1, 4), x(2, 1, 4), x(2, 1, 4), x(288, 1, 1))[:3]",
    tolerance=1e-4,
)
refused("P.LSTM(1.5, 2, 1, True, False, 0.0)", "P.LSTM(0, 2, 1, True, False, 0.0)")
refused("P.LSTM(1, 2, 1, 1, False, 0.0)", "P.LSTM(1, 2, 1, True, False, 2.0)")
GUESS = "ms.Tensor([[0, 0, 0], [1, 0, 1]]), ms.Tensor([1, 2], ms.int32), ms.Tensor([2, 1, 2])"
TRUTH = (
    "ms.Tensor([[0, 0, 0], [0, 0, 1], [1, 0, 0]]), ms.Tensor([1, 3, 2], ms.int32), "
    "ms.Tensor([2, 1, 2])"
)
STATES = "ms.Tensor([[[1, 2, 1, 2, 5, 1, 2], [9, 3, 9, 5, 4, 1, 5]]], ms.int32)"
rows(
    f"P.EditDistance()({GUESS}, {TRUTH})",
    f"P.EditDistance(False)({GUESS}, {TRUTH})",
    f"P.NoRepeatNGram(2)({STATES}, x(1, 2, 10))",
    f"P.NoRepeatNGram(3)({STATES}, x(1, 2, 10))",
    "P.SubAndFilter()(ms.Tensor([1, 3, 5, 8, 9, 16], ms.int32), 10, 5)",
    gradient=False,
    because="symbols have no gradient",
)
refused("P.EditDistance(1)", "P.NoRepeatNGram(0)", "P.NoRepeatNGram(1.0)")
