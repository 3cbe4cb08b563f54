"""functional_call: one Parameter under two names, names that a network lacks, strict."""

import torch
from torch import nn
from torch.func import functional_call, grad


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(3, 3)
        self.a = nn.Linear(3, 3, bias=False)
        self.b = nn.Linear(3, 3, bias=False)
        self.b.weight = self.a.weight
        self.out = nn.Linear(3, 3, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, index):
        return self.out(self.b(torch.relu(self.a(self.embedding(index)))))


net = Tied()
with torch.no_grad():
    net.a.weight.fill_(0.5)
    net.embedding.weight.fill_(0.25)
index = torch.tensor([0, 2])


def total(weights):
    return functional_call(net, weights, (index,)).sum()


doubled = {name: p.detach() * 2 for name, p in net.named_parameters()}
print(sorted(doubled), round(total(doubled).item(), 4), round(total({}).item(), 4))
print({name: g.tolist() for name, g in sorted(grad(total)(doubled).items())})
one = {"b.weight": torch.ones(3, 3)}
print(round(total(one).item(), 4))
print(round(functional_call(net, one, index, tie_weights=False).sum().item(), 4))
print(round(total({"out.weight": torch.ones(3, 3)}).item(), 4))
print(round(total({"a.other": torch.ones(3, 3)}).item(), 4))


def refused(weights, strict=False, tie=True):
    try:
        functional_call(net, weights, (index,), tie_weights=tie, strict=strict)
    except (ValueError, AttributeError, RuntimeError) as error:
        return type(error).__name__
    return "taken"


print(refused({"a.weight": torch.ones(3, 3), "b.weight": torch.zeros(3, 3)}))
print(refused({"c.weight": torch.ones(3, 3)}), refused({"c.weight": torch.ones(3, 3)}, strict=True))
print(refused(one, strict=True), refused(doubled, strict=True))
print(refused(doubled, tie=False, strict=True))
