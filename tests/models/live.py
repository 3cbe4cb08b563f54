"""PyTorch modules that are converted while they live."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch as torch  # tests take it from here
from torch import Tensor, nn


class Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x)) + x)


class Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3)
        self.blocks = nn.Sequential(Residual(8), Residual(8))
        self.head = nn.Linear(8, 5)

    def forward(self, image: Tensor) -> Tensor:
        return self.head(self.blocks(self.stem(image)).mean((2, 3)))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 12, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(24, 7)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.tags(self.lstm(self.embedding(tokens))[0])


class Masked(nn.Module):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return x * 2 if mask is None else x + mask


class AddsNumber(nn.Module):
    def forward(self, x: Tensor, n: int) -> Tensor:
        return x + n


class AddsList(nn.Module):
    def forward(self, several: list[Tensor]) -> Tensor:
        return several[0] + 2 * several[1]


class TakesDict(nn.Module):
    def forward(self, given: dict[str, Tensor]) -> Tensor:
        return given["a"]


class Raises(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise RuntimeError("it does not like ones")


class Leaves(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        sys.exit(3)


class Branches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1 if x.sum() > 0 else x - 1


class Lies(nn.Module):
    """Gives the exporter another network than the one that runs."""

    def forward(self, x: Tensor) -> Tensor:
        return x - 1 if torch.compiler.is_compiling() else x + 1


def wrapped(wrap: Callable[[nn.Module], Any]) -> Any:
    """A layer as PyTorch scripts or compiles it, whatever it thinks of that by now."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return wrap(nn.Linear(3, 2))


def with_dropout() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()),
        *(nn.Dropout(0.3), nn.Flatten(), nn.Linear(64, 3)),
    )


@dataclass(frozen=True)
class Row:
    """A module, its inputs, the classes that it must keep, and how many weights are shared."""

    name: str
    make: Callable[[], nn.Module]
    given: Callable[[int], tuple[Tensor, ...]]
    classes: frozenset[str]
    shared: int
    dynamic: dict[str, dict[int, str]] | None = None

    def module(self) -> nn.Module:
        with torch.random.fork_rng():
            torch.manual_seed(sum(self.name.encode()))
            module = self.make().eval()
            with torch.no_grad():
                for tensor in module.state_dict().values():
                    if tensor.is_floating_point():
                        tensor.add_(torch.rand_like(tensor) * 0.1)
            return module

    def inputs(self, seed: int = 0, batch: int = 2) -> tuple[Tensor, ...]:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            return self.given(batch)


def _encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def _images(batch: int) -> tuple[Any, ...]:
    return (torch.randn(batch, 3, 9, 9),)


ROWS = (
    Row(
        *("classifier", Classifier, _images, frozenset({"Classifier", "Residual"}), 14),
        dynamic={"image": {0: "batch"}},
    ),
    Row("tagger", Tagger, lambda n: (torch.randint(0, 50, (n, 6)),), frozenset({"Tagger"}), 3),
    Row(
        *("encoder", _encoder, lambda n: (torch.randn(n, 7, 16),)),
        *(frozenset({"TransformerEncoder", "TransformerEncoderLayer"}), 22),
    ),
    Row(
        *("mlp", lambda: nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 3))),
        *(lambda n: (torch.randn(n, 6),), frozenset({"Sequential", "GELU"}), 4),
        dynamic={"input": {0: "n"}},
    ),
    Row(
        *(
            "upsampler",
            lambda: nn.Sequential(
                nn.ConvTranspose2d(3, 4, 2, 2), nn.InstanceNorm2d(4, affine=True)
            ),
        ),
        *(_images, frozenset({"Sequential"}), 2),
    ),
)
