"""Gradients by images: the fast gradient sign method, projected gradients, saliency."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def make():
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    for i, p in enumerate(net.parameters()):
        with torch.no_grad():
            p.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5)
    return net


def fgsm_attack(image, epsilon, data_grad):
    sign = data_grad.sign()
    return torch.clamp(image + epsilon * sign, 0, 1)


model = make()
model.eval()
x = torch.linspace(0, 1, 12).view(3, 4)
y = torch.tensor([0, 2, 1])
for eps in [0.0, 0.1]:
    data = x.clone()
    data.requires_grad = True
    output = model(data)
    loss = F.nll_loss(F.log_softmax(output, dim=1), y)
    model.zero_grad()
    loss.backward()
    data_grad = data.grad.data
    adv = fgsm_attack(data, eps, data_grad)
    out2 = model(adv)
    print(
        eps,
        round(loss.item(), 3),
        [round(v, 3) for v in adv.flatten().tolist()],
        out2.argmax(1).tolist(),
    )


def fgsm(model, x, y, eps):
    x = x.clone().detach().requires_grad_(True)
    loss = F.cross_entropy(model(x), y)
    model.zero_grad()
    loss.backward()
    return (x + eps * x.grad.sign()).detach()


print("attacked", len(x))
print([round(v, 3) for v in fgsm(model, x, y, 0.2).flatten().tolist()])


small = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
for i, p in enumerate(small.parameters()):
    with torch.no_grad():
        p.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5)


def saliency(model, x, target=None):
    model.eval()
    x.requires_grad_()
    scores = model(x)
    idx = scores.argmax(dim=1) if target is None else target
    score = scores[0, idx[0].item()]
    score.backward()
    s, _ = torch.max(x.grad.data.abs(), dim=1)
    return s


x = torch.linspace(-1, 1, 16).view(1, 1, 4, 4)
print([round(v, 3) for v in saliency(small, x).flatten().tolist()])


def integrated(model, x, base, steps=4, cls=1):
    total = torch.zeros_like(x)
    for a in torch.linspace(0, 1, steps):
        z = (base + a * (x - base)).clone().requires_grad_(True)
        out = model(z)[:, cls].sum()
        (g,) = torch.autograd.grad(out, z)
        total += g
    return (x - base) * total / steps


print(
    [round(v, 3) for v in integrated(small, x.detach(), torch.zeros(1, 1, 4, 4)).flatten().tolist()]
)
