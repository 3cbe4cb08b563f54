import io

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import lr_scheduler

REGISTRY = {}


def register(cls):
    REGISTRY[cls.__name__.lower()] = cls
    return cls


@register
class Tagger(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.rnn = nn.GRU(size, 2, num_layers=2, bidirectional=True)
        self.norm = nn.LayerNorm(4)
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head(self.norm(self.rnn(x)[0]))


class Keeper:
    def __init__(self, **parts):
        self.parts = parts

    def save(self):
        file = io.BytesIO()
        torch.save({name: part.state_dict() for name, part in self.parts.items()}, file)
        file.seek(0)
        return file

    def load(self, file):
        states = torch.load(file)
        for name, part in self.parts.items():
            part.load_state_dict(states[name])
        return states

    def rates(self):
        return [round(rate, 5) for rate in self.parts["schedule"].get_last_lr()]


def build(name, schedule):
    net = REGISTRY[name](3).float()
    for k, p in enumerate(net.parameters()):
        p.data.copy_(torch.sin(torch.arange(p.numel()).float() + k).view_as(p) * 0.5)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if schedule == "sequence":
        parts = [lr_scheduler.LinearLR(opt, 0.5, total_iters=2), lr_scheduler.StepLR(opt, 1, 0.5)]
        made = lr_scheduler.SequentialLR(opt, parts, milestones=[2])
    elif schedule == "cycle":
        made = lr_scheduler.OneCycleLR(opt, 0.2, total_steps=8)
    else:
        made = lr_scheduler.CosineAnnealingLR(opt, T_max=4)
    return net, opt, made


def step(net, opt, made):
    opt.zero_grad()
    loss = net(torch.cos(torch.arange(12.0)).view(2, 2, 3)).pow(2).mean()
    loss.backward()
    opt.step()
    made.step()
    return round(loss.item(), 4)


for kind in ("sequence", "cycle", "cosine"):
    net, opt, made = build("tagger", kind)
    keeper = Keeper(net=net, opt=opt, schedule=made)
    first = [step(net, opt, made) for _ in range(2)]
    file = keeper.save()
    later = [step(net, opt, made) for _ in range(2)]
    print(kind, first, later, keeper.rates())
    again = build("tagger", kind)
    other = Keeper(net=again[0], opt=again[1], schedule=again[2])
    states = other.load(file)
    print([step(*again) for _ in range(2)] == later, other.rates())
    print(list(states["net"])[:6], round(states["net"]["norm.weight"].sum().item(), 4))

names = list(build("tagger", "cosine")[0].state_dict())
print(names)
LOSSES = {"bce": F.binary_cross_entropy, "mse": F.mse_loss}
p, t = torch.tensor([0.2, 0.7, 0.4]), torch.tensor([0.0, 1.0, 1.0])
for name, loss in LOSSES.items():
    print(name, round(loss(p, t).item(), 4), round(loss(p, t, reduction="sum").item(), 4))
label = torch.Tensor([1, 2, 2])
scores = F.log_softmax(torch.sin(torch.arange(24.0)).view(6, 1, 4), dim=2)
print(round(nn.CTCLoss()(scores, label.view(1, 3), [6], [3]).item(), 4))
heads = nn.ModuleList()
for i in range(3):
    heads.append(nn.Linear(2, 1))
    heads[i].weight = nn.Parameter(torch.full((1, 2), 0.5 * i))
print([n for n, _ in heads.named_parameters()], round(sum(h.weight.sum().item() for h in heads), 3))
