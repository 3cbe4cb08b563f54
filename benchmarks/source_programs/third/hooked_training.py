"""Hooks in training: gradient statistics by module, a gradient mask on a weight, feature extraction by name, handles removed in the end."""
from collections import OrderedDict

import torch
import torch.nn as nn

net = nn.Sequential(OrderedDict([("inp", nn.Linear(4, 6)), ("act", nn.ReLU()), ("mid", nn.Linear(6, 6)),
                                 ("act2", nn.ReLU()), ("out", nn.Linear(6, 2))]))
with torch.no_grad():
    for i, (n, p) in enumerate(net.named_parameters()):
        p.copy_(torch.cos(torch.arange(p.numel()).float() * 1.3 + i).reshape(p.shape) * 0.5)

features, grad_norms, handles = {}, {}, []


def get_activation(name):
    def hook(model, input, output):
        features[name] = output.detach()
    return hook


def log_grad(name):
    def hook(module, grad_input, grad_output):
        grad_norms.setdefault(name, []).append(round(grad_output[0].norm().item(), 4))
    return hook


for name, module in net.named_modules():
    if isinstance(module, nn.Linear):
        handles.append(module.register_forward_hook(get_activation(name)))
        handles.append(module.register_full_backward_hook(log_grad(name)))

mask = torch.ones_like(net.mid.weight)
mask[:, :3] = 0
handles.append(net.mid.weight.register_hook(lambda g: g * mask))
handles.append(net.inp.weight.register_hook(lambda g: g.clamp(-0.05, 0.05)))
before = net.mid.weight.detach().clone()

x = torch.sin(torch.arange(40).float() * 0.6).view(10, 4)
y = (x[:, 0] * x[:, 1] > 0).long()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    opt.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    opt.step()
    print(epoch, f"{loss.item():.4f}", {k: tuple(v.shape) for k, v in features.items()})
print(grad_norms)
print(torch.equal(before[:, :3], net.mid.weight[:, :3]), torch.equal(before, net.mid.weight))
for h in handles:
    h.remove()
features.clear()
net(x)
print(len(features), sum(len(v) for v in grad_norms.values()))
