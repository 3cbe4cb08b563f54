"""Tensors that are given a gradient of their own under the name of what they are made of."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd import Variable

net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3))
for i, p in enumerate(net.parameters()):
    p.data = torch.sin(torch.arange(p.numel()).float() + i).view_as(p) * 0.5
images = torch.cos(torch.arange(8.0)).view(2, 4)
labels = torch.tensor([0, 2])


def shown(t):
    return [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()]


def saliency(model, image, label):
    image = image.clone().requires_grad_(True)
    F.cross_entropy(model(image), label).backward()
    return image.grad.abs()


def of_a_part(model, image):
    image = image[:1].detach().clone()
    image.requires_grad = True
    score = model(image)[0, 1]
    score.backward()
    return image.grad


def by_variable(model, image, label):
    image = Variable(image, requires_grad=True)
    loss = F.cross_entropy(model(image), label)
    loss.backward()
    return image.grad.data


def along_a_path(model, image, steps=4):
    total = torch.zeros_like(image)
    for k in range(steps):
        point = (image * (k + 0.5) / steps).requires_grad_()
        out = model(point)
        out[:, 0].sum().backward()
        total = total + point.grad
    return total * image / steps


def many_steps(model, image, label):
    for _ in range(3):
        image = image.detach().requires_grad_()
        loss = F.cross_entropy(model(image), label)
        loss.backward()
        image = image + 0.1 * image.grad.sign()
    return image


def renamed(model, x):
    inner = torch.tanh(x * 2)
    inner = inner.requires_grad_()
    model(inner).pow(2).mean().backward()
    return inner.grad


print(shown(saliency(net, images, labels)))
print(shown(of_a_part(net, images)))
print(shown(by_variable(net, images, labels)))
print(shown(along_a_path(net, images)))
print(shown(many_steps(net, images, labels)))
print(shown(renamed(net, images)))
print(shown(net[0].bias.grad), images.grad is None)


def twice(model, image):
    """Each has gradients of its own, though none is a copy."""
    one = image.detach().requires_grad_()
    model(one).sum().backward()
    other = image.detach().requires_grad_()
    model(other).sum().backward()
    return torch.equal(one.grad, other.grad), one.grad is other.grad


print(twice(net, images), images.grad is None)


def flowing(model, image):
    """What needs gradients already is made nothing anew: they flow on to the weights before it."""
    hidden = model[0](image)
    hidden = hidden.requires_grad_()
    model.zero_grad()
    model[2](torch.tanh(hidden)).pow(2).sum().backward()
    return model[0].weight.grad, model[2].bias.grad


print(*map(shown, flowing(net, images)))
