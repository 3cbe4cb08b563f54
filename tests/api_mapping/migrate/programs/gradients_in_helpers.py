"""Penalties of gradients in functions that are handed what they differentiate."""

import torch
import torch.nn.functional as F
from torch import autograd, nn
from torch.autograd import grad


def shown(*tensors):
    return [round(v, 3) + 0.0 for t in tensors for v in t.detach().flatten().tolist()]


class Critic(nn.Module):
    def __init__(self, shift=0.0):
        super().__init__()
        self.l1, self.l2 = nn.Linear(2, 6), nn.Linear(6, 1)
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() * 1.3 + i + shift).view_as(p) * 0.6

    def forward(self, x):
        return self.l2(F.softplus(self.l1(x))).squeeze(-1)

    def score(self, x):
        x = x.detach().requires_grad_(True)
        energy = self(x).sum()
        return grad(energy, x, create_graph=self.training)[0]


real = torch.cos(torch.arange(10.0)).view(5, 2)
fake = torch.sin(torch.arange(10.0) * 0.4).view(5, 2)


def r1(real_pred, real_img):
    (grad_real,) = autograd.grad(outputs=real_pred.sum(), inputs=real_img, create_graph=True)
    return grad_real.pow(2).reshape(grad_real.shape[0], -1).sum(1).mean()


def train(steps=3):
    net = Critic()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(steps):
        images = real.clone().requires_grad_(True)
        pred = net(images)
        loss = F.softplus(-pred).mean() + F.softplus(net(fake)).mean()
        loss = loss + 2.0 * r1(pred, images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4))
    return net


print(shown(train().l1.bias))


def both(samples, logits, weight=1.0):
    """Of what several calls in one statement hand over, with a default."""
    scaled = logits * weight
    (gradient,) = grad(outputs=scaled.sum(), inputs=samples, create_graph=True)
    return gradient.square().sum([1])


def relativistic():
    net = Critic(0.5)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for step in range(3):
        a, b = real.detach().requires_grad_(True), fake.detach().requires_grad_(True)
        logits_a, logits_b = net(a), net(b)
        penalty = both(a, logits_a) + both(b, logits_b, weight=0.5)
        loss = (F.softplus(logits_b - logits_a) + 0.5 * penalty).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4), round(penalty.mean().item(), 4))


relativistic()


class Trainer:
    """A lazy penalty in a method, and the helper a method as well."""

    def __init__(self):
        self.net = Critic(1.0)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.05)

    def penalty(self, scores, points):
        g = torch.autograd.grad(
            scores, points, grad_outputs=torch.ones_like(scores), create_graph=True
        )[0]
        return ((g.norm(2, dim=1) - 1) ** 2).mean()

    def step(self, x, lazily):
        if lazily:
            x.requires_grad = True
            scores = self.net(x)
            gp = self.penalty(scores, x)
            self.net.zero_grad()
            (10 * gp + 0 * scores[0]).backward()
            self.optimizer.step()
            return gp.item()
        loss = self.net(x).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


trainer = Trainer()
print([round(trainer.step(real.clone(), k % 2 == 0), 4) for k in range(4)])


def laplacian(u, x):
    """Gradients of what was handed over, and of these."""
    du = autograd.grad(u.sum(), x, create_graph=True)[0]
    return du.pow(2).sum(1)


def residual():
    net = Critic(2.0)
    x = real.clone().requires_grad_(True)
    h = torch.sin(x)
    u = net(h) * x[:, 0]
    return laplacian(u, x)


print(shown(residual()))


def saliency(output, image):
    return autograd.grad(output.max(), image)[0].abs()


net = Critic()
for k in range(2):
    image = (real * (k + 1)).requires_grad_()
    output = net(image)
    print(shown(saliency(output, image))[:4])
net.eval()
print(shown(net.score(real))[:4])
net.train()
s = net.score(real)
(s + real).pow(2).mean().backward()
print(shown(s)[:4], shown(net.l2.weight.grad))
