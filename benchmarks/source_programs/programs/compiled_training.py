"""torch.compile on the model and the step, a scripted function, a traced module; timings are not printed."""
import time
from typing import List, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


@torch.jit.script
def fused_gelu(x: Tensor, bias: Tensor) -> Tensor:
    y = x + bias
    return y * 0.5 * (1.0 + torch.erf(y / 1.41421))


@torch.jit.script
def greedy(scores: Tensor, limit: int) -> Tuple[List[int], float]:
    picked: List[int] = []
    total = 0.0
    for i in range(limit):
        j = int(torch.argmax(scores[i]))
        if j not in picked:
            picked.append(j)
            total += float(scores[i, j])
    return picked, total


class FeedForward(nn.Module):
    __constants__ = ["dim"]

    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.dim = dim
        self.up = nn.Linear(dim, hidden, bias=False)
        self.up_bias = nn.Parameter(torch.zeros(hidden))
        self.down = nn.Linear(hidden, dim)

    def forward(self, x: Tensor, scale: Optional[Tensor] = None) -> Tensor:
        h = fused_gelu(self.up(x), self.up_bias)
        if scale is not None:
            h = h * scale
        return self.down(h)


class Tower(nn.Module):
    def __init__(self, dim: int = 6, depth: int = 2):
        super().__init__()
        self.blocks = nn.ModuleList([FeedForward(dim, 2 * dim) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.norm(x)).squeeze(-1)

    @torch.jit.export
    def features(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return self.norm(x)


def reset(module: nn.Module) -> nn.Module:
    state = module.state_dict()
    for i, key in enumerate(sorted(state)):
        value = state[key]
        if value.dim() == 2:
            state[key] = torch.sin(torch.arange(value.numel(), dtype=value.dtype) * 0.7 + i).reshape(value.shape) * 0.4
        elif key.endswith("bias"):
            state[key] = torch.zeros_like(value)
    module.load_state_dict(state)
    return module


def train(model, x, y, steps, compiled):
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    forward = torch.compile(model, backend="eager") if compiled else model

    def step(a, b):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.smooth_l1_loss(forward(a), b, beta=0.5)
        loss.backward()
        optimizer.step()
        return loss

    start = time.perf_counter()
    losses = [step(x, y).item() for _ in range(steps)]
    assert time.perf_counter() > start
    return losses


def main():
    torch.set_float32_matmul_precision("high")
    x = torch.linspace(-1, 1, 60).reshape(10, 6)
    y = x.pow(2).sum(1)
    for compiled in (False, True):
        model = reset(Tower())
        print([round(v, 4) for v in train(model, x, y, 3, compiled)])
    model.eval()
    with torch.no_grad():
        traced = torch.jit.trace(model, x)
        scripted = torch.jit.script(model)
        print(torch.allclose(traced(x), model(x)), torch.allclose(scripted(x), model(x)))
        print(scripted.features(x).mean().item(), tuple(traced(x).shape))
        scores = torch.softmax(torch.outer(torch.arange(4.0), torch.tensor([1.0, -1.0, 0.5])), dim=1)
        picked, total = greedy(scores, 4)
        print(picked, round(total, 4))

    @torch.compile(backend="eager", fullgraph=True)
    def rms_norm(t, weight, eps: float = 1e-6):
        return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + eps) * weight

    print(rms_norm(x, torch.ones(6)).abs().mean().item())


if __name__ == "__main__":
    main()
