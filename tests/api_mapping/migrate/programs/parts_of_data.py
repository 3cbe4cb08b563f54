import torch
from torch import nn


def told(*tensors):
    print([round(x, 4) for t in tensors for x in t.detach().reshape(-1).tolist()])


net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p[:] = torch.linspace(-1, 1, p.numel()).view(p.shape) * (i + 1)
told(*net.parameters())

# pruned by a mask
first = net[0].weight
mask = first.data.abs() < 0.5
first.data[mask] = 0.0
net[0].weight.data[[0, 1], [2, 0]] += 0.5
told(first)
for m in net.modules():
    if isinstance(m, nn.Linear):
        m.weight.data[m.weight.data > 1.0] = 1.0
told(*net.parameters())

with torch.no_grad():
    net[0].weight[net[0].weight > 0.2] *= 0.5
    net[0].weight[torch.tensor([[True, False, True], [False, False, True]])] = torch.arange(3.0)
told(net[0].weight)

# by a name
w = net[2].weight.data
w[w < 0] = 0.25
w[...] = w[...] * 2
w[:, torch.tensor([1])] -= 1
told(net[2].weight)


def pruned(layer, kept):
    layer.weight.data[~kept] = 0
    layer.bias.data[...] = 0.1
    for p in layer.parameters():
        p.data[p.data == 0] = 0.05


pruned(net[0], torch.tensor([[True, False, True], [False, True, True]]))
told(net[0].weight, net[0].bias)


# what is written whole is assigned to again, and trained
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.0))
        self.shift = nn.Parameter(torch.zeros(2, 2))
        self.register_buffer("kept", torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        with torch.no_grad():
            self.scale[...] = 2.0
            self.shift[:] = self.kept
            self.shift[:, :] += 1
        self.kept.data[self.kept > 0] = 3.0

    def forward(self, x):
        return (x * self.scale + self.shift) * self.kept


own = Scaled()
told(own.scale, own.shift, own.kept)
for p in own.parameters():
    p.data.add_(torch.ones_like(p), alpha=0.5)
told(own.scale, own.shift)
opt = torch.optim.SGD(own.parameters(), lr=0.1)
for _ in range(2):
    opt.zero_grad()
    own(torch.ones(2, 2)).pow(2).mean().backward()
    opt.step()
told(own.scale, own.shift)
x = torch.zeros(2, 3)
y = x.data
y[y < 1] = 3.0
y[[0]] = torch.ones(3)
told(x)
