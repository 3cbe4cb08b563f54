"""MindSpore's kernels as they are given back, against those themselves; in PyTorch, for nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from msconvert.troubleshooter.sides.child import kernels
from msconvert.troubleshooter.verify.judgement import KERNEL_FACTOR

torch = pytest.importorskip("torch", reason="PyTorch computes with the kernels")

OF_MINDSPORE = """
import numpy as np
from mindspore import Tensor, ops
x = Tensor(np.load("x.npy"))
softmaxes = {"softmax": ops.softmax(x, -1), "log_softmax": ops.log_softmax(x, -1)}
names = ("tanh", "exp", "sigmoid", "silu", "softplus", "elu")
found = {name: getattr(ops, name)(x) for name in names} | softmaxes
found["mish"] = x * ops.tanh(ops.softplus(x))
found["log"] = ops.log(x.abs() + 0.01)
np.savez("y.npz", **{name: y.asnumpy() for name, y in found.items()})
"""


@pytest.fixture(scope="module")
def values(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, np.ndarray]:
    folder = tmp_path_factory.mktemp("kernels")
    x = np.linspace(-8, 8, 64 * 24, dtype=np.float32)
    np.save(folder / "x.npy", np.random.default_rng(0).permutation(x).reshape(64, 24))
    run_mindspore(folder, "-c", OF_MINDSPORE)
    with np.load(folder / "y.npz") as found:
        return {"x": np.load(folder / "x.npy")} | dict(found)


@pytest.mark.parametrize(
    ("name", "rounding"),
    [
        ("tanh", 3e-7),
        ("exp", 6e-6),  # of the value: what is left of large numbers is rounded, too
        ("sigmoid", 2e-7),
        ("silu", 2e-6),
        ("softplus", 1e-6),
        ("mish", 4e-6),
        ("elu", 4e-7),
        ("log", 1e-6),
        ("softmax", 1e-6),
    ],
)
def test_as_mindspore(name: str, rounding: float, values: dict[str, np.ndarray]) -> None:
    x = values["x"].astype(np.float64)
    ours = getattr(kernels, name)(np.abs(x) + 0.01 if name == "log" else x)
    relative = {"rtol": rounding, "atol": 0} if name == "exp" else {"rtol": 0, "atol": rounding}
    np.testing.assert_allclose(values[name], ours, **relative)


def test_logarithms_of_sums_are_off_by_no_more(values: dict[str, np.ndarray]) -> None:
    exact = torch.from_numpy(values["x"]).double().log_softmax(-1).numpy()
    away = np.abs(values["log_softmax"] - exact).max()
    assert kernels.LOGARITHM < away < KERNEL_FACTOR * kernels.LOGARITHM


def test_pytorch_computes_with_them_inside_only() -> None:
    x = torch.full((3,), 4.9, requires_grad=True)
    exact = torch.tanh(x)
    with kernels.mindspores_kernels():
        y = torch.tanh(x)
        (g,) = torch.autograd.grad(y.sum(), x)
    assert 5e-5 < (y - exact).abs().max() < 1.1e-4
    torch.testing.assert_close(g, 1 - y * y)  # of what was computed, not of the true value
    assert torch.equal(torch.tanh(x), exact)


def test_in_place_and_double_precision() -> None:
    x = torch.full((3,), 4.9)
    y = x.clone()
    with kernels.mindspores_kernels():
        torch.tanh_(y)
        assert torch.equal(torch.tanh(x.double()), torch.full((3,), 4.9).double().tanh())
    assert 5e-5 < (y - x.tanh()).abs().max() < 1.1e-4


@pytest.mark.parametrize("name", ["Tanh", "Elu", "Sigmoid", "Softplus", "Softmax"])
def test_nodes(name: str, values: dict[str, np.ndarray]) -> None:
    ours = kernels.of_node(name, {}, values["x"])
    np.testing.assert_allclose(ours, values[name.lower()], rtol=0, atol=1e-6)


def test_nodes_without_a_kernel_of_their_own(values: dict[str, np.ndarray]) -> None:
    assert kernels.of_node("Relu", {}, values["x"]) is None
    assert kernels.of_node("Tanh", {}, values["x"].astype(np.float64)) is None
