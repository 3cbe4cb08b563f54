"""PyTorch modules that are called several times, and weights that have several names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch as torch  # tests take it from here
import torch.nn.functional as F
from torch import Tensor, nn


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layers = (
            nn.Conv2d(4, 4, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(4, 4, 3, padding=1),
            nn.ReLU(),
        )
        self.conv = nn.Sequential(*layers)
        self.logits = nn.Conv2d(4, 6, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.logits(self.conv(x))


class Levels(nn.Module):
    """One head over the levels of a pyramid, as RetinaNet's."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.down = nn.ModuleList([nn.Conv2d(4, 4, 3, 2, 1) for _ in range(2)])
        self.head = Head()

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        levels = [x]
        for down in self.down:
            x = down(x)
            levels.append(x)
        return torch.cat([self.head(y).flatten(2) for y in levels], 2)


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x + self.down(F.gelu(self.up(x))))


class Repeated(nn.Module):
    """One layer, again and again, as ALBERT's."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.out = Layer(), nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(4):
            x = self.layer(x)
        return self.out(x)


class Unrolled(nn.Module):
    """A recurrent network by hand, whose first state is an input."""

    def __init__(self) -> None:
        super().__init__()
        self.i, self.h, self.o = nn.Linear(5, 6), nn.Linear(6, 6, bias=False), nn.Linear(6, 2)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        for t in range(4):
            h = torch.tanh(self.i(x[:, t]) + self.h(h))
        return self.o(h)


class Cells(nn.Module):
    """PyTorch's own cell, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(5, 6)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        out = []
        for t in range(3):
            h = self.cell(x[:, t], h)
            out.append(h)
        return torch.stack(out, 1)


class States(nn.Module):
    """A cell of its own with two states: zeros before its first call, one unread after its last."""

    class Cell(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gates = nn.Linear(9, 16)

        def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
            i, f, o, g = self.gates(torch.cat([x, h], 1)).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = States.Cell(), nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        h, c = torch.zeros(2, 4), torch.zeros(2, 4)
        for t in range(4):
            h, c = self.cell(x[:, t], h, c)
        return self.out(h)


class Parted(nn.Module):
    """A list of lists, called part by part with another list in between, as in Twins."""

    def __init__(self) -> None:
        super().__init__()
        layer = lambda: nn.Sequential(nn.Linear(8, 8), nn.Tanh())  # noqa: E731
        self.blocks = nn.ModuleList(nn.ModuleList(layer() for _ in range(3)) for _ in range(2))
        self.between = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        for blocks, between in zip(self.blocks, self.between, strict=True):
            x = between(blocks[0](x))
            for block in blocks[1:]:
                x = block(x)
        return x


class Tied(nn.Module):
    """A decoder that is the embedding, turned around."""

    def __init__(self) -> None:
        super().__init__()
        self.emb, self.mid = nn.Embedding(11, 8), nn.Linear(8, 8)
        self.dec = nn.Linear(8, 11, bias=False)
        self.dec.weight = self.emb.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.dec(torch.tanh(self.mid(self.emb(tokens))))


class Siamese(nn.Module):
    """One body for two inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.ReLU())
        self.head = nn.Linear(8, 2)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return self.head(torch.cat([self.body(x).mean((2, 3)) for x in (a, b)], 1))


class Twins(nn.Module):
    """Two layers with one weight, and biases of their own that are equal."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)
        self.second.weight = self.first.weight
        self.third = nn.Linear(6, 6)
        self.norms = nn.ModuleList([nn.LayerNorm(6), nn.LayerNorm(6)])

    def forward(self, x: Tensor) -> Tensor:
        x = self.norms[0](torch.relu(self.first(x)))
        return self.third(self.norms[1](torch.relu(self.second(x))))


@dataclass(frozen=True)
class Row:
    """A network, the shapes of its inputs, and what its script must have how often."""

    name: str
    make: Callable[[], nn.Module]
    shapes: tuple[tuple[int, ...], ...]
    lines: tuple[tuple[str, int], ...] = ()
    tokens: bool = False

    def module(self) -> nn.Module:
        with torch.random.fork_rng():
            torch.manual_seed(sum(self.name.encode()))
            return self.make().eval()

    def inputs(self) -> tuple[Tensor, ...]:
        with torch.random.fork_rng():
            torch.manual_seed(1)
            if self.tokens:
                return tuple(torch.randint(0, 11, shape) for shape in self.shapes)
            return tuple(torch.randn(shape) for shape in self.shapes)


ROWS = (
    Row("levels", Levels, ((2, 3, 16, 16),), (("self.head = Head()", 1), ("self.head(", 3))),
    Row("repeated", Repeated, ((2, 5, 8),), (("nn.Dense(8, 16)", 1), ("self.layer(", 4))),
    Row("unrolled", Unrolled, ((2, 4, 5), (2, 6)), (("nn.Dense(5, 6", 1),)),
    Row("cells", Cells, ((2, 3, 5), (2, 6))),
    Row("states", States, ((2, 4, 5),), (("self.cell = Cell()", 1), ("self.cell(", 4))),
    Row("parted", Parted, ((2, 5, 8),), (("self.blocks[1][2](", 1), ("self.blocks[0][0](", 1))),
    Row("tied", Tied, ((2, 4),), (("self.dec.weight = self.emb.embedding_table", 1),), True),
    Row("siamese", Siamese, ((2, 3, 6, 6), (2, 3, 6, 6)), (("nn.Conv2d(", 1),)),
    Row("twins", Twins, ((2, 6),), (("self.second.weight = self.first.weight", 1),)),
)
