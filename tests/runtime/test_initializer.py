"""Random initial weights: their distributions, and what decides them."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import nn
from msconvert.runtime.engine import initializer as i
from msconvert.runtime.engine.chance.philox import Philox

SEEDED = """
import numpy as np
import mindspore as ms
from mindspore import nn
from mindspore.common import initializer as i
from mindspore.common.initializer import initializer

found = {}


def note(name, *arrays):
    found.update({f"{name} {k}": np.asarray(array) for k, array in enumerate(arrays)})


for seed, shape in ((3, (60, 50)), (2**32 - 1, (5, 7)), (0, (2, 3, 3))):
    for init in INITIALISERS:
        ms.set_seed(seed)
        if not (len(shape) > 2 and init in FLAT):
            weight = ms.Parameter(initializer(eval(init), shape)).asnumpy()
            note(f"{seed} {init}", weight, np.random.rand(1))
for layer in LAYERS:
    ms.set_seed(4)
    note(layer, *[p.asnumpy() for p in eval(layer).get_parameters()], np.random.rand(1))
np.random.seed(5)
note("of NumPy", nn.Dense(3, 2).weight.asnumpy())
ms.set_seed(3)
early, late = initializer("normal", (2,)), ms.Parameter(initializer("normal", (2,)))
note("in the order of parameters", late.asnumpy(), ms.Parameter(early).asnumpy())
note("read", initializer("normal", (3, 4), ms.float16).init_data().asnumpy())
note("flag", initializer("normal", (2,)).has_init, ms.Tensor([1.0]).has_init)
note("normal", i._init_random_normal(1.0, 0.5, (3, 4)))
note("uniform", i._init_random_uniform(-1.0, 3.0, (3, 4)))
layer = nn.Dense(3, 2)
layer.weight.set_data(initializer("xavier_normal", (2, 3)))
note("set", layer.weight.asnumpy(), np.random.rand(1))
np.savez("found.npz", **found)
"""
FLAT = ("i.Sparse(0.4, 0.5)", "i.Identity()")
"""Those that fill matrices alone."""
INITIALISERS = (
    "i.Normal(0.5, 2.0)", "i.Uniform(0.3)", "i.TruncatedNormal(0.5)", "'truncatednormal'",
    "i.TruncatedNormal(0.02, 0.01, -0.03, 0.05)", "i.XavierUniform(2)", "i.XavierNormal()",
    "i.HeUniform(5 ** 0.5)", "i.HeNormal(mode='fan_out', nonlinearity='relu')", "i.Orthogonal()",
    "i.VarianceScaling(2.0, 'fan_avg', 'uniform')", "i.Orthogonal(2.0)", "i.Constant(3)",
    "i.VarianceScaling(1.0, 'fan_out', 'untruncated_normal')", "'he_uniform'", *FLAT,
)  # fmt: skip
LAYERS = (
    "nn.Dense(300, 200)", "nn.Conv2d(3, 4, 3, has_bias=True)", "nn.Embedding(10, 4)",
    "nn.LSTM(3, 4, bidirectional=True)", "nn.GRUCell(3, 4)", "nn.Conv1d(2, 4, 3)",
    "nn.Conv2dTranspose(3, 4, 3, has_bias=True)", "nn.BatchNorm2d(3)", "nn.LayerNorm((3,))",
    "nn.TransformerEncoderLayer(8, 2, 16)", "nn.MultiheadAttention(8, 2)", "nn.BiDense(2, 3, 4)",
    "nn.SequentialCell(nn.Dense(3, 4), nn.PReLU(), nn.Dense(4, 2))", "nn.RNN(2, 3, 2)",
    "nn.Embedding(4, 3, padding_idx=1)", "nn.Conv3d(2, 3, 2)", "nn.LSTMCell(2, 3)",
    "nn.TransformerDecoderLayer(8, 2, 16)", "nn.Conv3dTranspose(2, 3, 2)", "nn.GRU(2, 3)",
)  # fmt: skip


def test_the_same_seed_gives_the_weights_of_mindspore(
    run_mindspore: Callable[..., str], tmp_path: Path
) -> None:
    """So a script's losses agree from its first step, without a checkpoint."""
    tables = f"INITIALISERS, LAYERS, FLAT = {INITIALISERS!r}, {LAYERS!r}, {FLAT!r}\n"
    (tmp_path / "seeded.py").write_text(tables + SEEDED)
    run_mindspore(tmp_path, "seeded.py")
    expected = dict(np.load(tmp_path / "found.npz"))
    command = [sys.executable, "-m", "msconvert.runtime", "seeded.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=900)
    found = dict(np.load(tmp_path / "found.npz"))
    assert list(found) == list(expected)
    assert len(found) > 150
    wrong = [
        name for name, array in expected.items()
        if array.shape != found[name].shape or array.dtype != found[name].dtype
        or not np.allclose(found[name], array, rtol=1e-5, atol=4e-6)
    ]  # fmt: skip
    assert not wrong


def test_the_generator_is_the_published_one() -> None:
    """Known answers of Random123's kat_vectors for philox4x32 of ten rounds."""
    assert [f"{w:08x}" for w in Philox(0).block(np.zeros(1, np.uint64))] == [
        "6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8",
    ]  # fmt: skip


SHAPE = (200, 50, 2)
"""fan_in 100, fan_out 400"""
ROWS: list[tuple[i.Initializer, float, float]] = [
    (i.Normal(0.5, 2.0), 0.5, math.inf),
    (i.TruncatedNormal(0.5, a=-1.0, b=1.0), 0.5 * i.TRUNCATED, 1.0),
    (i.Uniform(0.3), 0.3 / math.sqrt(3), 0.3),
    (i.XavierUniform(2), 2 * math.sqrt(2 / 500), 2 * math.sqrt(6 / 500)),
    (i.XavierNormal(), math.sqrt(2 / 500), math.inf),
    (i.HeUniform(), math.sqrt(2 / 100), math.sqrt(6 / 100)),
    (i.HeUniform(math.sqrt(5)), math.sqrt(1 / 300), math.sqrt(1 / 100)),
    (i.HeNormal(mode="fan_out", nonlinearity="relu"), math.sqrt(2 / 400), math.inf),
    (i.VarianceScaling(2.0), math.sqrt(2 / 100), 2 * math.sqrt(2 / 100) / i.TRUNCATED),
    (i.VarianceScaling(2.0, "fan_avg", "uniform"), math.sqrt(2 / 250), math.sqrt(6 / 250)),
    (i.VarianceScaling(1.0, "fan_out", "untruncated_normal"), math.sqrt(1 / 400), math.inf),
]


@pytest.mark.parametrize(("init", "sigma", "bound"), ROWS, ids=lambda v: type(v).__name__)
def test_numbers_are_spread_as_they_should(init: Any, sigma: float, bound: float) -> None:
    ms.set_seed(0)
    drawn = i.initializer(init, SHAPE).asnumpy()
    mean = init.mean if isinstance(init, i.Normal) else 0.0
    assert drawn.dtype == np.float32
    assert abs(drawn.mean() - mean) < 0.03 * sigma
    assert drawn.std() == pytest.approx(sigma, rel=0.02)
    assert np.abs(drawn).max() <= bound + 1e-6
    if math.isfinite(bound):
        assert np.abs(drawn).max() > 0.9 * bound


def test_the_seed_decides_and_draws_differ() -> None:
    ms.set_seed(7)
    first = [i.initializer("normal", (3, 4)).asnumpy() for _ in range(2)]
    ms.set_seed(7)
    again = [ms.Parameter(i.initializer("normal", (3, 4))) for _ in range(2)]
    assert np.array_equal(again[1].asnumpy(), first[1])  # in whatever order they are needed
    assert np.array_equal(again[0].asnumpy(), first[0])
    assert not np.array_equal(*first)


class Halves(i.Initializer):
    """As users write them: a method that fills an array."""

    def _initialize(self, arr: Any) -> None:
        fan_in, _ = i._calculate_fan_in_and_fan_out(arr.shape)
        i._assignment(arr, np.full(arr.shape, 0.5 * fan_in))


def test_users_may_write_their_own() -> None:
    layer = nn.Dense(3, 2, Halves(), dtype=ms.float16)
    assert layer.weight.dtype is ms.float16
    assert set(layer.weight.asnumpy().ravel().tolist()) == {1.5}
    array = np.zeros((2, 2), np.float32)
    i.One()(array)
    assert array.min() == 1


def test_one_that_fills_nothing_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Initializer defines no _initialize"):
        i.initializer(i.Initializer(), (2,)).init_data()
