"""Hooks that keep activations and gradients, and handles that are removed."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Conv2d(3, 4, 3), nn.ReLU()
        )
        self.head = nn.Linear(4, 3)
        for i, p in enumerate(self.parameters()):
            p.data = torch.sin(torch.arange(p.numel()).float() * 1.3 + i).view_as(p) * 0.4

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


net = Net().eval()
images = torch.cos(torch.arange(72.0) * 0.4).view(2, 1, 6, 6)


def shown(t):
    return [round(v, 3) + 0.0 for v in t.detach().flatten().tolist()]


class GradCam:
    def __init__(self, model, layer):
        self.model, self.handles = model, []
        self.handles.append(layer.register_forward_hook(self.keep))
        self.handles.append(layer.register_full_backward_hook(self.keep_gradient))

    def keep(self, module, inputs, output):
        self.activations = output

    def keep_gradient(self, module, grad_input, grad_output):
        self.gradients = grad_output[0]

    def __call__(self, x, target=None):
        scores = self.model(x)
        if target is None:
            target = scores.argmax(1)[0].item()
        self.model.zero_grad()
        scores[0, target].backward()
        weights = self.gradients.mean((2, 3), keepdim=True)
        return F.relu((weights * self.activations).sum(1)), target

    def close(self):
        for handle in self.handles:
            handle.remove()


cam = GradCam(net, net.features[2])
for target in (None, 1):
    heat, found = cam(images[:1], target)
    print(found, shown(heat))
cam.close()
print(len(net.features[2]._forward_hooks), len(net.features[2]._backward_hooks))


def kept_in_a_dictionary(model, layer, x, target):
    store = {}
    one = layer.register_forward_hook(lambda m, i, o: store.update(value=o.detach()))
    other = layer.register_full_backward_hook(lambda m, gi, go: store.update(grad=go[0].detach()))
    try:
        out = model(x)
        model.zero_grad(set_to_none=True)
        out[:, target].sum().backward()
    finally:
        one.remove()
        other.remove()
    return (store["grad"].mean((2, 3)) * store["value"].mean((2, 3))).sum(1)


print(shown(kept_in_a_dictionary(net, net.features[2], images, 2)))

names = []


def logging(name):
    def hook(module, grad_input, grad_output):
        names.append((name, round(grad_output[0].norm().item(), 3)))

    return hook


handles = [
    m.register_full_backward_hook(logging(n)) for n, m in net.named_modules() if n.endswith("2")
]
net(images.clone().requires_grad_()).sum().backward()
for handle in handles:
    handle.remove()
net(images).sum().backward()
print(names)


class Guided:
    """Negative gradients are cut at each ReLU."""

    def __init__(self, model):
        self.handles = [
            m.register_full_backward_hook(self.cut)
            for m in model.modules()
            if isinstance(m, nn.ReLU)
        ]

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()

    @staticmethod
    def cut(module, grad_input, grad_output):
        return (F.relu(grad_input[0]),)


def guided(model, x, target):
    x = x.clone().requires_grad_(True)
    with Guided(model):
        model(x)[:, target].sum().backward()
    return x.grad


print(shown(guided(net, images[:1], 0))[:6])

weight = net.head.weight
doubled = weight.register_hook(lambda g: 2 * g)
net.zero_grad()
net(images).sum().backward()
with_hook = shown(weight.grad)[:3]
doubled.remove()
net.zero_grad()
net(images).sum().backward()
print(with_hook, shown(weight.grad)[:3])
