"""Weights computed of others: PyTorch's own are the measure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats.names.reparametrized import folds_in

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

NEW, OLD = torch.nn.utils.parametrizations, torch.nn.utils
LAYERS = {
    "Linear": lambda: torch.nn.Linear(5, 4),
    "Conv1d": lambda: torch.nn.Conv1d(3, 4, 3),
    "Conv2d": lambda: torch.nn.Conv2d(3, 4, 3),
    "ConvTranspose2d": lambda: torch.nn.ConvTranspose2d(3, 4, 3),
    "square ConvTranspose2d": lambda: torch.nn.ConvTranspose2d(3, 3, 2),
    "one channel": lambda: torch.nn.Conv2d(1, 1, 3),
}


def arrays(layer: Any) -> dict[str, np.ndarray]:
    return {f"a.{name}": value.numpy() for name, value in layer.state_dict().items()}


def inputs(layer: str, made: Any) -> Any:
    channels = made.weight.shape[0 if "Transpose" in layer else 1]
    return torch.ones(2, channels, *(5,) * (made.weight.ndim - 2))


def folded(found: dict[str, np.ndarray], kind: str) -> np.ndarray:
    (fold,) = folds_in({name: value.shape for name, value in found.items()})
    assert (fold.name, fold.kind) == ("a.weight", kind)
    result = fold.compute([found[name] for name in fold.sources])
    assert result.dtype == np.float32
    assert result.shape == fold.shape
    return result


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("dim", [0, 1, None])
@pytest.mark.parametrize("utils", [NEW, OLD], ids=["new", "old"])
def test_weight_norm(layer: str, dim: int | None, utils: Any) -> None:
    torch.manual_seed(0)
    made = utils.weight_norm(LAYERS[layer](), dim=dim)
    with torch.no_grad():
        for value in made.parameters():
            value.mul_(1.5).add_(0.1)
    made(inputs(layer, made))
    weight = folded(arrays(made), "weight_norm")
    np.testing.assert_allclose(weight, made.weight.detach().numpy(), rtol=1e-6)


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("utils", [NEW, OLD], ids=["new", "old"])
def test_spectral_norm(layer: str, utils: Any) -> None:
    torch.manual_seed(0)
    made = utils.spectral_norm(LAYERS[layer]())
    made(inputs(layer, made))  # one step of the power iteration, which sets u and v
    made.eval()
    made(inputs(layer, made))
    weight = folded(arrays(made), "spectral_norm")
    np.testing.assert_allclose(weight, made.weight.detach().numpy(), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"weight_v": (4, 3), "weight_g": (3, 1)}, "weight_norm: g does not fit v"),
        ({"weight_v": (4, 3), "weight_g": (4,)}, "weight_norm: g does not fit v"),
        ({"weight_orig": (4, 3), "weight_u": (5,), "weight_v": (3,)}, "axis of u is not known"),
        ({"weight_orig": (3, 3), "weight_u": (3,), "weight_v": (3,)}, "axis of u is not known"),
    ],
)
def test_parts_that_do_not_fit(parts: dict[str, tuple[int, ...]], problem: str) -> None:
    numbers = np.random.RandomState(0)
    (fold,) = folds_in(parts)
    with pytest.raises(MsconvertError, match=f"MS312 'weight': .*{problem}"):
        fold.compute([numbers.randn(*parts[name]) for name in fold.sources])


def test_what_is_no_reparametrization() -> None:
    shapes = {"a.weight": (3, 4), "b.weight_g": (3, 1), "weight_u": (3,), "c.log_g": (2,)}
    assert list(folds_in(shapes)) == []
