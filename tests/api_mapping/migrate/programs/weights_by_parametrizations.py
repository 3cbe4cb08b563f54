"""Weights that modules compute of others: registered, trained, assigned, taken away again."""

import torch
import torch.nn.utils.parametrize as parametrize
from torch import nn
from torch.nn.utils.parametrize import register_parametrization


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(-1, -2)

    def right_inverse(self, w):
        return w.triu()


class Positive(nn.Module):
    def forward(self, w):
        return torch.exp(w)

    def right_inverse(self, w):
        return w.log()


class Scaled(nn.Module):
    """With a weight of its own."""

    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.linspace(0.5, 1.5, n)[:, None])

    def forward(self, w):
        return w * self.scale


class Flat(nn.Module):
    """One number fewer is trained in each row: its sum is 0."""

    def forward(self, w):
        return w - w.mean(1, keepdim=True)


def shown(t):
    return [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()]


def filled(net):
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_((torch.arange(p.numel()).float() * 0.7 + i).cos().view_as(p) * 0.5)
    return net


x = torch.sin(torch.arange(12.0)).view(4, 3)
layer = filled(nn.Linear(3, 3))
register_parametrization(layer, "weight", Symmetric())
print(shown(layer(x)), torch.equal(layer.weight, layer.weight.T))
layer.weight = torch.eye(3) * 2
print(shown(layer.weight), shown(layer.parametrizations.weight.original))

net = filled(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)))
net[0].weight.data.abs_()
register_parametrization(net[0], "weight", Positive())
register_parametrization(net[0], "weight", Scaled(4))
parametrize.register_parametrization(net[2], "bias", nn.Tanh())
print([n for n, p in net.named_parameters()], len(net[0].parametrizations.weight))
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
for _ in range(4):
    optimizer.zero_grad()
    loss = (net(x) - 1).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
print(shown(net[0].weight), shown(net[2].bias))
state = {k: tuple(v.shape) for k, v in net.state_dict().items()}
print(sorted(state.items()))
parametrize.remove_parametrizations(net[0], "weight")
parametrize.remove_parametrizations(net[2], "bias", leave_parametrized=False)
print(parametrize.is_parametrized(net[0]), shown(net[0].weight), shown(net[2].bias))
print([n for n, p in net.named_parameters()])


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor([1.0, 2.0, 4.0]))
        self.conv = nn.Conv1d(2, 3, 2)
        register_parametrization(self, "gain", Positive())
        register_parametrization(self.conv, "weight", Scaled(1))
        parametrize.register_parametrization(self.conv, "bias", Positive(), unsafe=True)

    def forward(self, x):
        return self.conv(x) * self.gain[:, None]


torch.manual_seed(0)
cell = Cell()
filled(cell)
print(parametrize.is_parametrized(cell), parametrize.is_parametrized(cell.conv, "bias"))
print(shown(cell(torch.ones(1, 2, 3))), shown(cell.gain))
with parametrize.cached():
    print(shown(cell(torch.ones(1, 2, 3))))
table = filled(nn.Embedding(3, 2))
register_parametrization(table, "weight", Flat())
print(shown(table(torch.tensor([2, 0]))), shown(table.weight))
frozen = filled(nn.Linear(2, 2, bias=False))
frozen.weight.requires_grad_(False)
register_parametrization(frozen, "weight", Flat())
print([p.requires_grad for p in frozen.parameters()])
