"""Layers with parametrizations: a skew-symmetric exponential, symmetry, and weight_norm by parametrizations."""
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize


class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)


class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Bounded(nn.Module):
    """A scale between low and high by a sigmoid."""

    def __init__(self, low=0.1, high=2.0):
        super().__init__()
        self.low, self.high = low, high

    def forward(self, x):
        return self.low + (self.high - self.low) * torch.sigmoid(x)

    def right_inverse(self, y):
        u = (y - self.low) / (self.high - self.low)
        return torch.log(u / (1 - u))


class RNNCell(nn.Module):
    """A recurrence whose matrix stays orthogonal."""

    def __init__(self, inputs, hidden):
        super().__init__()
        self.inp = nn.Linear(inputs, hidden)
        self.rec = nn.Linear(hidden, hidden, bias=False)
        self.scale = nn.Parameter(torch.full((hidden,), 1.0))
        parametrize.register_parametrization(self.rec, "weight", Skew())
        parametrize.register_parametrization(self.rec, "weight", MatrixExponential())
        parametrize.register_parametrization(self, "scale", Bounded())

    def forward(self, xs):
        h = torch.zeros(xs.size(0), self.rec.in_features)
        for t in range(xs.size(1)):
            h = torch.tanh(self.inp(xs[:, t]) + self.rec(h) * self.scale)
        return h


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = RNNCell(2, 5)
        self.mix = nn.utils.parametrizations.weight_norm(nn.Linear(5, 5))
        self.out = nn.Linear(5, 1)

    def forward(self, xs):
        return self.out(torch.relu(self.mix(self.cell(xs)))).squeeze(-1)


net = Net()
with torch.no_grad():
    for i, (name, p) in enumerate(sorted(net.named_parameters())):
        if p.dim() == 2:
            p.copy_(torch.sin(torch.arange(p.numel()).float() * 0.7 + i).view_as(p) * 0.5)
        elif name.endswith("bias"):
            p.zero_()
print(len(list(net.parameters())), parametrize.is_parametrized(net.cell.rec), parametrize.is_parametrized(net.out))
W = net.cell.rec.weight
print(torch.allclose(W @ W.T, torch.eye(5), atol=1e-5), round(W.trace().item(), 4))
print([round(v, 4) for v in net.cell.scale.tolist()])
xs = torch.cos(torch.arange(96).float() * 0.3).view(12, 4, 2)
ys = xs.sum((1, 2)).tanh()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)
for step in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(xs), ys)
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 5))
W = net.cell.rec.weight
print(torch.allclose(W @ W.T, torch.eye(5), atol=1e-5), round(torch.det(W).item(), 4))
with parametrize.cached():
    print(round(net(xs).mean().item(), 4))
layer = nn.Linear(3, 3)
layer.weight.data = torch.arange(9.0).view(3, 3)
parametrize.register_parametrization(layer, "weight", Symmetric())
print(layer.weight.tolist(), torch.equal(layer.weight, layer.weight.T))
layer.weight = torch.eye(3) * 2
print(layer.weight.sum().item(), round(layer.parametrizations.weight.original.sum().item(), 4))
parametrize.remove_parametrizations(layer, "weight")
print(hasattr(layer, "parametrizations"), layer.weight.diagonal().tolist())
