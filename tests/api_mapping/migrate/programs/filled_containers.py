import torch
from torch import nn


def told(net: nn.Module):
    print(sorted(name for name, _ in net.named_parameters()))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    print(len(net.state_dict()), len(optimizer.param_groups[0]["params"]))


class Appended(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.ModuleList()
        self.enc.append(nn.Linear(4, 4))
        self.enc.append(nn.Linear(4, 4))
        self.dec = nn.ModuleList()
        for _ in range(2):
            self.dec.append(nn.Linear(4, 4))

    def forward(self, x):
        for layer in [*self.enc, *self.dec]:
            x = layer(x)
        return x


class Extended(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ModuleList()
        self.a.extend([nn.Linear(1, 1), nn.Sequential(nn.Linear(2, 2))])
        self.a.insert(0, nn.Linear(3, 3))
        self.a += [nn.Linear(5, 5)]
        self.b = nn.ModuleList([nn.ReLU()])
        self.b.append(nn.Linear(1, 1))


class Added(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential()
        self.body.add_module("linear", nn.Linear(4, 4))
        self.body.add_module("act", nn.ReLU())
        self.body.append(nn.Linear(4, 2))
        self.add_module("last", nn.Linear(2, 1))

    def forward(self, x):
        return self.last(self.body(x))


class Set(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            setattr(self, f"layer{i}", nn.Linear(4, 4))
        self.heads = nn.ModuleDict()
        self.heads["cls"] = nn.Linear(4, 2)
        self.heads.update({"box": nn.Linear(4, 4)})
        self.heads["deep"] = nn.Sequential(nn.Linear(1, 1))


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList()
        for _ in range(2):
            stage = nn.ModuleList()
            self.stages.append(stage)
            stage.append(nn.Linear(2, 2))
        self.gains = nn.ParameterList()
        self.gains.append(nn.Parameter(torch.zeros(2)))
        self.scales = nn.ParameterDict()
        self.scales["w"] = nn.Parameter(torch.ones(2))


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Appended()
        self.second = Appended()
        self.first.enc.append(nn.Linear(4, 4))


class Grown(nn.Sequential):
    def __init__(self):
        super().__init__()
        for i in range(2):
            self.add_module(f"layer{i}", nn.Linear(2, 2))


for net in (Appended(), Extended(), Added(), Set(), Nested(), Outer(), Grown()):
    told(net)

net = Appended()
for parameter in net.parameters():
    nn.init.constant_(parameter, 0.1)
other = Appended()
other.load_state_dict(net.state_dict())
print(round(other(torch.ones(1, 4)).sum().item(), 4))
net = Added()
for parameter in net.parameters():
    nn.init.constant_(parameter, 0.5)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = net(torch.ones(2, 4)).sum()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 3))
