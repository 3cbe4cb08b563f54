"""Images that are trained: dreams, style, lists of tensors for optimizers, values that are clamped."""

import torch
import torch.nn.functional as F
from torch import nn

deep = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Conv2d(2, 2, 3, padding=1))
for i, p in enumerate(deep.parameters()):
    with torch.no_grad():
        p.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5)
for p in deep.parameters():
    p.requires_grad_(False)
img = torch.linspace(-1, 1, 16).view(1, 1, 4, 4).requires_grad_(True)
opt = torch.optim.Adam([img], lr=0.05)
for step in range(3):
    opt.zero_grad()
    loss = -deep(img).norm()
    loss.backward()
    opt.step()
    print(step, round(loss.item(), 3))
print([round(v, 2) for v in img.flatten().tolist()])
img2 = torch.linspace(-1, 1, 16).view(1, 1, 4, 4)
img2.requires_grad = True
for step in range(3):
    loss = deep(img2).mean()
    loss.backward()
    g = img2.grad.data
    g = g / (g.std() + 1e-8)
    img2.data += 0.1 * g
    img2.grad.data.zero_()
    print(step, round(loss.item(), 3))


def ascend(image, deep, lr=0.1, n=2):
    image = image.clone().detach().requires_grad_(True)
    for _ in range(n):
        deep.zero_grad()
        out = deep(image)
        loss = out.norm()
        loss.backward()
        avg = image.grad.abs().mean()
        image.data += lr / avg * image.grad.data
        image.grad.zero_()
    return image.detach()


print([round(v, 2) for v in ascend(img2, deep).flatten().tolist()])


net = nn.Conv2d(1, 2, 3, padding=1)
for i, p in enumerate(net.parameters()):
    with torch.no_grad():
        p.copy_(torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5)


def gram(x):
    b, c, h, w = x.size()
    f = x.view(b * c, h * w)
    return torch.mm(f, f.t()).div(b * c * h * w)


content = torch.linspace(-1, 1, 16).view(1, 1, 4, 4)
style = torch.linspace(1, -2, 16).view(1, 1, 4, 4)
target = gram(net(style)).detach()
ct = net(content).detach()
img = content.clone().requires_grad_(True)
opt = torch.optim.Adam([img], lr=0.05)
for i in range(3):
    opt.zero_grad()
    f = net(img)
    sl = F.mse_loss(gram(f), target) * 100
    cl = F.mse_loss(f, ct)
    loss = sl + cl
    loss.backward()
    opt.step()
    with torch.no_grad():
        img.clamp_(-1, 1)
    print(round(sl.item(), 4), round(cl.item(), 4))


def go(kind):
    w = torch.tensor([1.0, -2.0], requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    x = torch.tensor([[1.0, 2.0], [0.5, -1.0]])
    params = [w, b]
    opt = (
        torch.optim.SGD(params, lr=0.1)
        if kind == 0
        else torch.optim.Adam([{"params": [w]}, {"params": [b], "lr": 0.5}], lr=0.1)
    )
    for i in range(3):
        loss = ((x @ w + b) - 1).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            w.clamp_(-1.5, 1.0)
            b.add_(0.1)
    return [round(v, 2) for v in w.tolist()], round(b.item(), 4), round(loss.item(), 3)


print(go(0))
print(go(1))
img = torch.linspace(0, 1, 4).clone()
img.requires_grad_(True)
ps = [img]
o = torch.optim.SGD(ps, lr=0.5)
for i in range(2):
    o.zero_grad()
    l = (img**2).sum()
    l.backward()
    o.step()
    img.data.clamp_(0, 0.2)
    print(round(l.item(), 4), [round(v, 2) for v in img.tolist()])


class Opt:
    def __init__(self, x):
        self.x = x.detach().clone().requires_grad_(True)
        self.opt = torch.optim.Adam([self.x], lr=0.1)

    def step(self):
        self.opt.zero_grad()
        loss = self.x.pow(2).sum()
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            self.x.clamp_(0.2, 1)
            self.x.mul_(0.9)
        return loss.item()


m = Opt(torch.linspace(0, 1, 3))
print([round(m.step(), 4) for _ in range(3)], [round(v, 2) for v in m.x.tolist()])
