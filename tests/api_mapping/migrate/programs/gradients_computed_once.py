"""What is computed for its gradients alone is computed once: statistics count a batch once."""

import torch
import torch.nn.functional as F
from torch import nn


class Attack:
    def __init__(self, model, eps):
        self.model = model
        self.eps = eps

    def signed(self, images, labels):
        images = images.clone().detach()
        images.requires_grad = True
        outputs = self.model(images)
        cost = nn.CrossEntropyLoss()(outputs, labels)
        grad = torch.autograd.grad(cost, images, retain_graph=False, create_graph=False)[0]
        return images + self.eps * grad.sign()

    def scaled(self, images, labels):
        x = images.clone().detach().requires_grad_(True)
        (grad,) = torch.autograd.grad(F.cross_entropy(self.model(x), labels), [x])
        return images + self.eps * grad

    def several(self, images, labels, steps):
        x = images.detach().clone()
        for _ in range(steps):
            x.requires_grad_(True)
            with torch.enable_grad():
                logits = self.model(x)
                loss = -F.log_softmax(logits, dim=1)[:, 0].sum()
            grad = torch.autograd.grad(loss, x)[0]
            x = (x - self.eps * grad).detach()
        return x


def build():
    net = nn.Sequential(nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2))
    for i, p in enumerate(net.parameters()):
        p.data = torch.cos(torch.arange(p.numel()).float() * 0.7 + i).view(p.shape)
    return net


def shown(x):
    return [f"{v:.3f}" for v in x.flatten()[:4]]


x = torch.sin(torch.arange(12).float()).view(4, 3)
y = torch.tensor([0, 1, 1, 0])
net = build()
attack = Attack(net, 0.1)
print("signed", shown(attack.signed(x, y)), shown(net[1].running_mean))
print("scaled", shown(attack.scaled(x, y)), shown(net[1].running_mean))
print("several", shown(attack.several(x, y, 3)), shown(net[1].running_mean))
print("var", shown(net[1].running_var))
plain = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
for i, p in enumerate(plain.parameters()):
    p.data = torch.cos(torch.arange(p.numel()).float() * 0.7 + i).view(p.shape)
print("training", net.training, plain.training)
print("range", f"{(attack.signed(x, y) - x).abs().max():.3f}")
