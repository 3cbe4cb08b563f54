"""Parametrizations by PyTorch's names, gone through as a dictionary, and cached."""

import torch
from torch import nn
from torch.nn.utils import parametrize


class Half(nn.Module):
    def forward(self, w):
        return w / 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4, 2)
        self.norm = nn.LayerNorm(2)
        parametrize.register_parametrization(self.emb, "weight", Half())
        parametrize.register_parametrization(self.norm, "weight", Half())
        parametrize.register_parametrization(self.norm, "bias", Half())

    def forward(self, i):
        return self.norm(self.emb(i))


net = Net()
with torch.no_grad():
    for k, p in enumerate(net.parameters()):
        p.copy_(torch.sin(torch.arange(p.numel()).float() + k).reshape(p.shape))
i = torch.tensor([0, 3])
print([name for name, _ in net.named_parameters()])
print(sorted(net.state_dict()))
print([round(v, 3) for v in net(i).flatten().tolist()])
print("weight" in net.emb.parametrizations, sorted(net.norm.parametrizations.keys()))
print([(k, len(v)) for k, v in net.norm.parametrizations.items()])
print(len(list(net.norm.parametrizations.values())), sorted(k for k in net.norm.parametrizations))
print(parametrize.is_parametrized(net.emb, "weight"), parametrize.is_parametrized(net.emb))
net.emb.load_state_dict({"parametrizations.weight.original": torch.ones(4, 2)})
print(net.emb.weight.tolist(), net.emb.parametrizations.weight.original.tolist())
parametrize.register_parametrization(net.emb, "weight", Half())
print(net.emb.weight[0].tolist())
with parametrize.cached():
    before = net.emb.weight
    with torch.no_grad():
        net.emb.parametrizations.weight.original.fill_(4.0)
    with parametrize.cached():
        print(before[0].tolist(), net.emb.weight[0].tolist())
    print(net.emb.weight[0].tolist())
print(net.emb.weight[0].tolist())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    with parametrize.cached():
        loss = (net.emb(i) + net.emb(i)).pow(2).sum()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
parametrize.remove_parametrizations(net.norm, "bias")
print(sorted(net.norm.state_dict()), parametrize.is_parametrized(net.norm, "bias"))


class LowRank(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.a = nn.Parameter(torch.ones(rows, 1))
        self.b = nn.Parameter(torch.arange(float(columns)).reshape(1, columns) / 10)

    def forward(self, w):
        return w + self.a @ self.b


def adapt(layer):
    if type(layer) == nn.Linear:
        parametrize.register_parametrization(layer, "weight", LowRank(*layer.weight.shape))


whole = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
whole.apply(adapt)
with torch.no_grad():
    for k, p in enumerate(whole.parameters()):
        p.copy_(torch.cos(torch.arange(p.numel()).float() + k).reshape(p.shape))
trained = [p for name, p in whole.named_parameters() if name.endswith((".a", ".b"))]
optimizer = torch.optim.SGD(trained, lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (whole(torch.ones(2, 3)) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
print([round(p.sum().item(), 3) for p in whole.parameters()])
