"""Saliency: plain gradients, SmoothGrad, integrated gradients, input times gradient, an adversarial step (FGSM, PGD)."""
import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(3)
model = nn.Sequential(nn.Linear(6, 10), nn.GELU(), nn.Linear(10, 3))
for p in model.parameters():
    p.data = torch.tensor(rng.normal(0, 0.5, p.shape), dtype=torch.float32)
    p.requires_grad_(False)
x = torch.tensor(rng.normal(size=(4, 6)), dtype=torch.float32)
y = torch.tensor([0, 2, 1, 0])
loss_fn = nn.CrossEntropyLoss()


def vanilla(x, y):
    x = x.detach().clone()
    x.requires_grad = True
    scores = model(x)
    scores.gather(1, y[:, None]).sum().backward()
    return x.grad.detach()


def integrated(x, y, steps=16):
    total = torch.zeros_like(x)
    for k in range(1, steps + 1):
        point = (x * k / steps).requires_grad_()
        model(point).gather(1, y[:, None]).sum().backward()
        total += point.grad
    return x * total / steps


def fgsm(x, y, eps=0.1):
    x_adv = x.clone().detach().requires_grad_(True)
    loss = loss_fn(model(x_adv), y)
    loss.backward()
    return (x_adv + eps * x_adv.grad.sign()).detach()


def pgd(x, y, eps=0.2, alpha=0.05, iters=5):
    adv = x.clone()
    for _ in range(iters):
        adv.requires_grad_(True)
        loss = loss_fn(model(adv), y)
        grad = torch.autograd.grad(loss, adv)[0]
        adv = adv.detach() + alpha * grad.sign()
        adv = torch.min(torch.max(adv, x - eps), x + eps)
    return adv


g = vanilla(x, y)
print("vanilla", g.abs().sum(1).numpy().round(4).tolist())
smooth = sum(vanilla(x + 0.1 * torch.tensor(rng.normal(size=(4, 6)), dtype=torch.float32), y) for _ in range(5)) / 5
print("smooth", smooth.abs().argmax(1).tolist())
ig = integrated(x, y)
print("integrated", [round(v, 4) for v in ig.sum(1).tolist()])
for name, attack in (("fgsm", fgsm), ("pgd", pgd)):
    adv = attack(x, y)
    print(name, round(loss_fn(model(adv), y).item(), 4), round((adv - x).abs().max().item(), 4), adv.requires_grad)
