"""Parametrisations: symmetric, positive and low-rank weights by register_parametrization, orthogonal() and spectral_norm beside them."""
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as P
from torch.nn.utils.parametrize import register_parametrization


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).mT


class Positive(nn.Module):
    def forward(self, x):
        return nn.functional.softplus(x)

    def right_inverse(self, y):
        return torch.log(torch.expm1(y))


class LoRA(nn.Module):
    """W + B A, with the weight frozen by the caller."""

    def __init__(self, out_features, in_features, rank=2, alpha=1.0):
        super().__init__()
        self.A = nn.Parameter(torch.cos(torch.arange(rank * in_features).float()).view(rank, in_features))
        self.B = nn.Parameter(torch.zeros(out_features, rank))
        self.scale = alpha / rank

    def forward(self, W):
        return W + self.scale * self.B @ self.A


model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1))
with torch.no_grad():
    for i, p in enumerate(model.parameters()):
        p.copy_(0.5 * torch.sin(torch.arange(p.numel()).float() * 0.9 + i).view_as(p))
    model[4].weight.abs_()
register_parametrization(model[0], "weight", Symmetric())
P.register_parametrization(model[4], "weight", Positive())
register_parametrization(model[2], "weight", LoRA(3, 4))
model[2].parametrizations.weight.original.requires_grad = False
print([n for n, p in model.named_parameters() if p.requires_grad])
X = torch.sin(torch.arange(32).float()).view(8, 4)
Y = X.sum(1, keepdim=True)
opt = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
for i in range(6):
    loss = nn.functional.mse_loss(model(X), Y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, round(loss.item(), 5))
w = model[0].weight
print(torch.allclose(w, w.T), bool((model[4].weight > 0).all()), P.is_parametrized(model[2], "weight"))
P.remove_parametrizations(model[2], "weight", leave_parametrized=True)
print(type(model[2]).__name__, [n for n, _ in model[2].named_parameters()])
